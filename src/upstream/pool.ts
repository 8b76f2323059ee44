/** All servers, as the router sees them: routes requests to connections and keeps the lists true. */
import type { Logger } from '../observe/log.ts'
import { createRedactor, type SecretHolder, secretsOf } from '../observe/redact.ts'
import type { Result } from '../protocol/content.ts'
import { cancelled, messageOf, ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notification, Request, RequestId } from '../protocol/message.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import { Lists } from './catalogue.ts'
import {
  type CompleteOptions,
  type ConnectionState,
  complete,
  LIST_KINDS,
  type ListKind,
  type Reconfigured,
  type ServerList,
  type ServerOptions,
  type ServerStatus,
  type UpstreamEvents,
  type Upstreams,
  type UpstreamsOptions,
} from './contract.ts'
import { transportOf } from './dial.ts'
import { Dispatch, Speaker } from './eras.ts'
import { isTimeout } from './errors.ts'
import { withoutSubscription } from './listening.ts'
import { Memory } from './memory.ts'
import { type Server, serversOf } from './servers.ts'
import { type Link, Links } from './session.ts'

/** Connections to all configured servers. Nothing starts before `open`, `list` or `request`. */
export function createUpstreams(options: UpstreamsOptions): Upstreams {
  return new Pool(complete(options))
}

/** What went wrong, to be told to clients and models. */
function withoutSecrets({ options }: Server, error: unknown): string {
  const { env, args, url, headers }: SecretHolder = 'serve' in options ? {} : { ...options }
  return createRedactor(secretsOf([{ env, args, url, headers }])).text(messageOf(error))
}

class Pool implements Upstreams {
  servers: readonly string[]
  readonly #options: CompleteOptions
  #servers: ReadonlyMap<string, Server>
  readonly #links: Links
  readonly #memory: Memory
  readonly #speaker: Speaker
  readonly #lists: Lists
  readonly #dispatch: Dispatch
  /** Clients that are there: while there are any, connections that serve all of them stay. */
  readonly #clients = new Set<Client>()

  constructor(options: CompleteOptions) {
    this.#options = options
    this.#servers = serversOf(options)
    this.servers = [...this.#servers.keys()]
    this.#memory = new Memory(options.dataDir, options.servers, options.logger)
    this.#links = new Links(options, {
      ready: (link, session) => {
        const server = this.#server(link.server)
        server.lastError = undefined
        server.met = true
        this.#memory.saveInitialize(server.name, session.initialize)
        this.#lists.began(link, session)
      },
      lost: (link, error) => {
        const server = this.#server(link.server)
        if (server.met) server.lastError = withoutSecrets(server, error)
        else this.#failed(server, error)
        options.logger.warn({ server: link.server, error: error.message }, 'lost a server')
      },
      notification: serverNotifications({
        events: options.events,
        logger: options.logger,
        changed: (link, kinds) => this.#lists.changed(link, kinds),
      }),
      interrupted: (link) => this.#lists.changed(link, LIST_KINDS),
      outgrown: (server, group) => this.#lists.forget(server, group),
    })
    this.#speaker = new Speaker(this.#links, this.#memory)
    this.#lists = new Lists({
      options,
      links: this.#links,
      memory: this.#memory,
      speaker: this.#speaker,
      alone: () => this.#servers.size === 1,
      server: (name) => this.#server(name),
      rest: (link) => this.#rest(link),
      answered: (server) => {
        server.lastError = undefined
        server.silent = false
        this.#memory.saveFailure(server.name, undefined)
      },
      failed: (server, error) => {
        server.silent ||= isTimeout(error)
        this.#failed(server, error)
      },
    })
    for (const server of this.#servers.values()) this.#recall(server)
    this.#dispatch = new Dispatch({
      now: options.now,
      later: options.later,
      links: this.#links,
      identity: options.identity,
      toolSchema: (link, name, client) => this.#lists.toolSchema(link, name, client),
    })
  }

  status(): ServerStatus[] {
    return [...this.#servers.values()].map((server) =>
      serverStatus(server, this.#links, this.known(server.name)),
    )
  }

  serversFor(client: Client | undefined): readonly string[] {
    return client === undefined ? this.servers : this.#options.reached(this.servers, client)
  }

  async open(client?: Client): Promise<void> {
    if (client) this.#clients.add(client)
    // Whoever says something new of itself is a new modern client: servers wait for what it asks.
    if (client?.era === 'modern' && client.agent.kind !== 'local') return
    const eager = this.#for(client).filter((server) => !server.lazy)
    await Promise.all(
      eager.map((server) =>
        this.#open(server, client).catch((error: unknown) => {
          const fields = { server: server.name, error: messageOf(error) }
          this.#options.logger.debug(fields, 'could not open a server')
        }),
      ),
    )
  }

  known(server: string): JsonObject | undefined {
    return this.#memory.initialize(server)
  }

  async list(kind: ListKind, client: Client | undefined, signal: AbortSignal): Promise<ServerList[]> {
    const servers = this.#for(client)
    const lists = await this.#lists.of(servers, kind, client, signal)
    return servers.flatMap(({ name }, at) => {
      const kept = lists[at]
      return kept ? [{ server: name, items: kept.items, ...(kept.hints && { hints: kept.hints }) }] : []
    })
  }

  async surely(
    kind: ListKind,
    name: string,
    client: Client,
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    const server = this.#server(name)
    const read = async (link: Link): Promise<readonly JsonObject[]> =>
      (await unlessAborted(this.#lists.surely(server, kind, link, client), signal)).items
    return this.#speaker.with(server, client, read, signal)
  }

  refresh(kind: ListKind, client: Client, servers = this.servers): void {
    for (const server of this.#servers.values()) {
      if (!servers.includes(server.name)) continue
      const [era] = this.#speaker.order(server, client)
      const link = this.#links.peek(server, client, era)
      if (link) this.#lists.refresh(link, [kind])
    }
  }

  async request(name: string, request: Request, exchange: Exchange): Promise<Result> {
    if (exchange.signal.aborted) throw cancelled(exchange.signal)
    const server = this.#server(name)
    if (!this.#isFor(exchange.client, name))
      throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method.slice(0, 200)}`)
    const send = (link: Link): Promise<Result> => this.#dispatch.request(server, link, request, exchange)
    server.calls++
    try {
      return await this.#dispatch.inLane(server, exchange, (lane) =>
        this.#speaker.with(server, exchange.client, send, exchange.signal, lane),
      )
    } finally {
      server.calls--
    }
  }

  async everywhere(request: Request, capability: string, exchange: Exchange): Promise<void> {
    const asked = this.#for(exchange.client).map((server) =>
      this.#dispatch.setUp(
        server,
        this.#speaker.first(server, exchange.client),
        request,
        capability,
        exchange,
      ),
    )
    const answers = await Promise.allSettled(asked)
    const refused = answers.find((answer) => answer.status === 'rejected')
    if (refused && answers.every((answer) => answer.status === 'rejected')) throw refused.reason
  }

  broadcast(notification: Notification, client: Client): void {
    for (const link of this.#links.of(client)) link.connection.notify(notification)
  }

  configure(servers: Readonly<Record<string, ServerOptions>>): Reconfigured {
    const before = this.#servers
    const now = serversOf({ servers, defaults: this.#options.defaults }, before)
    this.#servers = now
    this.servers = [...now.keys()]
    const removed = [...before.keys()].filter((name) => !now.has(name))
    const added = [...now.keys()].filter((name) => !before.has(name))
    const changed = [...now.values()]
      .filter((server) => before.has(server.name) && before.get(server.name) !== server)
      .map(({ name }) => name)
    for (const name of [...removed, ...changed]) this.#retire(name, before.get(name), now.get(name))
    for (const name of added) this.#memory.meet(name, servers[name] ?? {})
    for (const name of [...added, ...changed]) this.#recall(this.#server(name))
    for (const name of [...added, ...changed]) this.#welcome(this.#server(name))
    for (const name of [...removed, ...changed, ...added])
      for (const kind of LIST_KINDS) this.#options.events.changed(name, kind, () => true)
    return { added, changed, removed }
  }

  #retire(name: string, old: Server | undefined, successor: Server | undefined): void {
    if (old === undefined) return
    const links = this.#links.retire(old)
    old.retired = true
    this.#lists.leave(name)
    if (successor === undefined) return this.#memory.leave(name)
    this.#memory.meet(name, successor.options)
    for (const link of links) {
      // What a client has set up is set up at the successor as well.
      if (link.era === 'legacy' && (link.client || successor.shared))
        this.#links.for(successor, link.client, link.era).succeed(link)
    }
  }

  /** Connects a new server for those who are there, as `open` does for who comes later. */
  #welcome(server: Server): void {
    if (server.lazy) return
    for (const client of this.#clients) {
      if (client.era === 'modern' && client.agent.kind !== 'local') continue
      if (!this.#isFor(client, server.name)) continue
      this.#open(server, client).catch((error: unknown) => {
        const fields = { server: server.name, error: messageOf(error) }
        this.#options.logger.debug(fields, 'could not open a server')
      })
    }
  }

  async release(client: Client): Promise<void> {
    this.#clients.delete(client)
    const own = this.#links.of(client)
    const groups = new Set(own.flatMap(({ groups }) => groups.all))
    const released = this.#links.release(client)
    for (const link of this.#links.all) {
      for (const group of link.groups.all) groups.delete(group)
      link.listening?.forget(client)
      if (this.#clients.size === 0) this.#rest(link)
    }
    // What others like this client will see is in the memory; lists of every kind of client there ever was would add up.
    this.#lists.drop(groups)
    await released
  }

  async close(): Promise<void> {
    this.#dispatch.close()
    await this.#links.close()
    await this.#memory.close()
  }

  #for(client: Client | undefined): Server[] {
    return this.serversFor(client).map((name) => this.#server(name))
  }

  #isFor(client: Client, name: string): boolean {
    return this.#options.reached([name], client).length > 0
  }

  /** What the run before has to say of it. */
  #recall(server: Server): void {
    server.lastError = this.#memory.failure(server.name)
    server.silent = server.lastError !== undefined
  }

  #failed(server: Server, error: unknown): void {
    server.lastError = withoutSecrets(server, error)
    this.#memory.saveFailure(server.name, server.lastError)
  }

  #server(name: string): Server {
    const server = this.#servers.get(name)
    if (!server)
      throw new ProxyError(
        'UPSTREAM_CONNECT',
        `there is no server \`${name}\``,
        'It is not in the configuration any more: list the tools again, and use what is there.',
      )
    return server
  }

  async #open(server: Server, client: Client | undefined): Promise<void> {
    const link = await this.#speaker.connect(server, client)
    try {
      if (!client) await Promise.all(LIST_KINDS.map((kind) => this.#lists.read(server, kind, link, client)))
    } finally {
      this.#rest(link)
    }
  }

  /** A connection that serves nobody is there to list; it goes when nobody has listed for a while. */
  #rest(link: Link): void {
    const server = this.#servers.get(link.server)
    if (link.client !== undefined || server === undefined || server.shared) return
    if (link.era === 'legacy' || this.#clients.size === 0) this.#links.rest(link)
  }
}

// How a server is, told from all connections to it.

/** Of a server's connections, the one that says most about it. */
const BY_MERIT: readonly ConnectionState[] = ['ready', 'connecting', 'waiting', 'idle', 'closed']

/** `initialize`: what it said of itself, now or in an earlier run. */
function serverStatus(server: Server, links: Links, initialize: JsonObject | undefined): ServerStatus {
  const connections = links.all.filter((link) => link.server === server.name).map((link) => link.connection)
  const state = BY_MERIT.find((merit) => connections.some((connection) => connection.state === merit))
  const live = connections.find((connection) => connection.session)?.session
  return {
    server: server.name,
    state: state ?? (links.closed ? 'closed' : 'idle'),
    transport: live?.transport.kind ?? transportOf(server.options),
    ...(initialize && { initialize }),
    ...(server.tools !== undefined && { tools: server.tools }),
    ...(server.listed !== undefined && { listed: server.listed }),
    ...(server.lastError !== undefined && { lastError: server.lastError }),
  }
}

// What becomes of a notification of a server: lists are read anew, who watches hears of it, who waits for it
// gets it.

/** The lists a notification speaks of. */
const CHANGED: ReadonlyMap<string, readonly ListKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
])

interface NotificationParts {
  events: UpstreamEvents
  logger: Logger
  /** The lists of these kinds are others now. */
  changed(link: Link, kinds: readonly ListKind[]): void
}

/** Takes each notification of a connection; `via` is the request that it belongs to. */
function serverNotifications({ events, logger, changed }: NotificationParts) {
  return (link: Link, notification: Notification, via: RequestId | undefined): void => {
    const { method } = notification
    const kinds = CHANGED.get(method)
    if (kinds) changed(link, kinds)
    else if (link.listening === undefined) {
      if (!link.relay(notification, via)) events.notification(link.server, notification, link.client)
    } else if (method === 'notifications/subscriptions/acknowledged') {
      link.listening.acknowledged(notification, via)
    } else if (method === 'notifications/resources/updated') {
      const plain = withoutSubscription(notification)
      for (const client of link.listening.watchersOf(plain.params?.uri))
        events.notification(link.server, plain, client)
    } else if (!link.relay(notification, via)) {
      logger.debug({ server: link.server, method }, 'a notification of no request was dropped')
    }
  }
}
