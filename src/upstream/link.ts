/** A connection and those it works for: sends what they ask, and finds whom a message of the server is meant for. */

import { type Era, metaOf } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Notification, Request, RequestId } from '../protocol/message.ts'
import type { RequestOptions } from '../protocol/peer.ts'
import type { Result } from '../protocol/result.ts'
import type { Connection, Session } from './connection.ts'
import type { Groups } from './groups.ts'
import { offers } from './handshake.ts'
import type { Listening } from './listening.ts'
import { Standing } from './standing.ts'

/** What a client must have declared before a server may ask for it. */
const NEEDS: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
}

export interface LinkParts {
  server: string
  /** The client it belongs to; absent when it is shared or serves nobody yet. */
  client: Client | undefined
  groups: Groups
  connection(link: Link): Connection
  /** Asks a client that no request under way belongs to. */
  ask(client: Client, request: Request, signal: AbortSignal): Promise<Result>
  /** The subscription that a modern server tells changes on. */
  listening?: Listening | undefined
}

export class Link {
  readonly server: string
  readonly client: Client | undefined
  readonly connection: Connection
  readonly groups: Groups
  readonly listening: Listening | undefined
  readonly #underway = new Map<RequestId, Exchange>()
  readonly #standing = new Standing()
  readonly #ask: LinkParts['ask']
  #level: string | undefined
  /** The clients that have not yet answered a request of the server, one entry a request. */
  readonly #asked: Client[] = []

  constructor({ server, client, groups, connection, listening, ask }: LinkParts) {
    this.#ask = ask
    this.server = server
    this.client = client
    this.groups = groups
    this.listening = listening
    this.connection = connection(this)
  }

  get era(): Era {
    return this.connection.era
  }

  /** True while a request is under way. */
  get busy(): boolean {
    return this.#underway.size > 0
  }

  /** One request on behalf of an exchange. Progress goes back under the token the client chose. */
  async request(
    request: Request,
    exchange: Exchange,
    timeoutMs: number,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Result> {
    let sent: RequestId | undefined
    const options: RequestOptions = {
      signal: exchange.signal,
      timeoutMs,
      headers,
      // A person who is asked for something may think for longer than a call may take.
      paused: () => this.#asked.includes(exchange.client),
      onId: (id) => {
        // Sent once more after the server forgot the session, it has another id.
        if (sent !== undefined) this.#underway.delete(sent)
        sent = id
        this.#underway.set(id, exchange)
      },
    }
    const token = own(metaOf(request.params) ?? {}, 'progressToken')
    if (typeof token === 'string' || typeof token === 'number') {
      options.onProgress = (params) =>
        exchange.notify(
          { method: 'notifications/progress', params: { ...params, progressToken: token } },
          this.server,
        )
    }
    try {
      const result = await this.connection.request(request, options)
      this.#standing.note(request)
      return result
    } finally {
      if (sent !== undefined) this.#underway.delete(sent)
    }
  }

  /** A request that is to hold for every session: sent now when there is one, else as soon as there is. */
  async setUp(request: Request, capability: string, exchange: Exchange, timeoutMs: number): Promise<void> {
    const { session } = this.connection
    if (session === undefined) this.#standing.note(request)
    else if (offers(session.initialize, capability)) await this.request(request, exchange, timeoutMs)
  }

  /** The level at which the server is to log, told when it is another than before. A server that refuses it logs as it likes. */
  async log(level: string, exchange: Exchange, timeoutMs: number): Promise<void> {
    if (this.#level === level) return
    this.#level = level
    const request = { method: 'logging/setLevel', params: { level } }
    await this.setUp(request, 'logging', exchange, timeoutMs).catch(() => {})
  }

  /** Sets up on a new session what the client had set up on the last. A server that refuses it now goes without. */
  restore(session: Session): void {
    this.listening?.began(session)
    for (const request of this.#standing.requests) {
      if (request.method === 'logging/setLevel' && !offers(session.initialize, 'logging')) continue
      session.peer.request(request).catch(() => {})
    }
  }

  /** Takes over what was set up on another link: the server behind it changed, and what the client wants did not. */
  succeed(other: Link): void {
    for (const request of other.#standing.requests) this.#standing.note(request)
  }

  /** Passes a request of the server to the client it can only be meant for, or refuses it. */
  async serve(request: Request, signal: AbortSignal, via: RequestId | undefined): Promise<Result> {
    const exchange = this.#exchangeOf(via) ?? this.#latest()
    const client = exchange?.client ?? this.client ?? this.#onlyClient()
    if (!client || !mayAsk(client.capabilities, request.method)) {
      throw new RpcError(RPC.methodNotFound, `${request.method} is not available`)
    }
    this.#asked.push(client)
    try {
      return exchange?.ask
        ? await exchange.ask(request, signal, this.server)
        : await this.#ask(client, request, signal)
    } finally {
      this.#asked.splice(this.#asked.indexOf(client), 1)
    }
  }

  /** True when the notification was about a request under way, and went there. */
  relay(notification: Notification, via: RequestId | undefined): boolean {
    const exchange = notification.method === 'notifications/message' ? this.#exchangeOf(via) : undefined
    exchange?.notify(notification, this.server)
    return exchange !== undefined
  }

  /**
   * The request under way that a message belongs to. HTTP tells it by the stream, also when that request is over: then it is
   * nobody else's. Elsewhere the legacy era does not say, but with one request under way there is no doubt.
   */
  #exchangeOf(via: RequestId | undefined): Exchange | undefined {
    if (via !== undefined) return this.#underway.get(via)
    const [exchange] = this.#underway.values()
    return this.#underway.size === 1 ? exchange : undefined
  }

  /** A modern client can be asked only in answer to a call of its own; which of them it is makes no difference to the server. */
  #latest(): Exchange | undefined {
    const client = this.client ?? this.#onlyClient()
    // Nobody knows who an anonymous client is, so a question could reach another person.
    if (client?.era !== 'modern' || client.agent.kind === 'anonymous') return undefined
    return [...this.#underway.values()].findLast((exchange) => exchange.ask !== undefined)
  }

  #onlyClient(): Client | undefined {
    const [client, another] = new Set([...this.#underway.values()].map((exchange) => exchange.client))
    return another === undefined ? client : undefined
  }
}

function mayAsk(capabilities: JsonObject, method: string): boolean {
  const needed = own(NEEDS as JsonObject, method)
  return typeof needed !== 'string' || isObject(own(capabilities, needed))
}
