import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { createReferences } from '../../../src/features/references/index.ts'
import { createResultCache } from '../../../src/features/result-cache/index.ts'
import type { SharedResults } from '../../../src/features/result-cache/shared.ts'
import { createGateway } from '../../../src/gateway.ts'
import { LargeResult, META, plain, type Result } from '../../../src/protocol/content.ts'
import type { Client, Exchange } from '../../../src/protocol/exchange.ts'
import { isObject, type JsonObject } from '../../../src/protocol/json.ts'
import type { Signal } from '../../../src/protocol/message.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { compose } from '../../../src/proxy/layers.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { createResultStore } from '../../../src/store/result-store.ts'
import { RESULT_STORE_DEFAULTS } from '../../support/defaults.ts'
import { deferred } from '../../support/deferred.ts'
import { client, exchange, stdioServer, temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const reads = { readOnlyHint: true }
const TOOLS: JsonObject[] = [
  { name: 'f_read', annotations: reads },
  { name: 'f_look', annotations: reads },
  { name: 'f_set', annotations: { readOnlyHint: false, idempotentHint: true } },
  { name: 'f_write', annotations: { readOnlyHint: false } },
  { name: 'f_silent' },
].map((tool) => withOrigin(tool, { server: 'f', name: tool.name.slice(2) }))

type Answer = (exchange: Exchange, n: number) => Promise<Result> | Result

interface WorldOptions {
  tools?: string[]
  answer?: Answer
  maxBytes?: number
  shared?: SharedResults
}

/** The layers over a server that counts its calls and, when nothing else is said, answers with their number. */
function world({ tools = [], answer, maxBytes = 1_000_000, shared }: WorldOptions = {}) {
  let time = 0
  const made: JsonObject[] = []
  const cache = createResultCache({
    ttl: 1_000,
    tools,
    maxBytes,
    exempt: new Set(['proxy_filter']),
    now: () => time,
    shared,
  })
  const { handler } = compose([cache.mark, cache.remember], async (asked) => {
    if (asked.method === 'tools/list') return { tools: TOOLS }
    const n = made.push(asked.params)
    return answer ? answer(asked, n) : { content: [{ type: 'text', text: `call ${n}` }] }
  })
  const one = client()
  const call = (name: string, args: JsonObject = {}, extra: Partial<Exchange> = {}, by: Client = one) =>
    handler(exchange(by, { params: { name, arguments: args }, ...extra }))
  const text = async (...given: Parameters<typeof call>): Promise<string> => {
    const { content } = plain(await call(...given))
    return String((content as JsonObject[])[0]?.text)
  }
  const wait = (ms: number): void => {
    time += ms
  }
  return { cache, call, text, made, wait, one }
}

const hits = async (result: Promise<Result>): Promise<unknown> => {
  const { _meta } = plain(await result)
  return (_meta as JsonObject | undefined)?.[`${META}cached`]
}

verifies(
  'S4.35',
  'the same call of a tool that reads is made once a while, and its hit is flagged',
  async () => {
    const { call, text, made, wait } = world()
    expect(await hits(call('f_read', { a: 1, b: { c: [1], d: 2 } }))).toBe(undefined)
    expect(await hits(call('f_read', { b: { d: 2, c: [1] }, a: 1 }))).toBe(true)
    expect(await text('f_read', { a: 1, b: { c: [1], d: 2 } })).toBe('call 1')
    expect(await text('f_read', { a: 2 })).toBe('call 2')
    wait(999)
    expect(await text('f_read', { a: 2 })).toBe('call 2')
    wait(1)
    expect(await text('f_read', { a: 2 })).toBe('call 3')
    expect(await text('f_read', { a: 2 })).toBe('call 3')
    expect(made).toHaveLength(3)
  },
)

verifies('S4.35', 'only tools that say they read, and idempotent ones that are named', async () => {
  const all = world()
  for (const name of ['f_set', 'f_write', 'f_silent', 'f_nowhere', 'proxy_filter'])
    expect(await all.text(name), name).not.toBe(await all.text(name))

  const named = world({ tools: ['f/re*', 'f_set', 'f_write', 'f_silent'] })
  expect(await named.text('f_read')).toBe(await named.text('f_read'))
  expect(await named.text('f_set')).toBe(await named.text('f_set'))
  for (const name of ['f_look', 'f_write', 'f_silent'])
    expect(await named.text(name), name).not.toBe(await named.text(name))
})

verifies('S4.35', 'each agent has its own cache, and an anonymous one has none', async () => {
  const { text, made } = world()
  const other = client()
  const nobody: Client = { ...client(), agent: { id: 'anonymous', kind: 'anonymous' } }
  expect(await text('f_read')).toBe('call 1')
  expect(await text('f_read', {}, {}, other)).toBe('call 2')
  expect(await text('f_read', {}, {}, nobody)).toBe('call 3')
  expect(await text('f_read', {}, {}, nobody)).toBe('call 4')
  expect(await text('f_read')).toBe('call 1')
  expect(made).toHaveLength(4)
})

verifies('S4.35', 'does not cache errors, failures and questions', async () => {
  const bytes = (value: string): LargeResult => {
    const shared = new Uint8Array(new SharedArrayBuffer(value.length))
    shared.set(Buffer.from(value))
    return new LargeResult(shared)
  }
  const answers: (() => Result)[] = [
    () => ({ isError: true, content: [] }),
    () => ({ resultType: 'input_required', inputRequests: {} }),
    () => bytes('{"content": [], "isError" : true}'),
    () => bytes('{"resultType":"input_required"}'),
    () => {
      throw new Error('gone')
    },
  ]
  for (const answer of answers) {
    const { call, made } = world({ answer })
    await call('f_read').catch(() => {})
    await call('f_read').catch(() => {})
    expect(made).toHaveLength(2)
  }
})

verifies('S4.35', "a call that may change data drops the agent's cache", async () => {
  for (const name of ['f_write', 'f_silent', 'f_nowhere']) {
    const { text } = world()
    const other = client()
    expect([await text('f_read'), await text('f_read', {}, {}, other)]).toEqual(['call 1', 'call 2'])
    await text(name)
    expect([await text('f_read'), await text('f_read', {}, {}, other)], name).toEqual(['call 4', 'call 2'])
  }
  // Set back to what it was: the first answer would leave it as it is now.
  const { text, made } = world({ tools: ['f_set'] })
  for (const value of [1, 2, 1, 1]) await text('f_set', { value })
  expect(made).toHaveLength(3)
})

verifies('S4.35', 'does not cache a result read during a change', async () => {
  const gate = deferred()
  const { text, made, cache } = world({
    answer: async (_, n) => {
      if (n === 1) await gate.promise
      return { content: [{ type: 'text', text: `call ${n}` }] }
    },
  })
  const slow = text('f_read')
  await expect.poll(() => made.length).toBe(1)
  await text('f_write')
  // Begun after the change: it does not wait for an answer from before.
  expect(await text('f_read')).toBe('call 3')
  gate.resolve()
  expect(await slow).toBe('call 1')
  expect(await text('f_read')).toBe('call 3')
  cache.forget()
  expect(await text('f_read')).toBe('call 4')
})

verifies('S4.35', 'shares simultaneous calls; a caller that leaves does not end them', async () => {
  const gate = deferred()
  const signals: Signal[] = []
  const { call, text, made } = world({
    answer: async ({ signal }, n) => {
      signals.push(signal)
      await gate.promise
      return { content: [{ type: 'text', text: `call ${n}` }] }
    },
  })
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
  const waiting = [first, second, third].map(({ signal }) => call('f_read', {}, { signal }))
  await expect.poll(() => made.length).toBe(1)
  first.abort()
  await expect(waiting[0]).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(signals[0]?.aborted).toBe(false)
  gate.resolve()
  expect(plain((await waiting[1]) ?? {})).toEqual(plain((await waiting[2]) ?? {}))
  expect(made).toHaveLength(1)
  expect(await text('f_read')).toBe('call 1')
})

verifies('S4.35', 'when the last one leaves the call ends, and the next is a new one', async () => {
  const signals: Signal[] = []
  const { call, made } = world({
    answer: ({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    },
  })
  const leaving = [new AbortController(), new AbortController()]
  const waiting = leaving.map(({ signal }) => call('f_read', {}, { signal }))
  await expect.poll(() => made.length).toBe(1)
  for (const one of leaving) one.abort()
  for (const one of waiting) await expect(one).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(signals[0]?.aborted).toBe(true)
  const again = new AbortController()
  const next = call('f_read', {}, { signal: again.signal })
  await expect.poll(() => made.length).toBe(2)
  again.abort()
  await expect(next).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect(call('f_read', {}, { signal: again.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(made).toHaveLength(2)
})

test('asks each waiting caller the question of a server', async () => {
  const gate = deferred()
  const { call, made } = world({
    answer: async () => {
      await gate.promise
      return { resultType: 'input_required', inputRequests: {} }
    },
  })
  const both = [call('f_read'), call('f_read')]
  await expect.poll(() => made.length).toBe(1)
  gate.resolve()
  await Promise.all(both)
  expect(made).toHaveLength(2)
})

test('ignores transport metadata and respects all other parameters', async () => {
  const { call, made } = world()
  const ask = (params: JsonObject) => call('f_read', {}, { params: { name: 'f_read', ...params } })
  await ask({ arguments: {} })
  await ask({})
  await ask({ _meta: { progressToken: 7, traceparent: '00-1', 'io.modelcontextprotocol/clientInfo': {} } })
  expect(made).toHaveLength(1)
  await ask({ _meta: { tenant: 'b' } })
  expect(made).toHaveLength(2)
  for (const params of [{ task: {} }, { inputResponses: {} }]) {
    await ask(params)
    await ask(params)
  }
  expect(made).toHaveLength(6)
})

test('a large result is remembered as the bytes it came in, and flagged where it goes out small', async () => {
  const json = JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(5_000) }] })
  const bytes = new Uint8Array(new SharedArrayBuffer(json.length))
  bytes.set(Buffer.from(json))
  const large = new LargeResult(bytes)
  const { call, made } = world({ answer: () => large })
  // The result store holds the same bytes: there is one copy of them.
  const resultStore = createResultStore({
    ...RESULT_STORE_DEFAULTS,
    memory: createMemoryStore(),
    now: () => 0,
    onDrop() {},
    onError() {},
  })
  onTestFinished(() => resultStore.close())
  const first = (await call('f_read')) as LargeResult
  const kept = await resultStore.keep(
    { id: 'a' },
    { content: first.bytes, hash: 'h', origin: { tool: 't', arguments: {} } },
  )
  expect(kept.content).toBe(large.bytes)
  expect(await hits(call('f_read'))).toBe(true)
  expect(made).toHaveLength(1)

  const tight = world({ answer: () => large, maxBytes: 10_000 })
  await tight.call('f_read')
  await tight.call('f_read')
  expect(tight.made).toHaveLength(2)
})

verifies('S4.35', 'two calls are the same when the data that references stand for is', async () => {
  let value: JsonObject = { rows: [1] }
  const made: JsonObject[] = []
  const cache = createResultCache({ ttl: 1_000, tools: [], maxBytes: 1e6, exempt: new Set(), now: () => 0 })
  const references = createReferences({
    resultStore: { get: async () => ({}) } as never,
    engine: {
      fill: async (_: unknown, { args }: { args: JsonObject }) => ({
        args,
        written: [{ place: ['data'], bytes: Buffer.from(JSON.stringify(value)) }],
      }),
    } as never,
    exempt: new Set(),
    maxBytes: 1_000,
  })
  const { handler } = compose([cache.mark, references, cache.remember], async ({ method, params }) => {
    if (method === 'tools/list') return { tools: TOOLS }
    made.push(params)
    return { content: [] }
  })
  const one = client()
  const call = async (): Promise<Result> =>
    handler(exchange(one, { params: { name: 'f_read', arguments: { data: { $from: 'abcdef123456' } } } }))
  await call()
  await call()
  expect(JSON.parse(JSON.stringify(made))).toEqual([{ name: 'f_read', arguments: { data: { rows: [1] } } }])
  value = { rows: [2] }
  await call()
  expect(made).toHaveLength(2)
})

// The result cache in a gateway of this process, over a real server.

const annotations = { calls: reads, big: reads, grow: reads }

/** A session with a gateway; `ask` gives the result of a tool. */
async function session(settings: JsonObject) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const connect = { timeoutMs: 120_000, listWaitMs: 120_000 }
  const mcpServers = { f: stdioServer({ annotations }) } as unknown as JsonObject
  const proxySettings = { dataDir: temporaryFolder(), connect, ...settings }
  const gateway = await createGateway(parseConfig({ mcpServers, proxySettings }), { input, output })
  onTestFinished(() => gateway.close())
  await gateway.start()
  const waiting = new Map<unknown, (result: JsonObject) => void>()
  createInterface({ input: output }).on('line', (line) => {
    const { id, result } = JSON.parse(line)
    waiting.get(id)?.(result)
  })
  const request = (method: string, params: JsonObject): Promise<JsonObject> =>
    new Promise((resolve) => {
      const id = waiting.size + 1
      waiting.set(id, resolve)
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const ask = (name: string, args: JsonObject = {}) => request('tools/call', { name, arguments: args })
  return { ask }
}

const isHit = ({ _meta }: JsonObject): boolean => isObject(_meta) && _meta['mcp-rlm-proxy/cached'] === true

verifies('S4.35', 'flags hits of a real server with the same handle until a tool changes', async () => {
  const { ask } = await session({ toolCache: { ttlMs: 3_600_000 } })
  // It tells what it was asked so far, so no two answers of it are the same.
  const first = await ask('f_calls')
  const second = await ask('f_calls')
  expect([isHit(first), isHit(second)]).toEqual([false, true])
  expect(second.content).toEqual(first.content)

  const large = await ask('f_big', { bytes: 200_000 })
  const again = await ask('f_big', { bytes: 200_000 })
  expect([isHit(large), isHit(again)]).toEqual([false, true])
  expect(again._meta).toMatchObject({
    'mcp-rlm-proxy/cache-id': Object(large._meta)['mcp-rlm-proxy/cache-id'],
  })

  await ask('f_echo')
  const third = await ask('f_calls')
  expect(isHit(third)).toBe(false)
  expect(third.content).not.toEqual(first.content)
  expect(isHit(await ask('f_calls'))).toBe(true)
  // It says of itself that it reads, and the server that its tools are others.
  await ask('f_grow', { name: 'grown' })
  await expect.poll(async () => isHit(await ask('f_calls'))).toBe(false)
})

verifies('S4.35', 'is off by default, and an older name turns it on', async () => {
  const off = await session({})
  await off.ask('f_calls')
  expect(isHit(await off.ask('f_calls'))).toBe(false)
  const on = await session({ toolcachettl: 3_600_000, exposure: 'dispatch' })
  const call = () => on.ask('proxy-dispatch', { action: 'call', tool: 'calls' })
  await call()
  expect(isHit(await call())).toBe(true)
})

test('what another replica remembers is a hit here, and a change here ends it there', async () => {
  const phases = { now: 'first' }
  const remembered = new Map<string, Result>()
  const shared = {
    phase: async () => phases.now,
    get: async (key: string) => remembered.get(key),
    put: async (key: string, result: Result) => void remembered.set(key, result),
    forget: async () => {
      phases.now += '.'
    },
  }
  const [one, other] = [world({ shared }), world({ shared })]
  const atOther = (name: string) => other.call(name, {}, {}, one.one)
  expect(await one.text('f_read')).toBe('call 1')
  expect(await hits(atOther('f_read'))).toBe(true)
  expect(other.made).toHaveLength(0)
  await atOther('f_write')
  expect(await hits(one.call('f_read'))).toBe(undefined)
  expect(await one.text('f_read')).toBe('call 2')
})
