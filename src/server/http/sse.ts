/** HTTP+SSE (MCP 2024-11-05, basic/transports), for clients that know nothing newer. The SDK's 1.x line still has it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { plain } from '../../protocol/content.ts'
import { LIMIT_DEFAULTS, limitWords } from '../../protocol/limits.ts'
import type { JsonRpcMessage, Transport } from '../../protocol/message.ts'
import type { Principal } from '../backend.ts'
import { Budget } from '../bounds.ts'
import { openSession } from '../legacy.ts'
import { createSessions } from '../sessions.ts'
import { type HttpListener, type HttpOptions, listen } from './listen.ts'
import { isFault, parseMessages } from './messages.ts'
import { admits, isThere, visitorAt } from './profile-path.ts'
import { agentOf, readLimited, refuse, refuseToServe } from './request.ts'

const STREAM_PATH = '/sse'
const MESSAGE_PATH = '/messages'

interface Hosted {
  transport: SSEServerTransport
  profile: string | undefined
}

export async function serveSse(options: HttpOptions): Promise<HttpListener> {
  const { backend, limits = LIMIT_DEFAULTS } = options
  const room = new Budget('bodyBytes', limits)
  const place = { path: STREAM_PATH, profiles: options.profiles ?? (() => []) }
  const sessions = createSessions<Hosted>(
    { ...options, maxPerClient: limits.clientSessions, now: options.elapsed ?? options.now },
    ({ profile }) => !isThere(place, profile),
  )

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    principal?: Principal,
  ): Promise<void> {
    if (url.pathname === MESSAGE_PATH && request.method === 'POST') {
      const uses = { response, owner: principal?.id }
      // A token may be for fewer profiles than it was, and a profile may be gone.
      const session = sessions.use(url.searchParams.get('sessionId') ?? '', uses, ({ profile }) =>
        admits(place, principal, profile),
      )
      if (!session) return refuse(response, 404, `Session not found: connect to ${STREAM_PATH} again`)
      return post(request, response, session.transport.transport)
    }
    const visitor = visitorAt(place, request, response, principal)
    if (!visitor) return
    if (request.method === 'GET') {
      if (options.leaving?.isLeaving) return refuseToServe(response)
      const { profile } = visitor
      const begin = async () => {
        const transport = new SSEServerTransport(MESSAGE_PATH, response)
        const id = transport.sessionId
        const agent = agentOf(principal, { id, kind: 'session' })
        const options = { id, agent, transport: plainTransport(transport), backend, profile }
        return { session: await openSession(options), transport: { transport, profile } }
      }
      const kept = await sessions.open(begin, { response, owner: principal?.id })
      if (!kept)
        refuse(response, 503, `Too many sessions: try again later; ${limitWords('clientSessions', limits)}`)
    } else {
      refuse(response, 404, `MCP is served at ${STREAM_PATH}`)
    }
  }

  /** A message of a client. The transport is handed it parsed: it would read it without the limits of this proxy. */
  async function post(
    request: IncomingMessage,
    response: ServerResponse,
    transport: SSEServerTransport,
  ): Promise<void> {
    const bytes = await readLimited(request, response, limits, room)
    if (bytes === undefined) return
    const body = parseMessages(bytes, limits)
    if (isFault(body)) return refuse(response, 400, body.message, { code: body.code })
    if (body.batch) return refuse(response, 400, 'Invalid Request: this revision has no batches')
    return transport.handlePostMessage(request, response, body.messages[0])
  }

  return listen(options, { path: STREAM_PATH, handle, closeSessions: () => sessions.close() })
}

/**
 * The transports of the SDK write messages as objects: large results are parsed on the way out. `received` is called for every message
 * after it was handled.
 */
function plainTransport(
  transport: object,
  received: (message: JsonRpcMessage) => void = () => {},
): Transport {
  const sdk = transport as Transport
  return {
    start: () => sdk.start(),
    send: (message, options) =>
      sdk.send('result' in message ? { ...message, result: plain(message.result) } : message, options),
    close: () => sdk.close(),
    set onmessage(handler: Transport['onmessage']) {
      sdk.onmessage = (message) => {
        handler?.(message)
        received(message)
      }
    },
    set onclose(handler: Transport['onclose']) {
      sdk.onclose = handler
    },
    set onerror(handler: Transport['onerror']) {
      sdk.onerror = handler
    },
  }
}
