# An agent of pydantic-ai with one MCP server.
import asyncio
import json
import os

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel


async def main():
    server = json.loads(os.environ["SERVER"])
    agent = Agent(OpenAIChatModel("gpt-4o"), toolsets=[MCPToolset(StdioTransport(server["command"], server["args"]))])
    async with agent:
        print((await agent.run("Do the steps.")).output)


asyncio.run(main())
