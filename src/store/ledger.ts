/** Who owns what is in memory, since when, and who has to leave first. Knows no content and does no input or output. */
import type { Entry, Handle } from './store.ts'

/** An entry without its content. */
export type EntryInfo = Omit<Entry, 'content'>

interface Holdings {
  handles: Set<Handle>
  bytes: number
}

/** The book of kept results. Owners are ordered by last use, the longest idle first. */
export class Ledger {
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

  /** The owner whose last use is longest ago. */
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

export function isExpired(info: EntryInfo, now: number): boolean {
  return now - info.lastAccessed >= info.ttl
}

function weight(info: EntryInfo, now: number): number {
  return (now - info.lastAccessed) * info.size
}
