import { expect, test } from 'vitest'
import { createCalls } from '../../../../src/features/console/calls.ts'
import { createRedactor } from '../../../../src/observe/redact.ts'
import { LargeResult } from '../../../../src/protocol/content.ts'
import type { Exchange } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { client } from '../../../support/upstream.ts'

const SECRET = 'hunter2hunter2'

function world({ max = 100, maxBytes = 1_000_000 } = {}) {
  const calls = createCalls({ max, maxBytes, now: () => 1_000, redactor: createRedactor([SECRET]) })
  /** A call of this tool that ends so. */
  async function call(
    name: string,
    args: JsonObject,
    answer: (exchange: Exchange) => unknown,
    more: object = {},
  ) {
    const handler = calls.layer.wrap(async (exchange) => answer(exchange) as never, {} as never)
    const asker = client()
    const exchange = {
      method: 'tools/call',
      params: { name, arguments: args },
      client: asker,
      agent: asker.agent,
    }
    return handler({ ...exchange, signal: new AbortController().signal, notify() {}, ...more } as Exchange)
  }
  const text = (said: string) => () => ({ content: [{ type: 'text', text: said }] })
  return { calls, call, text }
}

test('a call is noted with its server, its sizes, its times and what was kept of it', async () => {
  const { calls, call, text } = world()
  const heard: number[] = []
  const stop = calls.listen(({ id }) => heard.push(id))
  await call('shop_rows', { count: 3 }, (exchange) => {
    void exchange.admit?.({ server: 'shop', name: 'rows' })
    exchange.onTimed?.({ part: 'router', from: 1, to: 9 })
    exchange.onTimed?.({ part: 'server', server: 'shop', from: 2, to: 5 })
    exchange.onSaved?.({ originalTokens: 900, deliveredTokens: 30 })
    exchange.onKept?.('a'.repeat(25))
    return text('a preview')()
  })
  stop()
  // The quota of a server refuses a call before the server is asked.
  await call(
    'shop_fail',
    {},
    (exchange) => {
      void exchange.admit?.({ server: 'shop', name: 'fail' })
      return { content: [], isError: true }
    },
    { keep: true },
  )
  expect(heard).toEqual([1])
  const [first, second] = calls.since(0, 10)
  expect(first).toMatchObject({
    id: 1,
    at: 1_000,
    tool: 'shop_rows',
    server: 'shop',
    status: 'ok',
    originalTokens: 900,
    deliveredTokens: 30,
    handle: 'a'.repeat(25),
  })
  expect(second).toMatchObject({ server: 'shop', status: 'error', inner: true })
  expect(calls.detail(1)?.timing.map(({ part }) => part)).toEqual(['router', 'server'])
  expect(calls.since(1, 10).map(({ id }) => id)).toEqual([2])
  expect(calls.figures({ server: 'shop' })).toMatchObject({ calls: 2, errors: 1, meanTokens: 900 })
  // The refusal has no time of the server.
  const { p50, p95 } = calls.figures({ server: 'shop' })
  expect([p50, p95]).toEqual([first?.ms, first?.ms])
  expect(calls.figures({ tool: 'shop_fail' })).toEqual({ calls: 1, errors: 1 })
})

test('what a layer further out wants to hear, it hears', async () => {
  const { call, text } = world()
  const heard: unknown[] = []
  const said = {
    onSaved: (savings: unknown) => heard.push(savings),
    onKept: (handle: unknown) => heard.push(handle),
  }
  await call(
    'shop_rows',
    {},
    (exchange) => {
      exchange.onSaved?.({ originalTokens: 1 })
      exchange.onKept?.('handle')
      return text('x')()
    },
    said,
  )
  expect(heard).toEqual([{ originalTokens: 1 }, 'handle'])
})

test('a call without a result is noted with its message, and rejects as before', async () => {
  const { calls, call } = world()
  await expect(call('shop_rows', {}, () => Promise.reject(new Error(`no: ${SECRET}`)))).rejects.toThrow('no')
  expect(calls.since(0, 1)[0]?.status).toBe('failed')
  expect(calls.detail(1)?.message).toContain('no: ')
  expect(calls.detail(1)?.message).not.toContain(SECRET)
  expect(calls.detail(1)?.reply).toBeUndefined()
})

test('arguments and replies are told without secrets, and long ones in part', async () => {
  const { calls, call, text } = world()
  await call('shop_rows', { password: 'p4ssword!', note: SECRET }, text(`${SECRET} ${'x'.repeat(50_000)}`))
  const detail = calls.detail(1)
  expect(JSON.stringify(detail)).not.toMatch(new RegExp(`${SECRET}|p4ssword`))
  expect(detail?.reply?.[0]?.text).toMatch(/… \(\d+ more characters\)$/)
})

test('the reply is told as the model of each client reads it', async () => {
  const { calls, call } = world()
  const image = { type: 'image', data: Buffer.alloc(3_000).toString('base64'), mimeType: 'image/png' }
  await call('shop_rows', {}, () => ({
    content: [{ type: 'text', text: 'as text' }, image],
    structuredContent: { as: 'data' },
  }))
  const reply = calls.detail(1)?.reply ?? []
  const of = (name: string) => reply.find(({ clients }) => clients.includes(name))?.text
  expect(of('Any client')).toBe('as text\n[image, 3.0 KB]')
  expect(reply.map(({ text }) => text)).toContain('{"as":"data"}')
  // No text is told twice.
  expect(new Set(reply.map(({ text, cutAt }) => `${cutAt} ${text}`)).size).toBe(reply.length)
})

test('later calls that name what was kept are its follow-ups', async () => {
  const { calls, call, text } = world()
  const handle = 'b'.repeat(25)
  await call('shop_rows', {}, (exchange) => {
    exchange.onKept?.(handle)
    return text('x')()
  })
  await call('proxy_filter', { cache_id: handle }, text('y'))
  await call('proxy_filter', { cache_id: 'other' }, text('z'))
  expect(calls.detail(1)?.followUps).toEqual([2])
  expect(calls.detail(2)?.followUps).toEqual([])
})

test('10,000 calls are kept, the oldest go first, and their number and bytes are bounded', async () => {
  const { calls, call, text } = world({ max: 10_000, maxBytes: 50_000_000 })
  for (let nth = 0; nth < 10_050; nth++) await call('shop_text', { nth }, text('x'))
  expect(calls.total).toBe(10_050)
  const known = calls.since(0, 100_000)
  expect([known.length, known[0]?.id, known.at(-1)?.id]).toEqual([10_000, 51, 10_050])
  expect(calls.since(0, 3).map(({ id }) => id)).toEqual([10_048, 10_049, 10_050])
  expect(calls.detail(1)).toBeUndefined()

  const small = world({ maxBytes: 10_000 })
  for (let nth = 0; nth < 20; nth++) await small.call('shop_text', {}, small.text('x'.repeat(3_000)))
  expect(small.calls.since(0, 100).length).toBeLessThan(4)
})

test('a result that is too long to be remembered is told by its size', async () => {
  const { calls, call } = world()
  await call('shop_rows', {}, () => new LargeResult(new Uint8Array(new SharedArrayBuffer(500_000))))
  expect(calls.since(0, 1)[0]).toMatchObject({ status: 'ok', answered: 500_000 })
  expect(calls.detail(1)?.reply).toBeUndefined()
})
