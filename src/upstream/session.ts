/** Whose connection is which: legacy, one for each server and client, or one for all; modern, one for all. */
import type { Result } from '../protocol/content.ts'
import { type Era, metaOf } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Notification, Request, RequestId } from '../protocol/message.ts'
import type { RequestOptions } from '../protocol/peer.ts'
import { Connection, type Session } from './connection.ts'
import type { CompleteOptions } from './contract.ts'
import { dial } from './dial.ts'
import { connectionLost } from './errors.ts'
import { envelope, offers } from './handshake.ts'
import { Listening } from './listening.ts'
import { digest } from './memory.ts'
import type { Server } from './servers.ts'

/** What happens on any of the connections. */
interface LinkEvents {
  ready(link: Link, session: Session): void
  lost(link: Link, error: Error): void
  notification(link: Link, notification: Notification, via: RequestId | undefined): void
  /** What changed on the server for a moment was not told. */
  interrupted(link: Link): void
  /** Changes of this group's lists are not followed any more. */
  outgrown(server: string, group: string): void
}

/** The links of one server. */
interface Slots {
  /** By owner, and then by lane. */
  readonly legacy: Map<Client | undefined, (Link | undefined)[]>
  modern: Link | undefined
}

/** Milliseconds between two looks whether a link that leaves still has something under way. */
const LEAVE_MS = 50

export class Links {
  readonly #options: CompleteOptions
  readonly #events: LinkEvents
  readonly #slots = new Map<Server, Slots>()
  /** How to take a link out again. */
  readonly #links = new Map<Link, () => void>()
  readonly #probes = new Map<Link, () => void>()
  readonly #closing = new Set<Promise<void>>()
  /** Links of servers that the configuration no longer has, with what is still under way on them. */
  readonly #leaving = new Map<Link, () => void>()
  /** Clients that left. */
  readonly #gone = new WeakSet<Client>()
  #closed = false

  constructor(options: CompleteOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
  }

  get all(): readonly Link[] {
    return [...this.#links.keys()]
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * The link for this client, made when there is none. `lane` tells links of one client apart whose calls must not meet. Throws
   * when all was closed, and for a client that was released: what is begun for it would be ended by nobody.
   */
  for(server: Server, client: Client | undefined, era: Era, lane = 0): Link {
    if (this.#closed) throw connectionLost(server.name, 'the proxy is shutting down')
    if (server.retired) throw connectionLost(server.name, 'its configuration changed meanwhile; call again')
    const link = this.peek(server, client, era, lane) ?? this.#add(server, client, era, lane)
    this.#probes.get(link)?.()
    return link
  }

  /** The link for this client, when there is one. */
  peek(server: Server, client: Client | undefined, era: Era, lane = 0): Link | undefined {
    const slots = this.#slots.get(server)
    return era === 'modern' ? slots?.modern : slots?.legacy.get(ownerOf(server, client))?.[lane]
  }

  /** Nobody needs the link for now; it goes when that stays so for a while. */
  rest(link: Link): void {
    this.#probes.get(link)?.()
    const { later, defaults } = this.#options
    this.#probes.set(
      link,
      later(defaults.idleMs, () => (link.busy ? this.rest(link) : void this.drop(link))),
    )
  }

  /** The links that only this client uses. */
  of(client: Client): readonly Link[] {
    return this.all.filter((link) => link.client?.id === client.id)
  }

  /** Closes what only this client used. */
  async release(client: Client): Promise<void> {
    this.#gone.add(client)
    const leaving = [...this.#leaving.keys()].filter((link) => link.client?.id === client.id)
    await Promise.all([...this.of(client), ...leaving].map((link) => this.drop(link)))
  }

  /** Nothing new goes to this server; its links are closed when what is under way has ended. Gives those that there were. */
  retire(server: Server): readonly Link[] {
    const slots = this.#slots.get(server)
    const links = [...(slots?.legacy.values() ?? [])].flat().filter((link) => link !== undefined)
    if (slots?.modern) links.push(slots.modern)
    this.#slots.delete(server)
    for (const link of links) {
      this.#probes.get(link)?.()
      this.#probes.delete(link)
      this.#links.delete(link)
      this.#leave(link, server)
    }
    return links
  }

  #leave(link: Link, server: Server): void {
    const busy = server.calls > 0 || link.busy
    this.#leaving.set(link, busy ? this.#options.later(LEAVE_MS, () => this.#leave(link, server)) : () => {})
    if (!busy) void this.drop(link)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const link of [...this.all, ...this.#leaving.keys()]) void this.drop(link)
    await Promise.all(this.#closing)
  }

  drop(link: Link): Promise<void> {
    this.#probes.get(link)?.()
    this.#probes.delete(link)
    this.#links.get(link)?.()
    this.#links.delete(link)
    this.#leaving.get(link)?.()
    this.#leaving.delete(link)
    const closing = link.connection.close()
    this.#closing.add(closing)
    return closing.finally(() => this.#closing.delete(closing))
  }

  #add(server: Server, client: Client | undefined, era: Era, lane: number): Link {
    const slots: Slots = this.#slots.get(server) ?? { legacy: new Map(), modern: undefined }
    this.#slots.set(server, slots)
    // A modern server keeps nothing of a client, so that one connection serves all.
    if (era === 'modern') {
      const link = this.#make(server, undefined, era, client)
      slots.modern = link
      this.#links.set(link, () => {
        slots.modern = undefined
      })
      return link
    }
    const owner = ownerOf(server, client)
    if (owner && this.#gone.has(owner)) throw connectionLost(server.name, 'its client has left')
    const lanes = slots.legacy.get(owner) ?? []
    const link = this.#make(server, owner, era)
    lanes[lane] = link
    slots.legacy.set(owner, lanes)
    this.#links.set(link, () => {
      delete lanes[lane]
      if (lanes.every((one) => one === undefined)) slots.legacy.delete(owner)
    })
    return link
  }

  /** `first`: who asked for it, so that a server which serves all is greeted with what at least this client can do. */
  #make(server: Server, client: Client | undefined, era: Era, first = client): Link {
    const { events } = this.#options
    const connection = (link: Link): Connection =>
      this.#connection(server, link, era, first?.capabilities ?? {})
    const ask: LinkParts['ask'] = (asked, request, signal) =>
      events.ask?.(server.name, asked, request, signal) ?? asked.ask(request, signal)
    if (era === 'legacy')
      return new Link({ server: server.name, client, groups: new OneGroup(client), connection, ask })
    const { clientInfo, defaults, random, later } = this.#options
    const listening = new Listening({
      envelope: envelope({ clientInfo, capabilities: {} }),
      backoff: defaults.backoff,
      random,
      later,
      interrupted: () => this.#links.has(link) && this.#events.interrupted(link),
    })
    const groups = new ManyGroups((group) => this.#events.outgrown(server.name, group))
    const link: Link = new Link({
      server: server.name,
      client: undefined,
      groups,
      connection,
      listening,
      ask,
    })
    return link
  }

  #connection(server: Server, link: Link, era: Era, capabilities: JsonObject): Connection {
    const { clientInfo, identity, defaults, logger, now, random, later } = this.#options
    const { client } = link
    return new Connection({
      server: server.name,
      dial: () => dial(server.options, this.#options, server.name, era),
      introduction: {
        era,
        clientInfo,
        capabilities,
        via: [...(client?.via ?? []), identity],
        protocolVersion: client?.protocolVersion,
      },
      connectTimeoutMs: server.connectTimeoutMs,
      backoff: defaults.backoff,
      revive: !server.lazy && (server.shared || client !== undefined),
      logger,
      now,
      random,
      later,
      handlers: {
        request: (request, signal, via) => link.serve(request, signal, via),
        notification: (notification, via) => {
          if (this.#links.has(link)) this.#events.notification(link, notification, via)
          else link.relay(notification, via)
        },
        ready: (session) => {
          link.restore(session)
          if (this.#links.has(link)) this.#events.ready(link, session)
        },
        lost: (error) => {
          link.listening?.ended()
          if (this.#links.has(link)) this.#events.lost(link, error)
          // What was under way on it has ended; nobody needs it again.
          else void this.drop(link)
        },
      },
    })
  }
}

/** Whose a legacy connection is: the client's, or everybody's. */
function ownerOf(server: Server, client: Client | undefined): Client | undefined {
  return server.shared ? undefined : client
}

// A connection and those it works for: sends what they ask, and finds whom a message of the server is meant
// for.

/** What a client must have declared before a server may ask for it. */
const NEEDS: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
}

interface LinkParts {
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

// What a client set up on a server and would lose with the connection: its log level and its subscriptions.

/** Subscriptions that are set up again, the newest. */
const MAX_SUBSCRIPTIONS = 1000

export class Standing {
  readonly #requests = new Map<string, Request>()

  /** Takes note of a request that succeeded. */
  note(request: Request): void {
    const uri = request.params && own(request.params, 'uri')
    if (request.method === 'logging/setLevel') this.#requests.set('', request)
    if (typeof uri !== 'string') return
    if (request.method === 'resources/unsubscribe') this.#requests.delete(`uri ${uri}`)
    if (request.method === 'resources/subscribe') {
      this.#requests.set(`uri ${uri}`, request)
      const [oldest] = this.#requests.keys()
      if (this.#requests.size > MAX_SUBSCRIPTIONS && oldest !== undefined) this.#requests.delete(oldest)
    }
  }

  /** The requests that set it all up again. */
  get requests(): readonly Request[] {
    return [...this.#requests.values()]
  }
}

// Who sees the same lists: clients of like capabilities, until a session changes its own.

/** Groups of one session that changed its own lists. */
const OWN = 'own:'

/** Kinds of clients a modern server is asked for in turn when its lists change: a person has a handful. */
const MAX_GROUPS = 16

/** The groups that one connection fetches lists for. */
interface Groups {
  /** The group of this client; of nobody in particular when there is none. */
  of(client: Client | undefined): string
  /** The same, when it is one of `all`. */
  peek(client: Client): string | undefined
  readonly all: readonly string[]
  /** What clients of the group can do, as the server was or is told. */
  capabilities(group: string): JsonObject
}

/** A legacy connection speaks for one client: one group. */
export class OneGroup implements Groups {
  #group: string
  readonly #capabilities: JsonObject

  constructor(client: Client | undefined) {
    this.#group = groupOf(client)
    this.#capabilities = client?.capabilities ?? {}
  }

  of(): string {
    return this.#group
  }

  peek(): string {
    return this.#group
  }

  get all(): readonly string[] {
    return [this.#group]
  }

  capabilities(): JsonObject {
    return this.#capabilities
  }

  /** The session no longer sees what the others see. */
  split(client: Client): string {
    this.#group = OWN + client.id
    return this.#group
  }

  get isOwn(): boolean {
    return isOwn(this.#group)
  }
}

/** A modern connection speaks for all, each request for whom it says. */
class ManyGroups implements Groups {
  readonly #capabilities = new Map<string, JsonObject>()
  readonly #byClient = new WeakMap<Client, string>()
  readonly #outgrown: (group: string) => void

  /** `outgrown` is told the group that makes room for a new one: of its lists no changes are followed any more. */
  constructor(outgrown: (group: string) => void) {
    this.#outgrown = outgrown
  }

  of(client: Client | undefined): string {
    const known = client && this.#byClient.get(client)
    if (known !== undefined && this.#capabilities.has(known)) return known
    const capabilities = client?.capabilities ?? {}
    const group = digest(['modern', capabilities])
    if (client) this.#byClient.set(client, group)
    this.#capabilities.delete(group)
    this.#capabilities.set(group, capabilities)
    const [oldest] = this.#capabilities.keys()
    if (this.#capabilities.size > MAX_GROUPS && oldest !== undefined) {
      this.#capabilities.delete(oldest)
      this.#outgrown(oldest)
    }
    return group
  }

  peek(client: Client): string | undefined {
    const group = this.#byClient.get(client)
    return group !== undefined && this.#capabilities.has(group) ? group : undefined
  }

  get all(): readonly string[] {
    return [...this.#capabilities.keys()]
  }

  capabilities(group: string): JsonObject {
    return this.#capabilities.get(group) ?? {}
  }
}

/** True for a group of one session alone. */
export function isOwn(group: string): boolean {
  return group.startsWith(OWN)
}

/** The group of connections that serve all clients or none. */
const NOBODY = digest('nobody')

function groupOf(client: Client | undefined): string {
  return client ? digest([client.capabilities, client.protocolVersion]) : NOBODY
}
