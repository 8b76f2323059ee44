import type { Entry, Handle, Store } from './store.ts'

/** Keeps entries in this process and nowhere else. */
export function createMemoryStore(): Store {
  const entries = new Map<Handle, Entry>()
  return {
    async put(entry) {
      entries.set(entry.handle, { ...entry })
    },
    async get(handle) {
      return entries.get(handle)?.content
    },
    async getEntry(handle) {
      const entry = entries.get(handle)
      return entry && { ...entry }
    },
    async remove(handle) {
      return entries.delete(handle)
    },
    async clear() {
      entries.clear()
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
    },
  }
}
