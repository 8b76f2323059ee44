import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LONGEST_HANDLE, TYPICAL_HANDLE } from '../../../src/documents/template.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import {
  createResultStore,
  type ResultStore,
  type ResultStoreOptions,
} from '../../../src/store/result-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { entryOf } from '../../contract/store.ts'
import { RESULT_STORE_DEFAULTS } from '../../support/defaults.ts'
import { deferred } from '../../support/deferred.ts'
import { verifies } from '../../support/verifies.ts'

const [ann, ben] = [{ id: 'ann' }, { id: 'ben' }]

/** A result of exactly `size` bytes; `name` tells results apart. */
function result(name: string, size = 100, tool = 'files_read') {
  const content = new TextEncoder().encode(name.padEnd(size, '.'))
  const hash = createHash('sha256').update(content).digest('hex')
  return { content, hash, origin: { tool, arguments: { name } } }
}

interface World {
  resultStore: ResultStore
  clock: { time: number }
  dropped: string[]
  errors: unknown[]
}

function world(changes: Partial<ResultStoreOptions> = {}): World {
  const clock = { time: 1_000_000 }
  const dropped: string[] = []
  const errors: unknown[] = []
  const resultStore = createResultStore({
    ...RESULT_STORE_DEFAULTS,
    memory: createMemoryStore(),
    now: () => clock.time,
    onDrop: ({ handle }) => dropped.push(handle),
    onError: (error) => errors.push(error),
    ...changes,
  })
  onTestFinished(() => resultStore.close())
  return { resultStore, clock, dropped, errors }
}

describe('keeping', () => {
  verifies('S3.27', 'an entry tells where it came from and how it was used', async () => {
    const { resultStore, clock } = world()
    const kept = await resultStore.keep(ann, result('a'))
    clock.time += 1000
    const entry = await resultStore.get(ann, kept.handle)
    expect(entry).toMatchObject({
      tool: 'files_read',
      arguments: { name: 'a' },
      created: 1_000_000,
      lastAccessed: 1_001_000,
      accessCount: 1,
      size: 100,
      owner: 'ann',
    })
    expect(Buffer.from(entry?.content ?? []).toString()).toBe('a'.padEnd(100, '.'))
    expect(resultStore.list(ann)).toMatchObject([{ handle: kept.handle, accessCount: 1 }])
    expect(resultStore.stats(ann)).toEqual({ entries: 1, bytes: 100 })
  })

  verifies('S3.30', 'handles have 12 characters that hold 48 random bits, never the same', async () => {
    const { resultStore } = world()
    const handles = new Set<string>()
    for (let i = 0; i < 400; i++) handles.add((await resultStore.keep(ann, result(`r${i}`))).handle)
    expect(handles.size).toBe(400)
    for (const handle of handles) expect(handle).toMatch(/^(?:[a-z]{3}\d{3}){2}$/)
    expect(TYPICAL_HANDLE).toMatch(/^(?:[a-z]{3}\d{3}){2}$/)
    for (let at = 0; at < 12; at++) {
      const seen = new Set([...handles].map((handle) => handle[at]))
      expect(seen.size).toBe(at % 6 < 3 ? 26 : 10)
    }
  })

  verifies(
    'S3.30',
    'the handle of an unknown owner, the only key to a result, has 25 characters of 128 random bits',
    async () => {
      const unknown = { id: 'anonymous', kind: 'anonymous' } as const
      const both = [
        { resultStore: world().resultStore, agent: unknown },
        { resultStore: world({ isolation: false }).resultStore, agent: ann },
      ]
      for (const { resultStore, agent } of both) {
        let [ever, always] = [0n, 2n ** 128n - 1n]
        for (let i = 0; i < 200; i++) {
          const { handle } = await resultStore.keep(agent, result(`r${i}`))
          expect(handle).toMatch(/^[0-9a-z]{25}$/)
          expect(handle).toHaveLength(LONGEST_HANDLE.length)
          const bits = [...handle].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
          ever |= bits
          always &= bits
        }
        expect([ever, always]).toEqual([2n ** 128n - 1n, 0n])
      }
    },
  )

  test('a result under the handle of an older release is still found', async () => {
    const backing = createMemoryStore()
    const { resultStore } = world({ backing })
    for (const handle of ['0123456789ab', LONGEST_HANDLE]) {
      const entry = entryOf(handle, 'old', { owner: 'ann' })
      await backing.put(entry)
      expect((await resultStore.get(ann, handle))?.tool).toBe(entry.tool)
    }
  })

  test('the same content of the same agent keeps its handle, also when fetched twice at once', async () => {
    const { resultStore, clock } = world()
    const [first, second] = await Promise.all([
      resultStore.keep(ann, result('a')),
      resultStore.keep(ann, result('a')),
    ])
    clock.time += 200_000
    const third = await resultStore.keep(ann, result('a', 100, 'another_tool'))
    expect([second.handle, third.handle]).toEqual([first.handle, first.handle])
    expect(third.lastAccessed).toBe(clock.time)
    expect((await resultStore.keep(ben, result('a'))).handle).not.toBe(first.handle)
    expect(resultStore.size).toBe(2)
  })

  test('large content lies on a SharedArrayBuffer', async () => {
    const { resultStore } = world()
    const { handle } = await resultStore.keep(ann, result('big', 200_000))
    expect((await resultStore.get(ann, handle))?.content.buffer).toBeInstanceOf(SharedArrayBuffer)
  })

  verifies('S3.33', "another agent's handle is like one that does not exist", async () => {
    const { resultStore, clock } = world()
    const { handle } = await resultStore.keep(ann, result('a'))
    clock.time += 10
    expect(await resultStore.get(ben, handle)).toBeUndefined()
    expect(await resultStore.remove(ben, handle)).toBe(false)
    expect(await resultStore.get(ben, 'ffffffffffff')).toBeUndefined()
    expect(await resultStore.get(ann, 'not a handle')).toBeUndefined()
    expect(resultStore.list(ann)[0]?.accessCount).toBe(0)
    expect(await resultStore.remove(ann, handle)).toBe(true)
    expect(await resultStore.get(ann, handle)).toBeUndefined()
  })
})

describe('lifetime', () => {
  verifies('S3.28', 'an entry lives 300 s from its last use', async () => {
    const { resultStore, clock, dropped } = world()
    const { handle } = await resultStore.keep(ann, result('a'))
    clock.time += 299_999
    expect(await resultStore.get(ann, handle)).toBeDefined()
    clock.time += 299_999
    expect(await resultStore.get(ann, handle)).toBeDefined()
    clock.time += 300_000
    expect(await resultStore.get(ann, handle)).toBeUndefined()
    expect(dropped).toEqual([handle])
    expect(resultStore.size).toBe(0)
  })

  verifies('S3.28', 'a sweep drops what is expired, by itself as well', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { resultStore, clock, dropped } = world()
    const { handle } = await resultStore.keep(ann, result('a'))
    clock.time += 300_000
    await vi.advanceTimersByTimeAsync(RESULT_STORE_DEFAULTS.sweepInterval)
    expect(resultStore.size).toBe(0)
    expect(dropped).toEqual([handle])
  })

  test('with a disk, handles outlive memory, and come back with the same content', async () => {
    const disk = createMemoryStore()
    const { resultStore, clock, dropped } = world({ backing: disk })
    const { handle } = await resultStore.keep(ann, result('a'))
    clock.time += 300_000
    await resultStore.sweep()
    expect(resultStore.size).toBe(0)
    expect(await disk.size()).toBe(1)
    expect(await resultStore.get(ben, handle)).toBeUndefined()
    const back = await resultStore.get(ann, handle)
    expect(Buffer.from(back?.content ?? []).toString()).toBe('a'.padEnd(100, '.'))
    expect(back).toMatchObject({ lastAccessed: clock.time, accessCount: 1 })
    expect(dropped).toEqual([])
    expect((await resultStore.keep(ann, result('a'))).handle).toBe(handle)
  })

  test('fetched again after it left memory, it has the handle it had', async () => {
    const { resultStore, clock } = world({ backing: createMemoryStore() })
    const { handle } = await resultStore.keep(ann, result('a'))
    clock.time += 300_000
    await resultStore.sweep()
    expect((await resultStore.keep(ann, result('a'))).handle).toBe(handle)
  })

  test('with a disk, handles outlive a restart', async () => {
    const disk: Store = { ...createMemoryStore(), close: async () => {} }
    const before = world({ backing: disk })
    const { handle } = await before.resultStore.keep(ann, result('a'))
    await before.resultStore.close()
    const after = world({ backing: disk })
    expect(await after.resultStore.get(ann, handle)).toMatchObject({
      handle,
      owner: 'ann',
    })
    expect(await after.resultStore.get(ben, handle)).toBeUndefined()
    expect((await after.resultStore.keep(ann, result('a'))).handle).toBe(handle)
    await after.resultStore.forgetAgent(ann)
    expect(await after.resultStore.get(ann, handle)).toBeUndefined()
  })

  test('reports a failing disk and drops lost entries', async () => {
    const failure = new Error('disk full')
    const disk: Store = {
      ...createMemoryStore(),
      put: () => Promise.reject(failure),
    }
    const memory = createMemoryStore()
    const { resultStore, clock, dropped, errors } = world({ backing: disk, memory })
    const { handle } = await resultStore.keep(ann, result('a'))
    clock.time += 300_000
    await resultStore.sweep()
    expect(errors).toEqual([failure])
    expect(await memory.size()).toBe(0)
    expect(dropped).toEqual([handle])
    expect(await resultStore.get(ann, handle)).toBeUndefined()
  })
})

describe('a store that several processes share', () => {
  /** Two result stores over one store, as two processes have them. */
  function both(): { here: World; there: World; store: Store } {
    const store: Store = { ...createMemoryStore(), isShared: true, close: async () => {} }
    return { here: world({ backing: store }), there: world({ backing: store }), store }
  }

  test('what one keeps the other gives, to its owner alone', async () => {
    const { here, there } = both()
    const { handle } = await here.resultStore.keep(ann, result('a'))
    expect(await there.resultStore.get(ann, handle)).toMatchObject({ handle, owner: 'ann' })
    expect(await there.resultStore.get(ben, handle)).toBeUndefined()
  })

  test('the same content of one owner has one handle, however it is kept', async () => {
    const { here, there } = both()
    const { handle } = await here.resultStore.keep(ann, result('a'))
    expect((await there.resultStore.keep(ann, result('a'))).handle).toBe(handle)
    expect((await there.resultStore.keep(ben, result('a'))).handle).not.toBe(handle)
  })

  test('what one removes the other has no more, and never puts back', async () => {
    const { here, there, store } = both()
    const { handle } = await here.resultStore.keep(ann, result('a'))
    const other = await here.resultStore.keep(ann, result('b'))
    expect(await there.resultStore.remove(ann, handle)).toBe(true)
    expect(await here.resultStore.get(ann, handle)).toBeUndefined()
    await there.resultStore.forgetAgent(ann)
    await here.resultStore.close()
    expect(await store.getEntry(other.handle, 'ann')).toBeUndefined()
    expect(here.dropped).toEqual([handle, other.handle])
  })

  test('a result that it does not take is not kept', async () => {
    const failure = new Error('not reached')
    const backing: Store = { ...createMemoryStore(), isShared: true, put: () => Promise.reject(failure) }
    const { resultStore } = world({ backing })
    await expect(resultStore.keep(ann, result('a'))).rejects.toBe(failure)
    expect(resultStore.size).toBe(0)
  })

  test('a store that cannot be asked for a handle does not keep a result from being kept', async () => {
    const failure = new Error('not reached')
    const backing: Store = { ...createMemoryStore(), handleOf: () => Promise.reject(failure) }
    const { resultStore, errors } = world({ backing })
    expect(await resultStore.keep(ann, result('a'))).toMatchObject({ owner: 'ann' })
    expect(errors).toEqual([failure])
  })
})

describe('limits', () => {
  verifies('S3.29', 'the largest idle time × size leaves first', async () => {
    const { resultStore, clock } = world({ maxEntriesPerAgent: 3 })
    const oldSmall = await resultStore.keep(ann, result('old small', 100))
    clock.time += 5000
    const big = await resultStore.keep(ann, result('big', 1000))
    clock.time += 4000
    const young = await resultStore.keep(ann, result('young', 200))
    clock.time += 1000
    // 10 s × 100 < 5 s × 1000 > 1 s × 200
    await resultStore.keep(ann, result('one more'))
    expect(await resultStore.get(ann, big.handle)).toBeUndefined()
    expect(await resultStore.get(ann, oldSmall.handle)).toBeDefined()
    expect(await resultStore.get(ann, young.handle)).toBeDefined()
  })

  verifies('S3.32', 'an agent has 20 entries in memory at most, and others do not feel it', async () => {
    const { resultStore, clock } = world()
    const other = await resultStore.keep(ben, result('of ben'))
    for (let i = 0; i < 25; i++) {
      clock.time += 1
      await resultStore.keep(ann, result(`r${i}`))
    }
    expect(resultStore.stats(ann).entries).toBe(20)
    expect(await resultStore.get(ben, other.handle)).toBeDefined()
  })

  verifies('S3.32', "an agent's bytes are limited; a larger result is kept alone", async () => {
    const { resultStore, clock } = world({ maxBytesPerAgent: 1000 })
    for (const name of ['a', 'b', 'c']) {
      clock.time += 1
      await resultStore.keep(ann, result(name, 400))
    }
    expect(resultStore.stats(ann)).toEqual({ entries: 2, bytes: 800 })
    clock.time += 1
    const huge = await resultStore.keep(ann, result('huge', 5000))
    expect(resultStore.stats(ann)).toEqual({ entries: 1, bytes: 5000 })
    expect(await resultStore.get(ann, huge.handle)).toBeDefined()
    clock.time += 1
    await resultStore.keep(ann, result('d', 10))
    expect(resultStore.stats(ann)).toEqual({ entries: 1, bytes: 10 })
  })

  verifies('S3.32', 'of too many agents the longest idle leaves', async () => {
    const { resultStore, clock } = world({ maxAgents: 2 })
    const ofAnn = await resultStore.keep(ann, result('a'))
    const ofBen = await resultStore.keep(ben, result('b'))
    clock.time += 1
    await resultStore.get(ann, ofAnn.handle)
    await resultStore.keep({ id: 'cid' }, result('c'))
    expect(await resultStore.get(ben, ofBen.handle)).toBeUndefined()
    expect(await resultStore.get(ann, ofAnn.handle)).toBeDefined()
  })

  verifies('S3.32', '1,000 agents fit', async () => {
    const { resultStore } = world()
    for (let i = 0; i < 1001; i++) await resultStore.keep({ id: `agent ${i}` }, result('same'))
    expect(resultStore.size).toBe(1000)
    expect(resultStore.stats({ id: 'agent 0' }).entries).toBe(0)
  })

  test('the bytes of all agents together are limited', async () => {
    const { resultStore } = world({ maxBytes: 1000 })
    await resultStore.keep(ann, result('a', 600))
    await resultStore.keep(ben, result('b', 600))
    expect(resultStore.stats()).toEqual({ entries: 1, bytes: 600 })
    expect(resultStore.stats(ben).entries).toBe(1)
  })

  verifies('S3.32', 'without isolation all agents are one, with 50 entries', async () => {
    const { resultStore, clock } = world({ isolation: false })
    const { handle } = await resultStore.keep(ann, result('a'))
    expect(await resultStore.get(ben, handle)).toBeDefined()
    for (let i = 0; i < 60; i++) {
      clock.time += 1
      await resultStore.keep({ id: `agent ${i}` }, result(`r${i}`))
    }
    expect(resultStore.stats()).toMatchObject({ entries: 50 })
  })

  test('writes evicted entries to disk and reads them back', async () => {
    const { resultStore } = world({
      maxEntriesPerAgent: 1,
      backing: createMemoryStore(),
    })
    const first = await resultStore.keep(ann, result('a'))
    const second = await resultStore.keep(ann, result('b'))
    expect(resultStore.stats(ann).entries).toBe(1)
    expect(await resultStore.get(ann, first.handle)).toBeDefined()
    expect(await resultStore.get(ann, second.handle)).toBeDefined()
  })
})

verifies('S3.32', 'a disk that is slower than results come does not let the memory fill', async () => {
  const slow = deferred()
  const disk = createMemoryStore()
  const put = disk.put.bind(disk)
  disk.put = (entry) => slow.promise.then(() => put(entry))
  const memory = createMemoryStore()
  const { resultStore } = world({ memory, backing: disk, maxEntriesPerAgent: 1, maxBytesPerAgent: 1000 })
  const kept: string[] = []
  const all = Array.from({ length: 8 }, (_, nth) => result(`r${nth}`, 600))
  const keeping = (async () => {
    for (const one of all) kept.push((await resultStore.keep(ann, one)).handle)
  })()
  // The one that is kept, one that is waited for, and the one that waits.
  await expect.poll(memory.size).toBe(3)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect([await memory.size(), kept.length]).toEqual([3, 2])
  slow.resolve()
  await keeping
  for (const [nth, handle] of kept.entries())
    expect(await resultStore.get(ann, handle)).toMatchObject({ content: all[nth]?.content })
})

describe('forgetting', () => {
  test('an agent that does not come back takes everything along, from disk too', async () => {
    const disk = createMemoryStore()
    const { resultStore } = world({ backing: disk, maxEntriesPerAgent: 1 })
    const ofAnn = [await resultStore.keep(ann, result('a')), await resultStore.keep(ann, result('b'))]
    const ofBen = await resultStore.keep(ben, result('a'))
    await resultStore.forgetAgent(ann)
    for (const { handle } of ofAnn) expect(await resultStore.get(ann, handle)).toBeUndefined()
    expect(await resultStore.get(ben, ofBen.handle)).toBeDefined()
    expect(await disk.size()).toBe(0)
  })

  test('clear empties memory and disk', async () => {
    const disk = createMemoryStore()
    const { resultStore } = world({ backing: disk, maxEntriesPerAgent: 1 })
    const { handle } = await resultStore.keep(ann, result('a'))
    await resultStore.keep(ann, result('b'))
    await resultStore.clear()
    expect(resultStore.size).toBe(0)
    expect(await disk.size()).toBe(0)
    expect(await resultStore.get(ann, handle)).toBeUndefined()
  })
})

describe('marks', () => {
  test('what is pinned has no end of life, and keeps its name through a restart', async () => {
    const disk = createMemoryStore()
    const lasting: Store = { ...disk, close: async () => {} }
    const { resultStore, clock } = world({ backing: lasting })
    const { handle } = await resultStore.keep(ann, result('a'))
    expect(await resultStore.mark(ann, handle, { pinned: true, label: 'orders' })).toMatchObject({
      label: 'orders',
    })
    expect(await resultStore.mark(ben, handle, { pinned: false })).toBeUndefined()
    clock.time += 1e12
    await resultStore.sweep()
    expect(resultStore.list()).toHaveLength(1)
    await resultStore.close()
    const next = world({ backing: lasting })
    expect(await next.resultStore.pinned()).toMatchObject([{ handle, label: 'orders' }])
    expect(await next.resultStore.recent(ann)).toMatchObject([{ handle, label: 'orders', pinned: true }])
    expect(await next.resultStore.keep(ann, result('a'))).toMatchObject({
      handle,
      label: 'orders',
      pinned: true,
    })
  })

  test('of the results of an agent what is pinned leaves memory last', async () => {
    const { resultStore, clock } = world({ maxEntriesPerAgent: 2 })
    const { handle } = await resultStore.keep(ann, result('a', 1000))
    await resultStore.mark(ann, handle, { pinned: true })
    for (const name of ['b', 'c', 'd']) {
      clock.time += 1000
      await resultStore.keep(ann, result(name))
    }
    expect(resultStore.list().map((info) => info.handle)).toContain(handle)
    expect(resultStore.size).toBe(2)
  })

  test('a session that ends leaves what is pinned of it', async () => {
    const { resultStore } = world({ backing: createMemoryStore() })
    const { handle } = await resultStore.keep(ann, result('a'))
    await resultStore.keep(ann, result('b'))
    await resultStore.mark(ann, handle, { pinned: true })
    await resultStore.forgetAgent(ann)
    expect((await resultStore.pinned()).map((info) => info.handle)).toEqual([handle])
    expect(await resultStore.recent(ann)).toHaveLength(1)
  })

  test('what another process said of a result is not undone when it leaves memory here', async () => {
    const backing = createMemoryStore()
    const { resultStore, clock } = world({ backing, maxEntriesPerAgent: 1 })
    const { handle } = await resultStore.keep(ann, result('a'))
    const other = world({ backing: { ...backing, close: async () => {} } })
    await expect.poll(() => backing.size()).toBe(1)
    other.clock.time += 1000
    await other.resultStore.mark(ann, handle, { pinned: true })
    clock.time += 2000
    await resultStore.keep(ann, result('b'))
    await expect
      .poll(async () => (await resultStore.recent(ann)).find((one) => one.handle === handle)?.pinned)
      .toBe(true)
    expect(await backing.info(handle, 'ann')).toMatchObject({ pinned: true })
  })
})

describe('write-through', () => {
  test('what was kept is in the backing store soon, without leaving memory', async () => {
    const backing = createMemoryStore()
    const { resultStore } = world({ backing })
    const { handle } = await resultStore.keep(ann, result('a'))
    await expect.poll(() => backing.info(handle, 'ann')).toMatchObject({ handle, owner: 'ann' })
    expect(resultStore.list(ann)).toHaveLength(1)
  })

  test('what is removed while it is written does not come back', async () => {
    const gate = deferred()
    const store = createMemoryStore()
    const begun = deferred()
    const backing: Store = {
      ...store,
      async put(entry) {
        begun.resolve()
        await gate.promise
        await store.put(entry)
      },
    }
    const { resultStore } = world({ backing })
    const { handle } = await resultStore.keep(ann, result('a'))
    await begun.promise
    const removed = resultStore.remove(ann, handle)
    gate.resolve()
    expect(await removed).toBe(true)
    expect(await store.info(handle, 'ann')).toBeUndefined()
  })
})
