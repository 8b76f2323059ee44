import { describe, expect, test } from 'vitest'
import { readAhead } from '../../../src/documents/fast/index.ts'
import { hashOf } from '../../../src/engine/content.ts'
import type { Digest, Query } from '../../../src/engine/contract.ts'
import { digest } from '../../../src/engine/digest.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { bytesOf, LIMITS, orders, textResult } from './world.ts'

const many: JsonObject[] = orders(6000).map((order) =>
  order.id === 4000 ? { ...order, state: 'failed', refund: 7, at: '2024-05-06T07:08:09Z' } : order,
)

const TEXTS = {
  'a list': JSON.stringify(many),
  'a list on many lines': JSON.stringify(many, null, 2),
  'a list in an object': JSON.stringify({ page: 1, data: { orders: many, more: false }, total: 6000 }),
  'two lists': JSON.stringify({ old: many.slice(0, 3000), new: many.slice(2000) }),
  'a record a line': many.map((order) => JSON.stringify(order)).join('\n'),
  'a map': JSON.stringify(Object.fromEntries(many.map((order) => [`order ${order.id}`, order]))),
  'a short list': JSON.stringify(many.slice(0, 300)),
  'a list that is cut off': JSON.stringify(many).slice(0, -20),
  prose: 'The order was delayed by a storm.\n'.repeat(12_000),
}

const QUESTIONS: readonly Pick<Query, 'kind' | 'params'>[] = [
  { kind: 'explore', params: {} },
  { kind: 'filter', params: { where: ['total > 39990'], limit: 3 } },
  { kind: 'filter', params: { where: ["state = 'failed'"] } },
  { kind: 'filter', params: { group_by: ['state'], aggregate: ['sum(total)'] } },
  { kind: 'search', params: { pattern: 'Customer 7', max_results: 3 } },
  { kind: 'search', params: { pattern: 'delayed storm', mode: 'bm25', top_k: 2 } },
]

/** The part of a digest that is the same whether or not the result was opened for it. */
function shown({ unopened: _, hash: __, ...digest }: Digest): Omit<Digest, 'unopened' | 'hash'> {
  return digest
}

describe.each(Object.entries(TEXTS))('%s, read ahead of parsing and not', (_, text) => {
  const content = bytesOf(textResult(text))
  const arrival = { content, tool: 'shop_orders' }
  const source = { handle: 'a1b2c3d4e5f6', hash: hashOf(content), content, tool: 'shop_orders' }
  const [ahead, parsed] = [createViews(), createViews()]

  test('has the same preview', () => {
    const without = digest(parsed, arrival, { ...LIMITS, readAhead: false })
    expect(without.unopened).toBeUndefined()
    expect(shown(digest(ahead, arrival, LIMITS))).toEqual(shown(without))
    const begun = readAhead()
    for (let to = 100_000; to < content.length; to += 100_000) begun.advance(content.slice(0, to))
    expect(shown(digest(createViews(), arrival, LIMITS, begun))).toEqual(shown(without))
  })

  test.each(QUESTIONS)('has the same answer to $kind $params', ({ kind, params }) => {
    const asked = { kind, params, budget: 4000 }
    expect(query(ahead, [source], asked)).toEqual(query(parsed, [source], asked))
  })
})
