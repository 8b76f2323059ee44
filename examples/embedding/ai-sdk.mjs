/**
 * An agent of the AI SDK, with the gateway in its own process.
 * Needs `npm install mcp-rlm-proxy @modelcontextprotocol/sdk ai @ai-sdk/mcp`, on Node 20 with `ai@6 @ai-sdk/mcp@1`. Usage: node ai-sdk.mjs
 */
import { createMCPClient } from '@ai-sdk/mcp'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { generateText, stepCountIs } from 'ai'
import { createGateway } from 'mcp-rlm-proxy'
import { model } from './scripted-model.mjs'
import { shop } from './shop.mjs'

const gateway = await createGateway({ mcpServers: { shop } })
const [near, far] = InMemoryTransport.createLinkedPair()
await gateway.connect(far)
const client = await createMCPClient({ transport: near })

const { steps, text } = await generateText({
  // Put the model of your provider here.
  model,
  tools: await client.tools(),
  stopWhen: stepCountIs(10),
  prompt: 'What do the open orders come to?',
})
for (const { toolName, input } of steps.flatMap(({ toolCalls }) => toolCalls)) console.log(toolName, input)
console.log(text)

await client.close()
await gateway.close()
