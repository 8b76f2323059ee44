/** A connection and those it works for: finds whom a request of the server is meant for. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Notification, Request } from '../protocol/message.ts'
import type { RequestOptions } from '../protocol/peer.ts'
import type { Result } from '../protocol/result.ts'
import type { Connection, Session } from './connection.ts'
import { offers } from './handshake.ts'
import { Standing } from './standing.ts'

/** What a client must have declared before a server may ask for it. */
const NEEDS: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
}

export class Link {
  readonly server: string
  /** The client it belongs to; absent when it is shared or serves nobody yet. */
  readonly client: Client | undefined
  readonly connection: Connection
  /** Whose lists its lists are; see `Place`. */
  group: string
  readonly #exchanges = new Set<Exchange>()
  readonly #standing = new Standing()
  /** The clients that have not yet answered a request of the server, one entry a request. */
  readonly #asked: Client[] = []

  constructor(
    server: string,
    client: Client | undefined,
    group: string,
    connection: (link: Link) => Connection,
  ) {
    this.server = server
    this.client = client
    this.group = group
    this.connection = connection(this)
  }

  /** One request on behalf of an exchange. Progress goes back under the token the client chose. */
  async request(request: Request, exchange: Exchange, timeoutMs: number): Promise<Result> {
    // A person who is asked for something may think for longer than a call may take.
    const paused = (): boolean => this.#asked.includes(exchange.client)
    const options: RequestOptions = { signal: exchange.signal, timeoutMs, paused }
    const meta = request.params && own(request.params, '_meta')
    const token = isObject(meta) ? own(meta, 'progressToken') : undefined
    if (typeof token === 'string' || typeof token === 'number') {
      options.onProgress = (params) =>
        exchange.notify({ method: 'notifications/progress', params: { ...params, progressToken: token } })
    }
    this.#exchanges.add(exchange)
    try {
      const result = await this.connection.request(request, options)
      this.#standing.note(request)
      return result
    } finally {
      this.#exchanges.delete(exchange)
    }
  }

  /** A request that is to hold for every session: sent now when there is one, else as soon as there is. */
  async setUp(request: Request, capability: string, exchange: Exchange, timeoutMs: number): Promise<void> {
    const { session } = this.connection
    if (session === undefined) this.#standing.note(request)
    else if (offers(session.initialize, capability)) await this.request(request, exchange, timeoutMs)
  }

  /** Sets up on a new session what the client had set up on the last. A server that refuses it now goes without. */
  restore({ peer, initialize }: Session): void {
    for (const request of this.#standing.requests) {
      if (request.method === 'logging/setLevel' && !offers(initialize, 'logging')) continue
      peer.request(request).catch(() => {})
    }
  }

  /** Passes a request of the server to the client it can only be meant for, or refuses it. */
  async serve(request: Request, signal: AbortSignal): Promise<Result> {
    const exchange = this.#only()
    const client = exchange?.client ?? this.client ?? this.#onlyClient()
    if (!client || !mayAsk(client.capabilities, request.method)) {
      throw new RpcError(RPC.methodNotFound, `${request.method} is not available`)
    }
    this.#asked.push(client)
    try {
      return exchange?.ask ? await exchange.ask(request, signal) : await client.ask(request, signal)
    } finally {
      this.#asked.splice(this.#asked.indexOf(client), 1)
    }
  }

  /** True when the notification was about the one request under way, and went there. */
  relay(notification: Notification): boolean {
    const exchange = notification.method === 'notifications/message' ? this.#only() : undefined
    exchange?.notify(notification)
    return exchange !== undefined
  }

  /** The legacy era does not say which request a server's request belongs to; with one under way there is no doubt. */
  #only(): Exchange | undefined {
    const [exchange] = this.#exchanges
    return this.#exchanges.size === 1 ? exchange : undefined
  }

  #onlyClient(): Client | undefined {
    const [client, another] = new Set([...this.#exchanges].map((exchange) => exchange.client))
    return another === undefined ? client : undefined
  }
}

function mayAsk(capabilities: JsonObject, method: string): boolean {
  const needed = own(NEEDS as JsonObject, method)
  return typeof needed !== 'string' || isObject(own(capabilities, needed))
}
