/** All servers, as the router sees them: routes requests to connections and keeps the lists true. */

import { withMeta } from '../protocol/eras.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Notification, Request, RequestId } from '../protocol/message.ts'
import type { Result } from '../protocol/result.ts'
import { Catalog, type Fetch, type Kept, type Place } from './catalog.ts'
import { transportOf } from './dial.ts'
import { Dispatch, signed } from './dispatch.ts'
import { isOwn, OneGroup } from './groups.ts'
import { envelope, offers } from './handshake.ts'
import type { Link } from './link.ts'
import { Links } from './links.ts'
import { listPagesIfKnown } from './list-pages.ts'
import { withoutSubscription } from './listening.ts'
import { type CompleteOptions, complete, type UpstreamsOptions } from './options.ts'
import { Memory } from './remember.ts'
import { type Server, serversOf } from './servers.ts'
import { Speaker } from './speaker.ts'
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

class Pool implements Upstreams {
  readonly servers: readonly string[]
  readonly #options: CompleteOptions
  readonly #servers: ReadonlyMap<string, Server>
  readonly #links: Links
  readonly #memory: Memory
  readonly #catalog: Catalog
  readonly #speaker: Speaker
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
        this.#memory.saveInitialize(server.name, session.initialize)
        for (const place of placesOf(link))
          this.#catalog.began(place, session, this.#fetch(server, link, place))
      },
      lost: (link, error) => {
        this.#server(link.server).lastError = error.message
        options.logger.warn({ server: link.server, error: error.message }, 'lost a server')
      },
      notification: (link, notification, via) => this.#notified(link, notification, via),
      interrupted: (link) => this.#changed(link, KINDS),
      outgrown: (server, group) => this.#catalog.forget({ server, group }),
    })
    this.#catalog = new Catalog({
      memory: this.#memory,
      now: options.now,
      later: options.later,
      changed: ({ server, group }, kind) =>
        options.events.changed(server, kind, (client) => this.#concerns(server, client, group)),
      alive: (session) => this.#links.all.some((link) => link.connection.session === session),
      lasting: (group) => !isOwn(group),
    })
    this.#speaker = new Speaker(this.#links, this.#memory)
    this.#dispatch = new Dispatch({
      now: options.now,
      later: options.later,
      links: this.#links,
      identity: options.identity,
      toolSchema: (link, name, client) => this.#toolSchema(link, name, client),
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
    if (client) this.#clients.add(client)
    // Whoever says something new of itself is a new modern client: servers wait for what it asks.
    if (client?.era === 'modern' && client.agent.kind !== 'local') return
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
        const kept = await this.#listOf(server, kind, client, signal)
        return kept && { server: server.name, items: kept.items, ...(kept.hints && { hints: kept.hints }) }
      }),
    )
    return lists.filter((list) => list !== undefined)
  }

  async request(name: string, request: Request, exchange: Exchange): Promise<Result> {
    if (exchange.signal.aborted) throw cancelled(exchange.signal)
    const server = this.#server(name)
    const send = (link: Link): Promise<Result> => this.#dispatch.request(server, link, request, exchange)
    return this.#dispatch.inLane(server, exchange, (lane) =>
      this.#speaker.with(server, exchange.client, send, exchange.signal, lane),
    )
  }

  async everywhere(request: Request, capability: string, exchange: Exchange): Promise<void> {
    const asked = [...this.#servers.values()].map((server) =>
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
    for (const group of groups) this.#catalog.drop(group)
    await released
  }

  async close(): Promise<void> {
    this.#dispatch.close()
    await this.#links.close()
    await this.#memory.close()
  }

  #server(name: string): Server {
    const server = this.#servers.get(name)
    if (!server) throw new ProxyError('UPSTREAM_CONNECT', `there is no server \`${name}\``, '')
    return server
  }

  async #open(server: Server, client: Client | undefined): Promise<void> {
    const link = await this.#speaker.connect(server, client)
    try {
      if (!client) await Promise.all(KINDS.map((kind) => this.#read(server, kind, link, client)))
    } finally {
      this.#rest(link)
    }
  }

  /** A connection that serves nobody is there to list; it goes when nobody has listed for a while. */
  #rest(link: Link): void {
    if (link.client !== undefined || this.#server(link.server).shared) return
    if (link.era === 'legacy' || this.#clients.size === 0) this.#links.rest(link)
  }

  /** The list of one server, or undefined when it cannot be had in time. */
  async #listOf(
    server: Server,
    kind: ListKind,
    client: Client | undefined,
    signal: AbortSignal,
  ): Promise<Kept | undefined> {
    // For a client that is gone no server may be started: nobody would end it.
    if (signal.aborted) throw cancelled(signal)
    const first = this.#speaker.first(server, client)
    const place = placeOf(first, client)
    const work = this.#speaker.with(
      server,
      client,
      (link) => this.#read(server, kind, link, client),
      undefined,
    )
    if (this.#catalog.late(place, kind)) {
      // Nobody waits a second time for a server that hangs; it is announced when it comes.
      work.catch(() => {}).finally(() => this.#rest(first))
      return undefined
    }
    try {
      return await this.#inTime(work, server, kind, signal)
    } catch (error) {
      if (signal.aborted) throw cancelled(signal)
      this.#catalog.missed(place, kind, isTimeout(error))
      server.lastError = messageOf(error)
      this.#options.logger.warn(
        { server: server.name, kind, error: messageOf(error) },
        'a server gave no list',
      )
      return undefined
    } finally {
      this.#rest(first)
    }
  }

  #read(server: Server, kind: ListKind, link: Link, client: Client | undefined): Promise<Kept> {
    const place = placeOf(link, client)
    return this.#catalog.read(place, kind, this.#fetch(server, link, place), server.lazy)
  }

  #fetch(server: Server, link: Link, { group }: Place): Fetch {
    const { clientInfo, identity } = this.#options
    // Now: the group may make room for another before it is asked.
    const capabilities = link.groups.capabilities(group)
    return async (kind) => {
      const { initialize } = await link.connection.connect()
      const asker = envelope({ clientInfo, capabilities })
      const ask = (request: Request): Promise<Result> =>
        link.connection.request(
          link.era === 'modern'
            ? signed({ ...request, params: withMeta(request.params, asker) }, link, [identity])
            : request,
          { timeoutMs: server.connectTimeoutMs },
        )
      const { capability } = LISTS[kind]
      const { items, hints } = offers(initialize, capability)
        ? await listPagesIfKnown(kind, ask, this.#options.logger)
        : { items: [], hints: undefined }
      if (kind === 'tools') server.tools = items.length
      server.lastError = undefined
      const announced = link.listening?.hears(capability) ?? true
      return { items, hints, session: link.connection.session, announced: announced || items.length === 0 }
    }
  }

  /** The input schema of a tool, under the server's own name for it. */
  async #toolSchema(link: Link, name: string, client: Client): Promise<JsonObject | undefined> {
    const known = this.#catalog.peek(placeOf(link, client), 'tools')
    const items = known ?? (await this.#read(this.#server(link.server), 'tools', link, client)).items
    const schema = items.find((item) => item.name === name)?.inputSchema
    return isObject(schema) ? schema : undefined
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

  #notified(link: Link, notification: Notification, via: RequestId | undefined): void {
    const { events } = this.#options
    const { method } = notification
    const kinds = CHANGED.get(method)
    if (kinds) this.#changed(link, kinds)
    else if (link.listening === undefined) {
      if (!link.relay(notification, via)) events.notification(link.server, notification, link.client)
    } else if (method === 'notifications/subscriptions/acknowledged') {
      link.listening.acknowledged(notification, via)
    } else if (method === 'notifications/resources/updated') {
      const plain = withoutSubscription(notification)
      for (const client of link.listening.watchersOf(plain.params?.uri))
        events.notification(link.server, plain, client)
    } else if (!link.relay(notification, via)) {
      this.#options.logger.debug({ server: link.server, method }, 'a notification of no request was dropped')
    }
  }

  /** The server says that lists are others now: for the session, or (modern) for everybody. */
  #changed(link: Link, kinds: readonly ListKind[]): void {
    const { session } = link.connection
    if (link.client && session && link.groups instanceof OneGroup && !link.groups.isOwn) {
      const [before] = placesOf(link)
      const group = link.groups.split(link.client)
      if (before) this.#catalog.split(before, group, session)
    }
    for (const place of placesOf(link)) {
      const fetch = this.#fetch(this.#server(link.server), link, place)
      for (const kind of kinds) this.#catalog.invalidate(place, kind, fetch)
    }
  }

  /** True when the client sees the lists of this group, or nobody follows those it sees. */
  #concerns(name: string, client: Client, group: string): boolean {
    const server = this.#server(name)
    const link = this.#links.peek(server, client, this.#speaker.order(server, client)[0])
    if (link === undefined) return false
    const seen = link.groups.peek(client)
    return seen === undefined ? link.era === 'modern' : seen === group
  }
}

function placeOf({ server, groups }: Link, client: Client | undefined): Place {
  return { server, group: groups.of(client) }
}

function placesOf({ server, groups }: Link): readonly Place[] {
  return groups.all.map((group) => ({ server, group }))
}
