/** The lists of all servers, as each client sees them: fetched on its connection, kept while they are true, told when they change. */
import { withMeta } from '../protocol/eras.ts'
import { cancelled, messageOf } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Request } from '../protocol/message.ts'
import type { Result } from '../protocol/result.ts'
import { Catalog, type Fetch, type Kept, type Place } from './catalog.ts'
import type { Session } from './connection.ts'
import { signed } from './dispatch.ts'
import { isOwn, OneGroup } from './groups.ts'
import { envelope, offers } from './handshake.ts'
import type { Link } from './link.ts'
import type { Links } from './links.ts'
import { listPagesIfKnown } from './list-pages.ts'
import type { CompleteOptions } from './options.ts'
import type { Memory } from './remember.ts'
import type { Server } from './servers.ts'
import type { Speaker } from './speaker.ts'
import { isTimeout, listTimedOut } from './upstream-errors.ts'
import { LISTS, type ListKind } from './upstreams.ts'

export interface ListsParts {
  options: CompleteOptions
  links: Links
  memory: Memory
  speaker: Speaker
  /** True when there is one server: nobody waits for the lists of others. */
  alone(): boolean
  server(name: string): Server
  /** The link is no longer needed for now. */
  rest(link: Link): void
}

export class Lists {
  readonly #parts: ListsParts
  readonly #catalog: Catalog

  constructor(parts: ListsParts) {
    this.#parts = parts
    const { options, links, memory } = parts
    this.#catalog = new Catalog({
      memory,
      now: options.now,
      later: options.later,
      changed: ({ server, group }, kind) =>
        options.events.changed(server, kind, (client) => this.#concerns(server, client, group)),
      alive: (session) => links.all.some((link) => link.connection.session === session),
      lasting: (group) => !isOwn(group),
    })
  }

  /** A session began: what nobody answers for any more is fetched again. */
  began(link: Link, session: Session): void {
    const server = this.#parts.server(link.server)
    for (const place of placesOf(link)) this.#catalog.began(place, session, this.#fetch(server, link, place))
  }

  /** Forgets groups that nobody belongs to any more. */
  drop(groups: Iterable<string>): void {
    for (const group of groups) this.#catalog.drop(group)
  }

  /** Forgets all lists of a server: another has its name now, or none. */
  leave(server: string): void {
    this.#catalog.leave(server)
  }

  /** Forgets the lists of a group at one server, whose changes nobody follows any more. */
  forget(server: string, group: string): void {
    this.#catalog.forget({ server, group })
  }

  /** The list of one server, or undefined when it cannot be had in time. */
  async of(
    server: Server,
    kind: ListKind,
    client: Client | undefined,
    signal: AbortSignal,
  ): Promise<Kept | undefined> {
    // For a client that is gone no server may be started: nobody would end it.
    if (signal.aborted) throw cancelled(signal)
    const first = this.#parts.speaker.first(server, client)
    const place = placeOf(first, client)
    const work = this.#parts.speaker.with(
      server,
      client,
      (link) => this.read(server, kind, link, client),
      undefined,
    )
    if (this.#catalog.late(place, kind)) {
      // Nobody waits a second time for a server that hangs; it is announced when it comes.
      work.catch(() => {}).finally(() => this.#parts.rest(first))
      return undefined
    }
    try {
      return await this.#inTime(work, server, kind, signal)
    } catch (error) {
      if (signal.aborted) throw cancelled(signal)
      this.#catalog.missed(place, kind, isTimeout(error))
      server.lastError = messageOf(error)
      this.#parts.options.logger.warn(
        { server: server.name, kind, error: messageOf(error) },
        'a server gave no list',
      )
      return undefined
    } finally {
      this.#parts.rest(first)
    }
  }

  /** The list on a link, from memory where it is still true. */
  read(server: Server, kind: ListKind, link: Link, client: Client | undefined): Promise<Kept> {
    const place = placeOf(link, client)
    return this.#catalog.read(place, kind, this.#fetch(server, link, place), server.lazy)
  }

  /** The list as the session of the link, or another one that is at work for the same clients, has told it. */
  surely(server: Server, kind: ListKind, link: Link, client: Client | undefined): Promise<Kept> {
    const place = placeOf(link, client)
    return this.#catalog.surely(place, kind, this.#fetch(server, link, place))
  }

  #fetch(server: Server, link: Link, { group }: Place): Fetch {
    const { clientInfo, identity } = this.#parts.options
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
        ? await listPagesIfKnown(kind, ask, this.#parts.options.logger)
        : { items: [], hints: undefined }
      if (kind === 'tools') Object.assign(server, { tools: items.length, listed: this.#parts.options.now() })
      server.lastError = undefined
      const announced = link.listening?.hears(capability) ?? true
      return { items, hints, session: link.connection.session, announced: announced || items.length === 0 }
    }
  }

  /** The input schema of a tool, under the server's own name for it. */
  async toolSchema(link: Link, name: string, client: Client): Promise<JsonObject | undefined> {
    const known = this.#catalog.peek(placeOf(link, client), 'tools')
    const items = known ?? (await this.read(this.#parts.server(link.server), 'tools', link, client)).items
    const schema = items.find((item) => item.name === name)?.inputSchema
    return isObject(schema) ? schema : undefined
  }

  /** How long a reader waits for a list: clients give up after some 10 s, and the other servers' tools with them. */
  #patience(server: Server): number {
    if (this.#parts.alone()) return server.connectTimeoutMs
    return Math.min(server.connectTimeoutMs, this.#parts.options.defaults.listWaitMs)
  }

  /** The work, or a rejection when its time is up or the signal aborts; the work itself goes on. */
  #inTime<T>(work: Promise<T>, server: Server, kind: ListKind, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => reject(cancelled(signal))
      const limitMs = this.#patience(server)
      const stop = this.#parts.options.later(limitMs, () =>
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

  /** The server says that lists are others now: for the session, or (modern) for everybody. */
  changed(link: Link, kinds: readonly ListKind[]): void {
    const { session } = link.connection
    if (link.client && session && link.groups instanceof OneGroup && !link.groups.isOwn) {
      const [before] = placesOf(link)
      const group = link.groups.split(link.client)
      if (before) this.#catalog.split(before, group, session)
    }
    this.refresh(link, kinds)
  }

  /** Whoever reads these next gets what the server says then, and so do the others who see the same. */
  refresh(link: Link, kinds: readonly ListKind[]): void {
    for (const place of placesOf(link)) {
      const fetch = this.#fetch(this.#parts.server(link.server), link, place)
      for (const kind of kinds) this.#catalog.invalidate(place, kind, fetch)
    }
  }

  /** True when the client sees the lists of this group, or nobody follows those it sees. */
  #concerns(name: string, client: Client, group: string): boolean {
    const server = this.#parts.server(name)
    const link = this.#parts.links.peek(server, client, this.#parts.speaker.order(server, client)[0])
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
