/** The policy of keeping: owners, lifetimes, quotas and eviction. Stores only carry. */
import { LRUCache } from 'lru-cache'
import { isHandle, newHandle } from './handle.ts'
import { type EntryInfo, isExpired, Ledger } from './ledger.ts'
import { shared } from './shared.ts'
import type { Entry, Handle, Origin, Store, StoreStats } from './store.ts'

/** All that a keeper needs; `KEEPER_DEFAULTS` holds the numbers. */
export interface KeeperOptions {
  /** Where entries in use lie. */
  memory: Store
  /** Where entries go that leave memory. Without it they are gone. */
  disk?: Store
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
  /** An entry is gone for good: views of its content are of no use any more. */
  onDrop: (entry: EntryInfo) => void
  /** A store failed where nobody waits for it: on the way to disk, or in a sweep. */
  onError: (error: unknown) => void
}

/** Limits as they are when nobody sets them. */
export const KEEPER_DEFAULTS = {
  ttl: 300_000,
  maxEntriesPerAgent: 20,
  maxBytesPerAgent: 100 * 1024 * 1024,
  maxAgents: 1000,
  maxBytes: 1024 * 1024 * 1024,
  isolation: true,
  maxEntries: 50,
  sweepInterval: 30_000,
} as const

/** A result to keep. */
interface Keepsake {
  /** UTF-8 JSON of a CallToolResult. Must not change any more. */
  content: Uint8Array
  /** SHA-256 of `content`, hex. */
  hash: string
  origin: Origin
  /** Milliseconds of life in memory, from its last use; absent: as all have. */
  ttl?: number
}

/** An agent, as far as keeping goes: an `Agent` is one. */
interface Owner {
  readonly id: string
}

/** An agent sees its own entries; all others do not exist for it. */
export interface Keeper {
  /** Keeps a result. What the agent keeps already is used again: same content, same handle. */
  keep(agent: Owner, result: Keepsake): Promise<Entry>
  /** Looks up and counts as a use. Undefined: unknown, gone, not a handle, or another agent's. */
  get(agent: Owner, handle: string): Promise<Entry | undefined>
  /** True when the agent had it. */
  remove(agent: Owner, handle: string): Promise<boolean>
  /** Removes everything, on disk too. */
  clear(): Promise<void>
  /** Entries in memory. */
  readonly size: number
  /** Entries and bytes in memory, of one agent or of all. */
  stats(agent?: Owner): StoreStats
  /** What is in memory, without content. */
  list(agent?: Owner): readonly Readonly<EntryInfo>[]
  /** The agent will not come back under this id: its entries are removed, on disk too. */
  forgetAgent(agent: Owner): Promise<void>
  /** Moves what is too old out of memory, and lets the disk do the same. Runs by itself as well. */
  sweep(): Promise<void>
  /** Moves everything to disk, when there is one, so that handles outlive a restart. */
  close(): Promise<void>
}

/** The owner of everything when agents are not isolated. */
const EVERYONE = '*'

/** Contents whose handle is remembered beyond their time in memory. */
const REMEMBERED = 10_000

/** Decides over what is kept; the stores it is handed only carry it. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { memory, disk, now } = options
  const maxEntries = options.isolation ? options.maxEntriesPerAgent : options.maxEntries
  const ledger = new Ledger()
  /** Handles by owner and content, also of entries on disk. */
  const known = new LRUCache<string, { owner: string; handle: Handle }>({ max: REMEMBERED })
  const keeping = new Map<string, Promise<Entry>>()
  /** On their way out of memory, and how many bytes they still take there. */
  const leaving = new Map<Handle, Promise<void>>()
  let bytesLeaving = 0
  const timer = setInterval(() => void sweep().catch(options.onError), options.sweepInterval)
  timer.unref()

  const ownerOf = (agent: Owner): string => (options.isolation ? agent.id : EVERYONE)
  const key = (owner: string, hash: string): string => `${hash} ${owner}`

  async function keep(agent: Owner, result: Keepsake): Promise<Entry> {
    const owner = ownerOf(agent)
    const id = key(owner, result.hash)
    const before = keeping.get(id)
    if (before !== undefined) return before
    const kept = again(owner, id).then((entry) => entry ?? anew(owner, id, result))
    keeping.set(id, kept)
    return kept.finally(() => keeping.delete(id))
  }

  async function again(owner: string, id: string): Promise<Entry | undefined> {
    const before = known.get(id)
    const entry = before && (await find(owner, before.handle))
    return entry && key(owner, entry.hash) === id ? entry : undefined
  }

  async function anew(
    owner: string,
    id: string,
    { content, hash, origin, ttl = options.ttl }: Keepsake,
  ): Promise<Entry> {
    const handle = await unusedHandle()
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
    }
    const entry = { ...info, content: shared(content) }
    await admit(info, entry)
    known.set(id, { owner, handle })
    return entry
  }

  async function unusedHandle(): Promise<Handle> {
    for (;;) {
      const handle = newHandle()
      const used = ledger.get(handle) !== undefined || leaving.has(handle) || (await disk?.getEntry(handle))
      if (!used) return handle
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
    // A disk that takes results more slowly than they come must not fill the memory.
    while (bytesLeaving > options.maxBytesPerAgent) await Promise.race(leaving.values())
  }

  /** Out of memory, to disk or for good. Never rejects. */
  function leave(info: EntryInfo): Promise<void> {
    ledger.delete(info.handle)
    bytesLeaving += info.size
    const gone = moveOut(info)
      .catch((error) => {
        options.onError(error)
        dropped(info)
      })
      .finally(() => {
        bytesLeaving -= info.size
        leaving.delete(info.handle)
      })
    leaving.set(info.handle, gone)
    return gone
  }

  async function moveOut(info: EntryInfo): Promise<void> {
    const content = disk && (await memory.get(info.handle))
    try {
      if (disk !== undefined && content !== undefined) await disk.put({ ...info, content })
      else dropped(info)
    } finally {
      // A disk that is full must not fill the memory, too.
      await memory.remove(info.handle)
    }
  }

  function dropped(info: EntryInfo): void {
    known.delete(key(info.owner, info.hash))
    options.onDrop(info)
  }

  async function find(owner: string, handle: string): Promise<Entry | undefined> {
    if (!isHandle(handle)) return undefined
    const info = ledger.get(handle)
    if (info === undefined) return restore(owner, handle)
    if (info.owner !== owner) return undefined
    if (disk === undefined && isExpired(info, now())) {
      await leave(info)
      return undefined
    }
    ledger.touch(info, now())
    const content = await memory.get(handle)
    return content === undefined ? restore(owner, handle) : { ...info, content }
  }

  /** Back from disk. */
  async function restore(owner: string, handle: Handle): Promise<Entry | undefined> {
    await leaving.get(handle)
    const stored = await disk?.getEntry(handle)
    if (stored === undefined || stored.owner !== owner) return undefined
    const { content, ...rest } = stored
    const info = { ...rest, lastAccessed: now(), accessCount: stored.accessCount + 1 }
    const entry = { ...info, content: shared(content) }
    await admit(info, entry)
    known.set(key(owner, info.hash), { owner, handle })
    return entry
  }

  async function forget(handle: Handle, info: EntryInfo | undefined): Promise<void> {
    ledger.delete(handle)
    await leaving.get(handle)
    await memory.remove(handle)
    await disk?.remove(handle)
    if (info !== undefined) dropped(info)
  }

  async function sweep(): Promise<void> {
    await Promise.all(ledger.expired(now()).map(leave))
    await disk?.sweep?.()
  }

  return {
    keep,
    get: (agent, handle) => find(ownerOf(agent), handle),
    async remove(agent, handle) {
      const entry = await find(ownerOf(agent), handle)
      if (entry !== undefined) await forget(handle, entry)
      return entry !== undefined
    },
    async clear() {
      await Promise.all(ledger.list().map((info) => forget(info.handle, info)))
      await Promise.all(leaving.values())
      await disk?.clear()
      known.clear()
    },
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
      await Promise.all(ledger.list(agent.id).map((info) => forget(info.handle, info)))
      for (const [id, { owner, handle }] of [...known]) {
        if (owner !== agent.id) continue
        known.delete(id)
        await forget(handle, undefined)
      }
    },
    sweep,
    async close() {
      clearInterval(timer)
      await Promise.all(ledger.list().map(leave))
      await Promise.all(leaving.values())
      await disk?.close()
      await memory.close()
    },
  }
}
