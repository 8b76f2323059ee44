/** Servers come, go and change while calls are under way. */

import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { ServerList } from '../../../src/upstream/contract.ts'
import { deferred } from '../../support/deferred.ts'
import {
  client,
  exchange,
  jsonOf,
  lives,
  stdioServer,
  temporaryFolder,
  textOf,
  toolCall,
  upstreams,
} from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const forever = new AbortController().signal
const named = (lists: readonly ServerList[]): string[] => lists.map(({ server }) => server)

/** A call that the server answers only when `answer` is called. */
function underway(pool: ReturnType<typeof upstreams>, server: string, me = client({ roots: {} })) {
  const asked = deferred()
  const reply = deferred<JsonObject>()
  const own = exchange(me, {
    ask: () => {
      asked.resolve()
      return reply.promise
    },
  })
  const result = pool.request(server, toolCall('ask', { method: 'roots/list', params: {} }), own)
  return { asked: asked.promise, result, answer: () => reply.resolve({ roots: ['answered'] }) }
}

describe('another configuration', () => {
  verifies(
    'S1.63',
    'adds, removes and restarts servers as configured, and leaves unchanged ones running',
    async () => {
      const servers = { same: stdioServer(), other: stdioServer(), gone: stdioServer() }
      const pool = upstreams({ servers })
      const me = client()
      const pid = async (server: string): Promise<number> =>
        Number(textOf(await pool.request(server, toolCall('pid'), exchange(me))))
      const before = { same: await pid('same'), other: await pid('other'), gone: await pid('gone') }
      const done = pool.configure({
        fresh: stdioServer(),
        other: { ...stdioServer(), env: { NEW: '1' } },
        same: { ...stdioServer(), timeoutMs: 7_000, lazy: true },
      })
      expect(done).toEqual({ added: ['fresh'], changed: ['other'], removed: ['gone'] })
      expect(pool.servers).toEqual(['fresh', 'other', 'same'])
      expect(named(await pool.list('tools', me, forever))).toEqual(['fresh', 'other', 'same'])
      expect(await pid('same')).toBe(before.same)
      expect(await pid('other')).not.toBe(before.other)
      expect(pool.status().map(({ server }) => server)).toEqual(['fresh', 'other', 'same'])
      await expect.poll(() => [before.gone, before.other].some(lives)).toBe(false)
      await expect(pid('gone')).rejects.toThrow('there is no server `gone`')
      expect(pool.recorded.changed).toEqual(
        expect.arrayContaining([
          ['gone', 'tools'],
          ['other', 'tools'],
          ['fresh', 'tools'],
        ]),
      )
      expect(pool.recorded.changed.map(([server]) => server)).not.toContain('same')
    },
  )

  verifies('S1.63', 'lets running calls of a removed server finish before it ends', async () => {
    const pool = upstreams({ servers: { changed: stdioServer(), gone: stdioServer() } })
    const me = client({ roots: {} })
    const pids = await Promise.all(
      ['changed', 'gone'].map(async (server) =>
        Number(textOf(await pool.request(server, toolCall('pid'), exchange(me)))),
      ),
    )
    const calls = [underway(pool, 'changed', me), underway(pool, 'gone', me)]
    await Promise.all(calls.map(({ asked }) => asked))
    pool.configure({ changed: { ...stdioServer(), env: { NEW: '1' } } })
    expect(Number(textOf(await pool.request('changed', toolCall('pid'), exchange(me))))).not.toBe(pids[0])
    expect(pids.every(lives)).toBe(true)
    for (const call of calls) call.answer()
    for (const call of calls) expect(jsonOf(await call.result)).toEqual({ roots: ['answered'] })
    await expect.poll(() => pids.some(lives)).toBe(false)
  })

  test('what is under way ends with its client', async () => {
    const pool = upstreams({ servers: { s: stdioServer() } })
    const me = client({ roots: {} })
    const pid = Number(textOf(await pool.request('s', toolCall('pid'), exchange(me))))
    const call = underway(pool, 's', me)
    await call.asked
    pool.configure({})
    const ended = expect(call.result).rejects.toThrow('closed')
    await pool.release(me)
    await ended
    await expect.poll(() => lives(pid)).toBe(false)
  })

  test('a server that dies before its last call ended is not started again', async () => {
    const pool = upstreams({ servers: { s: stdioServer() } })
    const me = client({ roots: {} })
    const pid = Number(textOf(await pool.request('s', toolCall('pid'), exchange(me))))
    const call = underway(pool, 's', me)
    await call.asked
    pool.configure({})
    process.kill(pid, 'SIGKILL')
    await expect(call.result).rejects.toThrow()
    expect(pool.status()).toEqual([])
  })

  test('a successor has the list of its own, also when the one before answers late', async () => {
    const folder = temporaryFolder()
    const meet = { folder, count: 2 }
    const pool = upstreams({ servers: { s: stdioServer({ tools: ['old'], meet }) } })
    const me = client()
    const late = pool.list('tools', me, forever)
    // It is asked for its list, and waits for the other.
    await expect.poll(() => readdirSync(folder).length).toBe(1)
    pool.configure({ s: stdioServer({ tools: ['new'], meet }) })
    const [list] = await pool.list('tools', me, forever)
    expect(list?.items.map(({ name }) => name)).toEqual(['new'])
    await late
    const [again] = await pool.list('tools', me, forever)
    expect(again?.items.map(({ name }) => name)).toEqual(['new'])
  })

  test('a client that is there has new servers connected, and what it set up is set up again', async () => {
    const pool = upstreams({ servers: { s: stdioServer() } })
    const me = client()
    await pool.open(me)
    await pool.everywhere(
      { method: 'logging/setLevel', params: { level: 'warning' } },
      'logging',
      exchange(me),
    )
    pool.configure({ s: { ...stdioServer(), env: { NEW: '1' } }, fresh: stdioServer() })
    await expect.poll(() => pool.status().map(({ state }) => state)).toEqual(['ready', 'ready'])
    const calls = jsonOf(await pool.request('s', toolCall('calls'), exchange(me))) as JsonObject
    expect(JSON.stringify(calls.received)).toContain('"level":"warning"')
  })

  test('is remembered by its own name on disk', async () => {
    const dataDir = temporaryFolder()
    const first = stdioServer({ tools: ['first'] })
    const second = stdioServer({ tools: ['second'] })
    const pool = upstreams({ servers: { s: first }, dataDir })
    await pool.list('tools', client(), forever)
    pool.configure({ s: second })
    await pool.list('tools', client(), forever)
    await pool.close()
    for (const [server, tool] of [
      [first, 'first'],
      [second, 'second'],
    ] as const) {
      const next = upstreams({ servers: { s: { ...server, lazy: true } }, dataDir })
      expect(next.known('s')).toBeDefined()
      await next.close()
      const again = upstreams({ servers: { s: server }, dataDir })
      const [list] = await again.list('tools', client(), forever)
      expect(list?.items.map(({ name }) => name)).toEqual([tool])
      await again.close()
    }
  })
})
