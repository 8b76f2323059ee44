import { getEventListeners } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { LIMIT_DEFAULTS, type Limits } from '../../../src/protocol/limits.ts'
import type { ServerList, Upstreams } from '../../../src/upstream/contract.ts'
import {
  client,
  exchange,
  inProcessServer,
  jsonOf,
  limit,
  startedIn,
  stdioServer,
  temporaryFolder,
  textOf,
  toolCall,
  upstreams,
} from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const forever = new AbortController().signal

/** Those of `src/upstream/catalogue.ts`: fetches in a row, and the pause after a change that was none. */
const MAX_ROUNDS = 5
const QUIET_MS = 1000

const names = (lists: readonly ServerList[]): string[] =>
  lists.flatMap(({ items }) => items.map(({ name }) => String(name)))

/** How often the server was asked `method` on the connection of this exchange's client. */
async function asked(pool: Upstreams, server: string, method: string, mine = exchange()): Promise<number> {
  const { received } = jsonOf(await pool.request(server, toolCall('calls'), mine)) as {
    received: JsonObject[]
  }
  return received.filter((message) => message.method === method).length
}

/** A call that goes on until the test ends it. */
function underway(pool: Upstreams, server: string, owner: Client): { end(): void; ended: Promise<unknown> } {
  const stop = new AbortController()
  const call = pool.request(server, toolCall('never'), exchange(owner, { signal: stop.signal }))
  return { end: () => stop.abort(), ended: call.catch(() => {}) }
}

describe('lists', () => {
  verifies('S3.6', 'are fetched in parallel and given in the order of the configuration', async () => {
    const meet = { folder: temporaryFolder(), count: 3 }
    const server = (tool: string) => stdioServer({ tools: [tool], meet })
    const pool = upstreams({ servers: { zeta: server('z'), alpha: server('a'), mid: server('m') } })
    const lists = await pool.list('tools', client(), forever)
    expect(lists.map(({ server }) => server)).toEqual(['zeta', 'alpha', 'mid'])
    expect(names(lists)).toEqual(['z', 'a', 'm'])
  })

  verifies('S3.6', 'are asked for once', async () => {
    const pool = upstreams({ servers: { s: stdioServer() } })
    const me = client()
    const [first, together] = await Promise.all([
      pool.list('tools', me, forever),
      pool.list('tools', me, forever),
    ])
    expect(await pool.list('tools', me, forever)).toEqual(first)
    expect(together).toEqual(first)
    expect(await asked(pool, 's', 'tools/list', exchange(me))).toBe(1)
  })

  verifies('S1.3', 'have all pages', async () => {
    const tools = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const pool = upstreams({ servers: { s: stdioServer({ tools, pages: 3 }) } })
    expect(names(await pool.list('tools', client(), forever))).toEqual(tools)
  })

  test('are without servers that would be one process too many, and say which limit that is', async () => {
    const defaults = { limits: { ...LIMIT_DEFAULTS, clientProcesses: 1 } }
    const pool = upstreams({ servers: { a: stdioServer(), b: stdioServer() }, defaults })
    const me = client()
    await pool.request('a', toolCall('sleep', { ms: 0 }), exchange(me))
    await expect(pool.request('b', toolCall('sleep', { ms: 0 }), exchange(me))).rejects.toThrow(
      'too many server processes are running: the limit is 1 processes (raise `limits.clientProcesses`',
    )
    expect((await pool.list('tools', me, forever)).map(({ server }) => server)).toEqual(['a'])
    await pool.request('b', toolCall('sleep', { ms: 0 }), exchange(client()))
  })

  test('end where they pass the limits for items, bytes and time', async () => {
    const tools = ['a', 'b', 'c', 'd', 'e', 'f']
    const listed = async (limits: Partial<Limits>, largeBytes = 10_000): Promise<string[]> => {
      const defaults = { largeBytes, limits: { ...LIMIT_DEFAULTS, ...limits } }
      const pool = upstreams({ servers: { s: stdioServer({ tools, pages: 3 }) }, defaults })
      return names(await pool.list('tools', client(), forever))
    }
    expect(await listed({ serverListItems: 3 })).toEqual(['a', 'b', 'c'])
    expect(await listed({ serverListMs: -1 })).toEqual(['a', 'b'])
    expect(await listed({ serverListBytes: 100 }, 10)).toEqual([])
    expect(await listed({ serverListValues: 5 }, 10)).toEqual([])
    expect(await listed({}, 10)).toEqual(tools)
  })

  test('end when a cursor repeats', async () => {
    const pool = upstreams({ servers: { s: stdioServer({ tools: ['a', 'b'], pages: 'loop' }) } })
    expect(names(await pool.list('tools', client(), forever))).toEqual(['a', 'b', 'a', 'b'])
  })

  test('are not asked of a server that does not offer them', async () => {
    const pool = upstreams({ servers: { s: stdioServer({ capabilities: { resources: {} } }) } })
    const me = client()
    expect(await pool.list('prompts', me, forever)).toEqual([{ server: 's', items: [] }])
    expect(await asked(pool, 's', 'prompts/list', exchange(me))).toBe(0)
  })

  test('are empty when a server does not know a method it should', async () => {
    const pool = upstreams({ servers: { s: stdioServer({ capabilities: { resources: {} } }) } })
    expect(await pool.list('resourceTemplates', client(), forever)).toEqual([{ server: 's', items: [] }])
  })

  verifies(
    'S3.34',
    'omits tools of a dead or slow server and notifies clients when they arrive',
    async () => {
      const time = limit()
      const pool = upstreams({
        servers: {
          dead: stdioServer({ crash: 1, stderr: 'no licence\n' }),
          slow: { ...stdioServer({ slowList: 3_600_000 }), connectTimeoutMs: time.ms },
          fine: stdioServer({ tools: ['now'] }),
        },
        defaults: { backoff: { initialMs: 60_000, maxMs: 60_000, factor: 1 }, listWaitMs: time.ms },
        later: time.later,
      })
      const me = client()
      const list = pool.list('tools', me, forever)
      // The others are there, or dead; the slow one has said hello.
      await expect.poll(() => pool.status().map(({ state }) => state)).toEqual(['waiting', 'ready', 'ready'])
      await expect.poll(() => pool.status()[2]?.tools).toBe(1)
      expect(time.waiting).toBe(1)
      time.isOver()
      expect(names(await list)).toEqual(['now'])
      const [dead, slow] = pool.status()
      expect(dead).toMatchObject({
        state: 'waiting',
        lastError: 'server `dead`: exited with code 1: no licence',
      })
      expect(slow?.lastError).toBe(`server \`slow\`: tools/list did not answer within ${time.ms / 1000} s`)
    },
  )

  verifies(
    'S3.34',
    'does not wait again for a server that hung, and notifies clients when its tools arrive',
    async () => {
      const gate = join(temporaryFolder(), 'gate')
      const { command, args = [] } = stdioServer({ tools: ['late'] })
      const wait = `test -e ${gate} || exec sleep 600; exec "$0" "$@"`
      const time = limit()
      const hanging = { command: 'sh', args: ['-c', wait, command, ...args], connectTimeoutMs: time.ms }
      const pool = upstreams({ servers: { hanging }, later: time.later })
      const me = client()
      const first = pool.list('tools', me, forever)
      // For the list, and for the handshake.
      await expect.poll(() => time.waiting).toBe(2)
      time.isOver()
      expect(await first).toEqual([])
      const failures = pool.recorded.changed.length
      writeFileSync(gate, '')
      // The attempt that this list begins is not what it waits for.
      expect(await pool.list('tools', me, forever)).toEqual([])
      await expect.poll(() => pool.recorded.changed.slice(failures)).toContainEqual(['hanging', 'tools'])
      expect(names(await pool.list('tools', me, forever))).toEqual(['late'])
    },
  )

  verifies('S3.34 S3.36', 'lists other servers without waiting for a slow one', async () => {
    const gate = join(temporaryFolder(), 'gate')
    const { command, args = [] } = stdioServer({ tools: ['late'] })
    const patient = `while ! test -e ${gate}; do sleep 0.05; done; exec "$0" "$@"`
    const time = limit()
    const pool = upstreams({
      servers: {
        slow: { command: 'sh', args: ['-c', patient, command, ...args] },
        fine: stdioServer({ tools: ['now'] }),
      },
      defaults: { listWaitMs: time.ms, connectTimeoutMs: 2 * time.ms },
      later: time.later,
    })
    const me = client()
    const list = pool.list('tools', me, forever)
    await expect.poll(() => pool.status()[1]?.tools).toBe(1)
    expect(time.waiting).toBe(1)
    time.isOver()
    expect(names(await list)).toEqual(['now'])
    writeFileSync(gate, '')
    await expect.poll(() => pool.recorded.changed).toContainEqual(['slow', 'tools'])
    expect(names(await pool.list('tools', me, forever))).toEqual(['late', 'now'])
  })

  test('of many servers listen once for their reader to leave', async () => {
    const fine = await inProcessServer({ tools: ['now'] })
    const ids = Array.from({ length: 16 }, (_, at) => `s${at}`)
    const pool = upstreams({ servers: Object.fromEntries(ids.map((id) => [id, { ...fine, id }])) })
    const { signal } = new AbortController()
    const list = pool.list('tools', client(), signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    expect(names(await list)).toHaveLength(16)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('that come too late for their reader are a change', async () => {
    const pool = upstreams({
      servers: { s: stdioServer({ slowStart: 300, tools: ['late'] }) },
    })
    const me = client()
    const leave = new AbortController()
    const list = pool.list('tools', me, leave.signal).catch((error: unknown) => error)
    leave.abort()
    expect(await list).toMatchObject({ code: 'CANCELLED' })
    expect(names(await pool.list('tools', me, forever))).toEqual(['late'])
  })

  test('are fetched again when the server says they changed', async () => {
    const pool = upstreams({ servers: { s: stdioServer({ tools: ['grow'] }) } })
    const me = client()
    await pool.list('tools', me, forever)
    await pool.request('s', toolCall('grow', { name: 'added' }), exchange(me))
    expect(names(await pool.list('tools', me, forever))).toEqual(['grow', 'added'])
    await expect.poll(() => pool.recorded.changed).toEqual([['s', 'tools']])
  })

  test('that a server says change whenever it is asked are not fetched for ever', async () => {
    // By this clock no time passes: what is put off is put off until the test runs it.
    const putOff: (() => void)[] = []
    const pool = upstreams({
      servers: { s: stdioServer({ tools: ['calls'], restless: true }) },
      now: () => 0,
      later: (ms, run) => {
        if (ms === QUIET_MS) putOff.push(run)
        return () => {}
      },
    })
    const me = client()
    const fetches = () => asked(pool, 's', 'tools/list', exchange(me))
    // A client that hears of a change asks again: a change that the server reports while its first answer is read is passed on, not
    // fetched.
    const settled = async (): Promise<number> => {
      await pool.list('tools', me, forever)
      return putOff.length
    }
    await expect.poll(settled).toBe(1)
    const first = await fetches()
    expect(first).toBeLessThanOrEqual(4 * MAX_ROUNDS)
    // A request gets the present list; a change that the server reports then is put off together with the one before.
    expect(names(await pool.list('tools', me, forever))).toEqual(['calls'])
    const second = await fetches()
    expect(second).toBeLessThanOrEqual(first + MAX_ROUNDS)
    putOff[0]?.()
    await expect.poll(() => putOff.length).toBe(2)
    expect(await fetches()).toBeLessThanOrEqual(second + MAX_ROUNDS)
  })

  test('that a session changed for itself stay as they are for others', async () => {
    const pool = upstreams({ servers: { s: stdioServer({ tools: ['grow'] }) } })
    const [one, other] = [client(), client()]
    await pool.list('tools', one, forever)
    await pool.list('tools', other, forever)
    await pool.request('s', toolCall('grow', { name: 'mine' }), exchange(one))
    expect(names(await pool.list('tools', one, forever))).toEqual(['grow', 'mine'])
    expect(names(await pool.list('tools', other, forever))).toEqual(['grow'])
  })

  test('are shared by clients of the same capabilities, and only by those', async () => {
    const pool = upstreams({ servers: { s: stdioServer() } })
    const [one, same, different] = [client({ roots: {} }), client({ roots: {} }), client({ sampling: {} })]
    for (const me of [one, same, different]) await pool.list('tools', me, forever)
    const counts = [one, same, different].map((me) => asked(pool, 's', 'tools/list', exchange(me)))
    expect(await Promise.all(counts)).toEqual([1, 0, 1])
  })

  test('may be given up by their reader', async () => {
    const pool = upstreams({ servers: { s: stdioServer({ slowStart: 60_000 }) } })
    await expect(pool.list('tools', client(), AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    })
  })
})

describe('connections', () => {
  verifies('S1.16 S3.34', 'ten calls and a list at once start one process', async () => {
    const started = join(temporaryFolder(), 'started')
    const pool = upstreams({ servers: { s: stdioServer({ started }) } })
    const me = client()
    const calls = Array.from({ length: 10 }, () => pool.request('s', toolCall('echo'), exchange(me)))
    await Promise.all([pool.open(me), pool.list('tools', me, forever), ...calls])
    expect(startedIn(started)).toHaveLength(1)
  })

  verifies('S2.4', 'each server has its own', async () => {
    const pool = upstreams({ servers: { a: stdioServer(), b: stdioServer(), c: stdioServer() } })
    const me = client()
    const pids = await Promise.all(
      ['a', 'b', 'c'].map((name) => pool.request(name, toolCall('pid'), exchange(me))),
    )
    expect(new Set(pids.map(textOf)).size).toBe(3)
  })

  test('each client has its own, unless the server is shared', async () => {
    const pool = upstreams({
      servers: { own: stdioServer(), shared: { ...stdioServer(), instance: 'shared' } },
    })
    const pids = async (name: string): Promise<number> => {
      const results = await Promise.all(
        [client(), client()].map((me) => pool.request(name, toolCall('pid'), exchange(me))),
      )
      return new Set(results.map(textOf)).size
    }
    expect(await pids('own')).toBe(2)
    expect(await pids('shared')).toBe(1)
  })

  test('that were only this client’s end with it', async () => {
    const pool = upstreams({
      servers: { own: stdioServer(), shared: { ...stdioServer(), instance: 'shared' } },
    })
    const [one, other] = [client(), client()]
    await pool.open(one)
    await pool.open(other)
    const before = await pool.request('own', toolCall('pid'), exchange(other))
    await pool.release(one)
    expect(await pool.request('own', toolCall('pid'), exchange(other))).toEqual(before)
    await pool.release(other)
    expect(pool.status().map(({ state }) => state)).toEqual(['idle', 'ready'])
  })

  verifies('S4.5', 'lazy servers start with the first call', async () => {
    const started = join(temporaryFolder(), 'started')
    const pool = upstreams({ servers: { s: { ...stdioServer({ started }), lazy: true } } })
    const me = client()
    await pool.open(me)
    expect(pool.status()[0]?.state).toBe('idle')
    await Promise.all([1, 2, 3].map(() => pool.request('s', toolCall('echo'), exchange(me))))
    expect(startedIn(started)).toHaveLength(1)
  })

  test('for no client yet, servers are listed and let go', async () => {
    const pool = upstreams({ servers: { s: stdioServer({ tools: ['a'] }) }, defaults: { idleMs: 100 } })
    await pool.open()
    expect(pool.status()[0]).toMatchObject({ state: 'ready', tools: 1 })
    await expect.poll(() => pool.status()[0]?.state).toBe('idle')
    expect(names(await pool.list('tools', undefined, forever))).toEqual(['a'])
  })

  test('are not made for a client that is gone', async () => {
    const started = join(temporaryFolder(), 'started')
    writeFileSync(started, '')
    const pool = upstreams({ servers: { s: stdioServer({ started }) } })
    const gone = AbortSignal.abort('left')
    const mine = exchange(client(), { signal: gone })
    await expect(pool.request('s', toolCall('pid'), mine)).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(pool.list('tools', mine.client, gone)).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(pool.status()[0]?.state).toBe('idle')
  })

  test('a log level reaches servers that log, also when they connect later, and waits for none', async () => {
    const gate = join(temporaryFolder(), 'gate')
    const { command, args = [] } = stdioServer()
    const patient = `while ! test -e ${gate}; do sleep 0.05; done; exec "$0" "$@"`
    const pool = upstreams({
      servers: {
        now: stdioServer(),
        later: { command: 'sh', args: ['-c', patient, command, ...args] },
        mute: stdioServer({ capabilities: { tools: {} } }),
      },
    })
    const me = exchange()
    await Promise.all([asked(pool, 'now', 'ping', me), asked(pool, 'mute', 'ping', me)])
    void pool.open(me.client)
    await pool.everywhere({ method: 'logging/setLevel', params: { level: 'debug' } }, 'logging', me)
    writeFileSync(gate, '')
    expect(await asked(pool, 'now', 'logging/setLevel', me)).toBe(1)
    expect(await asked(pool, 'later', 'logging/setLevel', me)).toBe(1)
    expect(await asked(pool, 'mute', 'logging/setLevel', me)).toBe(0)
  })

  test('an unknown server is an error', async () => {
    await expect(upstreams({ servers: {} }).request('x', toolCall('y'), exchange())).rejects.toThrow(
      'no server `x`',
    )
  })

  test('nothing is started for a client that was released', async () => {
    const started = join(temporaryFolder(), 'started')
    const pool = upstreams({ servers: { s: stdioServer({ started }) } })
    const me = client()
    await pool.release(me)
    await expect(pool.request('s', toolCall('echo'), exchange(me))).rejects.toThrow('its client has left')
    expect(existsSync(started)).toBe(false)
  })
})

describe('requests and notifications of a server', () => {
  const ask = (method: string) => toolCall('ask', { method, params: {} })

  verifies('S2.8', 'goes to the exchange when it is the only one, else to the client', async () => {
    const pool = upstreams({ servers: { s: stdioServer() } })
    const me = client({ roots: {} }, { from: 'client' })
    const own = exchange(me, { ask: async () => ({ from: 'exchange' }) })
    expect(jsonOf(await pool.request('s', ask('roots/list'), own))).toEqual({ from: 'exchange' })
    const { end, ended } = underway(pool, 's', me)
    expect(jsonOf(await pool.request('s', ask('roots/list'), own))).toEqual({ from: 'client' })
    end()
    await ended
  })

  test('is refused when the client did not offer it, or when it is not clear which client is meant', async () => {
    const pool = upstreams({
      servers: { own: stdioServer(), shared: { ...stdioServer(), instance: 'shared' } },
    })
    const refused = { error: { code: -32601, message: 'sampling/createMessage is not available' } }
    expect(jsonOf(await pool.request('own', ask('sampling/createMessage'), exchange()))).toEqual(refused)
    const able = client({ sampling: {} })
    const { end, ended } = underway(pool, 'shared', client({ sampling: {} }))
    expect(jsonOf(await pool.request('shared', ask('sampling/createMessage'), exchange(able)))).toEqual(
      refused,
    )
    end()
    await ended
    expect(jsonOf(await pool.request('shared', ask('sampling/createMessage'), exchange(able)))).toEqual({
      answered: true,
    })
  })

  test('may be answered after longer than the call may take', async () => {
    // By this clock nothing but the thinking takes any time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const pool = upstreams({ servers: { s: { ...stdioServer(), timeoutMs: 300 } } })
    const slow = async () => {
      vi.advanceTimersByTime(10_000)
      return { thought: 'long' }
    }
    const mine = exchange(client({ elicitation: {} }), { ask: slow })
    const asked = await pool.request('s', ask('elicitation/create'), mine).finally(() => vi.useRealTimers())
    expect(jsonOf(asked)).toEqual({ thought: 'long' })
  })

  test('ping is answered', async () => {
    const pool = upstreams({ servers: { s: stdioServer() } })
    expect(jsonOf(await pool.request('s', ask('ping'), exchange()))).toEqual({})
  })

  verifies(
    'S2.7',
    'log messages go to the exchange, other notifications to the owner of the connection',
    async () => {
      const pool = upstreams({ servers: { s: stdioServer() } })
      const me = client()
      const mine = exchange(me)
      await pool.request('s', toolCall('log', { data: 'hello' }), mine)
      expect(mine.notified).toMatchObject([{ method: 'notifications/message', params: { data: 'hello' } }])
      const updated = { method: 'notifications/resources/updated', params: { uri: 'file:///a' } }
      await pool.request('s', toolCall('note', updated), mine)
      expect(pool.recorded.notifications).toMatchObject([{ server: 's', notification: updated, client: me }])
    },
  )

  test('notifications of a client reach the servers it is connected to', async () => {
    const pool = upstreams({ servers: { s: stdioServer() } })
    const [me, other] = [client(), client()]
    await pool.open(me)
    await pool.open(other)
    pool.broadcast({ method: 'notifications/roots/list_changed' }, me)
    const counts = [me, other].map((one) =>
      asked(pool, 's', 'notifications/roots/list_changed', exchange(one)),
    )
    expect(await Promise.all(counts)).toEqual([1, 0])
  })
})
