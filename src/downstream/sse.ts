/** HTTP+SSE (MCP 2024-11-05, basic/transports), for clients that know nothing newer. The SDK's 1.x line still has it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import type { Principal } from './authenticate.ts'
import { type HttpListener, type HttpOptions, listen } from './listen.ts'
import { plainTransport } from './plain-transport.ts'
import { agentOf } from './principal.ts'
import { refuse } from './refuse.ts'
import { openSession } from './session.ts'
import { createSessions } from './sessions.ts'

const STREAM_PATH = '/sse'
const MESSAGE_PATH = '/messages'

export async function serveSse(options: HttpOptions): Promise<HttpListener> {
  const { backend } = options
  const sessions = createSessions<SSEServerTransport>({ ...options, now: options.elapsed ?? options.now })

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    principal?: Principal,
  ): Promise<void> {
    if (url.pathname === STREAM_PATH && request.method === 'GET') {
      const begin = async () => {
        const transport = new SSEServerTransport(MESSAGE_PATH, response)
        const id = transport.sessionId
        const agent = agentOf(principal, { id, kind: 'session' })
        const session = await openSession({ id, agent, transport: plainTransport(transport), backend })
        return { session, transport }
      }
      const kept = await sessions.open(begin, { response, owner: principal?.id })
      if (!kept) refuse(response, 503, 'Too many sessions: try again later')
    } else if (url.pathname === MESSAGE_PATH && request.method === 'POST') {
      const session = sessions.use(url.searchParams.get('sessionId') ?? '', {
        response,
        owner: principal?.id,
      })
      if (!session) return refuse(response, 404, `Session not found: connect to ${STREAM_PATH} again`)
      await session.transport.handlePostMessage(request, response)
    } else {
      refuse(response, 404, `MCP is served at ${STREAM_PATH}`)
    }
  }

  return listen(options, { path: STREAM_PATH, handle, closeSessions: () => sessions.close() })
}
