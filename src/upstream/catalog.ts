/**
 * The lists of all servers, fetched once and kept while they are true. A list is true while the session that answered
 * lives and has not said `list_changed`; one from the last run or from an ended session is served at once and fetched
 * again behind the reader's back.
 */
import type { JsonObject } from '../protocol/json.ts'
import type { Later } from './backoff.ts'
import { type Memory, sameJson } from './remember.ts'
import { type CacheHints, LIST_KINDS, type ListKind } from './upstreams.ts'

/** Whose list it is. Clients of like capabilities form a group; a session that changed its own lists is one of its own. */
export interface Place {
  readonly server: string
  readonly group: string
}

/** A list, and what its server says about keeping it. */
export interface Kept {
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

export interface CatalogOptions {
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
      if (entry.refetch === 'soon' && !lazy) this.#behind(entry, fetch)
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

  /** A reader left without the list, `late`: after the whole time limit. When it comes, that is a change. */
  missed(place: Place, kind: ListKind, late: boolean): void {
    const entry = this.#entry(place, kind)
    entry.seen = true
    if (entry.refetch === 'now') entry.late ||= late
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
