/** Streamable HTTP with sessions (MCP 2025-03-26 to 2025-11-25, basic/transports): every session is an agent of its own. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { LEGACY_VERSIONS } from '../protocol/eras.ts'
import { RPC } from '../protocol/errors.ts'
import type { JsonRpcMessage } from '../protocol/message.ts'
import { type HttpListener, type HttpOptions, listen } from './listen.ts'
import { plainTransport } from './plain-transport.ts'
import { refuse } from './refuse.ts'
import { openSession } from './session.ts'
import { createSessions } from './sessions.ts'

/** Where clients connect. */
const PATH = '/mcp'

export async function serveHttp(options: HttpOptions): Promise<HttpListener> {
  const { backend } = options
  const sessions = createSessions<NodeStreamableHTTPServerTransport>(options)

  async function handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (url.pathname !== PATH) return refuse(response, 404, `MCP is served at ${PATH}`)
    const id = request.headers['mcp-session-id']
    if (typeof id !== 'string') return begin(request, response)
    const session = sessions.use(id, response)
    if (!session) return refuse(response, 404, 'Session not found: initialize again')
    await session.transport.handleRequest(request, response)
  }

  /** A request without a session is an `initialize`, or is refused by the transport. */
  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return refuse(response, 400, 'Mcp-Session-Id header is required')
    if (!sessions.hasRoom()) return refuse(response, 503, 'Too many sessions: try again later')
    const id = randomUUID()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      supportedProtocolVersions: [...LEGACY_VERSIONS],
      // Only what is an `initialize` takes a place.
      onsessioninitialized: () => {
        sessions.add(session, transport)
        sessions.use(id, response)
      },
    })
    const carrier = plainTransport(transport, (message) => endCancelled(transport, message))
    const agent = { id, kind: 'session' } as const
    const session = await openSession({ id, agent, transport: carrier, backend })
    await transport.handleRequest(request, response)
    if (transport.sessionId === undefined) await session.close()
  }

  return listen(options, { path: PATH, handle, closeSessions: () => sessions.close() })
}

/**
 * A cancelled request gets no answer, and the transport keeps its stream open until there is one: the session would count as
 * used for ever. An answer that comes late is ignored (basic/utilities/cancellation).
 */
function endCancelled(transport: NodeStreamableHTTPServerTransport, message: JsonRpcMessage): void {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return
  const id = message.params?.requestId
  if (typeof id !== 'string' && typeof id !== 'number') return
  const error = { code: RPC.cancelled, message: 'the client cancelled' }
  transport.send({ jsonrpc: '2.0', id, error }).catch(() => {})
}
