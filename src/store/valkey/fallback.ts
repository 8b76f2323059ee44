/** A shared store that is never in the way: what it cannot take, or not now, lies in a local one. */
import { LRUCache } from 'lru-cache'
import { messageOf } from '../../protocol/errors.ts'
import type { Handle } from '../handles.ts'
import type { Entry, EntryInfo, Store } from '../store.ts'
import { Unreachable } from './connection.ts'
import { TooLarge, type ValkeyStore } from './store.ts'

export interface FallbackOptions {
  shared: ValkeyStore
  /** Undefined: there is none; what is not shared lies in the memory of the result store alone. */
  local: Store | undefined
  /** Other processes find what lies in the local one. */
  isLocalSeen: boolean
  /** A result is not shared, for this reason. Not called while the server is away: that is told once. */
  onRefused: (reason: string) => void
}

const REMEMBERED = 10_000

/** The entries that were kept here alone, or removed while the server was away: settled by `sweep` once it is back. */
export function createFallbackStore({ shared, local, isLocalSeen, onRefused }: FallbackOptions): Store {
  /** Kept here alone because the server was away or had no room. */
  const waiting = new LRUCache<Handle, string>({ max: REMEMBERED })
  /** Kept here alone because it is too large for the server. */
  const refused = new LRUCache<Handle, string>({ max: REMEMBERED })
  /** Removed here while the server was away. */
  const removed = new LRUCache<Handle, string>({ max: REMEMBERED })
  /** With which connection an entry was seen in the server. A later one may be to a server that lost it. */
  const seen = new LRUCache<Handle, number>({ max: REMEMBERED })

  const isLocal = (handle: Handle): boolean => waiting.has(handle) || refused.has(handle)

  /** The answer of the server; undefined where it could not be asked or refused to answer. */
  async function asked<T>(question: () => Promise<T>): Promise<{ answer: T } | undefined> {
    try {
      return { answer: await question() }
    } catch (error) {
      if (!(error instanceof Unreachable)) onRefused(messageOf(error))
      return undefined
    }
  }

  async function put(entry: Entry): Promise<void> {
    const { handle, owner } = entry
    if (removed.has(handle)) return
    try {
      await shared.put(entry)
      seen.set(handle, shared.generation)
      if (isLocal(handle)) await local?.remove(handle, owner)
      waiting.delete(handle)
      refused.delete(handle)
    } catch (error) {
      if (!(error instanceof Unreachable)) onRefused(messageOf(error))
      const isForGood = error instanceof TooLarge
      ;(isForGood ? refused : waiting).set(handle, owner)
      await local?.put(entry)
    }
  }

  async function info(handle: Handle, owner: string): Promise<EntryInfo | undefined> {
    if (removed.has(handle)) return undefined
    if (isLocal(handle)) {
      const found = await local?.info(handle, owner)
      if (found === undefined) throw new Error('kept in memory alone')
      return found
    }
    const found = await shared.info(handle, owner)
    const before = seen.get(handle)
    if (found) seen.set(handle, shared.generation)
    else if (before !== undefined && before !== shared.generation)
      throw new Error('the store may have lost it')
    return found ?? local?.info(handle, owner)
  }

  async function getEntry(handle: Handle, owner: string): Promise<Entry | undefined> {
    if (removed.has(handle)) return undefined
    if (!isLocal(handle)) {
      const found = await asked(() => shared.getEntry(handle, owner))
      if (found?.answer) {
        seen.set(handle, shared.generation)
        return found.answer
      }
    }
    return local?.getEntry(handle, owner)
  }

  async function list(owner: string): Promise<EntryInfo[]> {
    const there = (await asked(() => shared.list(owner)))?.answer ?? []
    const known = new Set(there.map(({ handle }) => handle))
    const here = ((await local?.list(owner)) ?? []).filter(({ handle }) => !known.has(handle))
    return [...there.filter(({ handle }) => !removed.has(handle)), ...here]
  }

  async function remove(handle: Handle, owner: string): Promise<boolean> {
    const there = await asked(() => shared.remove(handle, owner))
    if (there === undefined && !isLocal(handle)) removed.set(handle, owner)
    waiting.delete(handle)
    refused.delete(handle)
    seen.delete(handle)
    const wasHere = (await local?.remove(handle, owner)) ?? false
    return wasHere || (there?.answer ?? false)
  }

  async function settle(): Promise<void> {
    for (const [handle, owner] of [...removed.entries()]) {
      if ((await asked(() => shared.remove(handle, owner))) === undefined) return
      removed.delete(handle)
    }
    for (const [handle, owner] of [...waiting.entries()]) {
      const entry = await local?.getEntry(handle, owner)
      // In memory alone: it is put when it leaves memory.
      if (entry === undefined) continue
      await put(entry)
      if (waiting.has(handle)) return
    }
  }

  let settling: Promise<void> | undefined
  return {
    isShared: shared.isShared ?? false,
    isAlone: (handle) => isLocal(handle) && !isLocalSeen,
    put,
    get: async (handle, owner) => (await getEntry(handle, owner))?.content,
    getEntry,
    info,
    async handleOf(owner, hash) {
      const found = await asked(() => shared.handleOf(owner, hash))
      const handle = found?.answer ?? (await local?.handleOf(owner, hash))
      return handle === undefined || removed.has(handle) ? undefined : handle
    },
    list,
    remove,
    async clear() {
      for (const book of [waiting, refused, removed, seen]) book.clear()
      await asked(() => shared.clear())
      await local?.clear()
    },
    async size() {
      return ((await asked(() => shared.size()))?.answer ?? 0) + ((await local?.size()) ?? 0)
    },
    async stats() {
      const there = (await asked(() => shared.stats()))?.answer ?? { entries: 0, bytes: 0 }
      const here = (await local?.stats()) ?? { entries: 0, bytes: 0 }
      return { entries: there.entries + here.entries, bytes: there.bytes + here.bytes }
    },
    async sweep() {
      settling ??= settle().finally(() => {
        settling = undefined
      })
      await settling
      await local?.sweep?.()
    },
    async close() {
      await settling
      await shared.close()
      await local?.close()
    },
  }
}
