/** Streamable HTTP with sessions (MCP 2025-03-26 to 2025-11-25, basic/transports): every session is an agent of its own. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { createGuard } from './guard.ts'
import { LEGACY_VERSIONS } from './handshake.ts'
import { type HttpListener, type HttpOptions, listen } from './listen.ts'
import { plainTransport } from './plain-transport.ts'
import { refuse } from './refuse.ts'
import { openSession } from './session.ts'
import { createSessions } from './sessions.ts'

/** Where clients connect. */
const PATH = '/mcp'

export async function serveHttp(options: HttpOptions): Promise<HttpListener> {
  const { backend } = options
  const guard = createGuard(options.host)
  const sessions = createSessions<NodeStreamableHTTPServerTransport>(options)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (path === '/healthz') return void response.end('ok\n')
    if (path !== PATH) return refuse(response, 404, `MCP is served at ${PATH}`)
    if (!guard(request, response)) return
    const id = request.headers['mcp-session-id']
    if (typeof id !== 'string') return begin(request, response)
    const session = sessions.use(id, response)
    if (!session) return refuse(response, 404, 'Session not found: initialize again')
    await session.transport.handleRequest(request, response)
  }

  /** A request without a session is an `initialize`, or is refused by the transport. */
  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return refuse(response, 400, 'Mcp-Session-Id header is required')
    const id = randomUUID()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      supportedProtocolVersions: [...LEGACY_VERSIONS],
    })
    const agent = { id, kind: 'session' } as const
    const session = await openSession({ id, agent, transport: plainTransport(transport), backend })
    sessions.add(session, transport)
    sessions.use(id, response)
    await transport.handleRequest(request, response)
    if (transport.sessionId === undefined) await session.close()
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      backend.logger.error({ err: error }, 'HTTP request failed')
      if (!response.headersSent) refuse(response, 500, 'Internal error')
      else response.destroy()
    })
  })
  return listen(server, { ...options, path: PATH, closeSessions: () => sessions.close() })
}
