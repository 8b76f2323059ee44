# The OpenAI Agents SDK with one MCP server.
import asyncio
import json
import os

from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio


async def main():
    async with MCPServerStdio(params=json.loads(os.environ["SERVER"]), client_session_timeout_seconds=60) as server:
        agent = Agent(name="steps", instructions="Do the steps.", mcp_servers=[server], model="gpt-5.1")
        result = await Runner.run(agent, "Do the steps.", max_turns=60)
        print(result.final_output)


set_tracing_disabled(True)
asyncio.run(main())
