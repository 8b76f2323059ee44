import { mkdir, mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDiskStore, type DiskStoreOptions } from '../../../src/store/disk.ts'
import type { Store } from '../../../src/store/store.ts'
import { entryOf, storeContract } from '../../contract/store.ts'

const [A, B, C] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc'] as const

async function openDisk(changes: Partial<DiskStoreOptions> = {}): Promise<{
  store: Store
  directory: string
  dispose: () => Promise<void>
}> {
  const parent = await mkdtemp(join(tmpdir(), 'disk-store-'))
  const directory = join(parent, 'results')
  const store = await createDiskStore({
    directory,
    maxBytes: 1e9,
    maxAge: 1e9,
    now: () => 5000,
    ...changes,
  })
  return {
    store,
    directory,
    dispose: () => rm(parent, { recursive: true, force: true }),
  }
}

async function opened(changes: Partial<DiskStoreOptions> = {}): Promise<{ store: Store; directory: string }> {
  const disk = await openDisk(changes)
  onTestFinished(disk.dispose)
  return disk
}

storeContract('disk', openDisk)

/** The files of entries, without the folder in which they are found by owner and content. */
async function filesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name !== 'by-content').sort()
}

const indexIn = (directory: string): Promise<string[]> => readdir(join(directory, 'by-content'))

describe('disk store', () => {
  test('is readable by its owner alone', async () => {
    const { store, directory } = await opened()
    await store.put(entryOf(A))
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect((await stat(join(directory, 'by-content'))).mode & 0o777).toBe(0o700)
    const names = await filesIn(directory)
    expect(names).toEqual([`${A}.content`, `${A}.json`])
    const [found = ''] = await indexIn(directory)
    for (const name of [...names, join('by-content', found)])
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600)
  })

  test('narrows the rights of a directory that was there', async () => {
    const { directory } = await opened()
    await rm(directory, { recursive: true })
    await mkdir(directory, { mode: 0o755 })
    await createDiskStore({
      directory,
      maxBytes: 1e9,
      maxAge: 1e9,
      now: () => 5000,
    })
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
  })

  test('is seen by another process that shares the directory, and after a restart', async () => {
    const { store, directory } = await opened()
    const other = await createDiskStore({
      directory,
      maxBytes: 1e9,
      maxAge: 1e9,
      now: () => 5000,
    })
    await store.put(entryOf(A))
    await store.close()
    expect((await other.getEntry(A, 'someone'))?.tool).toBe('files_read')
  })

  test('content cut short, edited or without metadata is no entry and is removed', async () => {
    const { store, directory } = await opened()
    for (const handle of [A, B, C]) await store.put(entryOf(handle))
    await truncate(join(directory, `${A}.content`), 3)
    await writeFile(join(directory, `${B}.json`), '{"handle":')
    await rm(join(directory, `${C}.json`))
    for (const handle of [A, B, C]) expect(await store.getEntry(handle, 'someone')).toBeUndefined()
    expect(await filesIn(directory)).toEqual([`${C}.content`])
  })

  test('a file that cannot be removed is not an entry', async () => {
    const { store, directory } = await opened()
    await store.put(entryOf(A))
    await rm(join(directory, `${A}.content`))
    // A directory in its place: `rm` refuses it, as it refuses a file in a directory that is read-only.
    await mkdir(join(directory, `${A}.content`))
    expect(await store.getEntry(A, 'someone')).toBeUndefined()
  })

  test('owners and hashes may be any text, and lead to no entry of another', async () => {
    const { store, directory } = await opened()
    await store.put(entryOf(A, 'a', { owner: '../../x' }))
    expect(await store.handleOf('../../x', entryOf(A, 'a').hash)).toBe(A)
    expect(await store.handleOf('someone', entryOf(A, 'a').hash)).toBeUndefined()
    const [name = ''] = await indexIn(directory)
    await store.put(entryOf(B, 'b'))
    for (const wrong of [B, '../../etc/passwd', '']) {
      await writeFile(join(directory, 'by-content', name), wrong)
      expect(await store.handleOf('../../x', entryOf(A, 'a').hash)).toBeUndefined()
      expect(await store.list('../../x')).toEqual([])
    }
  })

  test('a handle is found by its content only while its entry is there', async () => {
    let time = 5000
    const { store, directory } = await opened({ maxAge: 1000, now: () => time })
    const entry = entryOf(A, 'a', { lastAccessed: 5000 })
    await store.put(entry)
    time = 6001
    expect(await store.handleOf(entry.owner, entry.hash)).toBeUndefined()
    expect(await store.list(entry.owner)).toEqual([])
    await rm(join(directory, `${A}.json`))
    await rm(join(directory, `${A}.content`))
    await store.sweep?.()
    expect(await indexIn(directory)).toEqual([])
  })

  test('same length but other bytes is no entry', async () => {
    const { store, directory } = await opened()
    const entry = entryOf(A)
    await store.put(entry)
    await writeFile(join(directory, `${A}.content`), Buffer.alloc(entry.size, 32))
    expect(await store.get(A, 'someone')).toBeUndefined()
    expect(await store.size()).toBe(0)
  })

  test('metadata that names another handle is no entry', async () => {
    const { store, directory } = await opened()
    await store.put(entryOf(A))
    const { copyFile } = await import('node:fs/promises')
    await copyFile(join(directory, `${A}.json`), join(directory, `${B}.json`))
    await copyFile(join(directory, `${A}.content`), join(directory, `${B}.content`))
    expect(await store.get(B, 'someone')).toBeUndefined()
  })

  test('over its size the longest unused leaves first', async () => {
    const size = entryOf(A).size
    const { store } = await opened({ maxBytes: 2.5 * size })
    await store.put(entryOf(A, 'hello', { lastAccessed: 3000 }))
    await store.put(entryOf(B, 'hello', { lastAccessed: 1000 }))
    await store.put(entryOf(C, 'hello', { lastAccessed: 2000 }))
    expect(await store.get(B, 'someone')).toBeUndefined()
    expect(await store.stats()).toEqual({ entries: 2, bytes: 2 * size })
  })

  test('many writers at once stay within its size, and leave room for the next', async () => {
    const size = entryOf(A).size
    const { store, directory } = await opened({ maxBytes: 10 * size })
    let most = 0
    const watch = setInterval(async () => {
      const names = await readdir(directory).catch(() => [])
      most = Math.max(most, names.filter((name) => name.endsWith('.content')).length)
    }, 1)
    const handles = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(12, '0'))
    await Promise.all(handles.map((handle, at) => store.put(entryOf(handle, 'hello', { lastAccessed: at }))))
    clearInterval(watch)
    expect(most).toBeLessThanOrEqual(11)
    expect((await store.stats()).bytes).toBeLessThanOrEqual(10 * size)
  })

  test('knows its entries after a restart, and makes room for new ones', async () => {
    const size = entryOf(A).size
    const { store, directory } = await opened({ maxBytes: 2.5 * size })
    await store.put(entryOf(A, 'hello', { lastAccessed: 3000 }))
    await store.put(entryOf(B, 'hello', { lastAccessed: 1000 }))
    const next = await createDiskStore({ directory, maxBytes: 2.5 * size, maxAge: 1e9, now: () => 5000 })
    await next.put(entryOf(C, 'hello', { lastAccessed: 4000 }))
    expect(
      [await next.get(A, 'someone'), await next.get(B, 'someone'), await next.get(C, 'someone')].map(
        (one) => one !== undefined,
      ),
    ).toEqual([true, false, true])
  })

  test('over its age an entry is gone, whether swept or only asked for', async () => {
    let time = 5000
    const { store, directory } = await opened({
      maxAge: 1000,
      now: () => time,
    })
    await store.put(entryOf(A, 'a', { lastAccessed: 5000 }))
    await store.put(entryOf(B, 'b', { lastAccessed: 5500 }))
    time = 6000
    expect(await store.get(A, 'someone')).toBeDefined()
    time = 6001
    expect(await store.get(A, 'someone')).toBeUndefined()
    time = 6501
    await store.sweep?.()
    expect(await filesIn(directory)).toEqual([])
    expect(await indexIn(directory)).toEqual([])
  })

  test('what is pinned outlives its age and a restart, and leaves for its size last', async () => {
    let time = 5000
    const size = entryOf(A).size
    const options = { maxAge: 1000, maxBytes: 2.5 * size, now: () => time }
    const { store, directory } = await opened(options)
    await store.put(entryOf(A, 'hello', { lastAccessed: 1, pinned: true }))
    await store.put(entryOf(B, 'hello', { lastAccessed: 5000 }))
    await store.put(entryOf(C, 'hello', { lastAccessed: 4999 }))
    expect(await filesIn(directory)).toEqual([`${A}.content`, `${A}.json`, `${C}.content`, `${C}.json`])
    time = 1e12
    const next = await createDiskStore({ directory, ...options })
    await next.sweep?.()
    expect(await filesIn(directory)).toEqual([`${A}.content`, `${A}.json`])
    expect((await next.pinned?.())?.map(({ handle }) => handle)).toEqual([A])
    await next.put(entryOf(A, 'hello', { lastAccessed: 1, pinned: false }))
    await next.sweep?.()
    expect(await filesIn(directory)).toEqual([])
  })

  test('a sweep keeps files of other processes and foreign files', async () => {
    const { store, directory } = await opened({ maxAge: 1, now: () => 1e15 })
    await writeFile(join(directory, 'README'), 'x')
    await writeFile(join(directory, `${A}.content`), 'x')
    await writeFile(join(directory, `${B}.json.123.tmp`), 'x')
    await utimes(join(directory, 'README'), 1, 1)
    await store.sweep?.()
    expect(await filesIn(directory)).toEqual(['README', `${A}.content`, `${B}.json.123.tmp`].sort())
  })

  test('two writers of one handle leave one whole entry', async () => {
    const { store, directory } = await opened()
    const other = await createDiskStore({
      directory,
      maxBytes: 1e9,
      maxAge: 1e9,
      now: () => 5000,
    })
    await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).put(entryOf(A))))
    expect(await filesIn(directory)).toEqual([`${A}.content`, `${A}.json`])
    expect(await store.get(A, 'someone')).toBeDefined()
  })

  test('says STORE_FAILED when the directory cannot be made', async () => {
    const { directory } = await opened()
    const file = join(directory, 'file')
    await writeFile(file, '')
    const under = {
      directory: join(file, 'x'),
      maxBytes: 1,
      maxAge: 1,
      now: () => 0,
    }
    await expect(createDiskStore(under)).rejects.toMatchObject({
      code: 'STORE_FAILED',
    })
  })
})
