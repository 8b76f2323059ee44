/** A server of this process: the gateway calls `shop` with its end of each new connection. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'

export function shop(transport) {
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
