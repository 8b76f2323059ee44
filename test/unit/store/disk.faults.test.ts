/**
 * Every call of the file system that a recorded session makes fails once. The process ends at each of them. The power is lost at each of
 * them, with content that was not synced there, gone or in part. After SQLite's tests of input and output errors and of crashes.
 */
import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createDiskStore } from '../../../src/store/disk.ts'
import { type Handle, newHandle } from '../../../src/store/handles.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { createResultStore } from '../../../src/store/result-store.ts'
import type { Entry, Store } from '../../../src/store/store.ts'
import { entryOf } from '../../contract/store.ts'
import { RESULT_STORE_DEFAULTS } from '../../support/defaults.ts'
import { MemoryFiles } from '../../support/memory-files.ts'

let files = new MemoryFiles()
vi.mock('node:fs/promises', async () =>
  (await import('../../support/memory-files.ts')).promisesOf(() => files),
)
beforeEach(() => {
  files = new MemoryFiles()
})

const OWNERS = ['ann', 'ben'] as const
const SIZE = entryOf(newHandle(), 'text 0').size
const ENTRIES: readonly Entry[] = Array.from({ length: 8 }, (_, at) =>
  entryOf(newHandle(), `text ${at}`, { owner: OWNERS[at % 2] ?? '', lastAccessed: 1000 + at }),
)

function open(changes: { maxBytes?: number; now?: number } = {}): Promise<Store> {
  const { maxBytes = 1e9, now = 5000 } = changes
  return createDiskStore({ directory: '/data/results', maxBytes, maxAge: 1e9, now: () => now })
}

/** The handles that a session knows of. */
interface Told {
  /** Put, and not removed since then. */
  kept: Set<Handle>
  /** Removed, and put never again. */
  gone: Set<Handle>
}

/** A session of everything a store does. A step that fails is followed by the next one. */
async function session(maxBytes: number): Promise<Told> {
  const told: Told = { kept: new Set(), gone: new Set() }
  const attempt = async (step: () => Promise<unknown>): Promise<void> => {
    await step().catch((error: unknown) => expect(error).toMatchObject({ code: 'STORE_FAILED' }))
  }
  await attempt(async () => {
    const store = await open({ maxBytes })
    for (const entry of ENTRIES)
      await attempt(async () => {
        await store.put(entry)
        told.kept.add(entry.handle)
      })
    const [first, second, third] = ENTRIES as [Entry, Entry, Entry]
    await attempt(() => store.put({ ...second, lastAccessed: 3000, accessCount: 9 }))
    await attempt(async () => {
      const found = await store.getEntry(third.handle, third.owner)
      if (found) expect(found.hash).toBe(third.hash)
    })
    await attempt(() => store.handleOf(second.owner, second.hash))
    await attempt(() => store.list(second.owner))
    // From here on it may be missing.
    told.kept.delete(first.handle)
    await attempt(async () => {
      await store.remove(first.handle, first.owner)
      told.gone.add(first.handle)
    })
    await attempt(async () => store.sweep?.())
    await store.close()
  })
  return told
}

/** Nothing of another, nothing in part, and the store goes on working. */
async function checkWhatIsThere(told: Told, maxBytes = 1e9): Promise<void> {
  const store = await open({ maxBytes })
  for (const entry of ENTRIES) {
    const found = await store.getEntry(entry.handle, entry.owner)
    if (found !== undefined) {
      expect(Buffer.from(found.content)).toEqual(Buffer.from(entry.content))
      expect([found.owner, found.hash]).toEqual([entry.owner, entry.hash])
    }
    if (told.kept.has(entry.handle)) expect(found, `${entry.handle} was put`).toBeDefined()
    if (told.gone.has(entry.handle)) expect(found, `${entry.handle} was removed`).toBeUndefined()
    const handle = await store.handleOf(entry.owner, entry.hash)
    if (handle !== undefined) expect((await store.info(handle, entry.owner))?.owner).toBe(entry.owner)
  }
  for (const owner of OWNERS) for (const info of await store.list(owner)) expect(info.owner).toBe(owner)
  await store.sweep?.()
  const more = entryOf(newHandle(), 'more', { lastAccessed: 9000 })
  await store.put(more)
  expect((await store.getEntry(more.handle, more.owner))?.hash).toBe(more.hash)
  expect((await store.stats()).bytes).toBeLessThanOrEqual(maxBytes)
  await store.close()
}

/** How many calls the session makes when all goes well. */
async function callsOf(maxBytes: number): Promise<number> {
  await session(maxBytes)
  const { calls } = files
  files = new MemoryFiles()
  return calls
}

describe.each([
  ['with room for everything', 1e9],
  ['with room for a part', 4.5 * SIZE],
])('a disk store %s', (_, maxBytes) => {
  const all = maxBytes === 1e9

  test('keeps what it promised when any one call fails', { timeout: 60_000 }, async () => {
    const calls = await callsOf(maxBytes)
    expect(calls).toBeGreaterThan(100)
    for (let at = 1; at <= calls; at++) {
      files = new MemoryFiles()
      files.fate = (call) => (call === at ? 'fails' : 'works')
      const told = await session(maxBytes)
      files.restart()
      await checkWhatIsThere(all ? told : { ...told, kept: new Set() }, maxBytes)
    }
  })

  test('keeps what it promised when every call from one on fails', { timeout: 60_000 }, async () => {
    const calls = await callsOf(maxBytes)
    for (let at = 1; at <= calls; at++) {
      files = new MemoryFiles()
      files.fate = (call) => (call === at ? 'ends the process' : 'works')
      const told = await session(maxBytes)
      files.restart()
      await checkWhatIsThere(all ? told : { ...told, kept: new Set() }, maxBytes)
    }
  })

  test('has nothing wrong after a loss of power at any call', { timeout: 60_000 }, async () => {
    const calls = await callsOf(maxBytes)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: calls }),
        fc.infiniteStream(fc.nat()),
        async (at, chance) => {
          files = new MemoryFiles()
          files.fate = (call) => (call === at ? 'ends the process' : 'works')
          await session(maxBytes)
          files.losePower((count) => (chance.next().value as number) % count)
          // Nothing of it was synced, so nothing was promised, a removal neither.
          await checkWhatIsThere({ kept: new Set(), gone: new Set() }, maxBytes)
        },
      ),
      { numRuns: 300 },
    )
  })
})

test('a start makes as many calls for many entries as for few', async () => {
  const counts: number[] = []
  for (const entries of [10, 1000]) {
    files = new MemoryFiles()
    const before = await open()
    for (let at = 0; at < entries; at++) await before.put(entryOf(newHandle(), `text ${at}`))
    await before.close()
    files.called.length = 0
    const store = await open()
    await store.sweep?.()
    expect(files.called).not.toContain('open')
    counts.push(files.called.length)
    expect((await store.stats()).entries).toBe(entries)
  }
  expect(counts[1]).toBe(counts[0])
})

test('what was written since the memo was, and what is gone since then, is known after a start', async () => {
  const [a, b, c] = ENTRIES as [Entry, Entry, Entry]
  const first = await open()
  await first.put(a)
  await first.put(b)
  await first.close()
  // Another process, which then dies without a word.
  const other = await open()
  await other.put(c)
  await other.remove(a.handle, a.owner)
  const next = await open({ maxBytes: 2.5 * SIZE })
  const d = entryOf(newHandle(), 'text d', { lastAccessed: 4000 })
  await next.put(d)
  const there = await Promise.all([a, b, c, d].map(({ handle, owner }) => next.getEntry(handle, owner)))
  expect(there.map((entry) => entry !== undefined)).toEqual([false, false, true, true])
})

test('a memo that is damaged is as good as none', async () => {
  for (const memo of ['', '{', '[[1,2,3]]', '[["../../etc/passwd",5,5]]', 'null']) {
    files = new MemoryFiles()
    const store = await open()
    await store.put(ENTRIES[0] as Entry)
    await store.close()
    files.writeFile('/data/results/by-content/known', '')
    files.rm('/data/results/by-content/known')
    files.writeFile('/data/results/by-content/known', memo)
    const next = await open()
    expect(await next.stats()).toEqual({ entries: 1, bytes: SIZE })
  }
})

test('another process that uses an entry keeps it from being the first to leave', async () => {
  const [a, b] = ENTRIES as [Entry, Entry]
  const mine = await open({ maxBytes: 2.5 * SIZE })
  await mine.put(a)
  await mine.put(b)
  const other = await open()
  await other.put({ ...a, lastAccessed: 4000 })
  await mine.put(entryOf(newHandle(), 'text c', { lastAccessed: 4500 }))
  expect(await mine.getEntry(b.handle, b.owner)).toBeUndefined()
  expect(await mine.getEntry(a.handle, a.owner)).toBeDefined()
})

test('what was answered a second before the process is killed is there at the next start', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  try {
    const start = async () =>
      createResultStore({
        ...RESULT_STORE_DEFAULTS,
        memory: createMemoryStore(),
        backing: await open(),
        now: () => 5000,
        onDrop: () => {},
        onError: (error) => expect(error).toBeUndefined(),
      })
    const resultStore = await start()
    const kept = await Promise.all(
      ENTRIES.map(({ owner, content, hash, tool, arguments: args }) =>
        resultStore.keep({ id: owner }, { content, hash, origin: { tool, arguments: args } }),
      ),
    )
    await vi.advanceTimersByTimeAsync(1000)
    await vi.waitFor(() => expect(files.files.filter((name) => name.endsWith('.json'))).toHaveLength(8))
    files.restart()
    const next = await start()
    for (const { owner, handle, hash } of kept)
      expect((await next.get({ id: owner }, handle))?.hash).toBe(hash)
  } finally {
    vi.useRealTimers()
  }
})
