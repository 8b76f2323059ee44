/** A store of several servers: Sentinel with a master and a replica, and a cluster. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newHandle } from '../../../../src/store/handles.ts'
import {
  createValkeyStore,
  type ValkeyStore,
  type ValkeyStoreOptions,
} from '../../../../src/store/valkey/store.ts'
import { entryOf, storeContract } from '../../../contract/store.ts'
import {
  describeWithValkey,
  type SentinelServers,
  startCluster,
  startSentinel,
  startValkey,
  type ValkeyServers,
} from '../../../support/valkey-server.ts'

const MEBIBYTE = 1024 * 1024
const KEY = 'a key of at least sixteen characters'

function optionsFor(url: string, changes: Partial<ValkeyStoreOptions> = {}): ValkeyStoreOptions {
  return {
    url,
    key: KEY,
    scope: '',
    maxAge: 60_000,
    maxBytesPerOwner: 256 * MEBIBYTE,
    now: () => 5000,
    onUp() {},
    onAway() {},
    commandMs: 10_000,
    backoffMs: 10,
    ...changes,
  }
}

async function opened(url: string, changes: Partial<ValkeyStoreOptions> = {}): Promise<ValkeyStore> {
  const store = await createValkeyStore(optionsFor(url, changes))
  onTestFinished(() => store.close())
  return store
}

/** Content of several chunks that does not become smaller. */
function noise(bytes: number): string {
  let text = ''
  for (let at = 0; text.length < bytes; at++) text += createHash('sha512').update(String(at)).digest('base64')
  return text.slice(0, bytes)
}

/** The tests that hold wherever keys lie. */
function suite(name: string, url: () => string, flush: () => Promise<void>): void {
  storeContract(name, async () => {
    await flush()
    return { store: await createValkeyStore(optionsFor(url())) }
  })

  test('owners are many, and each finds a result of several chunks, and what it shares beside', async () => {
    await flush()
    const [here, there] = [await opened(url()), await opened(url())]
    for (let nth = 0; nth < 12; nth++) {
      const owner = `owner ${nth}`
      const entry = entryOf(newHandle(), noise(2 * MEBIBYTE) + nth, { owner })
      await here.put(entry)
      const found = await there.getEntry(entry.handle, owner)
      expect(Buffer.compare(Buffer.from(found?.content ?? []), Buffer.from(entry.content))).toBe(0)
      expect(await there.handleOf(owner, entry.hash)).toBe(entry.handle)
      await here.values.put('kind', owner, 'field', `value ${nth}`, 60_000)
      expect(await there.values.get('kind', owner, 'field')).toBe(`value ${nth}`)
      expect(await there.values.values('kind', owner)).toEqual([`value ${nth}`])
      const held = await here.values.hold('kind', owner, 60_000)
      expect(await there.values.hold('kind', owner, 60_000)).toBeUndefined()
      await held?.()
      expect(await there.values.take('rate', owner, { rps: 0.001, burst: 1 })).toBeUndefined()
      expect(await here.values.take('rate', owner, { rps: 0.001, burst: 1 })).toBeGreaterThan(1)
      await there.values.forget('kind', owner)
      expect(await here.values.get('kind', owner, 'field')).toBeUndefined()
    }
    expect(await there.stats()).toMatchObject({ entries: 12 })
    await here.clear()
    expect(await there.stats()).toEqual({ entries: 0, bytes: 0 })
  })

  test('what one process tells, each other one hears', async () => {
    const stores = [await opened(url()), await opened(url()), await opened(url())]
    const heard: unknown[][] = stores.map(() => [])
    const begun = stores.map(
      (store, nth) =>
        new Promise<void>((resolve, reject) =>
          store.values.listen('channel', (word) => heard[nth]?.push(word), reject, resolve),
        ),
    )
    await Promise.all(begun)
    for (const [nth, store] of stores.entries()) await store.values.tell('channel', [nth])
    for (const words of heard) await expect.poll(() => [...words].sort()).toEqual([[0], [1], [2]])
  })
}

describeWithValkey('a store behind Sentinel', () => {
  let servers: SentinelServers
  beforeAll(async () => {
    servers = await startSentinel()
  })
  afterAll(() => servers.stop())

  suite(
    'Sentinel',
    () => servers.url,
    () => servers.flush(),
  )

  test('after a failover kept results are found, new ones are kept, and words are heard', async () => {
    await servers.flush()
    const states: string[] = []
    const watched = { onUp: () => states.push('up'), onAway: () => states.push('away') }
    const [here, there] = [await opened(servers.url, watched), await opened(servers.url)]
    const before = entryOf(newHandle(), noise(2 * MEBIBYTE))
    await here.put(before)
    const heard: unknown[] = []
    let listening = 0
    there.values.listen(
      'channel',
      (word) => heard.push(word),
      () => {},
      () => listening++,
    )
    await expect.poll(() => listening).toBe(1)
    const old = await servers.master()
    // Replication is asynchronous: the master says when the replica has it all.
    expect(await old.tell('WAIT', '1', '10000')).toBe(':1')
    const { generation } = here
    await old.kill()
    await expect.poll(() => here.info(before.handle, before.owner).catch(() => undefined)).toBeDefined()
    expect(await servers.master()).not.toBe(old)
    expect(here.generation).toBeGreaterThan(generation)
    expect(states).toEqual(['up', 'away', 'up'])
    const found = await here.getEntry(before.handle, before.owner)
    expect(Buffer.compare(Buffer.from(found?.content ?? []), Buffer.from(before.content))).toBe(0)
    const after = entryOf(newHandle(), 'kept by the new master')
    await here.put(after)
    await expect.poll(() => there.info(after.handle, after.owner).catch(() => undefined)).toBeDefined()
    await expect.poll(() => listening).toBe(2)
    await here.values.tell('channel', ['after'])
    await expect.poll(() => heard).toEqual([['after']])

    // The old master comes back, and Sentinel makes a replica of it.
    await old.restart()
    await here.put(entryOf(newHandle(), 'still by the new master'))
    expect(await servers.master()).not.toBe(old)
  }, 60_000)

  test('of several Sentinels one is enough, and a master that it does not watch is told', async () => {
    const { port } = servers.sentinel
    const [, name] = servers.url.split('/').slice(-2)
    const store = await opened(`redis+sentinel://127.0.0.1:1,127.0.0.1:${port}/${name}`)
    const entry = entryOf(newHandle())
    await store.put(entry)
    expect(await store.info(entry.handle, entry.owner)).toBeDefined()
    const told: string[] = []
    const other = await opened(`redis+sentinel://127.0.0.1:${port}/other`, {
      onAway: (reason) => told.push(reason),
    })
    await expect(other.put(entry)).rejects.toThrow(/watches no master of the name other/)
    expect(told).toHaveLength(1)
  })
})

const page = readFileSync(new URL('../../../../docs/shared-store.md', import.meta.url), 'utf8')
const [, commands = ''] = /^ACL SETUSER .* -@all (.*)$/m.exec(page) ?? []
const [, ofCluster = '', ofSentinel = ''] = /with `(\+cluster\S+)`.* needs `([^`]+)`/.exec(page) ?? []

describeWithValkey('a user with the rights that the page gives, and no others', () => {
  const rights = ['on', '>pass', '~mcp-rlm-proxy:*', '-@all', ...commands.split(' ')]

  async function isEnough(url: string): Promise<void> {
    const store = await opened(url)
    for (let nth = 0; nth < 8; nth++) {
      const entry = entryOf(newHandle(), `${nth}`, { owner: `${nth}` })
      await store.put(entry)
      expect(await store.info(entry.handle, entry.owner)).toBeDefined()
    }
    expect(await store.stats()).toMatchObject({ entries: 8 })
    await store.clear()
  }

  test('is enough in a cluster', async () => {
    const cluster = await startCluster()
    onTestFinished(() => cluster.stop())
    for (const { tell } of cluster.servers)
      expect(await tell('ACL', 'SETUSER', 'proxy', ...rights, ofCluster)).toBe('+OK')
    await isEnough(cluster.url.replace('://', '://proxy:pass@'))
  })

  test('is enough behind Sentinel, where Sentinel has users as well', async () => {
    const behind = await startSentinel()
    onTestFinished(() => behind.stop())
    const { tell } = await behind.master()
    expect(await tell('ACL', 'SETUSER', 'proxy', ...rights)).toBe('+OK')
    const own = ['on', '>other', '-@all', ...ofSentinel.split(' ')]
    expect(await behind.sentinel.tell('ACL', 'SETUSER', 'asking', ...own)).toBe('+OK')
    expect(await behind.sentinel.tell('ACL', 'SETUSER', 'default', 'off')).toBe('+OK')
    const query = '?sentinel_username=asking&sentinel_password=other'
    await isEnough(`${behind.url.replace('://', '://proxy:pass@')}${query}`)
  })
})

describeWithValkey('a store in a cluster', () => {
  let servers: ValkeyServers
  beforeAll(async () => {
    servers = await startCluster()
  })
  afterAll(() => servers.stop())

  suite(
    'cluster',
    () => servers.url,
    () => servers.flush(),
  )

  test('keys of many owners lie at each node', async () => {
    await servers.flush()
    const store = await opened(servers.url)
    for (let nth = 0; nth < 60; nth++)
      await store.put(entryOf(newHandle(), `content ${nth}`, { owner: `owner ${nth}` }))
    for (const server of servers.servers) expect(await server.tell('DBSIZE')).not.toBe(':0')
  })

  test('one node of the address is enough, and an address of one server is told what it misses', async () => {
    const [first] = servers.servers
    if (first === undefined) throw new Error('a node')
    const one = await opened(`redis+cluster://127.0.0.1:1,127.0.0.1:${first.port}`)
    const wrong = await opened(first.url)
    for (let nth = 0; nth < 12; nth++) {
      const entry = entryOf(newHandle(), 'text', { owner: `owner ${nth}` })
      await one.put(entry)
      const problem = await wrong.put(entry).catch((error: unknown) => error)
      if (problem !== undefined)
        expect(problem).toMatchObject({
          message: expect.stringContaining('MOVED'),
          next: expect.stringContaining('valkey+cluster://'),
        })
    }
  })

  test('a node that is lost makes the store away, and what the others had is found when it is back', async () => {
    await servers.flush()
    const states: string[] = []
    const watched = { onUp: () => states.push('up'), onAway: () => states.push('away') }
    const store = await opened(servers.url, watched)
    const entries = Array.from({ length: 30 }, (_, nth) =>
      entryOf(newHandle(), `${nth}`, { owner: `${nth}` }),
    )
    for (const entry of entries) await store.put(entry)
    const [node, other] = servers.servers
    if (node === undefined || other === undefined) throw new Error('nodes')
    await node.kill()
    await expect.poll(() => states).toEqual(['up', 'away'])
    const [first] = entries
    await expect(store.put({ ...entryOf(newHandle()), owner: first?.owner ?? '' })).rejects.toThrow(
      /cannot be reached/,
    )
    await node.restart()
    await expect.poll(() => states).toEqual(['up', 'away', 'up'])
    const found = await Promise.all(entries.map(({ handle, owner }) => store.info(handle, owner)))
    // The node that came back has nothing: it writes no file.
    const left = found.filter((info) => info !== undefined).length
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(entries.length)
    await store.put(entryOf(newHandle()))
  }, 60_000)

  test('a server that is no cluster is told as one', async () => {
    const single = await startValkey()
    onTestFinished(() => single.stop())
    const store = await opened(`valkey+cluster://127.0.0.1:${single.port}`)
    await expect(store.put(entryOf(newHandle()))).rejects.toThrow(/cluster support disabled/)
  })
})

describe('nothing is tried', () => {
  test('at an address that is none', async () => {
    await expect(createValkeyStore(optionsFor('valkey://a,b'))).rejects.toThrow(/valkey\+sentinel/)
  })
})
