import { expect, onTestFinished, test } from 'vitest'
import { createReferences } from '../../../../src/features/references/index.ts'
import { createResultCache } from '../../../../src/features/result-cache/index.ts'
import { LargeResult, META, plain, type Result } from '../../../../src/protocol/content.ts'
import type { Client, Exchange } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { withOrigin } from '../../../../src/protocol/origin.ts'
import { compose } from '../../../../src/proxy/onion.ts'
import { createMemoryStore } from '../../../../src/store/memory.ts'
import { createKeeper } from '../../../../src/store/result-store.ts'
import { KEEPER_DEFAULTS } from '../../../support/defaults.ts'
import { deferred } from '../../../support/deferred.ts'
import { client, exchange } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

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
}

/** The layers over a server that counts its calls and, when nothing else is said, answers with their number. */
function world({ tools = [], answer, maxBytes = 1_000_000 }: WorldOptions = {}) {
  let time = 0
  const made: JsonObject[] = []
  const cache = createResultCache({
    ttl: 1_000,
    tools,
    maxBytes,
    exempt: new Set(['proxy_filter']),
    now: () => time,
  })
  const handler = compose([cache.mark, cache.remember], async (asked) => {
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

verifies('S4.35', 'each agent has its own, and one that nobody knows has none', async () => {
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

verifies('S4.35', 'errors, failures and questions are not remembered', async () => {
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

verifies('S4.35', 'a call that may change something ends what was remembered for its agent', async () => {
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

verifies('S4.35', 'what was read while something changed is not remembered', async () => {
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

verifies(
  'S4.35',
  'calls at the same time are one, and who leaves does not end it for the others',
  async () => {
    const gate = deferred()
    const signals: AbortSignal[] = []
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
  },
)

verifies('S4.35', 'when the last one leaves the call ends, and the next is a new one', async () => {
  const signals: AbortSignal[] = []
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

test('what a server asks is asked of each that waited', async () => {
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

test('how a call is carried makes no difference, what else it says does', async () => {
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
  // The keeper holds the same bytes: there is one copy of them.
  const keeper = createKeeper({
    ...KEEPER_DEFAULTS,
    memory: createMemoryStore(),
    now: () => 0,
    onDrop() {},
    onError() {},
  })
  onTestFinished(() => keeper.close())
  const first = (await call('f_read')) as LargeResult
  const kept = await keeper.keep(
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
    keeper: { get: async () => ({}) } as never,
    engine: {
      fill: async (_: unknown, { args }: { args: JsonObject }) => ({
        args,
        written: [{ place: ['data'], bytes: Buffer.from(JSON.stringify(value)) }],
      }),
    } as never,
    exempt: new Set(),
    maxBytes: 1_000,
  })
  const handler = compose([cache.mark, references, cache.remember], async ({ method, params }) => {
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
