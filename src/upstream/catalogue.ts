/** The lists of all servers, as each client sees them: fetched on its connection, kept while they are true, told when they change. */
import type { Logger } from '../observe/log.ts'
import { plain, type Result } from '../protocol/content.ts'
import { withMeta } from '../protocol/eras.ts'
import { cancelled } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import type { Request } from '../protocol/message.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import type { Later } from './backoff.ts'
import type { Session } from './connection.ts'
import { type CacheHints, type CompleteOptions, LIST_KINDS, LISTS, type ListKind } from './contract.ts'
import { type Speaker, signed } from './eras.ts'
import { isMethodNotFound, isTimeout, listTimedOut } from './errors.ts'
import { envelope, offers } from './handshake.ts'
import { type Memory, sameJson } from './memory.ts'
import type { Server } from './servers.ts'
import { isOwn, type Link, type Links, OneGroup } from './session.ts'

interface ListsParts {
  options: CompleteOptions
  links: Links
  memory: Memory
  speaker: Speaker
  /** True when there is one server: nobody waits for the lists of others. */
  alone(): boolean
  server(name: string): Server
  /** The link is no longer needed for now. */
  rest(link: Link): void
  /** The server gave what it was asked for. */
  answered(server: Server): void
  /** It did not. */
  failed(server: Server, error: unknown): void
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

  /**
   * One list of each of the servers, undefined where none can be had in time. What is remembered is there at once. For a server of which
   * nothing is known all wait up to the time limit, once: who gave nothing then, or in the run before, is not waited for again.
   */
  async of(
    servers: readonly Server[],
    kind: ListKind,
    client: Client | undefined,
    signal: AbortSignal,
  ): Promise<(Kept | undefined)[]> {
    // For a client that is gone no server may be started: nobody would end it.
    if (signal.aborted) throw cancelled(signal)
    const limits = new Limits(this.#parts.options.later)
    const lists = servers.map((server) => this.#inTime(server, kind, client, { limits, signal }))
    // One listener for all: Node warns of a leak where there are more than ten.
    return unlessAborted(Promise.all(lists), signal).finally(() => limits.end())
  }

  async #inTime(
    server: Server,
    kind: ListKind,
    client: Client | undefined,
    { limits, signal }: { limits: Limits; signal: AbortSignal },
  ): Promise<Kept | undefined> {
    const first = this.#parts.speaker.first(server, client)
    const place = placeOf(first, client)
    const isSilent = server.silent && first.connection.session === undefined && !this.#parts.alone()
    const isAtHand = this.#catalog.isAtHand(place, kind)
    const work = this.#parts.speaker.with(
      server,
      client,
      (link) => this.read(server, kind, link, client),
      undefined,
    )
    if (this.#catalog.late(place, kind) || (isSilent && !isAtHand)) {
      // Nobody waits a second time for a server that hangs; it is announced when it comes.
      work.catch(() => {}).finally(() => this.#parts.rest(first))
      return this.#catalog.missed(place, kind, false)
    }
    const limitMs = this.#patience(server)
    try {
      return await limits.within(limitMs, work, () => listTimedOut(server.name, LISTS[kind].method, limitMs))
    } catch (error) {
      if (signal.aborted) return undefined
      const known = this.#catalog.missed(place, kind, isTimeout(error))
      this.#parts.failed(server, error)
      this.#parts.options.logger.warn(
        { server: server.name, kind, error: server.lastError },
        'a server gave no list',
      )
      return known
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
      this.#parts.answered(server)
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

/** Time limits of one listing: one timer for all who have the same. */
class Limits {
  readonly #later: Later
  readonly #limits = new Map<number, { over: Promise<void>; stop: () => void }>()

  constructor(later: Later) {
    this.#later = later
  }

  /** The work, or a rejection when its time is up; the work itself goes on. */
  within<T>(limitMs: number, work: Promise<T>, expired: () => Error): Promise<T> {
    const { over } = this.#limits.get(limitMs) ?? this.#begin(limitMs)
    return new Promise<T>((resolve, reject) => {
      work.then(resolve, reject)
      void over.then(() => reject(expired()))
    })
  }

  end(): void {
    for (const { stop } of this.#limits.values()) stop()
  }

  #begin(limitMs: number): { over: Promise<void>; stop: () => void } {
    let stop = (): void => {}
    const over = new Promise<void>((resolve) => {
      stop = this.#later(limitMs, resolve)
    })
    const limit = { over, stop }
    this.#limits.set(limitMs, limit)
    return limit
  }
}

// The lists of all servers, fetched once and kept while they are true. A list is true while the session that
// answered lives and has not said `list_changed`; one from the last run or from an ended session is served at
// once and fetched again behind the reader's back.

/** Whose list it is. Clients of like capabilities form a group; a session that changed its own lists is one of its own. */
interface Place {
  readonly server: string
  readonly group: string
}

/** A list, and what its server says about keeping it. */
interface Kept {
  readonly items: readonly JsonObject[]
  readonly hints?: CacheHints | undefined
}

/** What a fetch brings: the list, and the session it comes from. */
interface Fetched extends Kept {
  items: JsonObject[]
  /** Undefined when it ended meanwhile. */
  session: object | undefined
  /** False: the server does not say when the list changes, so it is true only for as long as it said itself. */
  announced: boolean
}

export type Fetch = (kind: ListKind) => Promise<Fetched>

interface Entry {
  place: Place
  kind: ListKind
  items: readonly JsonObject[] | undefined
  hints: CacheHints | undefined
  session: object | undefined
  /** Until when, in milliseconds by the same clock, it is true without being announced. */
  trueUntil: number
  /** `now`: the next reader waits for a new one. `soon`: the next reader gets this one, and a new one is fetched. */
  refetch: 'now' | 'soon' | 'no'
  /** Somebody was given the list, or went away without it: a difference must be told. */
  seen: boolean
  /** A reader has waited out the time limit for it; it is not here yet. */
  late: boolean
  pending: Promise<Kept> | undefined
  /** It changed while it was being fetched. */
  again: boolean
  /** Until when, in milliseconds by that clock, it is not fetched for `list_changed`: the last time nothing had changed. */
  quietUntil: number
  /** A fetch is set for then. */
  waiting: boolean
}

interface CatalogOptions {
  memory: Memory
  changed(place: Place, kind: ListKind): void
  /** Milliseconds since any moment, by a clock that nobody sets. */
  now(): number
  later: Later
  /** True while the session lives. */
  alive(session: object): boolean
  /** Groups whose lists are worth remembering. */
  lasting(group: string): boolean
}

/** Fetches in a row for a list that changes while it is fetched. A server that never settles gets the last one. */
const MAX_ROUNDS = 5

/**
 * Milliseconds between fetches for a server that says `list_changed` when nothing has. Some say it whenever they are asked,
 * and asking them at once would go on for ever.
 */
const QUIET_MS = 1000

/**
 * Milliseconds until a list that may be old is fetched again: to start a server holds up the event loop, and the answer to whoever
 * reads it goes out first.
 */
const BEHIND_MS = 50

export class Catalog {
  readonly #options: CatalogOptions
  readonly #entries = new Map<string, Entry>()

  constructor(options: CatalogOptions) {
    this.#options = options
  }

  /** The list, from memory when it may be; `lazy` keeps a list that may be old from being fetched again. */
  async read(place: Place, kind: ListKind, fetch: Fetch, lazy: boolean): Promise<Kept> {
    const entry = this.#entry(place, kind)
    const { items, hints } = entry
    if (items !== undefined && entry.refetch !== 'now' && entry.trueUntil > this.#options.now()) {
      entry.seen = true
      if (entry.refetch === 'soon' && !lazy) {
        this.#options.later(BEHIND_MS, () => {
          if (entry.refetch === 'soon') this.#behind(entry, fetch)
        })
      }
      return { items, hints }
    }
    const kept = await this.#refresh(entry, fetch)
    entry.seen = true
    return kept
  }

  /** The list as a session that lives has told it. What it says unasked of its changes is waited for as well. */
  async surely(place: Place, kind: ListKind, fetch: Fetch): Promise<Kept> {
    const entry = this.#entry(place, kind)
    const { items, hints, session, pending, refetch } = entry
    if (pending !== undefined) return pending
    const lives = session !== undefined && this.#options.alive(session)
    return items !== undefined && lives && refetch === 'no' ? { items, hints } : this.#refresh(entry, fetch)
  }

  /** The list as it was last, true or not; undefined when it was never fetched. */
  peek(place: Place, kind: ListKind): readonly JsonObject[] | undefined {
    return this.#entry(place, kind).items
  }

  /**
   * A reader left without the list, `late`: after the whole time limit. When it comes, that is a change. Where nothing was ever known
   * of it, what other clients were told is better than nothing.
   */
  missed(place: Place, kind: ListKind, late: boolean): Kept | undefined {
    const entry = this.#entry(place, kind)
    entry.seen = true
    if (entry.refetch === 'now') entry.late ||= late
    entry.items ??= this.#options.memory.anyList(place.server, kind)
    return entry.items && { items: entry.items }
  }

  /** True when a reader gets the list without waiting for its server. */
  isAtHand(place: Place, kind: ListKind): boolean {
    const { items, refetch, trueUntil } = this.#entry(place, kind)
    return items !== undefined && refetch !== 'now' && trueUntil > this.#options.now()
  }

  /** True while the list is still missing for which somebody has waited out the time limit. */
  late(place: Place, kind: ListKind): boolean {
    return this.#entry(place, kind).late
  }

  /** A session of this group began: lists it remembers, or that nobody answers for any more, are fetched again. */
  began(place: Place, session: object, fetch: Fetch): void {
    for (const kind of LIST_KINDS) {
      const key = keyOf(place, kind)
      if (!this.#entries.has(key) && !this.#options.memory.list(place.server, place.group, kind)) continue
      const entry = this.#entry(place, kind)
      const answered = entry.session === session || (entry.session && this.#options.alive(entry.session))
      if (!answered || entry.refetch !== 'no') this.#behind(entry, fetch)
    }
  }

  /** The server said `list_changed`, on a session of this group. */
  invalidate(place: Place, kind: ListKind, fetch: Fetch): void {
    for (const other of this.#entries.values()) {
      const sibling = other.place.server === place.server && other.kind === kind && other.refetch === 'no'
      if (sibling && !(other.session && this.#options.alive(other.session))) other.refetch = 'soon'
    }
    const entry = this.#entries.get(keyOf(place, kind))
    if (entry) entry.refetch = 'now'
    if (entry?.pending !== undefined) entry.again = true
    else if (entry?.seen) this.#soon(entry, fetch)
    // Nobody has a list that could be compared: the server's word has to do.
    else this.#options.changed(place, kind)
  }

  /** Gives a group of its own to a session that no longer sees what the others see. */
  split(place: Place, group: string, session: object): void {
    for (const kind of LIST_KINDS) {
      const entry = this.#entries.get(keyOf(place, kind))
      if (!entry) continue
      const copy: Entry = {
        ...entry,
        place: { server: place.server, group },
        pending: undefined,
        again: false,
        waiting: false,
      }
      if (entry.pending !== undefined) copy.refetch = 'now'
      this.#entries.set(keyOf(copy.place, kind), copy)
      if (entry.session === session) entry.refetch = 'soon'
    }
  }

  /** Forgets a group that nobody belongs to any more. */
  drop(group: string): void {
    for (const [key, entry] of this.#entries) if (entry.place.group === group) this.#entries.delete(key)
  }

  /** Forgets the lists of a group at one server. */
  forget(place: Place): void {
    for (const kind of LIST_KINDS) this.#entries.delete(keyOf(place, kind))
  }

  /** Forgets all lists of a server: another has its name now, or none. */
  leave(server: string): void {
    for (const [key, entry] of this.#entries) if (entry.place.server === server) this.#entries.delete(key)
  }

  #entry(place: Place, kind: ListKind): Entry {
    const key = keyOf(place, kind)
    const known = this.#entries.get(key)
    if (known) return known
    const items = this.#options.memory.list(place.server, place.group, kind)
    const entry: Entry = {
      place: { server: place.server, group: place.group },
      kind,
      items,
      hints: undefined,
      session: undefined,
      trueUntil: Number.POSITIVE_INFINITY,
      refetch: items ? 'soon' : 'now',
      seen: false,
      late: false,
      pending: undefined,
      again: false,
      quietUntil: 0,
      waiting: false,
    }
    this.#entries.set(key, entry)
    return entry
  }

  /** Fetches for `list_changed`: at once, or when the quiet is over. A reader who comes earlier fetches for himself. */
  #soon(entry: Entry, fetch: Fetch): void {
    const wait = entry.quietUntil - this.#options.now()
    if (wait <= 0) return this.#behind(entry, fetch)
    if (entry.waiting) return
    entry.waiting = true
    this.#options.later(wait, () => {
      entry.waiting = false
      if (entry.refetch === 'now') this.#behind(entry, fetch)
    })
  }

  /** Fetches without anybody waiting; a failure shows in the status of the connection. */
  #behind(entry: Entry, fetch: Fetch): void {
    this.#refresh(entry, fetch).catch(() => {})
  }

  #refresh(entry: Entry, fetch: Fetch): Promise<Kept> {
    entry.pending ??= this.#fetch(entry, fetch).finally(() => {
      entry.pending = undefined
      if (!entry.again) return
      // The server went on saying so to the last: what it has now is fetched when it has been quiet for a while.
      entry.again = false
      entry.refetch = 'now'
      entry.quietUntil = this.#options.now() + QUIET_MS
      this.#soon(entry, fetch)
    })
    return entry.pending
  }

  async #fetch(entry: Entry, fetch: Fetch): Promise<Kept> {
    const { changed, memory, lasting } = this.#options
    const { server, group } = entry.place
    entry.again = false
    let fetched = await fetch(entry.kind)
    for (let round = 1; entry.again && round < MAX_ROUNDS; round++) {
      entry.again = false
      fetched = await fetch(entry.kind)
    }
    // Meanwhile forgotten: what comes is told to those who wait, and to nobody else.
    if (this.#entries.get(keyOf(entry.place, entry.kind)) !== entry) return fetched
    const differs = !sameJson(entry.items, fetched.items)
    if (!differs) entry.quietUntil = this.#options.now() + QUIET_MS
    // The same list stays the same object: whoever made something of it need not do so again.
    if (differs || entry.items === undefined) entry.items = fetched.items
    entry.hints = fetched.hints
    entry.trueUntil = fetched.announced
      ? Number.POSITIVE_INFINITY
      : this.#options.now() + (fetched.hints?.ttlMs ?? 0)
    entry.session = fetched.session
    entry.refetch = 'no'
    entry.late = false
    if (lasting(group)) memory.saveList(server, group, entry.kind, fetched.items)
    if (differs && entry.seen) changed(entry.place, entry.kind)
    return { items: entry.items, hints: entry.hints }
  }
}

/** JSON, so that no name of a server can reach into another's place. */
function keyOf({ server, group }: Place, kind: ListKind): string {
  return JSON.stringify([server, group, kind])
}

// Fetches a list with all its pages (MCP specification, server/utilities/pagination).

/** Far beyond any real list; a server that always has one more page must not keep us for ever. */
const MAX_PAGES = 1000
const LOGGED = 10

interface ListedPages {
  items: JsonObject[]
  /** The strictest of all pages; absent when a page has none. */
  hints: CacheHints | undefined
}

/** Every item the server lists, in its order, fit for clients. Cursors are opaque: the empty string is one. */
async function listPages(
  kind: ListKind,
  ask: (request: Request) => Promise<Result>,
  logger: Logger,
): Promise<ListedPages> {
  const { method, member } = LISTS[kind]
  const items: JsonObject[] = []
  const hints: (CacheHints | undefined)[] = []
  const done = (): ListedPages => ({ items, hints: strictest(hints) })
  const seen = new Set<string>()
  for (let request: Request = { method }; ; ) {
    const page = plain(await ask(request))
    hints.push(hintsOf(page))
    const listed = own(page, member)
    const broken: string[] = []
    for (const item of Array.isArray(listed) ? listed : []) {
      const good = isObject(item) ? wellFormed(kind, item) : undefined
      if (good !== undefined) items.push(good)
      if (good !== item) broken.push(nameOf(item))
    }
    if (broken.length > 0) {
      const fields = { method, count: broken.length, items: broken.slice(0, LOGGED) }
      logger.warn(fields, 'items of the list break the protocol and were mended or left out')
    }
    const cursor = own(page, 'nextCursor')
    if (typeof cursor !== 'string') return done()
    if (seen.has(cursor) || seen.size + 1 >= MAX_PAGES) {
      logger.warn(
        { method, pages: seen.size + 1 },
        'the list has no end; stopped at a repeated cursor or too many pages',
      )
      return done()
    }
    seen.add(cursor)
    request = { method, params: { cursor } }
  }
}

function nameOf(item: JsonValue): string {
  const name = isObject(item) ? (own(item, 'name') ?? own(item, 'uri')) : undefined
  return typeof name === 'string' ? name.slice(0, 200) : '(without a name)'
}

/** Like `listPages`; a server that does not know the method after all has an empty list. */
async function listPagesIfKnown(...args: Parameters<typeof listPages>): Promise<ListedPages> {
  try {
    return await listPages(...args)
  } catch (error) {
    if (isMethodNotFound(error)) return { items: [], hints: undefined }
    throw error
  }
}

/** Of a modern result (MCP 2026-07-28, server/utilities/caching): a negative time counts as none. */
function hintsOf({ ttlMs, cacheScope }: JsonObject): CacheHints | undefined {
  if (typeof ttlMs !== 'number' || !Number.isSafeInteger(ttlMs)) return undefined
  return { ttlMs: Math.max(0, ttlMs), cacheScope: cacheScope === 'public' ? 'public' : 'private' }
}

function strictest(all: readonly (CacheHints | undefined)[]): CacheHints | undefined {
  const hints = all.filter((one) => one !== undefined)
  if (hints.length < all.length || hints.length === 0) return undefined
  return {
    ttlMs: Math.min(...hints.map(({ ttlMs }) => ttlMs)),
    cacheScope: hints.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  }
}

// Mends items of lists that break the protocol. The SDKs check a list as a whole: one tool with a description
// of null would cost a client the tools of all servers, of which it sees a single list.

type Check = (value: JsonValue) => boolean

const isString: Check = (value) => typeof value === 'string'
/** JSON Schema for an object, as tools need it (MCP specification, server/tools, "Tool"). */
const isObjectSchema: Check = (value) => isObject(value) && own(value, 'type') === 'object'

/** What names an item: without it, it is none. */
const KEYS: Readonly<Record<ListKind, string>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
}

/** Members that may be absent, and what they are when they are there. */
const OPTIONAL: Readonly<Record<string, Check>> = {
  title: isString,
  description: isString,
  mimeType: isString,
  size: (value) => typeof value === 'number',
  icons: Array.isArray,
  arguments: Array.isArray,
  annotations: isObject,
  execution: isObject,
  outputSchema: isObjectSchema,
  _meta: isObject,
}

/**
 * The item itself when nothing is wrong with it; a copy without the members that are; undefined when it has no name. A tool
 * without a schema takes any object, and what has a URI alone is called by it.
 */
export function wellFormed(kind: ListKind, item: JsonObject): JsonObject | undefined {
  const key = own(item, KEYS[kind])
  if (typeof key !== 'string') return undefined
  const mended: JsonObject = {}
  if (typeof own(item, 'name') !== 'string') mended.name = key
  const schema = own(item, 'inputSchema')
  if (kind === 'tools' && (schema === undefined || !isObjectSchema(schema)))
    mended.inputSchema = { ...(isObject(schema) ? schema : {}), type: 'object' }
  const wrong = Object.keys(OPTIONAL).filter((member) => {
    const value = own(item, member)
    return value !== undefined && OPTIONAL[member]?.(value) === false
  })
  if (wrong.length === 0 && Object.keys(mended).length === 0) return item
  const right = Object.entries(item).filter(([member]) => !wrong.includes(member))
  return { ...Object.fromEntries(right), ...mended }
}
