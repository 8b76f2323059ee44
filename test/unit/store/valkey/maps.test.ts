/** Maps of texts that replicas share, over a real store. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createSharedMaps } from '../../../../src/store/valkey/maps.ts'
import { createValkeyStore } from '../../../../src/store/valkey/store.ts'
import { describeWithValkey, startValkey, type ValkeyServer } from '../../../support/valkey-server.ts'

const KEY = 'a key of at least sixteen characters'
const WAIT = { timeout: 60_000, interval: 20 }

describeWithValkey('maps of texts over a store', () => {
  let server: ValkeyServer
  beforeAll(async () => {
    server = await startValkey()
    // Those of docs/shared-store.md.
    const rights =
      'on >secret ~mcp-rlm-proxy:* -@all +@connection +@scripting +@hash +@sortedset +@string +@stream +pexpire +exists +unlink +scan +time'
    await server.tell('ACL', 'SETUSER', 'deaf', ...rights.split(' '))
    const listening = [...rights.split(' '), '+publish', '+subscribe', '&mcp-rlm-proxy:*']
    await server.tell('ACL', 'SETUSER', 'proxy', ...listening)
  })
  afterAll(() => server.stop())

  async function open({ user = 'proxy', port = server.port, keys = [KEY] } = {}) {
    const store = await createValkeyStore({
      url: `valkey://${user === 'default' ? '' : `${user}:secret@`}127.0.0.1:${port}`,
      key: undefined,
      scope: '',
      maxAge: 60_000,
      maxBytesPerOwner: 1024,
      now: Date.now,
      onUp() {},
      onAway() {},
      commandMs: 10_000,
    })
    onTestFinished(() => store.close())
    const failed = vi.fn()
    const map = createSharedMaps({ values: store.values, keys, failed })('sign-ins')
    const heard: (string | undefined)[] = []
    const stop = map.watch((key) => void heard.push(key))
    return { map, heard, stop, failed }
  }

  test('each replica reads what another put, and hears of it; what stands in the store is sealed', async () => {
    const [here, there] = [await open(), await open()]
    await expect.poll(() => there.heard, WAIT).toEqual([undefined])
    await here.map.set('a', 'first secret')
    await here.map.set('a', 'second secret')
    await here.map.set('b', '')
    expect(await there.map.get('a')).toBe('second secret')
    expect(await there.map.get('none')).toBeUndefined()
    expect(await there.map.entries()).toEqual(
      expect.arrayContaining([
        ['a', 'second secret'],
        ['b', ''],
      ]),
    )
    await expect.poll(() => there.heard, WAIT).toEqual([undefined, 'a', 'a', 'b'])
    expect(here.heard).toEqual([undefined])
    there.stop()
    const all =
      "local all = '' for _, key in ipairs(redis.call('KEYS', '*')) do all = all .. key .. table.concat(redis.call('HGETALL', key), ' ') end return (all:gsub('[\\r\\n]', ' '))"
    const raw = await server.tell('EVAL', all, '0')
    expect(raw).not.toContain('secret')
    expect(raw).not.toContain('sign-ins')
  })

  test('a replica with another key reads nothing, and one that has the old key beside the new one reads on', async () => {
    const before = await open()
    await before.map.set('rotated', 'kept')
    const after = await open({ keys: ['a new key of some length', KEY] })
    expect(await after.map.get('rotated')).toBe('kept')
    const foreign = await open({ keys: ['a new key of some length'] })
    await expect(foreign.map.get('rotated')).rejects.toThrow('sealed with another `sessions.key`')
    expect((await foreign.map.entries()).map(([key]) => key)).not.toContain('rotated')
    await after.map.set('rotated', 'sealed anew')
    expect(await foreign.map.get('rotated')).toBe('sealed anew')
  })

  test('a value that was moved to another key is none', async () => {
    const { map } = await open()
    await server.tell('FLUSHALL')
    await map.set('mine', 'x')
    await map.set('yours', 'y')
    const swap = `local name = redis.call('KEYS', '*')[1]
      local all = redis.call('HGETALL', name)
      return redis.call('HSET', name, all[1], all[4], all[3], all[2])`
    await server.tell('EVAL', swap, '0')
    for (const key of ['mine', 'yours']) await expect(map.get(key)).rejects.toThrow('sealed with another')
  })

  test('one replica at a time holds a key, and a wait ends with its signal', async () => {
    const [here, there] = [await open(), await open()]
    const letGo = await here.map.hold('renewal')
    const gone = new AbortController()
    const given = there.map.hold('renewal', gone.signal)
    gone.abort()
    await expect(given).rejects.toThrow()
    let isHeld = false
    const waiting = there.map.hold('renewal').then((free) => {
      isHeld = true
      return free
    })
    const free = await there.map.hold('another')
    await free()
    expect(isHeld).toBe(false)
    await letGo()
    await (await waiting)()
    // Another one's hold is not ended by who held it before.
    const last = await here.map.hold('renewal')
    await letGo()
    await expect(there.map.hold('renewal', AbortSignal.timeout(1))).rejects.toThrow()
    await last()
  })

  test('a word of a stranger is no harm, and what replicas tell each other afterwards is heard', async () => {
    const [here, there] = [await open(), await open()]
    await expect.poll(() => there.heard, WAIT).toEqual([undefined])
    for (const word of ['{"half', 'null', '[]', '["x","sign-ins",{}]', '["x",{},"key"]'])
      await server.tell(
        'EVAL',
        `return redis.call('PUBLISH', 'mcp-rlm-proxy:maps', '\\0' .. ARGV[1])`,
        '0',
        word,
      )
    await here.map.set('a', 'after it')
    await expect.poll(() => there.heard, WAIT).toEqual([undefined, 'a'])
    expect(String(there.failed.mock.calls)).toContain('is not from a proxy')
  })

  test('a user of the store that may not listen reads and writes all the same', async () => {
    const deaf = await open({ user: 'deaf' })
    await expect.poll(() => deaf.failed.mock.calls.length, WAIT).toBe(1)
    await deaf.map.set('deaf', 'x')
    expect(await deaf.map.get('deaf')).toBe('x')
  })

  test('a replica that watches hears when the store is back', async () => {
    const own = await startValkey()
    onTestFinished(() => own.stop())
    const { map, heard } = await open({ user: 'default', port: own.port })
    await expect.poll(() => heard.length, WAIT).toBe(1)
    await own.kill()
    await expect(map.get('a')).rejects.toThrow('cannot be reached')
    await own.restart()
    await expect.poll(() => heard.length, WAIT).toBe(2)
  })
})
