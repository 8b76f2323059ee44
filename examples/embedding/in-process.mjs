/** A server, the gateway and a client in one process: what an agent written in JavaScript needs. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { createGateway } from 'mcp-rlm-proxy'

/** A server of this process. One with a command or an address stands beside it as in mcp.json. */
function shop(transport) {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  const orders = Array.from({ length: 2000 }, (_, id) => ({
    id,
    state: id % 4 ? 'sent' : 'open',
    total: id * 3,
  }))
  server.registerTool('orders', { description: 'All orders.', annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: 'text', text: JSON.stringify(orders) }],
  }))
  return server.connect(transport)
}

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
