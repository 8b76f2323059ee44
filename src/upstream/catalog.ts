/**
 * The lists of all servers, fetched once and kept while they are true. A list is true while the session that answered
 * lives and has not said `list_changed`; one from the last run or from an ended session is served at once and fetched
 * again behind the reader's back.
 */
import type { JsonObject } from '../protocol/json.ts'
import type { Later } from './backoff.ts'
import { type Memory, sameJson } from './remember.ts'
import { LISTS, type ListKind } from './upstreams.ts'

/** Whose list it is. Clients of like capabilities form a group; a session that changed its own lists is one of its own. */
export interface Place {
  readonly server: string
  readonly group: string
}

/** What a fetch brings: the items, and the session they come from. */
interface Fetched {
  items: JsonObject[]
  /** Undefined when it ended meanwhile. */
  session: object | undefined
}

export type Fetch = (kind: ListKind) => Promise<Fetched>

interface Entry {
  place: Place
  kind: ListKind
  items: readonly JsonObject[] | undefined
  session: object | undefined
  /** `now`: the next reader waits for a new one. `soon`: the next reader gets this one, and a new one is fetched. */
  refetch: 'now' | 'soon' | 'no'
  /** Somebody was given the list, or went away without it: a difference must be told. */
  seen: boolean
  /** A reader has waited out the time limit for it; it is not here yet. */
  late: boolean
  pending: Promise<readonly JsonObject[]> | undefined
  /** It changed while it was being fetched. */
  again: boolean
  /** Until when, in milliseconds since 1970, it is not fetched for `list_changed`: the last time nothing had changed. */
  quietUntil: number
  /** A fetch is set for then. */
  waiting: boolean
}

export interface CatalogOptions {
  memory: Memory
  changed(server: string, kind: ListKind): void
  /** Milliseconds since 1970. */
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

const KINDS = Object.keys(LISTS) as ListKind[]

export class Catalog {
  readonly #options: CatalogOptions
  readonly #entries = new Map<string, Entry>()

  constructor(options: CatalogOptions) {
    this.#options = options
  }

  /** The list, from memory when it may be; `lazy` keeps a list that may be old from being fetched again. */
  async read(place: Place, kind: ListKind, fetch: Fetch, lazy: boolean): Promise<readonly JsonObject[]> {
    const entry = this.#entry(place, kind)
    if (entry.items !== undefined && entry.refetch !== 'now') {
      entry.seen = true
      if (entry.refetch === 'soon' && !lazy) this.#behind(entry, fetch)
      return entry.items
    }
    const items = await this.#refresh(entry, fetch)
    entry.seen = true
    return items
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
    for (const kind of KINDS) {
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
    if (!entry) return
    entry.refetch = 'now'
    if (entry.pending !== undefined) entry.again = true
    else if (entry.seen) this.#soon(entry, fetch)
  }

  /** Gives a group of its own to a session that no longer sees what the others see. */
  split(place: Place, group: string, session: object): void {
    for (const kind of KINDS) {
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

  #entry(place: Place, kind: ListKind): Entry {
    const key = keyOf(place, kind)
    const known = this.#entries.get(key)
    if (known) return known
    const items = this.#options.memory.list(place.server, place.group, kind)
    const entry: Entry = {
      place: { server: place.server, group: place.group },
      kind,
      items,
      session: undefined,
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

  #refresh(entry: Entry, fetch: Fetch): Promise<readonly JsonObject[]> {
    entry.pending ??= this.#fetch(entry, fetch).finally(() => {
      entry.pending = undefined
    })
    return entry.pending
  }

  async #fetch(entry: Entry, fetch: Fetch): Promise<readonly JsonObject[]> {
    const { changed, memory, lasting } = this.#options
    const { server, group } = entry.place
    entry.again = false
    let fetched = await fetch(entry.kind)
    for (let round = 1; entry.again && round < MAX_ROUNDS; round++) {
      entry.again = false
      fetched = await fetch(entry.kind)
    }
    const differs = !sameJson(entry.items, fetched.items)
    if (!differs) entry.quietUntil = this.#options.now() + QUIET_MS
    entry.items = fetched.items
    entry.session = fetched.session
    entry.refetch = 'no'
    entry.late = false
    if (lasting(group)) memory.saveList(server, group, entry.kind, fetched.items)
    if (differs && entry.seen) changed(server, entry.kind)
    return entry.items
  }
}

/** JSON, so that no name of a server can reach into another's place. */
function keyOf({ server, group }: Place, kind: ListKind): string {
  return JSON.stringify([server, group, kind])
}
