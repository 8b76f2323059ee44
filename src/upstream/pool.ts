/** All servers, as the router sees them: routes requests to connections and keeps the lists true. */
import { messageOf, ProxyError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notification, Request } from '../protocol/message.ts'
import type { Result } from '../protocol/result.ts'
import { Catalog, type Fetch } from './catalog.ts'
import { transportOf } from './dial.ts'
import { offers } from './handshake.ts'
import type { Link } from './link.ts'
import { Links } from './links.ts'
import { listPagesIfKnown } from './list-pages.ts'
import { type CompleteOptions, complete, type UpstreamsOptions } from './options.ts'
import { Memory } from './remember.ts'
import { type Server, serversOf } from './servers.ts'
import { cancelled, isTimeout, listTimedOut } from './upstream-errors.ts'
import {
  type ConnectionState,
  LISTS,
  type ListKind,
  type ServerList,
  type ServerStatus,
  type Upstreams,
} from './upstreams.ts'

/** Connections to all configured servers. Nothing starts before `open`, `list` or `request`. */
export function createUpstreams(options: UpstreamsOptions): Upstreams {
  return new Pool(complete(options))
}

const KINDS = Object.keys(LISTS) as ListKind[]

/** The lists a notification speaks of. */
const CHANGED: ReadonlyMap<string, readonly ListKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
])

/** Of a server's connections, the one that says most about it. */
const BY_MERIT: readonly ConnectionState[] = ['ready', 'connecting', 'waiting', 'idle', 'closed']

/** Groups of one session that changed its own lists. */
const OWN = 'own:'

class Pool implements Upstreams {
  readonly servers: readonly string[]
  readonly #options: CompleteOptions
  readonly #servers: ReadonlyMap<string, Server>
  readonly #links: Links
  readonly #memory: Memory
  readonly #catalog: Catalog

  constructor(options: CompleteOptions) {
    this.#options = options
    this.#servers = serversOf(options)
    this.servers = [...this.#servers.keys()]
    this.#memory = new Memory(options.dataDir, options.servers, options.logger)
    this.#links = new Links(options, {
      ready: (link, session) => {
        const server = this.#server(link.server)
        server.lastError = undefined
        this.#memory.saveInitialize(server.name, session.initialize)
        this.#catalog.began(link, session, this.#fetch(server, link))
      },
      lost: (link, error) => {
        this.#server(link.server).lastError = error.message
        options.logger.warn({ server: link.server, error: error.message }, 'lost a server')
      },
      notification: (link, notification) => this.#notified(link, notification),
    })
    this.#catalog = new Catalog({
      memory: this.#memory,
      now: options.now,
      later: options.later,
      changed: (server, kind) => options.events.changed(server, kind, () => true),
      alive: (session) => this.#links.all.some((link) => link.connection.session === session),
      lasting: (group) => !group.startsWith(OWN),
    })
  }

  status(): ServerStatus[] {
    return [...this.#servers.values()].map((server) => {
      const connections = this.#links.all
        .filter((link) => link.server === server.name)
        .map((link) => link.connection)
      const state = BY_MERIT.find((merit) => connections.some((connection) => connection.state === merit))
      const live = connections.find((connection) => connection.session)?.session
      const initialize = this.known(server.name)
      return {
        server: server.name,
        state: state ?? (this.#links.closed ? 'closed' : 'idle'),
        transport: live?.transport.kind ?? transportOf(server.options),
        ...(initialize && { initialize }),
        ...(server.tools !== undefined && { tools: server.tools }),
        ...(server.lastError !== undefined && { lastError: server.lastError }),
      }
    })
  }

  async open(client?: Client): Promise<void> {
    const eager = [...this.#servers.values()].filter((server) => !server.lazy)
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
    const lists = await Promise.all(
      [...this.#servers.values()].map(async (server) => {
        const items = await this.#listOf(server, kind, client, signal)
        return items && { server: server.name, items }
      }),
    )
    return lists.filter((list) => list !== undefined)
  }

  async request(name: string, request: Request, exchange: Exchange): Promise<Result> {
    if (exchange.signal.aborted) throw cancelled(exchange.signal)
    const server = this.#server(name)
    return await this.#links.for(server, exchange.client).request(request, exchange, server.timeoutMs)
  }

  async everywhere(request: Request, capability: string, exchange: Exchange): Promise<void> {
    const asked = [...this.#servers.values()].map((server) =>
      this.#links.for(server, exchange.client).setUp(request, capability, exchange, server.timeoutMs),
    )
    const answers = await Promise.allSettled(asked)
    const refused = answers.find((answer) => answer.status === 'rejected')
    if (refused && answers.every((answer) => answer.status === 'rejected')) throw refused.reason
  }

  broadcast(notification: Notification, client: Client): void {
    for (const link of this.#links.all) {
      if (link.client?.id === client.id) link.connection.notify(notification)
    }
  }

  async release(client: Client): Promise<void> {
    const groups = new Set(this.#links.of(client).map(({ group }) => group))
    const released = this.#links.release(client)
    for (const { group } of this.#links.all) groups.delete(group)
    // What others like this client will see is in the memory; lists of every kind of client there ever was would add up.
    for (const group of groups) this.#catalog.drop(group)
    await released
  }

  async close(): Promise<void> {
    await this.#links.close()
    await this.#memory.close()
  }

  #server(name: string): Server {
    const server = this.#servers.get(name)
    if (!server) throw new ProxyError('UPSTREAM_CONNECT', `there is no server \`${name}\``, '')
    return server
  }

  async #open(server: Server, client: Client | undefined): Promise<void> {
    const link = this.#links.for(server, client)
    try {
      await link.connection.connect()
      if (!client) await Promise.all(KINDS.map((kind) => this.#read(server, kind, link)))
    } finally {
      this.#links.rest(server, link)
    }
  }

  /** The list of one server, or undefined when it cannot be had in time. */
  async #listOf(
    server: Server,
    kind: ListKind,
    client: Client | undefined,
    signal: AbortSignal,
  ): Promise<readonly JsonObject[] | undefined> {
    // For a client that is gone no server may be started: nobody would end it.
    if (signal.aborted) throw cancelled(signal)
    const link = this.#links.for(server, client)
    const work = this.#read(server, kind, link)
    if (this.#catalog.late(link, kind)) {
      // Nobody waits a second time for a server that hangs; it is announced when it comes.
      work.catch(() => {}).finally(() => this.#links.rest(server, link))
      return undefined
    }
    try {
      return await this.#inTime(work, server, kind, signal)
    } catch (error) {
      if (signal.aborted) throw cancelled(signal)
      this.#catalog.missed(link, kind, isTimeout(error))
      server.lastError = messageOf(error)
      this.#options.logger.warn(
        { server: server.name, kind, error: messageOf(error) },
        'a server gave no list',
      )
      return undefined
    } finally {
      this.#links.rest(server, link)
    }
  }

  #read(server: Server, kind: ListKind, link: Link): Promise<readonly JsonObject[]> {
    return this.#catalog.read(link, kind, this.#fetch(server, link), server.lazy)
  }

  #fetch(server: Server, link: Link): Fetch {
    return async (kind) => {
      const { initialize } = await link.connection.connect()
      const ask = (request: Request): Promise<Result> =>
        link.connection.request(request, { timeoutMs: server.connectTimeoutMs })
      const asked = offers(initialize, LISTS[kind].capability)
      const items = asked ? await listPagesIfKnown(kind, ask, this.#options.logger) : []
      if (kind === 'tools') server.tools = items.length
      server.lastError = undefined
      return { items, session: link.connection.session }
    }
  }

  /** How long a reader waits for a list: clients give up after some 10 s, and the other servers' tools with them. */
  #patience(server: Server): number {
    if (this.#servers.size === 1) return server.connectTimeoutMs
    return Math.min(server.connectTimeoutMs, this.#options.defaults.listWaitMs)
  }

  /** The work, or a rejection when its time is up or the signal aborts; the work itself goes on. */
  #inTime<T>(work: Promise<T>, server: Server, kind: ListKind, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => reject(cancelled(signal))
      const limitMs = this.#patience(server)
      const stop = this.#options.later(limitMs, () =>
        reject(listTimedOut(server.name, LISTS[kind].method, limitMs)),
      )
      if (signal.aborted) leave()
      signal.addEventListener('abort', leave, { once: true })
      const finish = (): void => {
        stop()
        signal.removeEventListener('abort', leave)
      }
      work.then(resolve, reject).finally(finish)
    })
  }

  #notified(link: Link, notification: Notification): void {
    const kinds = CHANGED.get(notification.method)
    if (!kinds) {
      if (!link.relay(notification)) this.#options.events.notification(link.server, notification, link.client)
      return
    }
    const { session } = link.connection
    if (link.client && session && !link.group.startsWith(OWN)) {
      const group = OWN + link.client.id
      this.#catalog.split(link, group, session)
      link.group = group
    }
    const fetch = this.#fetch(this.#server(link.server), link)
    for (const kind of kinds) this.#catalog.invalidate(link, kind, fetch)
  }
}
