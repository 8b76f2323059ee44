/** The lists of all servers, as each client sees them: fetched on its connection, kept while they are true, told when they change. */
import type { Logger } from '../observe/log.ts'
import { LargeResult, plain, type Result, withMeta } from '../protocol/content.ts'
import { tooDense } from '../protocol/density.ts'
import { cancelled, RPC, RpcError } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { type LimitName, type Limits, limitWords } from '../protocol/limits.ts'
import type { Request, Signal } from '../protocol/message.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import type { Later } from './backoff.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import {
  type CacheHints,
  type CompleteOptions,
  LIST_KINDS,
  LISTS,
  type ListKind,
  type Permits,
} from './contract.ts'
import { isMethodNotFound, isTimeout, listTimedOut } from './errors.ts'
import { type Established, envelope, offers } from './handshake.ts'
import { type Memory, sameJson } from './memory.ts'
import type { Server } from './servers.ts'
import { type Sessions, signed } from './session.ts'
import { isOwn, SingleVariant } from './variants.ts'

interface CatalogueParts {
  options: CompleteOptions
  connections: Connections
  memory: Memory
  sessions: Sessions
  /** True when there is one server: no reader waits for the lists of others. */
  alone(): boolean
  server(name: string): Server
  /** The connection is no longer needed for now. */
  rest(connection: Connection): void
  /** The server listed these tools. */
  listed(server: Server, tools: readonly JsonObject[]): void
  /** The server gave what it was asked for. */
  answered(server: Server): void
  /** It did not. */
  failed(server: Server, error: unknown): void
}

export class Catalogue {
  readonly #parts: CatalogueParts
  readonly #cache: ListCache

  constructor(parts: CatalogueParts) {
    this.#parts = parts
    const { options, connections, memory } = parts
    this.#cache = new ListCache({
      memory,
      now: options.now,
      later: options.later,
      changed: ({ server, variant }, kind) =>
        options.events.changed(server, kind, (client) => this.#concerns(server, client, variant)),
      alive: (session) => connections.all.some(({ established }) => established === session),
      lasting: (variant) => !isOwn(variant),
    })
  }

  /** A session began: lists that no living session answers for are fetched again. */
  began(connection: Connection, session: Established): void {
    const server = this.#parts.server(connection.server)
    for (const key of keysOf(connection))
      this.#cache.began(key, session, this.#fetch(server, connection, key))
  }

  /** Forgets variants that no client sees any more. */
  drop(variants: Iterable<string>): void {
    for (const variant of variants) this.#cache.drop(variant)
  }

  /** Forgets all lists of a server: another has its name now, or none. */
  leave(server: string): void {
    this.#cache.leave(server)
  }

  /** Forgets the lists of a variant at one server: their changes are not followed any more. */
  forget(server: string, variant: string): void {
    this.#cache.forget({ server, variant })
  }

  /**
   * One list of each of the servers, undefined where none can be had in time. A remembered list is there at once. For a server of which
   * nothing is known, all wait up to the time limit, once. A server that gave nothing then, or in the run before, is not waited for
   * again.
   */
  async of(
    servers: readonly Server[],
    kind: ListKind,
    client: Client | undefined,
    signal: Signal,
  ): Promise<(Kept | undefined)[]> {
    // For a client that is gone no server may be started: it would never be ended.
    if (signal.aborted) throw cancelled(signal)
    const limits = new TimeLimits(this.#parts.options.later)
    const lists = servers.map((server) => this.#inTime(server, kind, client, { limits, signal }))
    // One listener for all: Node warns of a leak where there are more than ten.
    return unlessAborted(Promise.all(lists), signal).finally(() => limits.end())
  }

  async #inTime(
    server: Server,
    kind: ListKind,
    client: Client | undefined,
    { limits, signal }: { limits: TimeLimits; signal: Signal },
  ): Promise<Kept | undefined> {
    const session = this.#parts.sessions.of(server, client)
    const first = session.first()
    const key = keyFor(first, client)
    const isSilent = server.silent && first.established === undefined && !this.#parts.alone()
    const isAtHand = this.#cache.isAtHand(key, kind)
    const work = session.use((connection) => this.read(server, kind, connection, client), undefined)
    if (this.#cache.late(key, kind) || (isSilent && !isAtHand)) {
      // A reader does not wait a second time for a server that hangs; the list is announced when it comes.
      work.catch(() => {}).finally(() => this.#parts.rest(first))
      return this.#cache.missed(key, kind, false)
    }
    const limitMs = this.#patience(server)
    try {
      return await limits.within(limitMs, work, () => listTimedOut(server.name, LISTS[kind].method, limitMs))
    } catch (error) {
      if (signal.aborted) return undefined
      const known = this.#cache.missed(key, kind, isTimeout(error))
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

  /** The list over this connection, from memory where it is still true. */
  read(server: Server, kind: ListKind, connection: Connection, client: Client | undefined): Promise<Kept> {
    const key = keyFor(connection, client)
    return this.#cache.read(key, kind, this.#fetch(server, connection, key), server.lazy)
  }

  /** The list as the server has told it over this connection, or over another one with clients that see the same. */
  surely(server: Server, kind: ListKind, connection: Connection, client: Client | undefined): Promise<Kept> {
    const key = keyFor(connection, client)
    return this.#cache.surely(key, kind, this.#fetch(server, connection, key))
  }

  #fetch(server: Server, connection: Connection, { variant }: ListKey): Fetch {
    const { clientInfo, identity, defaults, now, logger } = this.#parts.options
    // Now: the variant may make room for another before the server is asked.
    const capabilities = connection.variants.capabilities(variant)
    return async (kind) => {
      const { initialize } = await connection.connect()
      const asker = envelope({ clientInfo, capabilities })
      const ask = (request: Request): Promise<Result> =>
        connection.request(
          connection.era === 'modern'
            ? signed({ ...request, params: withMeta(request.params, asker) }, connection, [identity])
            : request,
          { timeoutMs: server.connectTimeoutMs },
        )
      const { capability } = LISTS[kind]
      const { items, hints } = offers(initialize, capability)
        ? await listPagesIfKnown(kind, ask, { limits: defaults.limits, now, logger })
        : { items: [], hints: undefined }
      if (kind === 'tools') {
        Object.assign(server, { tools: items.length, listed: this.#parts.options.now() })
        this.#parts.listed(server, items)
      }
      this.#parts.answered(server)
      const announced = connection.subscription?.hears(capability) ?? true
      return { items, hints, session: connection.established, announced: announced || items.length === 0 }
    }
  }

  /** The input schema of a tool, under the server's own name for it. */
  async toolSchema(connection: Connection, name: string, client: Client): Promise<JsonObject | undefined> {
    const known = this.#cache.peek(keyFor(connection, client), 'tools')
    const items =
      known ?? (await this.read(this.#parts.server(connection.server), 'tools', connection, client)).items
    const schema = items.find((item) => item.name === name)?.inputSchema
    return isObject(schema) ? schema : undefined
  }

  /** How long a reader waits for a list: clients give up after some 10 s, and the other servers' tools with them. */
  #patience(server: Server): number {
    if (this.#parts.alone()) return server.connectTimeoutMs
    return Math.min(server.connectTimeoutMs, this.#parts.options.defaults.listWaitMs)
  }

  /** The server says that lists are others now: for the session, or (modern) for everybody. */
  changed(connection: Connection, kinds: readonly ListKind[]): void {
    const { established, variants } = connection
    if (connection.client && established && variants instanceof SingleVariant && !variants.isOwn) {
      const [before] = keysOf(connection)
      const variant = variants.split(connection.client)
      if (before) this.#cache.split(before, variant, established)
    }
    this.refresh(connection, kinds)
  }

  /** The next reader of these lists gets what the server says then, and so do all clients that see the same variant. */
  refresh(connection: Connection, kinds: readonly ListKind[]): void {
    for (const key of keysOf(connection)) {
      const fetch = this.#fetch(this.#parts.server(connection.server), connection, key)
      for (const kind of kinds) this.#cache.invalidate(key, kind, fetch)
    }
  }

  /** True when the client sees this variant, or the changes of the one it sees are not followed. */
  #concerns(name: string, client: Client, variant: string): boolean {
    const server = this.#parts.server(name)
    const connection = this.#parts.sessions.of(server, client).peek()
    if (connection === undefined) return false
    const seen = connection.variants.peek(client)
    return seen === undefined ? connection.era === 'modern' : seen === variant
  }
}

function keyFor({ server, variants }: Connection, client: Client | undefined): ListKey {
  return { server, variant: variants.of(client) }
}

function keysOf({ server, variants }: Connection): readonly ListKey[] {
  return variants.all.map((variant) => ({ server, variant }))
}

/** Time limits of one listing: one timer for all who have the same. */
class TimeLimits {
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

// The lists of all servers, fetched once and kept while they are true. A list is true while the session that answered lives and has not
// said `list_changed`. A list from the last run or from an ended session is served at once, and fetched again in the background.

/** Which list: of this server, as the clients of this variant see it. */
interface ListKey {
  readonly server: string
  readonly variant: string
}

/** A list, and what its server says about keeping it. */
interface Kept {
  readonly items: readonly JsonObject[]
  readonly hints?: CacheHints | undefined
}

/** The outcome of a fetch: the list, and the session it comes from. */
interface Fetched extends Kept {
  items: JsonObject[]
  /** Undefined when it ended meanwhile. */
  session: object | undefined
  /** False: the server does not say when the list changes, so it is true only for as long as it said itself. */
  announced: boolean
}

export type Fetch = (kind: ListKind) => Promise<Fetched>

interface Entry {
  key: ListKey
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
  /** When, by that clock, all fetches for `list_changed` so far have taken their share of the time: see `SHARE`. */
  paidAt: number
  /** A fetch is set for the end of the wait. */
  waiting: boolean
}

interface ListCacheOptions {
  memory: Memory
  changed(key: ListKey, kind: ListKind): void
  /** Milliseconds since any moment, by a monotonic clock. */
  now(): number
  later: Later
  /** True while the session lives. */
  alive(session: object): boolean
  /** True for variants with lists that are worth remembering. */
  lasting(variant: string): boolean
}

/** Fetches in a row for a list that changes while it is fetched. A server that never settles gets the last one. */
const MAX_ROUNDS = 5

/**
 * Milliseconds between fetches for a server that says `list_changed` when nothing has. Some say it whenever they are asked,
 * and asking them at once would go on for ever.
 */
const QUIET_MS = 1000

/**
 * The part of the time that may go into fetching one list because its server said `list_changed`. A server with thousands of tools that
 * always says so would else have its list fetched for every call of any client.
 */
const SHARE = 1 / 10

/** Milliseconds of such fetching that may be ahead of the share: a server that changes its list now and then never waits. */
const AHEAD_MS = 2000

/**
 * Milliseconds until a list that may be old is fetched again. To start a server holds up the event loop, and the answer to the reader
 * goes out first.
 */
const BEHIND_MS = 50

export class ListCache {
  readonly #options: ListCacheOptions
  readonly #entries = new Map<string, Entry>()

  constructor(options: ListCacheOptions) {
    this.#options = options
  }

  /** The list, from memory when it may be; `lazy` keeps a list that may be old from being fetched again. */
  async read(key: ListKey, kind: ListKind, fetch: Fetch, lazy: boolean): Promise<Kept> {
    const entry = this.#entry(key, kind)
    const { items, hints } = entry
    if (this.isAtHand(key, kind) && items !== undefined) {
      entry.seen = true
      if (entry.refetch === 'now') this.#soon(entry, fetch)
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

  /** The list as a session that lives has told it. Notifications of its changes are waited for as well. */
  async surely(key: ListKey, kind: ListKind, fetch: Fetch): Promise<Kept> {
    const entry = this.#entry(key, kind)
    const { items, hints, session, pending, refetch } = entry
    if (pending !== undefined) return pending
    const lives = session !== undefined && this.#options.alive(session)
    return items !== undefined && lives && refetch === 'no' ? { items, hints } : this.#refresh(entry, fetch)
  }

  /** The list as it was last, true or not; undefined when it was never fetched. */
  peek(key: ListKey, kind: ListKind): readonly JsonObject[] | undefined {
    return this.#entry(key, kind).items
  }

  /**
   * A reader left without the list, `late`: after the whole time limit. When it comes, that is a change. Where nothing was ever known
   * of it, what other clients were told is better than nothing.
   */
  missed(key: ListKey, kind: ListKind, late: boolean): Kept | undefined {
    const entry = this.#entry(key, kind)
    entry.seen = true
    if (entry.refetch === 'now') entry.late ||= late
    entry.items ??= this.#options.memory.anyList(key.server, kind)
    return entry.items && { items: entry.items }
  }

  /** True when a reader gets the list without waiting for its server. */
  isAtHand(key: ListKey, kind: ListKind): boolean {
    const entry = this.#entry(key, kind)
    const { items, refetch, trueUntil } = entry
    // Half of what may be ahead, so that a reader does not wait for the fetches either that are made whenever the share allows one.
    if (refetch === 'now' && this.#ahead(entry) <= AHEAD_MS / 2) return false
    return items !== undefined && trueUntil > this.#options.now()
  }

  /** True while the list is still missing for which somebody has waited out the time limit. */
  late(key: ListKey, kind: ListKind): boolean {
    return this.#entry(key, kind).late
  }

  /** A session for this variant began: lists that are remembered, or that no living session answers for, are fetched again. */
  began(key: ListKey, session: object, fetch: Fetch): void {
    for (const kind of LIST_KINDS) {
      const name = textOf(key, kind)
      if (!this.#entries.has(name) && !this.#options.memory.list(key.server, key.variant, kind)) continue
      const entry = this.#entry(key, kind)
      const answered = entry.session === session || (entry.session && this.#options.alive(entry.session))
      if (!answered || entry.refetch !== 'no') this.#behind(entry, fetch)
    }
  }

  /** The server said `list_changed`, on a session for this variant. */
  invalidate(key: ListKey, kind: ListKind, fetch: Fetch): void {
    for (const other of this.#entries.values()) {
      const sibling = other.key.server === key.server && other.kind === kind && other.refetch === 'no'
      if (sibling && !(other.session && this.#options.alive(other.session))) other.refetch = 'soon'
    }
    const entry = this.#entries.get(textOf(key, kind))
    if (entry) entry.refetch = 'now'
    if (entry?.pending !== undefined) entry.again = true
    else if (entry?.seen) this.#soon(entry, fetch)
    // No reader has a list that could be compared: the server's word has to do.
    else this.#options.changed(key, kind)
  }

  /** Gives a variant of its own to a session that no longer sees what the others see. */
  split(key: ListKey, variant: string, session: object): void {
    for (const kind of LIST_KINDS) {
      const entry = this.#entries.get(textOf(key, kind))
      if (!entry) continue
      const copy: Entry = {
        ...entry,
        key: { server: key.server, variant },
        pending: undefined,
        again: false,
        waiting: false,
      }
      if (entry.pending !== undefined) copy.refetch = 'now'
      this.#entries.set(textOf(copy.key, kind), copy)
      if (entry.session === session) entry.refetch = 'soon'
    }
  }

  /** Forgets a variant that no client sees any more. */
  drop(variant: string): void {
    for (const [name, entry] of this.#entries) if (entry.key.variant === variant) this.#entries.delete(name)
  }

  /** Forgets the lists of a variant at one server. */
  forget(key: ListKey): void {
    for (const kind of LIST_KINDS) this.#entries.delete(textOf(key, kind))
  }

  /** Forgets all lists of a server: another has its name now, or none. */
  leave(server: string): void {
    for (const [name, entry] of this.#entries) if (entry.key.server === server) this.#entries.delete(name)
  }

  #entry(key: ListKey, kind: ListKind): Entry {
    const name = textOf(key, kind)
    const known = this.#entries.get(name)
    if (known) return known
    const items = this.#options.memory.list(key.server, key.variant, kind)
    const entry: Entry = {
      key: { server: key.server, variant: key.variant },
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
      paidAt: 0,
      waiting: false,
    }
    this.#entries.set(name, entry)
    return entry
  }

  /** Milliseconds of fetching for `list_changed` that are ahead of the share. */
  #ahead({ paidAt }: Entry): number {
    return (paidAt - this.#options.now()) * SHARE
  }

  /**
   * Fetches for `list_changed`: at once, or when the quiet is over and the share allows it. A reader who comes earlier fetches for
   * himself, but where that would take much more than the share.
   */
  #soon(entry: Entry, fetch: Fetch): void {
    const wait = Math.max(entry.quietUntil - this.#options.now(), (this.#ahead(entry) - AHEAD_MS) / SHARE)
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
    const { changed, memory, lasting, now } = this.#options
    const { server, variant } = entry.key
    entry.again = false
    // The first fetch, with the start of the server in it, is nothing that the server has asked for.
    let isAsked = entry.items !== undefined && entry.refetch === 'now'
    const round = async (): Promise<Fetched> => {
      const began = now()
      const fetched = await fetch(entry.kind)
      if (isAsked) entry.paidAt = Math.max(entry.paidAt, began) + (now() - began) / SHARE
      isAsked = true
      return fetched
    }
    let fetched = await round()
    for (let rounds = 1; entry.again && rounds < MAX_ROUNDS && this.#ahead(entry) <= AHEAD_MS; rounds++) {
      entry.again = false
      fetched = await round()
    }
    // Meanwhile forgotten: what comes is told to the readers that wait, and not kept.
    if (this.#entries.get(textOf(entry.key, entry.kind)) !== entry) return fetched
    const differs = !sameJson(entry.items, fetched.items)
    if (!differs) entry.quietUntil = this.#options.now() + QUIET_MS
    // The same list stays the same object: what was made of it need not be made again.
    if (differs || entry.items === undefined) entry.items = fetched.items
    entry.hints = fetched.hints
    entry.trueUntil = fetched.announced
      ? Number.POSITIVE_INFINITY
      : this.#options.now() + (fetched.hints?.ttlMs ?? 0)
    entry.session = fetched.session
    entry.refetch = 'no'
    entry.late = false
    if (lasting(variant)) memory.saveList(server, variant, entry.kind, fetched.items)
    if (differs && entry.seen) changed(entry.key, entry.kind)
    return { items: entry.items, hints: entry.hints }
  }
}

/** JSON, so that the name of one server cannot reach into the lists of another. */
function textOf({ server, variant }: ListKey, kind: ListKind): string {
  return JSON.stringify([server, variant, kind])
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
  { limits, now, logger }: { limits: Limits; now: () => number; logger: Logger },
): Promise<ListedPages> {
  const { method, member } = LISTS[kind]
  const items: JsonObject[] = []
  const hints: (CacheHints | undefined)[] = []
  const done = (): ListedPages => ({ items, hints: strictest(hints) })
  const seen = new Set<string>()
  const began = now()
  let bytes = 0
  const endedBy = (limit: LimitName): ListedPages => {
    logger.warn(
      { method, items: items.length },
      `the list ends where it passes its limit: ${limitWords(limit, limits)}`,
    )
    return done()
  }
  for (let request: Request = { method }; ; ) {
    const result = await ask(request)
    if (result instanceof LargeResult) {
      bytes += result.bytes.length
      if (bytes > limits.serverListBytes) return endedBy('serverListBytes')
      if (tooDense(result.bytes, { values: limits.serverListValues, depth: Number.POSITIVE_INFINITY }))
        return endedBy('serverListValues')
    }
    const page = plain(result)
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
    if (items.length > limits.serverListItems) {
      items.length = limits.serverListItems
      return endedBy('serverListItems')
    }
    if (now() - began > limits.serverListMs) return endedBy('serverListMs')
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

// Lists without the tools that may not be used: what is above the pool is neither told of them nor reaches them.

export class ToolFilter {
  readonly #permits: Permits
  /** The same list stays the same object: names are given again for another one. */
  readonly #filtered = new WeakMap<readonly JsonObject[], readonly JsonObject[]>()
  /** How many tools of a server were left out last. */
  readonly #hidden = new Map<string, number>()

  constructor(permits: Permits) {
    this.#permits = permits
  }

  /** The tools of the list that may be used; the list itself when all may. */
  apply(server: string, items: readonly JsonObject[]): readonly JsonObject[] {
    const kept =
      this.#filtered.get(items) ??
      items.filter(({ name }) => typeof name === 'string' && this.#permits(server, name))
    const list = kept.length === items.length ? items : kept
    this.#filtered.set(items, list)
    this.#hidden.set(server, items.length - list.length)
    return list
  }

  /** How many tools of the server were left out when it was listed last. */
  hidden(server: string): number {
    return this.#hidden.get(server) ?? 0
  }

  /** Rejects a call of a tool that may not be used, as if there were none: who may not use it need not know of it. */
  check(server: string, { method, params }: Request): void {
    const name = method === 'tools/call' ? params?.name : undefined
    if (typeof name === 'string' && !this.#permits(server, name))
      throw new RpcError(RPC.invalidParams, `Unknown tool: ${name.slice(0, 200)}`)
  }
}

// Mends items of lists that break the protocol. The SDKs check a list as a whole. A client sees a single list, so one tool with a
// description of null would cost it the tools of all servers.

type Check = (value: JsonValue) => boolean

const isString: Check = (value) => typeof value === 'string'
/** JSON Schema for an object, as tools need it (MCP specification, server/tools, "Tool"). */
const isObjectSchema: Check = (value) => isObject(value) && own(value, 'type') === 'object'

/** The member that names an item: without it, it is none. */
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
