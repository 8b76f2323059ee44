/**
 * The gateway at /mcp of an Express app.
 * Needs `npm install mcp-rlm-proxy @modelcontextprotocol/sdk express`. Usage: node express.mjs [PORT]
 */
import express from 'express'
import { createGateway } from 'mcp-rlm-proxy'
import { shop } from './shop.mjs'

const gateway = await createGateway({ mcpServers: { shop } })
const app = express()
// Before express.json(): the gateway reads the body itself.
app.all('/mcp', gateway.node)
app.get('/', (_request, response) => response.send('A page of my own\n'))

const server = app.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/mcp`)
})
process.once('SIGTERM', async () => {
  await gateway.close()
  server.close()
  server.closeAllConnections()
})
