import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BodyFault, isFault, parseMessages } from '../../../../src/server/http/messages.ts'
import { soundKeys } from '../../../support/keys.ts'

const parse = (value: unknown) => parseMessages(Buffer.from(JSON.stringify(value)))
const id = fc.oneof(fc.string(), fc.integer())
const message = fc.oneof(
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id,
    method: fc.string(),
    params: soundKeys(fc.dictionary(fc.string(), fc.jsonValue())),
  }),
  fc.record({ jsonrpc: fc.constant('2.0'), method: fc.string() }),
  fc.record({ jsonrpc: fc.constant('2.0'), id, result: soundKeys(fc.jsonValue()) }),
  fc.record({ jsonrpc: fc.constant('2.0'), id: fc.constant(null), error: soundKeys(fc.jsonValue()) }),
)

describe('the body of a POST', () => {
  test('gives its messages as they are, one or a batch', () => {
    fc.assert(
      fc.property(message, (one) => {
        const parsed = JSON.parse(JSON.stringify(one))
        expect(parse(one)).toEqual({ messages: [parsed], batch: false })
        expect(parse([one, one])).toEqual({ messages: [parsed, parsed], batch: true })
      }),
    )
  })

  test('is a fault or messages, whatever it is', () => {
    const bytes = fc.uint8Array().map((array) => Buffer.from(array))
    const text = fc.oneof(fc.string(), soundKeys(fc.json())).map((string) => Buffer.from(string))
    fc.assert(
      fc.property(fc.oneof(bytes, text), (body) => {
        const parsed = parseMessages(body)
        if (isFault(parsed)) expect([-32_700, -32_600]).toContain(parsed.code)
        else for (const one of parsed.messages) expect(one).toBeTypeOf('object')
      }),
    )
  })

  test.each([
    [{ id: null, method: 'ping' }],
    [{ id: 1, method: {} }],
    [{ id: true, method: 'ping' }],
    [{ id: [1], result: {} }],
    [{ jsonrpc: '2.0', id: 1 }],
    [[]],
    [[[]]],
    [[{ method: 'a', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } }]],
  ])('%j is no message', (value) => {
    expect((parse(value) as BodyFault).code).toBe(-32_600)
  })

  test('a notification may have an id that is null', () => {
    expect(isFault(parse({ jsonrpc: '2.0', id: null, method: 'notifications/initialized' }))).toBe(false)
  })
})

test('a body of too many values, keys or levels is refused before it is parsed', () => {
  const call = (args: string): unknown =>
    parseMessages(
      Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${args}}}`),
    )
  const keys = Array.from({ length: 150_000 }, (_, at) => `"k${at}":1`).join(',')
  expect(call(`{${keys}}`)).toMatchObject({ message: expect.stringContaining('`limits.requestValues`') })
  expect(call(`${'['.repeat(2000)}${']'.repeat(2000)}`)).toMatchObject({
    message: expect.stringContaining('`limits.requestDepth`'),
  })
  expect(call(JSON.stringify({ file: '[{,'.repeat(1_000_000) }))).toMatchObject({ batch: false })
})

test('a client that says very much of itself is refused, in both eras', () => {
  const much = { experimental: { x: 'x'.repeat(70_000) } }
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { capabilities: much } }
  const modern = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta: { 'io.modelcontextprotocol/clientCapabilities': much } },
  }
  for (const message of [initialize, modern, [initialize], [initialize, modern]])
    expect(parse(message)).toMatchObject({ message: expect.stringContaining('`limits.introductionBytes`') })
  expect(parse({ ...initialize, method: 'tools/call' })).toMatchObject({ batch: false })
})
