import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { newHandle } from '../../../../src/store/handles.ts'
import { createMemoryStore } from '../../../../src/store/memory.ts'
import {
  createResultStore,
  RESULT_STORE_LIMITS,
  type ResultStore,
} from '../../../../src/store/result-store.ts'
import type { Store } from '../../../../src/store/store.ts'
import { openSharedStore, sharedStoreSchema } from '../../../../src/store/stores.ts'
import { entryOf as entryLongAgo, storeContract } from '../../../contract/store.ts'
import { describeWithValkey, startValkey, type ValkeyServer } from '../../../support/valkey-server.ts'

describeWithValkey('a shared store with a local one beside it', () => {
  let server: ValkeyServer
  beforeEach(async () => {
    server = await startValkey(['--appendonly', 'yes', '--appendfsync', 'always'])
  })
  afterEach(() => server.stop())

  interface Told {
    up: number
    away: string[]
    refused: string[]
  }

  async function open(
    settings: { blobs?: string; maxBytesPerClient?: number } = {},
    { maxBytes = 1e9 } = {},
  ): Promise<{ store: Store; told: Told }> {
    const dataDir = mkdtempSync(join(tmpdir(), 'shared-'))
    const told: Told = { up: 0, away: [], refused: [] }
    const store = await openSharedStore(sharedStoreSchema.parse({ url: server.url, ...settings }), {
      dataDir,
      maxBytes,
      maxAge: 600_000,
      now: Date.now,
      scope: '',
      onUp: () => told.up++,
      onAway: (reason) => told.away.push(reason),
      onRefused: (reason) => told.refused.push(reason),
    })
    onTestFinished(async () => {
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    })
    return { store, told }
  }

  /** Two that are connected. */
  async function both(): Promise<[Awaited<ReturnType<typeof open>>, Awaited<ReturnType<typeof open>>]> {
    const [here, there] = [await open(), await open()]
    await expect.poll(() => [here.told.up, there.told.up]).toEqual([1, 1])
    return [here, there]
  }

  function resultStoreOver(backing: Store, now: () => number = Date.now): ResultStore {
    return createResultStore({
      ...RESULT_STORE_LIMITS,
      memory: createMemoryStore(),
      backing,
      ttl: 60_000,
      maxEntriesPerAgent: 20,
      maxBytesPerAgent: 1e8,
      maxAgents: 100,
      isolation: true,
      maxEntries: 20,
      now,
      onDrop() {},
      onError(error) {
        throw error
      },
    })
  }

  /** On disk, an entry is as old as its last use. */
  function entryOf(handle: string, text: string) {
    return entryLongAgo(handle, text, { lastAccessed: Date.now() })
  }

  const ann = { id: 'ann' }
  const ben = { id: 'ben' }

  function result(text: string) {
    const { content, hash } = entryOf('0123456789ab', text)
    return { content, hash, origin: { tool: 'files_read', arguments: {} } }
  }

  storeContract('shared, with a local one', async () => {
    const { store } = await open()
    return { store }
  })

  test('while the server is away results are kept here, and found by the others once it is back', async () => {
    const [here, there] = await both()
    const before = entryOf(newHandle(), 'before')
    await here.store.put(before)
    await server.kill()
    await expect.poll(() => [here.told.away.length, there.told.away.length]).toEqual([1, 1])
    const entry = entryOf(newHandle(), 'while away')
    await here.store.put(entry)
    expect((await here.store.getEntry(entry.handle, entry.owner))?.hash).toBe(entry.hash)
    expect(await here.store.handleOf(entry.owner, entry.hash)).toBe(entry.handle)
    expect(await here.store.list(entry.owner)).toHaveLength(1)
    expect(await there.store.getEntry(entry.handle, entry.owner)).toBeUndefined()
    await server.restart()
    await expect.poll(() => [here.told.up, there.told.up], { timeout: 20_000 }).toEqual([2, 2])
    await expect
      .poll(async () => (await there.store.getEntry(entry.handle, entry.owner))?.hash, { timeout: 20_000 })
      .toBe(entry.hash)
    expect((await there.store.getEntry(before.handle, before.owner))?.hash).toBe(before.hash)
    expect(here.told).toMatchObject({ refused: [] })
  })

  test('what is removed while the server is away stays removed', async () => {
    const [here, there] = await both()
    const entry = entryOf(newHandle(), 'to remove')
    await here.store.put(entry)
    await server.kill()
    await expect.poll(() => here.told.away.length).toBe(1)
    await here.store.remove(entry.handle, entry.owner)
    await server.restart()
    await expect.poll(() => [here.told.up, there.told.up], { timeout: 20_000 }).toEqual([2, 2])
    await expect
      .poll(() => there.store.getEntry(entry.handle, entry.owner), { timeout: 20_000 })
      .toBeUndefined()
    expect(await here.store.getEntry(entry.handle, entry.owner)).toBeUndefined()
  })

  test('a result store goes on with what it has while the server stands still, and after it came back empty', async () => {
    const { store, told } = await open()
    const resultStore = resultStoreOver(store)
    onTestFinished(() => resultStore.close())
    const { handle } = await resultStore.keep(ann, result('a'))
    server.child.kill('SIGSTOP')
    expect((await resultStore.get(ann, handle))?.handle).toBe(handle)
    const other = await resultStore.keep(ann, result('b'))
    expect((await resultStore.keep(ann, result('b'))).handle).toBe(other.handle)
    expect((await resultStore.recent(ann)).map((entry) => entry.handle)).toEqual([other.handle, handle])
    expect(await resultStore.get(ben, handle)).toBeUndefined()
    expect(told.away).toHaveLength(1)
    // It writes nothing to disk.
    await server.restart()
    await expect.poll(() => told.up, { timeout: 20_000 }).toBe(2)
    expect((await resultStore.get(ann, handle))?.handle).toBe(handle)
    expect((await resultStore.get(ann, other.handle))?.handle).toBe(other.handle)
  })

  test('a result store finds on another proxy what its owner kept, the newest first, and nothing of others', async () => {
    // Farther apart than the clocks of two proxies, which each compares with that of the server.
    let ahead = 0
    const now = (): number => Date.now() + ahead
    const [a, b] = [resultStoreOver((await open()).store, now), resultStoreOver((await open()).store, now)]
    onTestFinished(() => Promise.all([a.close(), b.close()]).then(() => {}))
    const first = await a.keep(ann, result('first'))
    ahead += 10_000
    const second = await b.keep(ann, result('second'))
    ahead += 10_000
    expect((await a.recent(ann)).map(({ handle }) => handle)).toEqual([second.handle, first.handle])
    expect((await b.keep(ann, result('first'))).handle).toBe(first.handle)
    const recent = await a.recent(ann)
    expect(recent.map(({ handle }) => handle)).toEqual([first.handle, second.handle])
    expect(recent.every(({ isEarlier }) => !isEarlier)).toBe(true)
    expect(await a.recent(ben)).toEqual([])
    expect(await b.get(ben, first.handle)).toBeUndefined()
    expect(await b.remove(ben, first.handle)).toBe(false)
    expect(await b.remove(ann, first.handle)).toBe(true)
    expect(await a.get(ann, first.handle)).toBeUndefined()
  })

  test('a result that the server does not take lies in the directory that all proxies see', async () => {
    const blobs = mkdtempSync(join(tmpdir(), 'blobs-'))
    onTestFinished(() => rmSync(blobs, { recursive: true, force: true }))
    const settings = { blobs, maxBytesPerClient: 1024 }
    const [here, there] = [await open(settings), await open(settings)]
    const large = entryOf(newHandle(), [...Array(4000).keys()].join())
    await here.store.put(large)
    expect(here.told.refused).toEqual([expect.stringContaining('too large')])
    expect((await there.store.getEntry(large.handle, large.owner))?.hash).toBe(large.hash)
    expect(await there.store.getEntry(large.handle, 'another')).toBeUndefined()
  })

  test('without a local store, what the server does not take stays in the memory of the result store', async () => {
    const { store } = await open({}, { maxBytes: 0 })
    const resultStore = resultStoreOver(store)
    onTestFinished(() => resultStore.close())
    await server.kill()
    const { handle } = await resultStore.keep(ann, result('a'))
    expect((await resultStore.get(ann, handle))?.handle).toBe(handle)
  })
})
