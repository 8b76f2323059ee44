/** Streamable HTTP with sessions (MCP 2025-03-26 to 2025-11-25, basic/transports). */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LEGACY_VERSIONS } from '../../protocol/eras.ts'
import { RPC } from '../../protocol/errors.ts'
import type { JsonRpcMessage } from '../../protocol/message.ts'
import type { Principal, Visitor } from '../authenticate.ts'
import { negotiateVersion } from '../handshake.ts'
import type { HttpOptions } from '../listen.ts'
import { isThere, type Place } from '../place.ts'
import { agentOf, expiryOf } from '../principal.ts'
import { type Refusal, refuse } from '../refuse.ts'
import { openSession } from '../session.ts'
import { createSessions, type Kept } from '../sessions.ts'
import { accepts, header } from './headers.ts'
import type { Heartbeat } from './heartbeat.ts'
import { type Body, isRequest } from './messages.ts'
import type { Receiver } from './post-stream.ts'
import { SessionTransport } from './session-transport.ts'

/** The code with which the official servers say that a session is gone. */
const SESSION_NOT_FOUND = -32_001

/** The first revision whose clients understand an event without data. */
const PRIMED_SINCE = '2025-11-25'

const VERSIONS: readonly string[] = LEGACY_VERSIONS

interface Hosted {
  transport: SessionTransport
  /** What the handshake agreed on: clients before 2025-06-18 do not repeat it. */
  version: string
  /** Its profile, whose address alone it has. */
  profile: string | undefined
}

export interface LegacyEndpoint {
  post(request: IncomingMessage, response: ServerResponse, body: Body, visitor: Visitor): Promise<void>
  /** GET opens a stream, DELETE ends the session. */
  other(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void>
  close(): Promise<void>
}

export function createLegacyEndpoint(
  options: HttpOptions,
  heartbeat: Heartbeat,
  place: Place,
): LegacyEndpoint {
  const { backend, now } = options
  const sessions = createSessions<Hosted>(
    { ...options, now: options.elapsed ?? options.now },
    ({ profile }) => !isThere(place, profile),
  )

  async function post(
    request: IncomingMessage,
    response: ServerResponse,
    { messages, batch }: Body,
    visitor: Visitor,
  ): Promise<void> {
    const { principal } = visitor
    const [first] = messages
    const about: Refusal = { id: first && !batch && isRequest(first) ? first.id : null }
    if (!accepts(request, 'application/json', 'text/event-stream')) {
      const message = 'Not Acceptable: Client must accept both application/json and text/event-stream'
      return refuse(response, 406, message, about)
    }
    const initialize = messages.find((message) => isRequest(message) && message.method === 'initialize')
    if (initialize && messages.length > 1) {
      return refuse(response, 400, 'Invalid Request: initialize comes alone', { code: RPC.invalidRequest })
    }
    if (initialize && header(request, 'mcp-session-id') === undefined) {
      return begin(initialize, { response, primed: false, until: expiryOf(principal) }, batch, visitor)
    }
    const requests = messages.filter(isRequest)
    const kept = find(request, response, visitor, { about, answers: requests.length > 0 })
    if (!kept) return
    if (initialize) {
      return refuse(response, 400, 'Invalid Request: this session is initialized already', {
        ...about,
        code: RPC.invalidRequest,
      })
    }
    const { transport } = kept.transport
    if (requests.length === 0) {
      transport.take(messages)
      response.writeHead(202).end()
      return
    }
    const twice = transport.duplicate(requests)
    if (twice !== undefined) {
      const message = `Invalid Request: a request with the id ${JSON.stringify(twice)} is under way`
      return refuse(response, 400, message, { ...about, code: RPC.invalidRequest })
    }
    transport.post(messages, batch, receiverOf(request, response, kept.transport, principal))
  }

  async function begin(
    initialize: JsonRpcMessage,
    receiver: Receiver,
    batch: boolean,
    { principal, profile }: Visitor,
  ): Promise<void> {
    const { response } = receiver
    const params = 'params' in initialize ? initialize.params : undefined
    const version = negotiateVersion(params?.protocolVersion)
    const hosted = async () => {
      const id = randomUUID()
      const agent = agentOf(principal, { id, kind: 'session' })
      const transport = new SessionTransport({ sessionId: id, heartbeat, now })
      const session = await openSession({ id, agent, transport, backend, profile })
      return { session, transport: { transport, version, profile } }
    }
    const kept = await sessions.open(hosted, { response, owner: principal?.id, answers: true })
    if (!kept) return refuse(response, 503, 'Too many sessions: try again later')
    kept.transport.transport.post([initialize], batch, { ...receiver, primed: version >= PRIMED_SINCE })
  }

  async function other(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void> {
    const kept = find(request, response, visitor)
    if (!kept) return
    if (request.method === 'DELETE') {
      await kept.session.close()
      response.writeHead(200).end()
      return
    }
    if (!accepts(request, 'text/event-stream')) {
      return refuse(response, 406, 'Not Acceptable: Client must accept text/event-stream')
    }
    const refused = kept.transport.transport.open(
      receiverOf(request, response, kept.transport, visitor.principal),
      header(request, 'last-event-id'),
    )
    if (refused) refuse(response, refused.status, refused.message)
  }

  /** The session of a request; undefined when it was refused. */
  function find(
    request: IncomingMessage,
    response: ServerResponse,
    { principal, profile }: Visitor,
    { about, answers = false }: { about?: Refusal; answers?: boolean } = {},
  ): Kept<Hosted> | undefined {
    const id = header(request, 'mcp-session-id')
    const version = header(request, 'mcp-protocol-version')
    if (id === undefined) {
      refuse(response, 400, 'Bad Request: Mcp-Session-Id header is required', about)
    } else if (version !== undefined && !VERSIONS.includes(version)) {
      const message = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${VERSIONS.join(', ')})`
      refuse(response, 400, message, about)
    } else {
      const uses = { response, owner: principal?.id, answers }
      const kept = sessions.use(id, uses, (hosted) => hosted.profile === profile)
      if (kept) return kept
      refuse(response, 404, 'Session not found: initialize again', { ...about, code: SESSION_NOT_FOUND })
    }
    return undefined
  }

  return { post, other, close: () => sessions.close() }
}

function receiverOf(
  request: IncomingMessage,
  response: ServerResponse,
  { version }: Hosted,
  principal: Principal | undefined,
): Receiver {
  const primed = (header(request, 'mcp-protocol-version') ?? version) >= PRIMED_SINCE
  return { response, primed, until: expiryOf(principal) }
}
