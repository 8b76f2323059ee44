/**
 * Which era is spoken with a server on behalf of a client: the client's own where the server can, else the other. What was
 * found out is remembered, and no era is tried that nobody asked for.
 */
import { PROXY_NAME, viaMeta } from '../protocol/chain.ts'
import type { Result } from '../protocol/content.ts'
import { type Era, MODERN_META, metaOf, withMeta } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { buildParamHeaders, scanParamHeaders } from '../protocol/headers.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Request } from '../protocol/message.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import type { Later } from './backoff.ts'
import { LogLevels, requestForLegacyClient } from './bridges/legacy-client.ts'
import { createModernClients, logLevelOf, type ModernClients } from './bridges/modern-client.ts'
import { connectFailed } from './errors.ts'
import { answerable, EraRefused, envelope, statusOf } from './handshake.ts'
import type { Memory } from './memory.ts'
import type { Server } from './servers.ts'
import type { Link, Links } from './session.ts'

export class Speaker {
  readonly #links: Links
  readonly #memory: Memory

  constructor(links: Links, memory: Memory) {
    this.#links = links
    this.#memory = memory
  }

  /** The eras in the order in which they are to be tried. Nobody in particular is taken for a legacy client. */
  order(server: Server, client: Client | undefined): readonly [Era, Era] {
    const wanted = client?.era ?? 'legacy'
    const other = wanted === 'legacy' ? 'modern' : 'legacy'
    const eras = this.#memory.eras(server.name)
    return eras[wanted] === false && eras[other] !== false ? [other, wanted] : [wanted, other]
  }

  /** The link for this client in the era that comes first, whether or not the server is known to speak it. */
  first(server: Server, client: Client | undefined): Link {
    return this.#links.for(server, client, this.order(server, client)[0])
  }

  /** Runs the work on a link of an era that the server speaks. */
  async with<T>(
    server: Server,
    client: Client | undefined,
    work: (link: Link) => Promise<T>,
    signal: AbortSignal | undefined,
    lane = 0,
  ): Promise<T> {
    const [era] = this.order(server, client)
    if (this.#memory.eras(server.name)[era]) {
      try {
        return await work(this.#links.for(server, client, era, lane))
      } catch (error) {
        // It did once, and no longer does.
        if (!(error instanceof EraRefused) && (await this.#stillSpoken(server, client, era, error)))
          throw error
      }
    }
    return work(await unlessAborted(this.connect(server, client, lane), signal))
  }

  /** A server that was replaced by an older release refuses the requests of the modern era one by one. */
  async #stillSpoken(server: Server, client: Client | undefined, era: Era, error: unknown): Promise<boolean> {
    const link = this.#links.peek(server, client, era)
    if (era === 'legacy' || link === undefined || !mayBeRefusal(error)) return true
    if (await link.connection.stillSpoken()) return true
    void this.#links.drop(link)
    return false
  }

  /** Connects in the first era that the server speaks. */
  async connect(server: Server, client: Client | undefined, lane = 0): Promise<Link> {
    const refused: EraRefused[] = []
    for (const era of this.order(server, client)) {
      const link = this.#links.for(server, client, era, lane)
      try {
        await link.connection.connect()
        // What was learned of another server of this name is not this one's.
        if (server.retired) return link
        // A server that could not start at all has refused nothing: only now is a refusal one.
        for (const refusal of refused) this.#memory.saveEra(server.name, refusal.era, false)
        this.#memory.saveEra(server.name, era, true)
        return link
      } catch (error) {
        if (!(error instanceof EraRefused)) throw error
        refused.push(error)
        void this.#links.drop(link)
      }
    }
    throw connectFailed(server.name, refused[0]?.cause)
  }
}

/** What servers of the legacy era answer to a request without a session. Errors of tools have other codes. */
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

// Sends a request on a connection in the form its era has, whichever the era of the client: alike, or over a
// bridge.

interface DispatchOptions {
  links: Links
  /** Of this proxy; see `UpstreamsOptions`. */
  identity: string
  now(): number
  later: Later
  /** The input schema of a tool, under the server's own name for it. */
  toolSchema(link: Link, name: string, client: Client): Promise<JsonObject | undefined>
}

/** Connections of an anonymous client to one server, so that calls that may be asked back do not meet. */
const MAX_LANES = 8

/** Capabilities by which a server may ask the client for something. */
const ASKED_FOR = ['sampling', 'elicitation', 'roots'] as const

export class Dispatch {
  readonly #options: DispatchOptions
  readonly #modernClients: ModernClients
  readonly #levels = new LogLevels()
  /** Lanes that calls are about to use. */
  readonly #lanes = new Set<string>()

  constructor(options: DispatchOptions) {
    this.#options = options
    this.#modernClients = createModernClients(options.now, options.later)
  }

  request(server: Server, link: Link, request: Request, exchange: Exchange): Promise<Result> {
    if (link.era === 'modern')
      return exchange.isOver ? Promise.resolve({}) : this.#toModern(server, link, request, exchange)
    if (exchange.client.era === 'legacy') return link.request(request, exchange, server.timeoutMs)
    return this.#fromModern(server, link, request, exchange)
  }

  /** A request that is to hold for every session, now and later. */
  async setUp(
    server: Server,
    link: Link,
    request: Request,
    capability: string,
    exchange: Exchange,
  ): Promise<void> {
    if (request.method === 'logging/setLevel') this.#levels.set(exchange.client, request.params)
    if (link.era === 'legacy') await link.setUp(request, capability, exchange, server.timeoutMs)
  }

  /**
   * Nobody can tell one anonymous client from another, and a server on a pipe does not say which call it asks for: such calls
   * go over connections of their own, one at a time. Rejects with RpcError when there are too many.
   */
  async inLane<T>(
    server: Server,
    { client, params }: Exchange,
    work: (lane: number) => Promise<T>,
  ): Promise<T> {
    // A call that goes on finds its own way.
    if (!this.#goesAlone(server, client) || params.requestState !== undefined) return work(0)
    const lane = this.#freeLane(server, client)
    const key = laneKey(server, client, lane)
    this.#lanes.add(key)
    try {
      return await work(lane)
    } finally {
      this.#lanes.delete(key)
      const link = this.#options.links.peek(server, client, 'legacy', lane)
      // The first lane is the client's own; the others were there for calls at the same time.
      if (link && lane > 0) this.#options.links.rest(link)
    }
  }

  #goesAlone(server: Server, client: Client): boolean {
    if (client.era === 'legacy' || client.agent.kind !== 'anonymous') return false
    if (server.shared || 'url' in server.options) return false
    return ASKED_FOR.some((name) => isObject(own(client.capabilities, name)))
  }

  #freeLane(server: Server, client: Client): number {
    for (let lane = 0; lane < MAX_LANES; lane++) {
      const taken = this.#lanes.has(laneKey(server, client, lane))
      if (!taken && !this.#options.links.peek(server, client, 'legacy', lane)?.busy) return lane
    }
    const text = `server \`${server.name}\` is busy: call again when other calls have ended`
    throw new RpcError(RPC.internalError, text)
  }

  close(): void {
    this.#modernClients.close()
  }

  async #toModern(server: Server, link: Link, request: Request, exchange: Exchange): Promise<Result> {
    const { client } = exchange
    const done = await watched(link, request, client)
    if (done) return done
    const headers = await this.#headers(server, link, request, client)
    const via = [...(client.via ?? []), this.#options.identity]
    const send = (sent: Request, on: Exchange): Promise<Result> =>
      link.request(signed(sent, link, via), on, server.timeoutMs, headers)
    if (client.era === 'modern') return send(introduced(request, client), exchange)
    return requestForLegacyClient(request, exchange, this.#levels.of(client), send, this.#options.later)
  }

  async #fromModern(server: Server, link: Link, request: Request, exchange: Exchange): Promise<Result> {
    const level = logLevelOf(request.params)
    if (level !== undefined) await link.log(level, exchange, server.timeoutMs)
    return this.#modernClients.request(request, exchange, (sent, on) =>
      link.request(sent, on, server.timeoutMs),
    )
  }

  /** Arguments that the tool wants repeated as headers (MCP 2026-07-28, `x-mcp-header`). */
  async #headers(
    server: Server,
    link: Link,
    { method, params }: Request,
    client: Client,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    if (method !== 'tools/call' || !('url' in server.options) || typeof params?.name !== 'string')
      return undefined
    const schema = await this.#options.toolSchema(link, params.name, client)
    if (schema === undefined) return undefined
    const { declared } = scanParamHeaders(schema)
    if (declared.length === 0) return undefined
    return buildParamHeaders(declared, isObject(params.arguments) ? params.arguments : {})
  }
}

/** Watching a resource is a subscription in the modern era, not a request. */
async function watched(
  link: Link,
  { method, params }: Request,
  client: Client,
): Promise<JsonObject | undefined> {
  const uri = params?.uri
  if (link.listening === undefined || typeof uri !== 'string') return undefined
  if (method === 'resources/subscribe') await link.listening.watch(client, uri)
  else if (method === 'resources/unsubscribe') link.listening.unwatch(client, uri)
  else return undefined
  return {}
}

/** The request with the envelope its client gave it, or one that says the same; without what nobody here can read. */
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

function laneKey(server: Server, client: Client, lane: number): string {
  return JSON.stringify([server.name, client.id, lane])
}

/** Requests to another proxy say where they have come through; other servers have no use for it. */
export function signed(request: Request, { connection }: Link, via: readonly string[]): Request {
  const serverInfo = connection.session && own(connection.session.initialize, 'serverInfo')
  if (!isObject(serverInfo) || serverInfo.name !== PROXY_NAME) return request
  return { ...request, params: withMeta(request.params, viaMeta(via)) }
}
