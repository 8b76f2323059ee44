/** HTTP+SSE (MCP 2024-11-05, basic/transports), for clients that know nothing newer. The SDK's 1.x line still has it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { createGuard } from './guard.ts'
import { type HttpListener, type HttpOptions, KEEP_ALIVE, listen } from './listen.ts'
import { plainTransport } from './plain-transport.ts'
import { refuse } from './refuse.ts'
import { requestUrl } from './request-url.ts'
import { openSession } from './session.ts'
import { createSessions } from './sessions.ts'

const STREAM_PATH = '/sse'
const MESSAGE_PATH = '/messages'

export async function serveSse(options: HttpOptions): Promise<HttpListener> {
  const { backend } = options
  const guard = createGuard(options.host)
  const sessions = createSessions<SSEServerTransport>(options)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = requestUrl(request)
    if (url.pathname === '/healthz') return void response.end('ok\n')
    if (!guard(request, response)) return
    if (url.pathname === STREAM_PATH && request.method === 'GET') {
      if (!sessions.hasRoom()) return refuse(response, 503, 'Too many sessions: try again later')
      const transport = new SSEServerTransport(MESSAGE_PATH, response)
      const id = transport.sessionId
      const agent = { id, kind: 'session' } as const
      const session = await openSession({ id, agent, transport: plainTransport(transport), backend })
      sessions.add(session, transport)
      sessions.use(id, response)
    } else if (url.pathname === MESSAGE_PATH && request.method === 'POST') {
      const session = sessions.use(url.searchParams.get('sessionId') ?? '', response)
      if (!session) return refuse(response, 404, `Session not found: connect to ${STREAM_PATH} again`)
      await session.transport.handlePostMessage(request, response)
    } else {
      refuse(response, 404, `MCP is served at ${STREAM_PATH}`)
    }
  }

  const server = createServer(KEEP_ALIVE, (request, response) => {
    handle(request, response).catch((error) => {
      backend.logger.error({ err: error }, 'HTTP request failed')
      if (!response.headersSent) refuse(response, 500, 'Internal error')
      else response.destroy()
    })
  })
  return listen(server, { ...options, path: STREAM_PATH, closeSessions: () => sessions.close() })
}
