import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LIMIT_DEFAULTS, type Limits } from '../../../src/protocol/limits.ts'
import { later } from '../../../src/upstream/backoff.ts'
import {
  client,
  exchange,
  lives,
  startedIn,
  stdioServer,
  temporaryFolder,
  textOf,
  toolCall,
  upstreams,
} from '../../support/upstream.ts'

const IDLE_MS = 4_444_444

/** A pool with a clock that the test moves, and the processes that its server `s` was started as. */
function world(limits: Partial<Limits> = {}) {
  const started = join(temporaryFolder(), 'started')
  const clock = { now: 0 }
  const alarms = new Set<() => void>()
  const pool = upstreams({
    servers: { s: stdioServer({ started }) },
    defaults: { limits: { ...LIMIT_DEFAULTS, idleProcessMs: IDLE_MS, ...limits } },
    now: () => clock.now,
    later(ms, run) {
      if (ms !== IDLE_MS / 4) return later(ms, run)
      alarms.add(run)
      return () => void alarms.delete(run)
    },
  })
  const passes = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += IDLE_MS / 4) {
      clock.now += IDLE_MS / 4
      for (const alarm of [...alarms]) if (alarms.delete(alarm)) alarm()
    }
  }
  return { pool, passes, processes: () => startedIn(started) }
}

const call = toolCall('sleep', { ms: 0 })

test('a server process ends when its client over HTTP was silent for a while, and the next call starts another', async () => {
  const { pool, passes, processes } = world()
  const silent = { ...client(), isListening: () => false }
  await pool.request('s', call, exchange(silent))
  passes(IDLE_MS)
  expect(processes().map(lives)).toEqual([true])
  passes(IDLE_MS)
  await expect.poll(() => processes().map(lives)).toEqual([false])
  await pool.request('s', call, exchange(silent))
  expect(processes()).toHaveLength(2)
})

test('a server process goes on while its client listens, has a call under way, or tells by its connection when it leaves', async () => {
  const { pool, passes, processes } = world()
  const listening = { ...client(), isListening: () => true }
  const calling = { ...client(), isListening: () => false }
  await pool.request('s', call, exchange(listening))
  await pool.request('s', call, exchange(client()))
  const stop = new AbortController()
  const calls = exchange(calling, { signal: stop.signal })
  await pool.request('s', call, exchange(calling))
  const long = pool.request('s', toolCall('sleep', { ms: 3_600_000 }), calls)
  passes(3 * IDLE_MS)
  expect(processes().map(lives)).toEqual([true, true, true])
  stop.abort()
  await expect(long).rejects.toThrow()
  passes(3 * IDLE_MS)
  await expect.poll(() => processes().filter(lives)).toHaveLength(2)
})

test('what a client had set up is set up again at the process that is started again', async () => {
  const { pool, passes, processes } = world()
  const silent = { ...client(), isListening: () => false }
  await pool.request('s', { method: 'logging/setLevel', params: { level: 'debug' } }, exchange(silent))
  passes(2 * IDLE_MS)
  await expect.poll(() => processes().map(lives)).toEqual([false])
  await pool.request('s', call, exchange(silent))
  expect(textOf(await pool.request('s', toolCall('calls'), exchange(silent)))).toContain('logging/setLevel')
})

test.each(['processes', 'clientProcesses'] as const)(
  'where the limit `%s` is reached an idle process leaves for a new one, and a busy one does not',
  async (limit) => {
    const { pool, processes } = world({ [limit]: 2 })
    const agent = client().agent
    const silent = () => ({ ...client(), agent, isListening: () => false })
    const [first, second, third] = [silent(), silent(), silent()]
    await pool.request('s', call, exchange(first))
    await pool.request('s', call, exchange(second))
    await pool.request('s', call, exchange(third))
    await expect.poll(() => processes().filter(lives)).toHaveLength(2)
    expect(processes()).toHaveLength(3)
    const stop = new AbortController()
    const long = [second, third].map((busy) =>
      pool.request('s', toolCall('sleep', { ms: 3_600_000 }), exchange(busy, { signal: stop.signal })),
    )
    await expect(pool.request('s', call, exchange(silent()))).rejects.toThrow(`limits.${limit}`)
    stop.abort()
    for (const outcome of await Promise.allSettled(long)) expect(outcome.status).toBe('rejected')
    await pool.request('s', call, exchange(first))
  },
)
