/** Sends a request on a connection in the form its era has, whichever the era of the client: alike, or over a bridge. */

import { PROXY_NAME, viaMeta } from '../protocol/chain.ts'
import { MODERN_META, metaOf, withMeta } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Request } from '../protocol/message.ts'
import { buildParamHeaders, scanParamHeaders } from '../protocol/param-headers.ts'
import type { Result } from '../protocol/result.ts'
import type { Later } from './backoff.ts'
import { LogLevels, requestForLegacyClient } from './bridges/legacy-client.ts'
import { createModernClients, logLevelOf, type ModernClients } from './bridges/modern-client.ts'
import { answerable, envelope } from './handshake.ts'
import type { Link } from './link.ts'
import type { Links } from './links.ts'
import type { Server } from './servers.ts'

export interface DispatchOptions {
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
