/**
 * The gateway at /mcp of a Hono app.
 * Needs `npm install mcp-rlm-proxy @modelcontextprotocol/sdk hono @hono/node-server`. Usage: node hono.mjs [PORT]
 */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createGateway } from 'mcp-rlm-proxy'
import { shop } from './shop.mjs'

const gateway = await createGateway({ mcpServers: { shop } })
const app = new Hono()
app.all('/mcp', (context) => gateway.fetch(context.req.raw))
app.get('/', (context) => context.text('A page of my own\n'))

const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.argv[2] ?? 3000) },
  ({ port }) => {
    console.log(`http://127.0.0.1:${port}/mcp`)
  },
)
process.once('SIGTERM', async () => {
  await gateway.close()
  server.close()
  server.closeAllConnections()
})
