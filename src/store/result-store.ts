/** The policy of keeping: lifetimes, quotas and eviction. Stores carry, and say who owns what. */

import { LRUCache } from 'lru-cache'
import type { Agent } from '../protocol/exchange.ts'
import { type Handle, isHandle, newHandle, newLongHandle } from './handles.ts'
import type { Entry, EntryInfo, Look, Mark, Origin, Store, StoreStats } from './store.ts'

/** All that a result store needs; `RESULT_STORE_LIMITS` holds the numbers that are no settings. */
export interface ResultStoreOptions {
  /** Where entries in use lie. */
  memory: Store
  /** Where entries go that leave memory, or, when it is shared, at once. Without it they are gone. */
  backing?: Store
  /** Milliseconds an entry stays in memory after its last use. */
  ttl: number
  /** The most entries of one agent in memory. */
  maxEntriesPerAgent: number
  /** The most bytes of one agent in memory. A single larger result is kept alone. */
  maxBytesPerAgent: number
  /** The most agents with entries in memory; the longest idle leaves first. */
  maxAgents: number
  /** The most bytes of all agents in memory; the longest idle agent leaves first. */
  maxBytes: number
  /** False: all agents are one owner, limited by `maxEntries` in place of `maxEntriesPerAgent`. */
  isolation: boolean
  maxEntries: number
  /** Milliseconds between sweeps. */
  sweepInterval: number
  /** Milliseconds since 1970. */
  now: () => number
  /** An entry is gone for good: views of its content can be closed. */
  onDrop: (entry: EntryInfo) => void
  /** A store failed in the background: on the way to the backing store, or in a sweep. */
  onError: (error: unknown) => void
}

/** Limits that no setting changes. */
export const RESULT_STORE_LIMITS = { maxBytes: 1024 * 1024 * 1024, sweepInterval: 30_000 } as const

/** A result to keep. */
interface Keepsake {
  /** UTF-8 JSON of a CallToolResult. Must not change any more. */
  content: Uint8Array
  /** SHA-256 of `content`, hex. */
  hash: string
  origin: Origin
  look?: Look
  /** Milliseconds of life in memory, from its last use; absent: as all have. */
  ttl?: number
}

/** An agent, as far as keeping goes: an `Agent` is one. */
interface Owner {
  readonly id: string
  /** `anonymous`: several clients, of whom nothing is known. */
  readonly kind?: Agent['kind']
}

/** A kept result in a list. */
export interface Recent extends Readonly<EntryInfo> {
  /** Milliseconds since it was kept, or kept again. */
  readonly age: number
  /** It is from an earlier run of the proxy, or of another process with the same owner. False where processes share a store. */
  readonly isEarlier: boolean
}

/** An agent sees its own entries; all others do not exist for it. */
export interface ResultStore {
  /** Keeps a result. An entry that the agent keeps already is used again: same content, same handle. */
  keep(agent: Owner, result: Keepsake): Promise<Entry>
  /** Looks up and counts as a use. Undefined: unknown, gone, not a handle, or another agent's. */
  get(agent: Owner, handle: string): Promise<Entry | undefined>
  /** Pins or names what the agent keeps, in the backing store at once. Undefined: the agent has nothing under this handle. */
  mark(agent: Owner, handle: string, mark: Mark): Promise<EntryInfo | undefined>
  /** The pinned entries, of every agent that is known: in memory, and in a backing store that can tell. */
  pinned(): Promise<readonly EntryInfo[]>
  /** True when the agent had it. */
  remove(agent: Owner, handle: string): Promise<boolean>
  /** Everything that the agent keeps, in the backing store too, without content; what was kept last is first. Not for agents that others share. */
  recent(agent: Owner): Promise<readonly Recent[]>
  /** Removes everything, from the backing store too. */
  clear(): Promise<void>
  /** True for an entry under this handle that could not be shared, although the store is shared: no other process finds it. */
  isAlone(handle: Handle): boolean
  /** Entries in memory. */
  readonly size: number
  /** Entries and bytes in memory, of one agent or of all. */
  stats(agent?: Owner): StoreStats
  /** The entries in memory, without content. */
  list(agent?: Owner): readonly Readonly<EntryInfo>[]
  /** The agent will not come back under this id: its entries are removed, from the backing store too, but for pinned ones. */
  forgetAgent(agent: Owner): Promise<void>
  /** Moves what is too old out of memory, and lets the backing store do the same. Runs by itself as well. */
  sweep(): Promise<void>
  /** Moves everything to the backing store, when there is one, so that handles outlive a restart. */
  close(): Promise<void>
}

/** The owner of everything when agents are not isolated. */
const EVERYONE = '*'

/** Handles that are remembered as given out by this process. */
const REMEMBERED = 10_000

/** Milliseconds until what was kept is written to the backing store as well: an end without a word loses no more than that. */
const WRITE_THROUGH_MS = 500

/** Decides how long what is kept stays where; the stores carry it and say who owns it. Any two stores of the contract will do. */
export function createResultStore(options: ResultStoreOptions): ResultStore {
  const { memory, backing, now } = options
  const maxEntries = options.isolation ? options.maxEntriesPerAgent : options.maxEntries
  const ledger = new Ledger()
  /** Handles that agents of this process were told. */
  const given = new LRUCache<Handle, true>({ max: REMEMBERED })
  const keeping = new Map<string, Promise<Entry>>()
  /** On their way out of memory, and how many bytes they still take there. */
  const leaving = new Map<Handle, Promise<void>>()
  let bytesLeaving = 0
  /** In memory alone so far. */
  const unwritten = new Set<Handle>()
  /** Being written through. */
  const writing = new Map<Handle, Promise<void>>()
  let writer: NodeJS.Timeout | undefined
  const timer = setInterval(() => void sweep().catch(options.onError), options.sweepInterval)
  timer.unref()

  const ownerOf = (agent: Owner): string => (options.isolation ? agent.id : EVERYONE)
  const key = (owner: string, hash: string): string => `${hash} ${owner}`

  async function keep(agent: Owner, result: Keepsake): Promise<Entry> {
    const owner = ownerOf(agent)
    const id = key(owner, result.hash)
    const before = keeping.get(id)
    if (before !== undefined) return before
    const kept = again(owner, result.hash).then((entry) =>
      entry ? renewed(entry, result) : anew(owner, unusedHandle(agent), result),
    )
    keeping.set(id, kept)
    return kept.finally(() => keeping.delete(id))
  }

  /** A store that fails here must not keep a result from being kept. */
  async function again(owner: string, hash: string): Promise<Entry | undefined> {
    try {
      const handle = (await memory.handleOf(owner, hash)) ?? (await backing?.handleOf(owner, hash))
      const entry = handle === undefined ? undefined : await find(owner, handle)
      return entry?.hash === hash ? entry : undefined
    } catch (error) {
      options.onError(error)
      return undefined
    }
  }

  /** Kept again: it is the newest now, and the last call is the one to tell of it. */
  async function renewed(
    { content, ...info }: Entry,
    { origin: { tool, arguments: args }, look }: Keepsake,
  ): Promise<Entry> {
    const renewed = { ...info, ...look, tool, arguments: args, created: now() }
    ledger.add(renewed)
    const entry = { ...renewed, content }
    if (backing?.isShared) await backing.put(entry).catch(options.onError)
    return entry
  }

  async function anew(
    owner: string,
    handle: Handle,
    { content, hash, origin, look, ttl = options.ttl }: Keepsake,
  ): Promise<Entry> {
    const created = now()
    const info: EntryInfo = {
      handle,
      owner,
      hash,
      tool: origin.tool,
      arguments: origin.arguments,
      size: content.byteLength,
      created,
      lastAccessed: created,
      accessCount: 0,
      ttl,
      ...look,
    }
    const entry = { ...info, content: shared(content) }
    if (backing?.isShared) await backing.put(entry)
    await admit(info, entry)
    given.set(handle, true)
    writeSoon(handle)
    return entry
  }

  function writeSoon(handle: Handle): void {
    if (backing === undefined || backing.isShared) return
    unwritten.add(handle)
    writer ??= setTimeout(() => void writeThrough().catch(options.onError), WRITE_THROUGH_MS).unref()
  }

  /** One after the other: no caller waits for it. */
  async function writeThrough(): Promise<void> {
    for (const handle of unwritten) {
      unwritten.delete(handle)
      const info = ledger.get(handle)
      if (info === undefined) continue
      const written = writeOne(info).catch(options.onError)
      writing.set(handle, written)
      await written
      writing.delete(handle)
    }
    writer = undefined
    if (unwritten.size > 0) for (const handle of unwritten) writeSoon(handle)
  }

  async function writeOne(info: EntryInfo): Promise<void> {
    const content = await memory.get(info.handle, info.owner)
    if (content !== undefined && ledger.get(info.handle) !== undefined)
      await backing?.put({ ...info, content })
  }

  async function mark(owner: string, handle: string, said: Mark): Promise<EntryInfo | undefined> {
    const found = await find(owner, handle)
    if (found === undefined) return undefined
    const { content, ...info } = { ...found, ...said, marked: now() }
    await memory.put({ ...info, content })
    ledger.add(info)
    await backing?.put({ ...info, content })
    return info
  }

  function unusedHandle({ kind }: Owner): Handle {
    for (;;) {
      const handle = kind === 'anonymous' || !options.isolation ? newLongHandle() : newHandle()
      if (ledger.get(handle) === undefined && !leaving.has(handle)) return handle
    }
  }

  /** Puts an entry into memory and makes room for it, among its owner's entries first. */
  async function admit(info: EntryInfo, entry: Entry): Promise<void> {
    await memory.put(entry)
    ledger.add(info)
    for (;;) {
      const over =
        ledger.list(info.owner).length > maxEntries || ledger.bytes(info.owner) > options.maxBytesPerAgent
      const victim = over ? ledger.worst(info.owner, info.handle, now()) : undefined
      if (victim === undefined) break
      void leave(victim)
    }
    while (ledger.owners > options.maxAgents || ledger.bytes() > options.maxBytes) {
      const idlest = ledger.idlest()
      if (idlest === info.owner) break
      for (const victim of ledger.list(idlest)) void leave(victim)
    }
    // A backing store that takes results more slowly than they come must not fill the memory.
    while (bytesLeaving > options.maxBytesPerAgent) await Promise.race(leaving.values())
  }

  /** Out of memory, to the backing store or for good. Never rejects. */
  function leave(info: EntryInfo): Promise<void> {
    ledger.delete(info.handle)
    bytesLeaving += info.size
    const gone = moveOut(info)
      .catch((error) => {
        options.onError(error)
        options.onDrop(info)
      })
      .finally(() => {
        bytesLeaving -= info.size
        leaving.delete(info.handle)
      })
    leaving.set(info.handle, gone)
    return gone
  }

  async function moveOut(info: EntryInfo): Promise<void> {
    const content = backing && (await memory.get(info.handle, info.owner))
    try {
      const there = await seen(info)
      // An entry that another process removed must not come back.
      if (backing !== undefined && content !== undefined && there !== 'removed')
        await backing.put({ ...marked(info, there), content })
      else options.onDrop(info)
    } finally {
      // A backing store that is full must not fill the memory, too.
      await memory.remove(info.handle, info.owner)
    }
  }

  /**
   * The entry in the backing store. `removed`: another process did so, as far as the store is shared. Undefined where the store cannot
   * tell: what lies in memory is used, since content never changes.
   */
  async function seen({ handle, owner }: EntryInfo): Promise<EntryInfo | 'removed' | undefined> {
    try {
      return (await backing?.info(handle, owner)) ?? (backing?.isShared ? 'removed' : undefined)
    } catch {
      return undefined
    }
  }

  async function find(owner: string, handle: string): Promise<Entry | undefined> {
    if (!isHandle(handle)) return undefined
    const held = await memory.getEntry(handle, owner)
    // An entry that leaves memory is no longer in the ledger.
    const info = ledger.get(handle)
    if (info !== undefined && info.owner !== owner) return undefined
    if (held === undefined || info === undefined) return restore(owner, handle)
    if (backing === undefined && isExpired(info, now())) {
      await leave(info)
      return undefined
    }
    ledger.touch(info, now())
    if (!backing?.isShared) return { ...info, content: held.content }
    const there = await seen(info)
    if (there === 'removed') {
      await forget(handle, info)
      return undefined
    }
    const known = marked(info, there)
    if (known !== info) ledger.add(known)
    return { ...known, content: held.content }
  }

  /** Back from the backing store. */
  async function restore(owner: string, handle: Handle): Promise<Entry | undefined> {
    await leaving.get(handle)
    const stored = await backing?.getEntry(handle, owner)
    if (stored === undefined) return undefined
    const { content, ...rest } = stored
    const info = { ...rest, lastAccessed: now(), accessCount: stored.accessCount + 1 }
    const entry = { ...info, content: shared(content) }
    await admit(info, entry)
    return entry
  }

  async function forget(handle: Handle, info: EntryInfo): Promise<void> {
    ledger.delete(handle)
    unwritten.delete(handle)
    await leaving.get(handle)
    await writing.get(handle)
    await memory.remove(handle, info.owner)
    await backing?.remove(handle, info.owner)
    options.onDrop(info)
  }

  async function sweep(): Promise<void> {
    await Promise.all(ledger.expired(now()).map(leave))
    await backing?.sweep?.()
  }

  async function recent(owner: string): Promise<Recent[]> {
    // An entry on its way out is in neither place.
    await Promise.all(leaving.values())
    const stored = new Map(((await backing?.list(owner)) ?? []).map((info) => [info.handle, info]))
    const inMemory = ledger.list(owner).filter((info) => backing !== undefined || !isExpired(info, now()))
    const kept = inMemory.reverse().map((info) => {
      const other = stored.get(info.handle)
      stored.delete(info.handle)
      // Another process may have kept it again, or marked it.
      return backing?.isShared && other && other.created > info.created ? other : marked(info, other)
    })
    // The latest used first, so that of two that were kept in one millisecond the later one is.
    return [...kept, ...stored.values()]
      .map((info) => ({ ...info, age: now() - info.created, isEarlier: isEarlier(info.handle) }))
      .sort((one, other) => one.age - other.age)
  }

  /** Several processes serve one client together where they share a store: what another one gave is of this run, too. */
  function isEarlier(handle: Handle): boolean {
    return !backing?.isShared && !given.has(handle)
  }

  return {
    keep,
    recent: (agent) => recent(ownerOf(agent)),
    get: (agent, handle) => find(ownerOf(agent), handle),
    mark: (agent, handle, said) => mark(ownerOf(agent), handle, said),
    async pinned() {
      const there = (await backing?.pinned?.()) ?? []
      const all = new Map([...there, ...ledger.list()].map((info) => [info.handle, info]))
      return [...all.values()].filter(({ pinned }) => pinned)
    },
    async remove(agent, handle) {
      const entry = await find(ownerOf(agent), handle)
      if (entry !== undefined) await forget(handle, entry)
      return entry !== undefined
    },
    async clear() {
      await Promise.all(ledger.list().map((info) => forget(info.handle, info)))
      await Promise.all(leaving.values())
      await backing?.clear()
    },
    isAlone: (handle) => backing?.isShared === true && backing.isAlone?.(handle) === true,
    get size() {
      return ledger.size
    },
    stats(agent) {
      const owner = agent === undefined ? undefined : ownerOf(agent)
      return { entries: ledger.list(owner).length, bytes: ledger.bytes(owner) }
    },
    list: (agent) => ledger.list(agent === undefined ? undefined : ownerOf(agent)),
    async forgetAgent(agent) {
      if (!options.isolation) return
      const toForget = (infos: readonly EntryInfo[]): EntryInfo[] => infos.filter(({ pinned }) => !pinned)
      await Promise.all(toForget(ledger.list(agent.id)).map((info) => forget(info.handle, info)))
      await Promise.all(leaving.values())
      for (const info of toForget((await backing?.list(agent.id)) ?? [])) await forget(info.handle, info)
    },
    sweep,
    async close() {
      clearInterval(timer)
      clearTimeout(writer)
      unwritten.clear()
      await Promise.all(writing.values())
      await Promise.all(ledger.list().map(leave))
      await Promise.all(leaving.values())
      await backing?.close()
      await memory.close()
    },
  }
}

// The owner and the age of everything in memory, and the order of eviction. Holds no content and does no input or output.

interface Holdings {
  handles: Set<Handle>
  bytes: number
}

/** The book of kept results. Owners are ordered by last use, the longest idle first. */
class Ledger {
  readonly #entries = new Map<Handle, EntryInfo>()
  readonly #owners = new Map<string, Holdings>()

  get size(): number {
    return this.#entries.size
  }

  get owners(): number {
    return this.#owners.size
  }

  /** Writes an entry down, in place of the one with its handle. Counts as a use by its owner. */
  add(info: EntryInfo): void {
    this.delete(info.handle)
    const owner = this.#owners.get(info.owner) ?? { handles: new Set(), bytes: 0 }
    owner.handles.add(info.handle)
    owner.bytes += info.size
    this.#entries.set(info.handle, info)
    this.#owners.delete(info.owner)
    this.#owners.set(info.owner, owner)
  }

  get(handle: Handle): EntryInfo | undefined {
    return this.#entries.get(handle)
  }

  /** Notes a use: the entry lives on from now, and so does its owner. */
  touch(info: EntryInfo, now: number): void {
    info.lastAccessed = now
    info.accessCount++
    this.add(info)
  }

  delete(handle: Handle): boolean {
    const info = this.#entries.get(handle)
    const owner = info && this.#owners.get(info.owner)
    if (info === undefined || owner === undefined) return false
    this.#entries.delete(handle)
    owner.handles.delete(handle)
    owner.bytes -= info.size
    if (owner.handles.size === 0) this.#owners.delete(info.owner)
    return true
  }

  /** Everything of one owner, or of all. */
  list(owner?: string): EntryInfo[] {
    if (owner === undefined) return [...this.#entries.values()]
    const handles = this.#owners.get(owner)?.handles ?? []
    return [...handles].flatMap((handle) => this.#entries.get(handle) ?? [])
  }

  bytes(owner?: string): number {
    if (owner !== undefined) return this.#owners.get(owner)?.bytes ?? 0
    return [...this.#owners.values()].reduce((bytes, each) => bytes + each.bytes, 0)
  }

  /** The owner with the oldest last use. */
  idlest(): string | undefined {
    return this.#owners.keys().next().value
  }

  /** Of an owner's entries but one, the one with the largest idle time × size; of equals, the longest unused. */
  worst(owner: string, except: Handle, now: number): EntryInfo | undefined {
    let worst: EntryInfo | undefined
    for (const info of this.list(owner)) {
      if (info.handle === except) continue
      if (worst === undefined || weight(info, now) > weight(worst, now)) worst = info
    }
    return worst
  }

  /** Entries unused for as long as they may live. */
  expired(now: number): EntryInfo[] {
    return this.list().filter((info) => isExpired(info, now))
  }
}

function isExpired(info: EntryInfo, now: number): boolean {
  return !info.pinned && now - info.lastAccessed >= info.ttl
}

/** A pinned entry goes after all others. */
function weight(info: EntryInfo, now: number): number {
  return info.pinned ? -1 : (now - info.lastAccessed) * info.size
}

/** With what another process said of it, where that is newer. */
function marked(info: EntryInfo, there: EntryInfo | 'removed' | undefined): EntryInfo {
  if (typeof there !== 'object' || (there.marked ?? 0) <= (info.marked ?? 0)) return info
  const { label, pinned, marked } = there
  return { ...info, label, pinned, marked }
}

/** Bytes from which on a copy to a worker is worth avoiding. */
const SHARED_FROM = 64 * 1024

/** The same bytes, on a SharedArrayBuffer when they are many: then every worker reads them without a copy. */
function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < SHARED_FROM || bytes.buffer instanceof SharedArrayBuffer) return bytes
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
  copy.set(bytes)
  return copy
}
