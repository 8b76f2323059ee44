# An agent of LangChain with one MCP server.
import asyncio
import json
import os

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI


async def main():
    client = MultiServerMCPClient({"proxy": {"transport": "stdio", **json.loads(os.environ["SERVER"])}})
    async with client.session("proxy") as session:
        tools = await load_mcp_tools(session)
        for tool in tools:
            tool.handle_tool_error = True
        agent = create_agent(ChatOpenAI(model="gpt-4o", use_responses_api=False), tools)
        out = await agent.ainvoke({"messages": [("user", "Do the steps.")]}, {"recursion_limit": 120})
        print(out["messages"][-1].content)


asyncio.run(main())
