/**
 * A server, the gateway and a client in one process: what an agent written in JavaScript needs.
 * Needs `npm install mcp-rlm-proxy @modelcontextprotocol/sdk`. Usage: node in-process.mjs
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { createGateway } from 'mcp-rlm-proxy'
import { shop } from './shop.mjs'

// A server with a command or an address stands beside it as in mcp.json.
const gateway = await createGateway({ mcpServers: { shop } })
const [near, far] = InMemoryTransport.createLinkedPair()
await gateway.connect(far)
const client = new Client({ name: 'my-agent', version: '1.0.0' })
await client.connect(near)

const { tools } = await client.listTools()
console.log(tools.map(({ name }) => name).join(', '))
const answer = await client.callTool({
  name: 'proxy_filter',
  arguments: { tool: 'shop_orders', where: ['state = open'], aggregate: 'sum(total)' },
})
console.log(answer.content[0].text)

await client.close()
await gateway.close()
