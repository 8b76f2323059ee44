/** The messages of replicas to each other about sessions, over a real store. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { createSessions } from '../../../src/features/code/sessions.ts'
import { type SharedResults, sharedResults } from '../../../src/features/result-cache/shared.ts'
import { openCourier } from '../../../src/gateway/courier.ts'
import { openBuckets, openReplicas } from '../../../src/gateway/replicas.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { LargeResult, PARKED } from '../../../src/protocol/content.ts'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { ModernService, Requester } from '../../../src/server/backend.ts'
import { acrossReplicas, type Courier } from '../../../src/server/parked.ts'
import type { Replicas, Told } from '../../../src/server/replicas.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { createResultStore, RESULT_STORE_LIMITS } from '../../../src/store/result-store.ts'
import { createValkeyStore } from '../../../src/store/valkey/store.ts'
import { sharedBytes } from '../../../src/text/shared-bytes.ts'
import { deferred } from '../../support/deferred.ts'
import { describeWithValkey, startValkey, type ValkeyServer } from '../../support/valkey-server.ts'

const KEY = 'a key of at least sixteen characters'
const LIFE_SECONDS = 100
const WAIT = { timeout: 60_000, interval: 20 }
const LEVEL = { method: 'logging/setLevel', params: { level: 'error' } }
const SUBSCRIBE = { method: 'resources/subscribe', params: { uri: 'a://b' } }
const UNSUBSCRIBE = { method: 'resources/unsubscribe', params: { uri: 'a://b' } }

describeWithValkey('replicas over a store', () => {
  let server: ValkeyServer
  beforeAll(async () => {
    server = await startValkey()
    // Those of docs/shared-store.md, and the same without the right to listen.
    const rights = '~mcp-rlm-proxy:* -@all +@connection +@scripting +@hash +@sortedset +@string +@stream'
    const commands = '+pexpire +exists +unlink +scan +time'
    const deaf = `on >secret ${rights} ${commands}`.split(' ')
    await server.tell('ACL', 'SETUSER', 'deaf', ...deaf)
    await server.tell('ACL', 'SETUSER', 'proxy', ...deaf, '+publish', '+subscribe', '&mcp-rlm-proxy:*')
  })
  afterAll(() => server.stop())

  async function open({
    user = 'proxy:secret',
    key = KEY,
    port = server.port,
    maxBytesPerOwner = 1024,
  } = {}) {
    const warn = vi.fn()
    const store = await createValkeyStore({
      url: `valkey://${user}@127.0.0.1:${port}`,
      key,
      scope: '',
      maxAge: 60_000,
      maxBytesPerOwner,
      now: Date.now,
      onUp() {},
      onAway() {},
      commandMs: 10_000,
    })
    onTestFinished(() => store.close())
    const settings = { sessions: { key: KEY, maxAgeSeconds: LIFE_SECONDS } } as Config['settings']
    const replicas = await openReplicas(settings, store.values, { warn } as never, Date.now)
    const heard: [string, Told][] = []
    replicas?.listen(async (...said) => void heard.push(said))
    // Listening was asked for before: the server has answered that by now.
    await store.values.values('any', 'any')
    return { replicas: replicas as Replicas, heard, warn, store }
  }

  test('each knows what holds in a session, and what was taken back', async () => {
    const [here, there] = [await open(), await open()]
    for (const request of [LEVEL, SUBSCRIBE]) await here.replicas.note('s', request)
    const recalled = await there.replicas.recall('s')
    expect(recalled).toHaveLength(2)
    expect(recalled).toEqual(expect.arrayContaining([LEVEL, SUBSCRIBE]))
    await there.replicas.note('s', UNSUBSCRIBE)
    expect(await here.replicas.recall('s')).toEqual([LEVEL])
    expect(await here.replicas.recall('another')).toEqual([])
    await expect.poll(() => here.heard, WAIT).toEqual([['s', { to: 'session', request: UNSUBSCRIBE }]])
  })

  test('the others hear what one tells, in its order, and the one that tells does not', async () => {
    const [here, there, elsewhere] = [await open(), await open(), await open()]
    const said: [string, Told][] = Array.from({ length: 20 }, (_, id) => [
      's',
      // A compressed message takes longer to open.
      { to: 'client', message: { jsonrpc: '2.0', id, method: id % 2 === 0 ? 'x'.repeat(100_000) : 'y' } },
    ])
    for (const [session, told] of said) here.replicas.tell(session, told)
    for (const { heard } of [there, elsewhere]) await expect.poll(() => heard.length, WAIT).toBe(20)
    expect(there.heard).toEqual(said)
    expect(here.heard).toEqual([])
  })

  test('an end is known to all, and stays known', async () => {
    const [here, there] = [await open(), await open()]
    await here.replicas.note('ending', SUBSCRIBE)
    await here.replicas.end('ending')
    await expect.poll(() => there.heard.at(-1), WAIT).toEqual(['ending', { to: 'end' }])
    await there.replicas.note('ending', LEVEL)
    expect(await there.replicas.recall('ending')).toBe('ended')
  })

  test('a request begins once, and is remembered for a minute after its answer', async () => {
    const [here, there] = [await open(), await open()]
    await server.tell('FLUSHALL')
    const answered = await here.replicas.begin('one')
    expect(answered).toBeDefined()
    expect(await there.replicas.begin('one')).toBeUndefined()
    expect(await there.replicas.begin('two')).toBeDefined()
    const lives = async () => {
      const script =
        "local t = 0 for _, k in ipairs(redis.call('KEYS', '*')) do t = math.max(t, redis.call('PTTL', k)) end return t"
      return Number((await server.tell('EVAL', script, '0')).slice(1))
    }
    expect(await lives()).toBeGreaterThan(60 * 60_000)
    await server.tell('FLUSHALL')
    const short = await here.replicas.begin('three')
    short?.()
    await expect.poll(lives, WAIT).toBeLessThanOrEqual(60_000)
    expect(await there.replicas.begin('three')).toBeUndefined()
  })

  test('a request begins while the store is away', async () => {
    const own = await startValkey()
    const { replicas } = await open({ user: '', port: own.port })
    await own.stop()
    expect(await replicas.begin('one')).toBeDefined()
  })

  test('each reads what is kept of a stream, in order, and of no other session', async () => {
    const [here, there] = [await open(), await open()]
    const events = [1, 2, 3].map((seq) => ({ id: `k.1.${seq}`, text: `{"seq":${seq}}`, answers: seq }))
    const streams = here.replicas.streams('s')
    for (const event of events) streams.keep('k.1', event)
    await expect.poll(() => there.replicas.streams('s').kept('k.1'), WAIT).toEqual(events)
    expect(await there.replicas.streams('s').kept('k.2')).toEqual([])
    expect(await there.replicas.streams('other').kept('k.1')).toEqual([])
    expect([here.warn.mock.calls, there.warn.mock.calls]).toEqual([[], []])
  })

  test('what is kept of a session leaves the store when its id no longer counts', async () => {
    const { replicas } = await open()
    await server.tell('FLUSHALL')
    await replicas.note('s', SUBSCRIBE)
    const script = "return redis.call('PTTL', redis.call('KEYS', '*')[1])"
    const left = Number((await server.tell('EVAL', script, '0')).slice(1))
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(LIFE_SECONDS * 1000)
  })

  test('a session cannot fill the store: it has room for a thousand subscriptions', async () => {
    const { replicas, warn } = await open()
    for (let nth = 0; nth <= 1000; nth++)
      await replicas.note('greedy', { method: 'resources/subscribe', params: { uri: `a://${nth}` } })
    expect(await replicas.recall('greedy')).toHaveLength(1000)
    expect(JSON.stringify(warn.mock.calls)).toContain('more than 1000 fields')
    await replicas.note('greedy', { method: 'resources/subscribe', params: { uri: 'a://0', again: true } })
    expect(JSON.stringify(await replicas.recall('greedy'))).toContain('again')
  })

  test('a replica with another key of the store knows nothing of them', async () => {
    const [here, foreign] = [await open(), await open({ key: 'another key of the store' })]
    await here.replicas.note('s', SUBSCRIBE)
    expect(await foreign.replicas.recall('s')).toEqual([])
    expect(foreign.heard).toEqual([])
  })

  test('a word that tells nothing of a session is passed over, and the next one is heard', async () => {
    const [here, there] = [await open(), await open()]
    await here.store.values.tell('sessions', ['no', 'message'])
    here.replicas.tell('s', { to: 'end' })
    await expect.poll(() => there.heard, WAIT).toEqual([['s', { to: 'end' }]])
  })

  test('a user of the store that may not listen or tell reads so in the log, and remembers still', async () => {
    const deaf = await open({ user: 'deaf:secret' })
    await expect
      .poll(() => JSON.stringify(deaf.warn.mock.calls), WAIT)
      .toMatch(/NOPERM.*docs\/shared-store\.md/)
    await deaf.replicas.note('kept', SUBSCRIBE)
    expect(await deaf.replicas.recall('kept')).toEqual([SUBSCRIBE])
  })

  test('count the calls of a quota together, by the clock of the store', async () => {
    const [here, there] = [await open(), await open()]
    const rate = { rps: 0.5, burst: 3 }
    const takes = [here, there].map(({ store }) =>
      openBuckets(store.values, silentLogger, Date.now, () => 0)('module quota', rate),
    )
    const taken = []
    for (const nth of [0, 1, 0, 1, 0]) taken.push(await takes[nth]?.('anna'))
    expect(taken).toEqual([undefined, undefined, undefined, 2, 2])
    expect(await takes[1]?.('ben')).toBeUndefined()
    const { isUp, commands, seconds } = here.store.values.work()
    expect({ isUp, isCounted: commands >= 3 && seconds > 0 }).toEqual({ isUp: true, isCounted: true })
  })

  test('count by themselves while the store is away, and say so', async () => {
    const own = await startValkey()
    onTestFinished(() => own.stop())
    const { store } = await open({ user: 'default:', port: own.port })
    await own.kill()
    const warn = vi.fn()
    const take = openBuckets(store.values, { warn } as never, Date.now, () => 0)('server', { rps: 1 })
    await expect.poll(() => take('a'), WAIT).toBe(1)
    expect(JSON.stringify(warn.mock.calls)).toContain('quotas count at this replica alone')
    await expect.poll(() => store.values.work().isUp, WAIT).toBe(false)
    expect(store.values.work().failures).toBeGreaterThan(0)
  })

  test('remember results of tools together, until a call of the agent changes something at any of them', async () => {
    const agent = { id: 'anna', kind: 'principal' as const }
    const [here, there] = [await open(), await open()].map(({ store }) => sharedResults(store.values)) as [
      SharedResults,
      SharedResults,
    ]
    const result = { content: [{ type: 'text', text: 'read' }] }
    const before = await here.phase(agent)
    await here.put(`${before} key`, result, 60_000)
    expect(await there.get(`${await there.phase(agent)} key`)).toEqual(result)
    await there.forget(agent)
    // Read before the change, put after it.
    await here.put(`${before} key`, result, 60_000)
    const after = await here.phase(agent)
    expect(after).not.toBe(before)
    expect(await there.phase(agent)).toBe(after)
    expect(await there.get(`${after} key`)).toBeUndefined()
    expect(await here.phase({ ...agent, id: 'ben' })).toBe(before)
  })

  test('an agent that changed something while the store was away finds nothing from before', async () => {
    const agent = { id: 'anna', kind: 'principal' as const }
    const own = await startValkey()
    onTestFinished(() => own.stop())
    const as = { user: 'default:', port: own.port }
    const [here, there] = [await open(as), await open(as)].map(({ store }) =>
      sharedResults(store.values),
    ) as [SharedResults, SharedResults]
    const before = await here.phase(agent)
    await own.kill()
    await here.forget(agent)
    const meanwhile = await here.phase(agent)
    expect(meanwhile).not.toBe(before)
    await own.restart()
    await expect.poll(() => here.phase(agent).then(() => there.phase(agent)), WAIT).toBe(meanwhile)
  })

  test('listens again once the store is back', async () => {
    const own = await startValkey()
    onTestFinished(() => own.stop())
    const as = { user: 'default:', port: own.port }
    const [here, there] = [await open(as), await open(as)]
    await own.restart()
    await expect
      .poll(async () => {
        here.replicas.tell('s', { to: 'end' })
        return there.heard.length
      }, WAIT)
      .toBeGreaterThan(0)
  })

  /** A replica with calls that wait for answers, as a server of the legacy era makes them wait. */
  async function parking(name: string) {
    const { store, warn } = await open()
    const settings = { sessions: { key: KEY, maxAgeSeconds: LIFE_SECONDS } } as Config['settings']
    const courier = (await openCourier(settings, store.values, { warn } as never)) as Courier
    const seen: JsonObject[] = []
    const held = deferred()
    const serve: ModernService['serve'] = async ({ params = {} }, { agent, signal }) => {
      const { requestState, inputResponses, hold, large } = params
      if (requestState === undefined)
        return { resultType: 'input_required', inputRequests: {}, requestState: `${PARKED}${name}` }
      if (requestState !== `${PARKED}${name}`)
        throw new RpcError(-32602, 'Invalid requestState', { at: name })
      seen.push({ agent: agent.id, inputResponses: inputResponses ?? null })
      if (large) return new LargeResult(sharedBytes('{"content":"large"}'))
      if (hold)
        await Promise.race([held.promise, new Promise((end) => signal.addEventListener('abort', end))])
      if (signal.aborted) seen.push({ left: true })
      return { content: `by ${name}` }
    }
    const alone = { serve, toolSchema: async () => undefined, close: async () => {} }
    const service = acrossReplicas(alone, courier)
    // Listening was asked for before: the server has answered that by now.
    await store.values.values('any', 'any')
    const leaving = new AbortController()
    const ask = (params: JsonObject = {}) =>
      service.serve({ method: 'tools/call', params }, {
        agent: { id: 'anna', kind: 'principal' },
        id: 1,
        signal: leaving.signal,
        notify() {},
      } as Requester)
    return { ask, seen, leaving, store }
  }

  test('a client that answers a question at another replica is led to the call that waits', async () => {
    const [here, there] = [await parking('here'), await parking('there')]
    const { requestState = '' } = (await here.ask()) as JsonObject
    expect(requestState).toMatch(/^mcp-rlm-proxy@[\w-]+\.mcp-rlm-proxy\.here$/)
    const answered = { requestState, inputResponses: { q: { action: 'accept' } } }
    expect(await there.ask(answered)).toEqual({ content: 'by here' })
    expect(here.seen).toEqual([{ agent: 'anna', inputResponses: answered.inputResponses }])
    expect(await here.ask(answered)).toEqual({ content: 'by here' })
    expect(await there.ask({ ...answered, large: true })).toBeInstanceOf(LargeResult)
    const wrong = `${String(requestState).slice(0, -4)}none`
    await expect(there.ask({ requestState: wrong })).rejects.toMatchObject({
      code: -32602,
      data: { at: 'here' },
    })
    expect(there.seen).toEqual([])
  })

  test('a client that leaves ends the round at the other replica, and one that is gone leads to a refusal', async () => {
    const [here, there] = [await parking('here'), await parking('there')]
    const { requestState = '' } = (await here.ask()) as JsonObject
    const round = there.ask({ requestState, hold: true }).catch(String)
    await expect.poll(() => here.seen, WAIT).toHaveLength(1)
    there.leaving.abort()
    await expect.poll(() => here.seen, WAIT).toContainEqual({ left: true })
    expect(String(await round)).toContain('Invalid requestState')
    const third = await parking('third')
    const gone = `mcp-rlm-proxy@no-such-replica.${PARKED}here`
    await expect(third.ask({ requestState: gone })).rejects.toThrow('Invalid requestState')
  })

  test('a session of programs goes on at another replica with what the last program left', async () => {
    const anna = { id: 'anna', kind: 'principal' as const }
    const [here, there] = await Promise.all(
      [0, 1].map(async () => {
        const { store } = await open({ maxBytesPerOwner: 1024 * 1024 })
        const kept = createResultStore({
          ...RESULT_STORE_LIMITS,
          memory: createMemoryStore(),
          backing: store,
          ttl: 60_000,
          maxEntriesPerAgent: 20,
          maxBytesPerAgent: 1e8,
          maxAgents: 100,
          isolation: true,
          maxEntries: 20,
          now: Date.now,
          onDrop() {},
          onError() {},
        })
        onTestFinished(() => kept.close())
        return createSessions(kept)
      }),
    )
    await here?.keep(anna, 'work', Buffer.from('one'))
    expect(String(await there?.find(anna, 'work'))).toBe('one')
    await there?.keep(anna, 'work', Buffer.from('two'))
    expect(String(await here?.find(anna, 'work'))).toBe('two')
    expect(await here?.find({ ...anna, id: 'ben' }, 'work')).toBeUndefined()
  })
})
