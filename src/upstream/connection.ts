/**
 * One connection to one server, for as long as it is needed. It connects once at a time, on first use or when asked, comes back after a
 * loss, and keeps time limits. It knows which exchange each request belongs to, so that messages and questions of the server reach the
 * right client. After a loss it sets up again what clients had set up.
 *
 * idle → connecting → ready → (lost) waiting → connecting …; `close` ends it in `closed` from anywhere.
 */
import type { Logger } from '../observe/log.ts'
import { metaOf, type Result } from '../protocol/content.ts'
import type { Era } from '../protocol/eras.ts'
import { cancelled, RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Sent } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { type Limits, limitWords } from '../protocol/limits.ts'
import { isLogLevel, leastOf, reaches } from '../protocol/log-levels.ts'
import type { Notification, Request, RequestId, Signal } from '../protocol/message.ts'
import { Peer, type PeerHandlers, type RequestOptions, RequestTimeout, UnderWay } from '../protocol/peer.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import { type BackoffOptions, backoff, type Later } from './backoff.ts'
import type { ConnectionState, ListKind } from './contract.ts'
import { connectFailed, connectionLost, connectTimedOut, requestFailed } from './errors.ts'
import {
  EraRefused,
  type Established,
  handshake,
  type Introduction,
  offers,
  refusesEra,
} from './handshake.ts'
import type { ServerSession, SharedSession } from './shared-session.ts'
import { type Subscription, withoutSubscription } from './subscription.ts'
import { SessionExpired, type UpstreamTransport } from './transport.ts'
import { SingleVariant, type Variants } from './variants.ts'

interface ConnectionHandlers {
  /** The handshake is done, for the first time or again. */
  ready(established: Established): void
  /** The connection was lost, or none came about. */
  lost(error: Error): void
  /** The server says that its lists of these kinds changed. */
  changed?(kinds: readonly ListKind[]): void
  /** A notification that belongs to no request, for this client; for all clients of the connection when `client` is absent. */
  notification?(notification: Notification, client: Client | undefined): void
  /** The server asks for something on a connection that clients share: this one is meant, as far as it is known. */
  personal?(client: Client): void
  /** Asks a client that has no request under way which the question belongs to. Absent: the client itself is asked. */
  ask?(client: Client, request: Request, signal: Signal): Promise<Result>
}

export interface ConnectionOptions {
  server: string
  /** The client that the connection belongs to; absent when clients share it or it serves none yet. */
  client?: Client | undefined
  /** The first of the clients that share it and are alike; see `company.ts`. */
  founder?: Client | undefined
  /** Which variants of the lists its clients see. Default: the one of `client`. */
  variants?: Variants
  /** How a modern server tells of changes. */
  subscription?: Subscription
  dial(): UpstreamTransport
  introduction: Introduction
  /** Where it may go on with a session that another process began, and others with the one that it begins. */
  shared?: SharedSession | undefined
  connectTimeoutMs: number
  limits: Limits
  backoff: BackoffOptions
  /** Comes back on its own after a loss, so that lists stay true. */
  revive: boolean
  handlers: ConnectionHandlers
  logger: Logger
  /** Milliseconds since any moment, by a monotonic clock. */
  now(): number
  random(): number
  later: Later
}

interface ConnectionRequest extends RequestOptions {
  /** The exchange that the request is made for: its signal ends the request, and it gets progress under the client's token. */
  exchange?: Exchange
}

/** A connection that lived this long was a good one: its loss starts the backoff from the beginning. */
const GOOD_MS = 10_000

export class Connection {
  readonly server: string
  #client: Client | undefined
  readonly variants: Variants
  readonly subscription: Subscription | undefined
  readonly #options: ConnectionOptions
  readonly #underway = new UnderWay<RequestId, Exchange>()
  /** The clients that have not yet answered a request of the server, one entry a request. */
  readonly #asked: Client[] = []
  readonly #setup = new Setup()
  #level: string | undefined
  #state: ConnectionState = 'idle'
  #established: Established | undefined
  #connecting: Promise<Established> | undefined
  #dialling: Peer | undefined
  #failures = 0
  #readySince = 0
  #times = 0
  #stopWaiting: (() => void) | undefined
  readonly #closing = new Set<Promise<void>>()
  /** The sessions that the server forgot, with requests that still wait on them. */
  readonly #forgotten = new Set<Established>()

  constructor(options: ConnectionOptions) {
    const { server, client, founder, subscription } = options
    const { variants = new SingleVariant(client ?? founder) } = options
    this.#options = options
    this.server = server
    this.#client = client
    this.variants = variants
    this.subscription = subscription
  }

  get client(): Client | undefined {
    return this.#client
  }

  /** The first of the clients that share it because they are alike. */
  get founder(): Client | undefined {
    return this.#options.founder
  }

  /** The client has set something up on it. */
  isUsedBy(client: Client): boolean {
    return this.#setup.isOf(client)
  }

  /** From now on it belongs to this client alone. Requests of others that are under way end on it. */
  adopt(client: Client): void {
    this.#client = client
  }

  /** Requests of this client may go over it. */
  serves(client: Client | undefined): boolean {
    return this.#client === undefined || this.#client.id === client?.id
  }

  get era(): Era {
    return this.#options.introduction.era
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** Milliseconds for which it has been ready. Undefined: it is not. */
  get upMs(): number | undefined {
    return this.#established && this.#options.now() - this.#readySince
  }

  /** It was ready before, and is again. */
  get isAnew(): boolean {
    return this.#times > 1
  }

  /** The outcome of the handshake that holds now. */
  get established(): Established | undefined {
    return this.#established
  }

  /** True while a request is under way. */
  get busy(): boolean {
    return this.#underway.size > 0
  }

  /** Connects now unless it is connected, not waiting out the backoff. All who ask meanwhile share one attempt. */
  connect(): Promise<Established> {
    if (this.#established) return Promise.resolve(this.#established)
    if (this.#state === 'closed') {
      return Promise.reject(connectionLost(this.#options.server, 'its connection is closed'))
    }
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  /** One request, connecting when needed. One that succeeds is set up again on a later connection, where it set something up. */
  async request(request: Request, given: ConnectionRequest = {}): Promise<Result> {
    const { exchange } = given
    if (exchange === undefined) return this.#send(request, given)
    const asked = request
    if (!this.client && asked.method === 'logging/setLevel')
      request = this.#setup.withLevel(asked, exchange.client)
    if (!this.client && this.#setup.isWantedBesides(request, exchange.client)) {
      this.#setup.note(request, exchange.client)
      return {}
    }
    let sent: RequestId | undefined
    const token = own(metaOf(request.params) ?? {}, 'progressToken')
    const options: RequestOptions = {
      timeoutMs: given.timeoutMs,
      headers: given.headers,
      relatedRequestId: given.relatedRequestId,
      signal: exchange.signal,
      // A person who is asked for something may think for longer than a call may take.
      paused: () => this.#asked.includes(exchange.client),
      onId: (id) => {
        // Sent once more after the server forgot the established, it has another id.
        if (sent !== undefined) this.#underway.delete(sent)
        sent = id
        this.#underway.set(id, exchange)
      },
      onProgress:
        typeof token === 'string' || typeof token === 'number'
          ? (params) =>
              exchange.notify(
                { method: 'notifications/progress', params: { ...params, progressToken: token } },
                this.server,
              )
          : undefined,
    }
    let result: Result | undefined
    try {
      result = await this.#send(request, options, exchange.sending)
      this.#setup.note(asked, exchange.client)
      return result
    } finally {
      if (sent !== undefined) {
        this.#underway.delete(sent)
        exchange.onServed?.(this.server, request, result)
      }
    }
  }

  /** A message the server never got, because it had forgotten the established, is sent once more. */
  async #send(request: Request, options: RequestOptions, sending?: Exchange['sending']): Promise<Result> {
    for (let again = false; ; again = true) {
      const established = this.#established ?? (await unlessAborted(this.connect(), options.signal))
      try {
        if (sending === undefined) return await established.peer.request(request, options)
        return await sending(this.#told(request, established), (sent, onId) =>
          established.peer.request(sent, {
            ...options,
            onId(id) {
              options.onId?.(id)
              onId?.(id)
            },
          }),
        )
      } catch (error) {
        if (options.signal?.aborted) throw cancelled(options.signal)
        if (!(error instanceof SessionExpired) || again) {
          throw requestFailed(this.server, request, error, {
            ended: established.transport.failure,
            limitMs: options.timeoutMs,
            limits: this.#options.limits,
          })
        }
        this.#forget(established)
      } finally {
        this.#dropIfDone(established)
      }
    }
  }

  #told(request: Request, { initialize, transport }: Established): Sent {
    const { protocolVersion } = initialize
    return {
      server: this.server,
      request,
      local: transport.local === true,
      protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : undefined,
    }
  }

  /** A request that is to hold from now on: sent now when a connection exists, otherwise as soon as one does. */
  async setUp(request: Request, capability: string, exchange: Exchange, timeoutMs: number): Promise<void> {
    if (this.#established === undefined) this.#setup.note(request, exchange.client)
    else if (offers(this.#established.initialize, capability))
      await this.request(request, { exchange, timeoutMs })
  }

  /** The level at which the server is to log, told when it differs from before. A server that refuses it logs as it likes. */
  async log(level: string, exchange: Exchange, timeoutMs: number): Promise<void> {
    if (this.#level === level) return
    this.#level = level
    const request = { method: 'logging/setLevel', params: { level } }
    await this.setUp(request, 'logging', exchange, timeoutMs).catch(() => {})
  }

  /**
   * Takes over what was set up on another connection: the server behind it changed, and what its clients want did not. With a client only
   * what this one watches.
   */
  succeed(other: Connection, client?: Client): void {
    this.#setup.takeOver(other.#setup, client)
  }

  /** The client left. */
  forget(client: Client): void {
    this.subscription?.forget(client)
    this.#setup.forget(client)
  }

  /**
   * False when the server, asked again, no longer speaks the era of the connection. Over HTTP the modern era has no session that would
   * end with the era.
   */
  async stillSpoken(): Promise<boolean> {
    const { introduction, connectTimeoutMs } = this.#options
    const established = this.#established
    if (established === undefined || established.transport.local) return true
    const expired = new RequestTimeout('no answer to server/discover')
    try {
      await this.#limited(
        handshake(established.peer, introduction, () => {}),
        expired,
        connectTimeoutMs,
      )
      return true
    } catch (error) {
      return !refusesEra(introduction.era, { error, local: false })
    }
  }

  /** Dropped when there is no connection. */
  notify(notification: Notification): void {
    this.#established?.peer.notify(notification)
  }

  /** Ends what it runs on, unless it waits for an answer. The next use connects again, and sets up again what clients had set up. */
  pause(): void {
    const established = this.#established
    if (established === undefined || established.peer.waiting > 0) return
    this.#established = undefined
    this.#state = 'idle'
    this.#retire(established.peer)
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    this.#stopWaiting?.()
    const peers = [this.#established?.peer, this.#dialling, ...[...this.#forgotten].map(({ peer }) => peer)]
    this.#established = undefined
    this.#forgotten.clear()
    for (const peer of peers) if (peer) this.#retire(peer)
    await Promise.all(this.#closing)
  }

  async #open(): Promise<Established> {
    const { server, introduction, connectTimeoutMs, handlers, limits, shared, random } = this.#options
    this.#stopWaiting?.()
    this.#state = 'connecting'
    const transport = this.#dial()
    const handlersOfPeer: PeerHandlers = {
      onRequest: (request, { signal, via }) => this.#answer(request, signal, via),
      onNotification: (notification, via) => this.#notified(notification, via),
      onError: (error) =>
        this.#options.logger.debug({ server, error: error.message }, 'trouble with a server'),
      onClose: () => this.#lost(peer, transport),
    }
    const limit = {
      most: limits.serverQuestions,
      words: () => `too many requests of this server are under way: ${limitWords('serverQuestions', limits)}`,
    }
    const firstId = shared && 1 + NUMBERS * Math.floor(random() * NUMBERS)
    const peer: Peer = new Peer(transport, handlersOfPeer, { limit, firstId })
    this.#dialling = peer
    const attempt = (async () => {
      await peer.start()
      return await this.#introduce(peer, transport)
    })()
    // A server that knows only `initialize` may say nothing at all to anything else.
    const limited = introduction.era === 'modern' && transport.local
    const expired = limited
      ? new RequestTimeout('no answer to server/discover')
      : connectTimedOut(server, connectTimeoutMs)
    try {
      const initialize = await this.#limited(
        attempt,
        expired,
        limited ? connectTimeoutMs / 3 : connectTimeoutMs,
      )
      if (this.#state !== 'connecting' || peer.closed)
        throw new Error(transport.failure ?? 'closed the connection')
      this.#established = { peer, transport, initialize }
      this.#state = 'ready'
      this.#readySince = this.#options.now()
      this.#times++
      this.#keepAlive(this.#established)
      this.#restore(this.#established)
      handlers.ready(this.#established)
      return this.#established
    } catch (thrown) {
      this.#retire(peer)
      throw this.#notConnected(thrown, transport)
    } finally {
      this.#dialling = undefined
    }
  }

  /** Goes on with the session that another process began, where there is one that the server still knows. */
  async #introduce(peer: Peer, transport: UpstreamTransport): Promise<JsonObject> {
    const { introduction, shared } = this.#options
    const begin = (): Promise<JsonObject> =>
      handshake(peer, introduction, (version) => transport.setProtocolVersion?.(version))
    let gone: string | undefined
    while (shared !== undefined && transport.session !== undefined) {
      const found = await shared.find(gone)
      if ('known' in found) {
        if (await isStillThere(found.known, peer, transport)) {
          transport.session.mayStay = shared.mayStay
          transport.session.listen()
          return found.known.initialize
        }
        gone = found.known.id
        continue
      }
      let session: ServerSession | undefined
      try {
        const initialize = await begin()
        const id = transport.session?.id
        session = id === undefined ? undefined : { id, initialize }
        return initialize
      } finally {
        if ((await found.begun(session)) && transport.session) transport.session.mayStay = shared.mayStay
      }
    }
    return begin()
  }

  #notConnected(thrown: unknown, transport: UpstreamTransport): Error {
    const { server, introduction } = this.#options
    if (this.#state !== 'closed' && refusesEra(introduction.era, { error: thrown, local: transport.local })) {
      this.#state = 'idle'
      return new EraRefused(introduction.era, thrown)
    }
    const { failure } = transport
    const error = connectFailed(server, failure === undefined ? thrown : new Error(failure))
    this.#failed(error)
    return error
  }

  /** A configuration that no transport can be made of is a failure to connect like any other. */
  #dial(): UpstreamTransport {
    try {
      return this.#options.dial()
    } catch (thrown) {
      const error = connectFailed(this.#options.server, thrown)
      this.#failed(error)
      throw error
    }
  }

  async #limited<T>(attempt: Promise<T>, expired: Error, limitMs: number): Promise<T> {
    let stop = (): void => {}
    const limit = new Promise<never>((_, reject) => {
      stop = this.#options.later(limitMs, () => reject(expired))
    })
    try {
      return await Promise.race([attempt, limit])
    } finally {
      stop()
      // The loser of the race may still fail, and has no reader any more.
      attempt.catch(() => {})
    }
  }

  #keepAlive(established: Established): void {
    const { keepAliveMs } = established.transport
    if (keepAliveMs === undefined) return
    this.#options.later(keepAliveMs, () => {
      if (this.#established !== established) return
      established.peer.request({ method: 'ping' }, { timeoutMs: keepAliveMs }).catch(() => {})
      this.#keepAlive(established)
    })
  }

  #lost(peer: Peer, transport: UpstreamTransport): void {
    if (this.#established?.peer !== peer) return
    this.#established = undefined
    if (this.#state === 'closed') return
    if (this.#options.now() - this.#readySince >= GOOD_MS) this.#failures = 0
    this.#retire(peer)
    this.#failed(connectionLost(this.#options.server, transport.failure ?? 'closed the connection'))
  }

  #failed(error: Error): void {
    if (this.#state === 'closed') return
    this.#failures++
    this.subscription?.ended()
    this.#options.handlers.lost(error)
    if (!this.#options.revive) {
      this.#state = 'idle'
      return
    }
    this.#state = 'waiting'
    const delay = backoff(this.#failures, this.#options.backoff, this.#options.random)
    this.#stopWaiting = this.#options.later(delay, () => void this.connect().catch(() => {}))
  }

  /**
   * A session the server no longer knows: the next use connects. Requests that were sent on it before hear so for themselves, and are
   * then sent again, or get their answer after all.
   */
  #forget(established: Established): void {
    if (this.#established !== established) return
    this.#established = undefined
    this.#state = 'idle'
    this.#forgotten.add(established)
  }

  #dropIfDone(established: Established): void {
    if (established.peer.waiting > 0 || !this.#forgotten.delete(established)) return
    this.#retire(established.peer)
  }

  #retire(peer: Peer): void {
    const closing = peer.close().catch(() => {})
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }

  /** Sets up again what clients had set up before. A server that refuses it now goes without. */
  #restore(established: Established): void {
    const { peer, initialize } = established
    this.subscription?.began(established)
    for (const request of this.#setup.requests) {
      if (request.method === 'logging/setLevel' && !offers(initialize, 'logging')) continue
      peer.request(request).catch(() => {})
    }
  }

  /** Passes a notification of the server to where it belongs; `via` is the request of ours with the stream that it came on. */
  #notified(notification: Notification, via: RequestId | undefined): void {
    const { method } = notification
    const { subscription } = this
    const { handlers, logger } = this.#options
    const kinds = CHANGED.get(method)
    if (kinds) return handlers.changed?.(kinds)
    if (subscription && method === 'notifications/subscriptions/acknowledged')
      return subscription.acknowledged(notification, via)
    if (subscription && method === 'notifications/resources/updated') {
      const plain = withoutSubscription(notification)
      for (const client of subscription.watchersOf(plain.params?.uri)) handlers.notification?.(plain, client)
      return
    }
    if (!this.client && method === 'notifications/resources/updated') {
      for (const client of this.#setup.watchersOf(notification.params?.uri))
        handlers.notification?.(notification, client)
      return
    }
    const exchange = method === 'notifications/message' ? this.#exchangeOf(via) : undefined
    if (exchange) exchange.notify(notification, this.server)
    else if (!subscription)
      for (const client of this.#hearers(notification)) handlers.notification?.(notification, client)
    else logger.debug({ server: this.server, method }, 'a notification of no request was dropped')
  }

  /** Undefined among them: all clients of the connection. */
  #hearers({ method, params }: Notification): readonly (Client | undefined)[] {
    const hearers =
      this.#client === undefined && method === 'notifications/message'
        ? this.#setup.hearersOf(params?.level)
        : undefined
    return hearers ?? [this.#client]
  }

  /** Passes a request of the server to the client it can only be meant for, or refuses it. */
  async #answer(request: Request, signal: Signal, via: RequestId | undefined): Promise<Result> {
    const exchange = this.#exchangeOf(via) ?? this.#latest()
    const { handlers, founder } = this.#options
    const client = exchange?.client ?? this.#meant()
    if (founder !== undefined && this.#client === undefined) handlers.personal?.(client ?? founder)
    if (!client || !mayAsk(client.capabilities, request.method)) {
      throw new RpcError(RPC.methodNotFound, `${request.method} is not available`)
    }
    const { ask } = handlers
    this.#asked.push(client)
    try {
      if (exchange?.ask) return await exchange.ask(request, signal, this.server)
      return await (ask ? ask(client, request, signal) : client.ask(request, signal))
    } finally {
      this.#asked.splice(this.#asked.indexOf(client), 1)
    }
  }

  /**
   * The request under way that a message belongs to. HTTP tells it by the stream, also when that request is over: then
   * it belongs to no other. Elsewhere the legacy era does not say, but with one request under way there is no doubt.
   */
  #exchangeOf(via: RequestId | undefined): Exchange | undefined {
    if (via !== undefined) return this.#underway.get(via)
    const [exchange] = this.#underway.values()
    return this.#underway.size === 1 ? exchange : undefined
  }

  /** A modern client can be asked only in answer to a call of its own; which of them it is makes no difference to the server. */
  #latest(): Exchange | undefined {
    const client = this.client ?? this.#onlyClient()
    // It is not known who an anonymous client is: a question could reach another person.
    if (client?.era !== 'modern' || client.agent.kind === 'anonymous') return undefined
    return this.#underway.values().findLast((exchange) => exchange.ask !== undefined)
  }

  /** The client that a question of no request in particular is for. Undefined: it may be for several. */
  #meant(): Client | undefined {
    const busy = new Map(this.#underway.values().map(({ client }) => [client.id, client]))
    if (busy.size > 1) return undefined
    const [only] = busy.values()
    return this.#client ?? only ?? this.#options.founder
  }

  #onlyClient(): Client | undefined {
    const [client, another] = new Set(this.#underway.values().map((exchange) => exchange.client))
    return another === undefined ? client : undefined
  }
}

/** A connection has up to so many requests, and one of so many ranges of their numbers: of one session, no two may use the same. */
const NUMBERS = 1_000_000

/** From then on the transport speaks in this session, unless the server has forgotten it. */
async function isStillThere(
  { id, initialize }: ServerSession,
  peer: Peer,
  { session }: UpstreamTransport,
): Promise<boolean> {
  session?.resume({ id, version: String(initialize.protocolVersion) })
  try {
    await peer.request({ method: 'ping' })
    return true
  } catch (error) {
    // It has answered.
    if (error instanceof RpcError) return true
    session?.resume(undefined)
    if (error instanceof SessionExpired) return false
    throw error
  }
}

/** The capability that a client must have declared before a server may ask for it. */
const NEEDS: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
}

function mayAsk(capabilities: JsonObject, method: string): boolean {
  const needed = own(NEEDS as JsonObject, method)
  return typeof needed !== 'string' || isObject(own(capabilities, needed))
}

/** The lists that a notification speaks of. */
const CHANGED: ReadonlyMap<string, readonly ListKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
])

// The settings that clients made on a server and would lose with the connection: its log level and its subscriptions.

/** Subscriptions that are set up again, the newest. */
const MAX_SUBSCRIPTIONS = 1000

export class Setup {
  readonly #requests = new Map<string, Request>()
  /** By URI: where clients share a server, an update goes only to clients that subscribed. */
  readonly #watchers = new Map<string, Set<Client>>()
  readonly #levels = new Map<Client, JsonValue>()

  /** Takes note of a request that succeeded. */
  note(request: Request, client?: Client): void {
    const uri = request.params && own(request.params, 'uri')
    if (request.method === 'logging/setLevel') {
      this.#requests.set('', client ? this.withLevel(request, client) : request)
      if (client) this.#levels.set(client, request.params?.level ?? null)
    }
    if (typeof uri !== 'string') return
    if (request.method === 'resources/unsubscribe') {
      if (client) this.#unwatch(uri, client)
      if (!this.#watchers.has(uri)) this.#requests.delete(`uri ${uri}`)
    }
    if (request.method === 'resources/subscribe') {
      this.#requests.set(`uri ${uri}`, request)
      if (client) this.#watchers.set(uri, (this.#watchers.get(uri) ?? new Set()).add(client))
      const [oldest] = this.#requests.keys()
      if (this.#requests.size > MAX_SUBSCRIPTIONS && oldest !== undefined) {
        this.#requests.delete(oldest)
        this.#watchers.delete(oldest.replace('uri ', ''))
      }
    }
  }

  /** True when a client takes back what another one still wants: the server must not hear of that. */
  isWantedBesides({ method, params }: Request, client: Client): boolean {
    const watchers = method === 'resources/unsubscribe' ? this.#watchers.get(String(params?.uri)) : undefined
    return [...(watchers ?? [])].some((watcher) => watcher !== client)
  }

  takeOver(other: Setup, client?: Client): void {
    const isWanted = (key: string): boolean =>
      client === undefined || other.#watchers.get(key.replace('uri ', ''))?.has(client) !== false
    for (const [key, request] of other.#requests) if (isWanted(key)) this.#requests.set(key, request)
    for (const [uri, clients] of other.#watchers)
      if (isWanted(uri)) this.#watchers.set(uri, client ? new Set([client]) : clients)
    for (const [one, level] of other.#levels)
      if (client === undefined || one === client) this.#levels.set(one, level)
  }

  forget(client: Client): void {
    this.#levels.delete(client)
    for (const uri of [...this.#watchers.keys()]) this.#unwatch(uri, client)
  }

  isOf(client: Client): boolean {
    return this.#levels.has(client) || [...this.#watchers.values()].some((clients) => clients.has(client))
  }

  /** A request for a level as the server is to get it, which clients share: the one that wants to hear most decides. */
  withLevel(request: Request, client: Client): Request {
    const levels = new Map(this.#levels).set(client, request.params?.level ?? null)
    return { ...request, params: { ...request.params, level: leastOf([...levels.values()]) ?? null } }
  }

  /** Clients that want to hear of this level. Undefined: none has said, so the server decides. */
  hearersOf(level: JsonValue | undefined): readonly Client[] | undefined {
    if (this.#levels.size === 0) return undefined
    return [...this.#levels].flatMap(([client, least]) =>
      !isLogLevel(least) || reaches(level, least) ? [client] : [],
    )
  }

  /** The clients that subscribed to the resource, or to one that it is a part of. */
  watchersOf(uri: unknown): ReadonlySet<Client> {
    const found = new Set<Client>()
    if (typeof uri !== 'string') return found
    for (const [whole, clients] of this.#watchers)
      if (uri === whole || uri.startsWith(whole.endsWith('/') ? whole : `${whole}/`))
        for (const client of clients) found.add(client)
    return found
  }

  #unwatch(uri: string, client: Client): void {
    const clients = this.#watchers.get(uri)
    if (clients?.delete(client) && clients.size === 0) this.#watchers.delete(uri)
  }

  /** The requests that set it all up again. */
  get requests(): readonly Request[] {
    return [...this.#requests.values()]
  }
}
