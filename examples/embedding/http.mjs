/**
 * The gateway at /mcp of a server that has other pages too. With Express: `app.all('/mcp', gateway.node)`, before what parses bodies.
 * With Hono, and wherever handlers take a Request: `app.all('/mcp', (c) => gateway.fetch(c.req.raw))`.
 * Usage: node http.mjs [PORT]
 */
import { createServer } from 'node:http'
import { createGateway } from 'mcp-rlm-proxy'

const gateway = await createGateway({
  mcpServers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
})
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
