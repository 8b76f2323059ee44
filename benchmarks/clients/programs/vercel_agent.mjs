// The Vercel AI SDK with one MCP server.
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs } from 'ai'

const client = await createMCPClient({ transport: new StdioTransport(JSON.parse(process.env.SERVER)) })
const openai = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY })
try {
  const tools = await client.tools()
  const { text } = await generateText({
    model: openai.chat('gpt-4o'),
    tools,
    prompt: 'Do the steps.',
    stopWhen: stepCountIs(60),
  })
  console.log(text)
} finally {
  await client.close()
}
