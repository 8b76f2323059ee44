import { transportContract } from '../../contract/transport.ts'
import { httpServer, inProcessServer, stdioServer } from '../../support/upstream.ts'

transportContract('stdio', async (options) => stdioServer(options))

transportContract('stdio, result first', async (options) =>
  stdioServer({ ...options, order: 'result-first' }),
)

transportContract('in-process', inProcessServer)

transportContract('streamable HTTP, answers as streams', async (options) => {
  const { url } = await httpServer(options)
  return { url: `${url}/mcp` }
})

transportContract('HTTP+SSE', async (options) => {
  const { url } = await httpServer(options)
  return { url: `${url}/sse` }
})
