/**
 * The gateway at /mcp of a server of node:http that has other pages too.
 * Needs `npm install mcp-rlm-proxy @modelcontextprotocol/sdk`. Usage: node http.mjs [PORT]
 */
import { createServer } from 'node:http'
import { createGateway } from 'mcp-rlm-proxy'
import { shop } from './shop.mjs'

const gateway = await createGateway({ mcpServers: { shop } })
const server = createServer((request, response) => {
  if (request.url === '/mcp') gateway.node(request, response)
  else response.end('A page of my own\n')
})
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/mcp`)
})
process.once('SIGTERM', async () => {
  await gateway.close()
  server.close()
  server.closeAllConnections()
})
