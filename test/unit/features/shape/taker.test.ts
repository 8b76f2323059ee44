import { expect, test } from 'vitest'
import { takerIn } from '../../../../src/features/shape/taker.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const tool = (name: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties },
  ...more,
})
const text = { type: 'string' }
const write = tool('write', { path: text, content: text })

test('a tool that takes content is found among others, the first of them', () => {
  const others = [tool('read', { path: text }), tool('proxy_filter', { data: text }), 'x', { name: 'no' }]
  expect(takerIn([...others, write, tool('post', { body: {} })], new Set(['proxy_filter']))).toEqual({
    tool: 'write',
    parameter: 'content',
  })
  expect(takerIn(others, new Set(['proxy_filter']))).toBeUndefined()
})

test.each<[string, JsonObject]>([
  ['only reads', { ...write, annotations: { readOnlyHint: true } }],
  ['takes a number', tool('a', { value: { type: 'integer' } })],
  ['takes one of a few', tool('a', { text: { enum: ['a', 'b'] } })],
  ['takes a short text', tool('a', { text: { type: 'string', maxLength: 280 } })],
  ['has a schema of another kind', { name: 'a', inputSchema: [1] }],
  ['has a parameter of no kind', tool('a', { text: 5 })],
])('one that %s could not', (_, one) => {
  expect(takerIn([one], new Set())).toBeUndefined()
})

test('whatever the type may be besides', () => {
  for (const type of ['array', 'object', ['null', 'string']])
    expect(takerIn([tool('a', { rows: { type } })], new Set())).toBeDefined()
  expect(
    takerIn([JSON.parse('{"name":"__proto__","inputSchema":{"properties":{"__proto__":{}}}}')], new Set()),
  ).toBeUndefined()
})
