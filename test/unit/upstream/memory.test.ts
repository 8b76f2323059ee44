import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import type { ServerList } from '../../../src/upstream/contract.ts'
import { digest, Memory } from '../../../src/upstream/memory.ts'
import { unavailableServers } from '../../../src/upstream/unavailable.ts'
import {
  client,
  inProcessServer,
  limit,
  stdioServer,
  temporaryFolder,
  upstreams,
} from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const forever = new AbortController().signal
const names = (lists: readonly ServerList[]): unknown[] =>
  lists.flatMap(({ items }) => items.map(({ name }) => name))
const config = { s: { command: 'x' } }

/** Lists the tools of one run of the proxy. */
async function run(dataDir: string, server: object): Promise<unknown[]> {
  const pool = upstreams({ servers: { s: server as ReturnType<typeof stdioServer> }, dataDir })
  const listed = names(await pool.list('tools', client(), forever))
  await pool.close()
  return listed
}

describe('memory', () => {
  test('reads back what it stored, from a file only the owner can read', async () => {
    const folder = temporaryFolder()
    const items = [{ name: 'a', description: 'ü' }]
    const first = new Memory(folder, config, silentLogger)
    first.saveInitialize('s', { serverInfo: { name: 'x' } })
    first.saveList('s', 'group', 'tools', items)
    await first.close()
    const second = new Memory(folder, config, silentLogger)
    expect(second.initialize('s')).toEqual({ serverInfo: { name: 'x' } })
    expect(second.list('s', 'group', 'tools')).toEqual(items)
    expect(second.list('s', 'other', 'tools')).toBeUndefined()
    const [file = '', ...others] = readdirSync(join(folder, 'servers'))
    expect(others).toEqual([])
    expect(statSync(join(folder, 'servers', file)).mode & 0o777).toBe(0o600)
  })

  test('forgets when the configuration changed', async () => {
    const folder = temporaryFolder()
    const first = new Memory(folder, config, silentLogger)
    first.saveInitialize('s', { serverInfo: { name: 'x' } })
    await first.close()
    expect(new Memory(folder, { s: { command: 'y' } }, silentLogger).initialize('s')).toBeUndefined()
  })

  test('ignores files it cannot read', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'servers', `${digest(config.s)}.json`)
    mkdirSync(join(folder, 'servers'))
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), fc.string(), fc.constant('{"version":1,"lists":{"g":{"tools":7}}}')),
        (text) => {
          writeFileSync(path, text)
          const memory = new Memory(folder, config, silentLogger)
          expect(memory.list('s', 'g', 'tools')).toBeUndefined()
        },
      ),
    )
    const memory = new Memory(folder, config, silentLogger)
    memory.saveList('s', 'g', 'tools', [{ name: 'a' }])
    await memory.close()
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ version: 2 })
  })

  test('survives a folder it cannot write to', async () => {
    const folder = join(temporaryFolder(), 'file')
    writeFileSync(folder, '')
    chmodSync(folder, 0o400)
    const memory = new Memory(folder, config, silentLogger)
    memory.saveInitialize('s', { a: 1 })
    await memory.close()
    expect(memory.initialize('s')).toEqual({ a: 1 })
  })

  test('keeps the lists of the groups used last', async () => {
    const memory = new Memory(undefined, config, silentLogger)
    for (let i = 0; i < 20; i++) memory.saveList('s', `g${i}`, 'tools', [])
    expect(memory.list('s', 'g0', 'tools')).toBeUndefined()
    expect(memory.list('s', 'g19', 'tools')).toEqual([])
  })

  test('digests do not depend on the order of keys', () => {
    expect(digest({ a: 1, b: { c: 2, d: [1, 2] } })).toBe(digest({ b: { d: [1, 2], c: 2 }, a: 1 }))
    expect(digest({ a: [1, 2] })).not.toBe(digest({ a: [2, 1] }))
  })
})

describe('lists between runs', () => {
  verifies('S3.6', 'are given before the server has started', async () => {
    const dataDir = temporaryFolder()
    expect(await run(dataDir, stdioServer({ tools: ['a'] }))).toEqual(['a'])
    const hanging = { ...stdioServer({ tools: ['a'] }), cwd: '/no/such/folder' }
    const pool = upstreams({ servers: { s: stdioServer({ tools: ['a'] }) }, dataDir })
    expect(pool.known('s')).toMatchObject({ serverInfo: { name: 'fixture' } })
    expect(pool.status()[0]?.state).toBe('idle')
    expect(names(await pool.list('tools', client(), forever))).toEqual(['a'])
    // The answer is there before anything is started: that takes its time.
    expect(pool.status()[0]?.state).toBe('idle')
    await expect.poll(() => pool.status()[0]?.state).toBe('connecting')
    expect(await run(dataDir, hanging)).toEqual([])
  })

  verifies('S3.34', 'are not waited for where a server gave none in the run before', async () => {
    const dataDir = temporaryFolder()
    const time = limit()
    const hung = { id: 'hung', serve: async () => {} }
    const options = {
      servers: { hung, fine: await inProcessServer({ tools: ['now'] }) },
      defaults: { listWaitMs: time.ms, connectTimeoutMs: 2 * time.ms },
      later: time.later,
      dataDir,
    }
    const before = upstreams(options)
    const list = before.list('tools', client(), forever)
    await expect.poll(() => before.status()[1]?.tools).toBe(1)
    time.isOver()
    expect(names(await list)).toEqual(['now'])
    await before.close()
    // Now nothing is ever over.
    const pool = upstreams(options)
    const me = client()
    expect(names(await pool.list('tools', me, forever))).toEqual(['now'])
    const [failed] = unavailableServers(pool, me)
    expect(failed).toMatchObject({ server: 'hung', reason: expect.stringContaining('did not answer within') })
    // A client of another kind, without known lists: only the server that works is waited for.
    expect(names(await pool.list('tools', client({ roots: {} }), forever))).toEqual(['now'])
  })

  test('serves the remembered list of another kind of client when it has no better one', async () => {
    const dataDir = temporaryFolder()
    const server = stdioServer({ tools: ['a'] })
    expect(await run(dataDir, server)).toEqual(['a'])
    const time = limit()
    const pool = upstreams({
      servers: { s: server },
      dataDir,
      defaults: { connectTimeoutMs: time.ms },
      later: time.later,
      spawn: () => spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'pipe' }),
    })
    const list = pool.list('tools', client({ roots: {} }), forever)
    await expect.poll(() => time.waiting).toBe(2)
    time.isOver()
    expect(names(await list)).toEqual(['a'])
  })

  verifies('S4.5', 'start no lazy server', async () => {
    const dataDir = temporaryFolder()
    const server = { ...stdioServer({ tools: ['a'] }), lazy: true }
    await run(dataDir, server)
    const pool = upstreams({ servers: { s: server }, dataDir })
    expect(names(await pool.list('tools', client(), forever))).toEqual(['a'])
    expect(pool.status()[0]?.state).toBe('idle')
  })

  test('refreshes a remembered list and notifies clients of a difference', async () => {
    const dataDir = temporaryFolder()
    const marker = join(temporaryFolder(), 'later')
    const server = stdioServer({ tools: ['a'], grownWhen: marker })
    expect(await run(dataDir, server)).toEqual(['a'])
    writeFileSync(marker, '')
    const pool = upstreams({ servers: { s: server }, dataDir })
    const me = client()
    expect(names(await pool.list('tools', me, forever))).toEqual(['a'])
    await expect.poll(() => pool.recorded.changed).toEqual([['s', 'tools']])
    expect(names(await pool.list('tools', me, forever))).toEqual(['a', 'grown'])
  })
})
