import type { Handle } from './handles.ts'
import type { Entry, EntryInfo, Store } from './store.ts'

/** Keeps entries in this process and nowhere else. */
export function createMemoryStore(): Store {
  const entries = new Map<Handle, Entry>()
  const handles = new Map<string, Handle>()
  const key = (owner: string, hash: string): string => `${hash} ${owner}`

  function find(handle: Handle, owner: string): Entry | undefined {
    const entry = entries.get(handle)
    return entry?.owner === owner ? entry : undefined
  }

  return {
    async put(entry) {
      entries.set(entry.handle, { ...entry })
      handles.set(key(entry.owner, entry.hash), entry.handle)
    },
    async get(handle, owner) {
      return find(handle, owner)?.content
    },
    async getEntry(handle, owner) {
      const entry = find(handle, owner)
      return entry && { ...entry }
    },
    async info(handle, owner) {
      const entry = find(handle, owner)
      return entry && infoOf(entry)
    },
    async handleOf(owner, hash) {
      return handles.get(key(owner, hash))
    },
    async list(owner) {
      return [...entries.values()].filter((entry) => entry.owner === owner).map(infoOf)
    },
    async pinned() {
      return [...entries.values()].filter(({ pinned }) => pinned).map(infoOf)
    },
    async remove(handle, owner) {
      const entry = find(handle, owner)
      if (entry === undefined) return false
      const id = key(entry.owner, entry.hash)
      if (handles.get(id) === handle) handles.delete(id)
      return entries.delete(handle)
    },
    async clear() {
      entries.clear()
      handles.clear()
    },
    async size() {
      return entries.size
    },
    async stats() {
      let bytes = 0
      for (const entry of entries.values()) bytes += entry.size
      return { entries: entries.size, bytes }
    },
    async close() {
      entries.clear()
      handles.clear()
    },
  }
}

function infoOf({ content: _, ...info }: Entry): EntryInfo {
  return info
}
