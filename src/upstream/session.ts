/**
 * One client at one server: in which era its requests go there, over which connection, and what is said on its behalf. The era is
 * the client's own where the server speaks it, else the other one, over a bridge. The eras that a server was found to speak are
 * remembered, and an era that is not needed is not tried.
 */
import { PROXY_NAME, viaMeta } from '../protocol/chain.ts'
import { metaOf, type Result, withMeta } from '../protocol/content.ts'
import { type Era, MODERN_META } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { buildParamHeaders, scanParamHeaders } from '../protocol/headers.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Request, Signal } from '../protocol/message.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import type { Later } from './backoff.ts'
import { type LogLevels, requestForLegacyClient } from './bridges/legacy-client.ts'
import { logLevelOf, type ModernClients } from './bridges/modern-client.ts'
import { isCommon } from './company.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { connectFailed } from './errors.ts'
import { answerable, EraRefused, envelope, statusOf } from './handshake.ts'
import type { Memory } from './memory.ts'
import type { Server } from './servers.ts'

interface SessionParts {
  connections: Connections
  memory: Memory
  /** Calls of modern clients at legacy servers. */
  modernClients: ModernClients
  /** The levels that legacy clients have set for all servers. */
  logLevels: LogLevels
  /** Of this proxy; see `UpstreamsOptions`. */
  identity: string
  later: Later
  /** The input schema of a tool, under the server's own name for it. */
  toolSchema(connection: Connection, name: string, client: Client): Promise<JsonObject | undefined>
}

/** The sessions of all clients at all servers; each is made when it is first asked for, and goes with its client or server. */
export class Sessions {
  readonly #parts: SessionParts
  readonly #byServer = new WeakMap<Server, WeakMap<Client | Server, Session>>()

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** Without a client: the session of no client in particular, which is for lists. */
  of(server: Server, client: Client | undefined): Session {
    let sessions = this.#byServer.get(server)
    if (sessions === undefined) {
      sessions = new WeakMap()
      this.#byServer.set(server, sessions)
    }
    const owner = client ?? server
    let session = sessions.get(owner)
    if (session === undefined) {
      session = new Session(server, client, this.#parts)
      sessions.set(owner, session)
    }
    return session
  }
}

/** Connections of an anonymous client to one server, so that calls that may be asked back do not meet. */
const MAX_SLOTS = 8

/** Capabilities by which a server may ask the client for something. */
const ASKED_FOR = ['sampling', 'elicitation', 'roots'] as const

export class Session {
  readonly server: Server
  readonly client: Client | undefined
  readonly #parts: SessionParts
  /** The connection that the last request used: as long as it is ready, the next one needs no choice of an era. */
  #current: Connection | undefined
  /** Slots that calls are about to use. */
  readonly #slots = new Set<number>()

  constructor(server: Server, client: Client | undefined, parts: SessionParts) {
    this.server = server
    this.client = client
    this.#parts = parts
  }

  /** The connection in the era that is to be tried first, made when there is none; whether the server speaks it need not be known. */
  first(): Connection {
    return this.#connection(this.#eras()[0])
  }

  /** The same, when there is one. */
  peek(): Connection | undefined {
    return this.#parts.connections.peek(this.server, this.client, this.#eras()[0])
  }

  /**
   * One request. If the proxy cannot tell a client from others, and a server may ask it for something, each of its calls gets a separate
   * connection. A server on a pipe does not say which call it asks for. Rejects with RpcError when there are too many.
   */
  async request(request: Request, exchange: Exchange): Promise<Result> {
    const send = (connection: Connection): Promise<Result> => this.#send(connection, request, exchange)
    // A call that goes on is found by its state, whatever connection it is on.
    if (!this.#callsApart() || exchange.params.requestState !== undefined)
      return this.use(send, exchange.signal)
    const slot = this.#freeSlot()
    this.#slots.add(slot)
    try {
      return await this.use(send, exchange.signal, slot)
    } finally {
      this.#slots.delete(slot)
      const { connections } = this.#parts
      const used = connections.peek(this.server, this.client, 'legacy', slot)
      // The first one is the client's own; the others were there for calls at the same time.
      if (used && slot > 0) connections.rest(used)
    }
  }

  /** A request that is to hold for every connection of the client, now and later. */
  async setUp(request: Request, capability: string, exchange: Exchange): Promise<void> {
    const connection = this.first()
    if (request.method === 'logging/setLevel') this.#parts.logLevels.set(exchange.client, request.params)
    if (connection.era === 'legacy')
      await connection.setUp(request, capability, exchange, this.server.timeoutMs)
  }

  /** Runs the work on a connection of an era that the server speaks. */
  async use<T>(
    work: (connection: Connection) => Promise<T>,
    signal: Signal | undefined,
    slot = 0,
  ): Promise<T> {
    const known =
      slot === 0 && this.#current?.state === 'ready' && this.#current.serves(this.client)
        ? this.#current
        : this.#spoken(slot)
    if (known !== undefined) {
      if (slot === 0) this.#current = known
      try {
        return await work(known)
      } catch (error) {
        // The server spoke the era once, and no longer does.
        if (!(error instanceof EraRefused) && (await this.#stillSpoken(known.era, error))) throw error
      }
    }
    return work(await unlessAborted(this.connect(slot), signal))
  }

  /** The connection in the first era, where the server is known to speak it. */
  #spoken(slot: number): Connection | undefined {
    const [era] = this.#eras()
    return this.#parts.memory.eras(this.server.name)[era] ? this.#connection(era, slot) : undefined
  }

  /** Connects in the first era that the server speaks. */
  async connect(slot = 0): Promise<Connection> {
    const { server } = this
    const { connections, memory } = this.#parts
    const refused: EraRefused[] = []
    for (const era of this.#eras()) {
      const connection = this.#connection(era, slot)
      try {
        await connection.connect()
        // The facts of another server of this name are not this one's.
        if (server.retired) return connection
        // A server that could not start at all has refused nothing: only now is a refusal one.
        for (const refusal of refused) memory.saveEra(server.name, refusal.era, false)
        memory.saveEra(server.name, era, true)
        return connection
      } catch (error) {
        if (!(error instanceof EraRefused)) throw error
        refused.push(error)
        void connections.drop(connection)
      }
    }
    throw connectFailed(server.name, refused[0]?.cause)
  }

  /** The eras in the order in which they are to be tried. No client in particular is taken for a legacy one. */
  #eras(): readonly [Era, Era] {
    const wanted = this.client?.era ?? 'legacy'
    const other = wanted === 'legacy' ? 'modern' : 'legacy'
    const eras = this.#parts.memory.eras(this.server.name)
    return eras[wanted] === false && eras[other] !== false ? [other, wanted] : [wanted, other]
  }

  #connection(era: Era, slot = 0): Connection {
    return this.#parts.connections.for(this.server, this.client, era, slot)
  }

  /** A server that was replaced by an older release refuses the requests of the modern era one by one. */
  async #stillSpoken(era: Era, error: unknown): Promise<boolean> {
    const { connections } = this.#parts
    const connection = connections.peek(this.server, this.client, era)
    if (era === 'legacy' || connection === undefined || !mayBeRefusal(error)) return true
    if (await connection.stillSpoken()) return true
    void connections.drop(connection)
    return false
  }

  #callsApart(): boolean {
    const { client, server } = this
    if (client === undefined || client.era === 'legacy' || client.agent.kind !== 'anonymous') return false
    if (server.instance === 'shared' || isCommon(server) || 'url' in server.options) return false
    return ASKED_FOR.some((name) => isObject(own(client.capabilities, name)))
  }

  #freeSlot(): number {
    for (let slot = 0; slot < MAX_SLOTS; slot++) {
      const used = this.#parts.connections.peek(this.server, this.client, 'legacy', slot)
      if (!this.#slots.has(slot) && !used?.busy) return slot
    }
    const text = `server \`${this.server.name}\` is busy: call again when other calls have ended`
    throw new RpcError(RPC.internalError, text)
  }

  /** Sends the request in the form that the era of the connection has: as it is, or over a bridge. */
  async #send(connection: Connection, request: Request, exchange: Exchange): Promise<Result> {
    const { timeoutMs } = this.server
    if (connection.era === 'modern')
      return exchange.isOver ? {} : this.#sendModern(connection, request, exchange)
    if (exchange.client.era === 'legacy') return connection.request(request, { exchange, timeoutMs })
    const level = logLevelOf(request.params)
    if (level !== undefined) await connection.log(level, exchange, timeoutMs)
    return this.#parts.modernClients.request(request, exchange, (sent, on) =>
      connection.request(sent, { exchange: on, timeoutMs }),
    )
  }

  async #sendModern(connection: Connection, request: Request, exchange: Exchange): Promise<Result> {
    const { client } = exchange
    const { identity, logLevels, later } = this.#parts
    const done = await watched(connection, request, client)
    if (done) return done
    const headers = await this.#headers(connection, request, client)
    const via = [...(client.via ?? []), identity]
    const send = (sent: Request, on: Exchange): Promise<Result> =>
      connection.request(signed(sent, connection, via), {
        exchange: on,
        timeoutMs: this.server.timeoutMs,
        headers,
      })
    if (client.era === 'modern') return send(introduced(request, client), exchange)
    return requestForLegacyClient(request, exchange, logLevels.of(client), send, later)
  }

  /** Arguments that the tool wants repeated as headers (MCP 2026-07-28, `x-mcp-header`). */
  async #headers(
    connection: Connection,
    { method, params }: Request,
    client: Client,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    if (method !== 'tools/call' || !('url' in this.server.options) || typeof params?.name !== 'string')
      return undefined
    const schema = await this.#parts.toolSchema(connection, params.name, client)
    if (schema === undefined) return undefined
    const { declared } = scanParamHeaders(schema)
    if (declared.length === 0) return undefined
    return buildParamHeaders(declared, isObject(params.arguments) ? params.arguments : {})
  }
}

/** The answers of servers of the legacy era to a request without a session. Errors of tools have other codes. */
const REFUSALS: ReadonlySet<number> = new Set([
  RPC.unsupportedVersion,
  RPC.invalidRequest,
  RPC.connectionClosed,
])

function mayBeRefusal(error: unknown): boolean {
  if (error instanceof RpcError) return REFUSALS.has(error.code)
  const status = statusOf(error)
  return (
    status !== undefined &&
    status >= 400 &&
    status < 500 &&
    status !== 401 &&
    status !== 403 &&
    status !== 429
  )
}

/** Watching a resource is a subscription in the modern era, not a request. */
async function watched(
  { subscription }: Connection,
  { method, params }: Request,
  client: Client,
): Promise<JsonObject | undefined> {
  const uri = params?.uri
  if (subscription === undefined || typeof uri !== 'string') return undefined
  if (method === 'resources/subscribe') await subscription.watch(client, uri)
  else if (method === 'resources/unsubscribe') subscription.unwatch(client, uri)
  else return undefined
  return {}
}

/** The request with the envelope its client gave it, or one that says the same; without extensions that the proxy cannot read. */
function introduced(request: Request, client: Client): Request {
  const meta = metaOf(request.params)
  const declared = meta && own(meta, MODERN_META.clientCapabilities)
  if (!isObject(declared)) {
    const { info: clientInfo, capabilities } = client
    return { ...request, params: withMeta(request.params, envelope({ clientInfo, capabilities })) }
  }
  const capabilities = answerable(declared)
  if (capabilities === declared) return request
  return { ...request, params: withMeta(request.params, { [MODERN_META.clientCapabilities]: capabilities }) }
}

/** Requests to another proxy say where they have come through; other servers have no use for it. */
export function signed(request: Request, { established }: Connection, via: readonly string[]): Request {
  const serverInfo = established && own(established.initialize, 'serverInfo')
  if (!isObject(serverInfo) || serverInfo.name !== PROXY_NAME) return request
  return { ...request, params: withMeta(request.params, viaMeta(via)) }
}
