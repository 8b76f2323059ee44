import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newHandle } from '../../../../src/store/handles.ts'
import {
  createValkeyStore,
  type ValkeyStore,
  type ValkeyStoreOptions,
} from '../../../../src/store/valkey/store.ts'
import { entryOf, storeContract } from '../../../contract/store.ts'
import { describeWithValkey, startValkey, type ValkeyServer } from '../../../support/valkey-server.ts'

const MEBIBYTE = 1024 * 1024
const KEY = 'a key of at least sixteen characters'

describeWithValkey('a store in Valkey', () => {
  let server: ValkeyServer
  beforeAll(async () => {
    server = await startValkey()
  })
  afterAll(() => server.stop())

  async function open(changes: Partial<ValkeyStoreOptions> = {}): Promise<ValkeyStore> {
    const store = await createValkeyStore({
      url: server.url,
      key: undefined,
      scope: '',
      maxAge: 60_000,
      maxBytesPerOwner: 256 * MEBIBYTE,
      now: () => 5000,
      onUp() {},
      onAway() {},
      commandMs: 10_000,
      backoffMs: 10,
      ...changes,
    })
    onTestFinished(() => store.close())
    return store
  }

  for (const [name, key] of [
    ['Valkey', undefined],
    ['Valkey, sealed', KEY],
  ] as const)
    storeContract(name, async () => {
      await server.tell('FLUSHALL')
      const options = {
        url: server.url,
        key,
        scope: '',
        maxAge: 60_000,
        maxBytesPerOwner: 256 * MEBIBYTE,
        now: () => 5000,
        onUp() {},
        onAway() {},
        commandMs: 10_000,
      }
      return { store: await createValkeyStore(options) }
    })

  /** A result that does not become smaller. */
  function noise(bytes: number): string {
    let text = ''
    for (let at = 0; text.length < bytes; at++)
      text += createHash('sha512').update(String(at)).digest('base64')
    return text.slice(0, bytes)
  }

  test.each([
    ['smaller than a chunk', 10_000],
    ['of a chunk and a byte', MEBIBYTE + 1],
    ['of several chunks', 5 * MEBIBYTE],
  ])('another process reads a result %s byte for byte', async (_, bytes) => {
    const [here, there] = [await open({ key: KEY }), await open({ key: KEY })]
    const entry = entryOf(newHandle(), noise(bytes))
    await here.put(entry)
    const found = await there.get(entry.handle, entry.owner)
    expect(Buffer.compare(Buffer.from(found ?? []), Buffer.from(entry.content))).toBe(0)
  })

  test('an empty result is kept', async () => {
    const store = await open()
    const content = new Uint8Array()
    const hash = createHash('sha256').digest('hex')
    const entry = entryOf(newHandle(), '', { content, size: 0, hash })
    await store.put(entry)
    expect(await store.getEntry(entry.handle, entry.owner)).toMatchObject({ size: 0, hash })
  })

  test('a result larger than any may be there is refused', async () => {
    const store = await open()
    const content = new Uint8Array(64 * MEBIBYTE + 1)
    const entry = entryOf(newHandle(), '', { content, size: content.byteLength })
    await expect(store.put(entry)).rejects.toThrow(/too large/)
  })

  test('with another key, or another scope, an owner of the same name has nothing', async () => {
    await server.tell('FLUSHALL')
    const entry = entryOf(newHandle(), 'secret')
    await (await open({ key: KEY })).put(entry)
    for (const other of [
      await open({ key: `${KEY}!` }),
      await open(),
      await open({ key: KEY, scope: 'x' }),
    ]) {
      expect(await other.getEntry(entry.handle, entry.owner)).toBeUndefined()
      expect(await other.list(entry.owner)).toEqual([])
      expect(await other.handleOf(entry.owner, entry.hash)).toBeUndefined()
    }
  })

  test('names of owners, tools and handles are no part of a key, whatever they are', async () => {
    const store = await open()
    const hostile = ['}{', 'a:b*', '\r\nFLUSHALL\r\n', '__proto__', '\u0000', 'ü'.repeat(5000), '']
    for (const owner of hostile) {
      const entry = entryOf(newHandle(), owner, { owner, tool: owner })
      await store.put(entry)
      expect((await store.getEntry(entry.handle, owner))?.tool).toBe(owner)
      expect((await store.list(owner)).map(({ handle }) => handle)).toEqual([entry.handle])
    }
    expect(await server.tell('KEYS', '*FLUSH*')).toBe('*0')
  })

  test('beyond the quota of its owner what was used longest ago leaves, and others keep theirs', async () => {
    await server.tell('FLUSHALL')
    const store = await open({ maxBytesPerOwner: 80_000 })
    const entries = [1, 2, 3].map((nth) => entryOf(newHandle(), noise(30_000) + nth))
    const theirs = entryOf(newHandle(), noise(30_000), { owner: 'another' })
    for (const entry of [theirs, ...entries]) await store.put(entry)
    const [first, second, third] = entries.map(({ handle }) => handle) as [string, string, string]
    // The first one is used, so the second one is the oldest.
    await store.getEntry(first, 'someone')
    const fourth = entryOf(newHandle(), `${noise(30_000)}4`)
    await store.put(fourth)
    const left = (await store.list('someone')).map(({ handle }) => handle)
    expect(left.sort()).toEqual([first, third, fourth.handle].sort())
    expect(await store.getEntry(second, 'someone')).toBeUndefined()
    expect(await store.getEntry(theirs.handle, 'another')).toBeDefined()
  })

  test('what is not used for its life is gone, with all that was known of it', async () => {
    await server.tell('FLUSHALL')
    const store = await open({ maxAge: 1 })
    const entry = entryOf(newHandle(), noise(2 * MEBIBYTE))
    await store.put(entry).catch(() => {})
    await expect.poll(() => server.tell('DBSIZE')).toBe(':0')
    expect(await store.getEntry(entry.handle, entry.owner)).toBeUndefined()
  })

  test('what is pinned outlives its life, and leaves for the quota last', async () => {
    await server.tell('FLUSHALL')
    const store = await open({ maxAge: 200, maxBytesPerOwner: 60_000 })
    const [first, second, third] = [1, 2, 3].map((nth) => entryOf(newHandle(), noise(30_000) + nth))
    if (!first || !second || !third) throw new Error('three entries')
    await store.put(first)
    await store.put({ ...first, pinned: true })
    await store.put(second)
    await store.put(third)
    const names = async () => (await store.list('someone')).map(({ handle }) => handle)
    expect((await names()).sort()).toEqual([first.handle, third.handle].sort())
    await expect.poll(names).toEqual([first.handle])
    expect(await store.getEntry(first.handle, 'someone')).toMatchObject({ pinned: true })
    await store.put({ ...first, pinned: false })
    await expect.poll(names).toEqual([])
    await expect.poll(() => server.tell('DBSIZE')).toBe(':0')
  })

  test('a use of an entry lengthens the life of all its chunks', async () => {
    await server.tell('FLUSHALL')
    const short = await open({ maxAge: 60_000 })
    const entry = entryOf(newHandle(), noise(3 * MEBIBYTE))
    await short.put(entry)
    const long = await open({ maxAge: 6_000_000 })
    await long.info(entry.handle, entry.owner)
    for (const key of await keys())
      expect(Number((await server.tell('PTTL', key)).slice(1)), key).toBeGreaterThan(60_000)
  })

  async function keys(): Promise<string[]> {
    const all = await server.tell('EVAL', "return table.concat(redis.call('KEYS', '*'), ' ')", '0')
    const length = Number(all.slice(1))
    const store = await server.tell(
      'EVAL',
      "return redis.status_reply(table.concat(redis.call('KEYS', '*'), ' '))",
      '0',
    )
    expect(store.length - 1).toBe(length)
    return store.slice(1).split(' ')
  }

  test('an entry with a missing or changed part is none, and leaves', async () => {
    for (const sealed of [undefined, KEY])
      for (const damage of ['missing', 'changed', 'swapped', 'metadata'] as const) {
        await server.tell('FLUSHALL')
        const store = await open({ key: sealed })
        const entry = entryOf(newHandle(), noise(3 * MEBIBYTE))
        await store.put(entry)
        const chunk = (await keys()).find((key) => /:e:.*:1$/.test(key)) ?? ''
        const main = chunk.slice(0, -2)
        if (damage === 'missing') await server.tell('DEL', chunk)
        if (damage === 'changed') await server.tell('SETRANGE', chunk, '500', 'x!x!')
        if (damage === 'swapped') await server.tell('COPY', `${main}:2`, chunk, 'REPLACE')
        if (damage === 'metadata') await server.tell('HSET', main, 'meta', '{"__proto__":1}')
        expect(await store.getEntry(entry.handle, entry.owner), damage).toBeUndefined()
        expect(await store.list(entry.owner), damage).toEqual([])
      }
  })

  test('a value that inflates to more than was put is refused', async () => {
    await server.tell('FLUSHALL')
    const store = await open()
    const small = entryOf(newHandle(), 'small')
    const large = entryOf(newHandle(), 'a'.repeat(900_000))
    await store.put(small)
    const [key = ''] = (await keys()).filter((one) => one.includes(':e:'))
    await store.put(large)
    const [other = ''] = (await keys()).filter((one) => one.includes(':e:') && one !== key)
    const copy = "return redis.call('HSET', KEYS[1], '0', redis.call('HGET', KEYS[2], '0'))"
    expect(await server.tell('EVAL', copy, '2', key, other)).toBe(':0')
    expect(await store.getEntry(small.handle, small.owner)).toBeUndefined()
  })

  test('of proxies with other clocks the times are those of one clock', async () => {
    const [here, there] = [await open({ now: Date.now }), await open({ now: () => Date.now() - 3_600_000 })]
    const created = Date.now()
    const entry = entryOf(newHandle(), 'clock', { created, lastAccessed: created })
    await here.put(entry)
    const found = await there.info(entry.handle, entry.owner)
    // Half a minute is more than any test machine stands still, and much less than the hour.
    expect(Math.abs((found?.created ?? 0) - (created - 3_600_000))).toBeLessThan(30_000)
  })

  test('a server without room refuses, and keeps what it has', async () => {
    const full = await startValkey(['--maxmemory', '12mb', '--maxmemory-policy', 'noeviction'])
    onTestFinished(() => full.stop())
    const store = await open({ url: full.url })
    const kept = entryOf(newHandle(), 'kept')
    await store.put(kept)
    const large = entryOf(newHandle(), noise(20 * MEBIBYTE))
    await expect(store.put(large)).rejects.toThrow(/OOM/)
    expect(await store.getEntry(kept.handle, kept.owner)).toBeDefined()
    expect(await store.getEntry(large.handle, large.owner)).toBeUndefined()
  })

  test('a wrong password is told without the password', async () => {
    const guarded = await startValkey(['--requirepass', 'right'])
    onTestFinished(() => guarded.stop())
    const told: string[] = []
    const url = `redis://someone:wr%40ng-pass@127.0.0.1:${guarded.port}`
    const store = await open({ url, onAway: (reason) => told.push(reason) })
    const failure = await store.put(entryOf(newHandle())).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('WRONGPASS') })
    for (const text of [JSON.stringify(failure), String(failure), ...told])
      expect(text).not.toMatch(/wr@ng-pass|wr%40ng/)
    expect(told).toHaveLength(1)
  })

  test('a user that may use these keys alone, and no dangerous command, is enough', async () => {
    const guarded = await startValkey()
    onTestFinished(() => guarded.stop())
    const rules = ['on', '>pass', '~mcp-rlm-proxy:*', '-@all', ...COMMANDS]
    expect(await guarded.tell('ACL', 'SETUSER', 'proxy', ...rules)).toBe('+OK')
    const store = await open({ url: `valkey://proxy:pass@127.0.0.1:${guarded.port}` })
    const entry = entryOf(newHandle(), noise(2 * MEBIBYTE))
    await store.put(entry)
    await store.put({ ...entry, accessCount: 9 })
    expect(await store.getEntry(entry.handle, entry.owner)).toMatchObject({ accessCount: 9 })
    expect(await store.handleOf(entry.owner, entry.hash)).toBe(entry.handle)
    expect(await store.list(entry.owner)).toHaveLength(1)
    expect(await store.remove(entry.handle, entry.owner)).toBe(true)
    expect(await store.stats()).toEqual({ entries: 0, bytes: 0 })
    await store.clear()
  })
})

const [, given = ''] =
  /^ACL SETUSER .* -@all (.*)$/m.exec(
    readFileSync(new URL('../../../../docs/shared-store.md', import.meta.url), 'utf8'),
  ) ?? []
/** The commands that docs/shared-store.md gives the user of the proxy. */
const COMMANDS = given.split(' ')
