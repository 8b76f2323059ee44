/** Streamable HTTP with sessions (MCP 2025-03-26 to 2025-11-25, basic/transports). */

import { randomInt, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { LEGACY_VERSIONS } from '../../protocol/eras.ts'
import { RPC } from '../../protocol/errors.ts'
import { LIMIT_DEFAULTS, limitWords } from '../../protocol/limits.ts'
import type { JsonRpcMessage } from '../../protocol/message.ts'
import { negotiateVersion, type Principal, type Visitor } from '../backend.ts'
import { type Before, openSession } from '../legacy.ts'
import type { Told } from '../replicas.ts'
import type { SessionSeed } from '../sealed.ts'
import { createSessions, type Kept, type Opened, type Use } from '../sessions.ts'
import type { HttpOptions } from './listen.ts'
import { type Body, isRequest } from './messages.ts'
import type { Heartbeat } from './outlet.ts'
import { isThere, type ProfilePath } from './profile-path.ts'
import { accepts, agentOf, expiryOf, header, type Refusal, refuse, refuseToServe } from './request.ts'
import { type Receiver, SessionTransport } from './session-transport.ts'

/** The first revision with clients that understand an event without data. */
const PRIMED_SINCE = '2025-11-25'

const VERSIONS: readonly string[] = LEGACY_VERSIONS

interface Hosted {
  transport: SessionTransport
  /** The version of the handshake: clients before 2025-06-18 do not repeat it. */
  version: string
  /** Its profile: the session is good at the address of that profile only. */
  profile: string | undefined
  /** Its client has said that it will not come back. */
  isOver: boolean
}

/** Sessions that were ended here and are remembered: their ids would open still. */
const MOST_ENDED = 10_000
/** Requests to one client may have so many numbers at each replica before they could meet. */
const NUMBERS = 1_000_000

interface LegacyEndpoint {
  post(request: IncomingMessage, response: ServerResponse, body: Body, visitor: Visitor): Promise<void>
  /** GET opens a stream, DELETE ends the session. */
  other(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void>
  close(): Promise<void>
}

export function createLegacyEndpoint(
  options: Omit<HttpOptions, 'port'>,
  heartbeat: Heartbeat,
  place: ProfilePath,
): LegacyEndpoint {
  const { backend, now, limits = LIMIT_DEFAULTS, seal, replicas, leaving } = options
  /** Names of sessions that were ended, where an id alone would bring them back. */
  const ended = new LRUCache<string, true>({ max: MOST_ENDED })
  /** Sessions that are made again just now, by name. */
  const returning = new Map<string, Promise<Kept<Hosted> | 'unknown' | 'full'>>()
  const sessions = createSessions<Hosted>(
    { ...options, maxPerClient: limits.clientSessions, now: options.elapsed ?? options.now },
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
    const kept = await find(request, response, visitor, { about, answers: requests.length > 0 })
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
    // With sealed ids it can go on elsewhere.
    if (leaving?.isLeaving && seal === undefined)
      return refuseToServe(response, { id: isRequest(initialize) ? initialize.id : null })
    const params = 'params' in initialize ? initialize.params : undefined
    const version = negotiateVersion(params?.protocolVersion)
    const name = randomUUID()
    const introduction = { ...params, protocolVersion: version }
    const seed = { name, begun: now(), owner: principal?.id, profile, introduction }
    const id = seal?.seal(seed) ?? name
    const use = { response, owner: principal?.id, answers: true }
    const kept = await sessions.open(() => host(id, seed, principal), use)
    if (!kept) return refuseMore(response)
    kept.transport.transport.post([initialize], batch, { ...receiver, primed: version >= PRIMED_SINCE })
  }

  function refuseMore(response: ServerResponse, about?: Refusal): void {
    const message = `Too many sessions: try again later; ${limitWords('clientSessions', limits)}`
    refuse(response, 503, message, about)
  }

  /** `before`: it began at another replica, or was idle here for too long. */
  async function host(
    sessionId: string,
    { name, profile, introduction }: SessionSeed,
    principal: Principal | undefined,
    before?: Before,
  ): Promise<Opened<Hosted>> {
    const agent = agentOf(principal, { id: name, kind: 'session' })
    const elsewhere = replicas && {
      tell: (told: Told) => replicas.tell(name, told),
      streams: replicas.streams(name),
    }
    const mayMove = seal !== undefined
    const transport = new SessionTransport({ sessionId, heartbeat, now, mayMove, ...elsewhere })
    const hosted = { transport, version: String(introduction.protocolVersion), profile, isOver: false }
    const session = await openSession({
      id: name,
      agent,
      transport,
      backend,
      profile,
      before,
      ...(mayMove && { mayReturn: () => !hosted.isOver, firstId: NUMBERS * randomInt(1, NUMBERS) }),
      ...(replicas && { onSetUp: (request) => replicas.note(name, request) }),
    })
    return { session, transport: hosted }
  }

  /** It can no longer be found, here or at another replica. */
  async function end({ session, transport: hosted }: Kept<Hosted>): Promise<void> {
    hosted.isOver = true
    ended.set(session.id, true)
    await Promise.all([session.close(), replicas?.end(session.id)])
  }

  replicas?.listen(async (name, told) => {
    if (told.to === 'end') ended.set(name, true)
    // One that is made again just now was asked for what it is before this was told.
    const kept = sessions.peek(name) ?? (await returning.get(name))
    if (kept === undefined || typeof kept === 'string') return
    const { session, transport: hosted } = kept
    if (told.to === 'session') return session.setUp?.(told.request)
    if (told.to !== 'end') return hosted.transport.hear(told)
    hosted.isOver = true
    await session.close()
  })

  async function other(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void> {
    const kept = await find(request, response, visitor)
    if (!kept) return
    if (request.method === 'DELETE') {
      await end(kept)
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
  async function find(
    request: IncomingMessage,
    response: ServerResponse,
    { principal, profile }: Visitor,
    { about, answers = false }: { about?: Refusal; answers?: boolean } = {},
  ): Promise<Kept<Hosted> | undefined> {
    const id = header(request, 'mcp-session-id')
    const version = header(request, 'mcp-protocol-version')
    if (id === undefined) {
      refuse(response, 400, 'Bad Request: Mcp-Session-Id header is required', about)
    } else if (version !== undefined && !VERSIONS.includes(version)) {
      const message = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${VERSIONS.join(', ')})`
      refuse(response, 400, message, about)
    } else {
      const uses = { response, owner: principal?.id, answers }
      const seed = seal?.open(id)
      const name = seal ? seed?.name : id
      const kept = name && sessions.use(name, uses, (hosted) => hosted.profile === profile)
      if (kept) return kept
      const isTheirs = seed && seed.owner === principal?.id && seed.profile === profile
      const again = isTheirs ? await comeBack(id, seed, principal, uses) : 'unknown'
      if (again === 'full') refuseMore(response, about)
      else if (again !== 'unknown') return again
      else
        refuse(response, 404, 'Session not found: initialize again', { ...about, code: RPC.sessionNotFound })
    }
    return undefined
  }

  /** Makes a session again that began at another replica. Requests that come together share it. */
  async function comeBack(
    id: string,
    seed: SessionSeed,
    principal: Principal | undefined,
    use: Use,
  ): Promise<Kept<Hosted> | 'unknown' | 'full'> {
    const { name, introduction } = seed
    if (ended.has(name)) return 'unknown'
    const making = returning.get(name)
    if (making) {
      const made = await making
      return typeof made === 'string' ? made : (sessions.use(name, use) ?? 'unknown')
    }
    const make = async (): Promise<Kept<Hosted> | 'unknown' | 'full'> => {
      const setUp = (await replicas?.recall(name)) ?? []
      if (setUp !== 'ended')
        return (await sessions.open(() => host(id, seed, principal, { introduction, setUp }), use)) ?? 'full'
      ended.set(name, true)
      return 'unknown'
    }
    const made = make().finally(() => returning.delete(name))
    returning.set(name, made)
    return made
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
