/** The shared suite of all stores. */
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newHandle } from '../../src/store/handles.ts'
import type { Entry, Store } from '../../src/store/store.ts'
import { verifies } from '../support/verifies.ts'

/** An entry that a store may be given; content and times can be chosen. */
export function entryOf(handle: string, text = 'hello', changes: Partial<Entry> = {}): Entry {
  const content = new TextEncoder().encode(JSON.stringify({ content: [{ type: 'text', text }] }))
  return {
    handle,
    owner: 'someone',
    hash: createHash('sha256').update(content).digest('hex'),
    content,
    size: content.byteLength,
    tool: 'files_read',
    arguments: { path: '/a', __proto__: { b: 1 } },
    created: 1000,
    lastAccessed: 2000,
    accessCount: 3,
    ttl: 300_000,
    ...changes,
  }
}

export function storeContract(
  name: string,
  open: () => Promise<{ store: Store; dispose?: () => Promise<void> }>,
): void {
  describe(`store contract: ${name}`, () => {
    let store: Store
    let dispose: (() => Promise<void>) | undefined
    beforeEach(async () => {
      const opened = await open()
      store = opened.store
      dispose = opened.dispose
    })
    afterEach(async () => {
      await store.close()
      await dispose?.()
    })

    verifies('S3.27 S3.31', 'returns every field of a stored entry', async () => {
      const entry = entryOf('0123456789ab', 'ünï\u0000 text 😀')
      await store.put(entry)
      const found = await store.getEntry(entry.handle, 'someone')
      expect({
        ...found,
        content: Buffer.from(found?.content ?? []),
      }).toEqual({
        ...entry,
        content: Buffer.from(entry.content),
      })
      expect(Buffer.from((await store.get(entry.handle, 'someone')) ?? [])).toEqual(
        Buffer.from(entry.content),
      )
    })

    test('keeps what lies under a handle of this release, and of an older one', async () => {
      for (const handle of [newHandle(), '0123456789ab']) {
        await store.put(entryOf(handle, handle))
        expect((await store.getEntry(handle, 'someone'))?.hash).toBe(entryOf(handle, handle).hash)
      }
    })

    verifies('S3.31', 'keeps content that lies on a SharedArrayBuffer', async () => {
      const entry = entryOf('0123456789ab')
      const content = new Uint8Array(new SharedArrayBuffer(entry.size))
      content.set(entry.content)
      await store.put({ ...entry, content })
      expect(Buffer.from((await store.get(entry.handle, 'someone')) ?? [])).toEqual(
        Buffer.from(entry.content),
      )
    })

    verifies('S3.31', 'returns nothing for unknown and removed handles', async () => {
      expect(await store.get('ffffffffffff', 'someone')).toBeUndefined()
      expect(await store.getEntry('ffffffffffff', 'someone')).toBeUndefined()
      expect(await store.remove('ffffffffffff', 'someone')).toBe(false)
      await store.put(entryOf('0123456789ab'))
      expect(await store.remove('0123456789ab', 'someone')).toBe(true)
      expect(await store.remove('0123456789ab', 'someone')).toBe(false)
      expect(await store.get('0123456789ab', 'someone')).toBeUndefined()
    })

    test('says who owns what, by owner and content', async () => {
      const mine = entryOf('aaaaaaaaaaaa', 'one')
      const also = entryOf('bbbbbbbbbbbb', 'two')
      const theirs = entryOf('cccccccccccc', 'one', { owner: 'another' })
      for (const entry of [mine, also, theirs]) await store.put(entry)
      expect(await store.handleOf('someone', mine.hash)).toBe(mine.handle)
      expect(await store.handleOf('another', mine.hash)).toBe(theirs.handle)
      expect(await store.handleOf('another', also.hash)).toBeUndefined()
      const { content: _, ...info } = theirs
      expect(await store.info(theirs.handle, 'another')).toEqual(info)
      expect(await store.list('another')).toEqual([info])
      expect((await store.list('someone')).map(({ handle }) => handle).sort()).toEqual([
        mine.handle,
        also.handle,
      ])
      expect(await store.list('nothing')).toEqual([])
    })

    test('forgets the owner of content when it is removed or cleared', async () => {
      const [a, b] = [entryOf('aaaaaaaaaaaa', 'one'), entryOf('bbbbbbbbbbbb', 'two')]
      await store.put(a)
      await store.put(b)
      await store.remove(a.handle, 'someone')
      expect(await store.handleOf(a.owner, a.hash)).toBeUndefined()
      expect(await store.info(a.handle, 'someone')).toBeUndefined()
      expect((await store.list(a.owner)).map(({ handle }) => handle)).toEqual([b.handle])
      await store.clear()
      expect(await store.handleOf(b.owner, b.hash)).toBeUndefined()
      expect(await store.list(b.owner)).toEqual([])
    })

    test('of equal content of one owner the last one put is found, also when another one is removed', async () => {
      const [first, last] = [entryOf('aaaaaaaaaaaa', 'one'), entryOf('bbbbbbbbbbbb', 'one')]
      await store.put(first)
      await store.put(last)
      expect(await store.handleOf(last.owner, last.hash)).toBe(last.handle)
      await store.remove(first.handle, 'someone')
      expect(await store.handleOf(last.owner, last.hash)).toBe(last.handle)
    })

    verifies('S3.31', 'counts entries and bytes, and clears', async () => {
      const [a, b] = [entryOf('aaaaaaaaaaaa', 'one'), entryOf('bbbbbbbbbbbb', 'two and more')]
      await store.put(a)
      await store.put(b)
      await store.put({ ...b, lastAccessed: 3000, accessCount: 4 })
      expect(await store.size()).toBe(2)
      expect(await store.stats()).toEqual({
        entries: 2,
        bytes: a.size + b.size,
      })
      // Several ask at once.
      const counts = await Promise.all([store.size(), store.stats(), store.size()])
      expect(counts).toEqual([2, { entries: 2, bytes: a.size + b.size }, 2])
      expect((await store.getEntry('bbbbbbbbbbbb', 'someone'))?.accessCount).toBe(4)
      await store.clear()
      expect(await store.size()).toBe(0)
      expect(await store.stats()).toEqual({ entries: 0, bytes: 0 })
      expect(await store.get('aaaaaaaaaaaa', 'someone')).toBeUndefined()
    })

    test('returns copies that callers may change', async () => {
      await store.put(entryOf('0123456789ab'))
      const found = await store.getEntry('0123456789ab', 'someone')
      if (found) found.accessCount = 99
      expect((await store.getEntry('0123456789ab', 'someone'))?.accessCount).toBe(3)
    })

    test('a pin and a name stay with an entry, and are taken away again', async () => {
      const entry = entryOf('0123456789ab')
      await store.put(entry)
      await store.put({ ...entry, pinned: true, label: 'the “orders” of may', marked: 4000 })
      const { content: _, ...info } = { ...entry, pinned: true, label: 'the “orders” of may', marked: 4000 }
      expect(await store.info(entry.handle, 'someone')).toEqual(info)
      expect(await store.list('someone')).toEqual([info])
      expect(await store.getEntry(entry.handle, 'someone')).toMatchObject({ pinned: true, marked: 4000 })
      if (store.pinned) expect(await store.pinned()).toEqual([info])
      await store.put({ ...entry, pinned: false, marked: 5000 })
      expect(await store.info(entry.handle, 'someone')).toEqual({
        ...info,
        pinned: false,
        label: undefined,
        marked: 5000,
      })
      if (store.pinned) expect(await store.pinned()).toEqual([])
    })

    test('names that are no handles are unknown', async () => {
      for (const name of ['', '..', '../../etc/passwd', '0123456789AB', '0123456789ab.json', '__proto__']) {
        expect(await store.get(name, 'someone')).toBeUndefined()
        expect(await store.info(name, 'someone')).toBeUndefined()
        expect(await store.remove(name, 'someone')).toBe(false)
      }
    })
  })
}
