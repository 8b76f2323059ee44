import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromRows, fromText, fromValue } from '../../../../src/documents/opening/derive.ts'
import { sort } from '../../../../src/processors/steps/sort.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { verifies } from '../../../support/verifies.ts'

function sorted(items: readonly JsonValue[], ...orders: string[]): readonly JsonValue[] {
  const { content, error } = sort.process(fromRows({ noun: 'record', items }), { sort: orders })
  expect(error).toBeUndefined()
  return content.rows().items
}

const column = (items: readonly JsonValue[], name = 'x') =>
  items.map((item) => (item as Record<string, JsonValue>)[name])
const records = (...values: (JsonValue | undefined)[]) =>
  values.map((x, n): JsonValue => (x === undefined ? { n } : { x, n }))

verifies('S3.26', 'sorts up and down, in every spelling', () => {
  const data = records(2, 10, 1)
  for (const order of ['x', '+x', 'x asc', 'x:asc', 'asc(x)', 'X'])
    expect(column(sorted(data, order))).toEqual([1, 2, 10])
  for (const order of ['-x', 'x desc', 'x DESC', 'x:desc', 'desc(x)', '- x', 'x descending']) {
    expect(column(sorted(data, order))).toEqual([10, 2, 1])
  }
})

test('numbers in strings as numbers, text regardless of case, missing and null last either way', () => {
  expect(column(sorted(records('10', '9', 1.5, '-2'), 'x'))).toEqual(['-2', 1.5, '9', '10'])
  expect(column(sorted(records('b', 'A', 'a', 'C'), 'x'))).toEqual(['A', 'a', 'b', 'C'])
  expect(column(sorted(records('2Gi', '100', '512Mi', '1k'), '-x'))).toEqual(['2Gi', '512Mi', '1k', '100'])
  expect(column(sorted(records(undefined, 2, null, 1), 'x'))).toEqual([1, 2, undefined, null])
  expect(column(sorted(records(undefined, 2, null, 1), '-x'))).toEqual([2, 1, undefined, null])
})

test('words of a scale by what they mean, with a remark', () => {
  const said = (order: string, ...words: string[]) => {
    const items = records(...words)
    const { metadata } = sort.process(fromRows({ noun: 'record', items }), { sort: [order] })
    return [column(sorted(items, order)), metadata?.notes]
  }
  expect(said('-x', 'low', 'Critical', 'high', 'medium')).toEqual([
    ['Critical', 'high', 'medium', 'low'],
    ['`x` sorted by what its words mean: Critical, high, medium, low.'],
  ])
  expect(said('x', 'WARN', 'ERROR', 'INFO')[0]).toEqual(['INFO', 'WARN', 'ERROR'])
  expect(column(sorted(records(2, 'low', 1, 'high'), 'x'))).toEqual([1, 2, 'high', 'low'])
  // One word that is of no scale, or one word alone.
  expect(said('x', 'low', 'high', 'banana')).toEqual([['banana', 'high', 'low'], undefined])
  expect(said('x', 'low', 'low')).toEqual([['low', 'low'], undefined])
})

test('several orders, and the smallest or largest of several values', () => {
  const data = [
    { a: 1, b: 1 },
    { a: 2, b: 5 },
    { a: 1, b: 9 },
  ]
  expect(sorted(data, 'a', '-b')).toEqual([data[2], data[0], data[1]])
  expect(sorted(data, 'a, -b')).toEqual([data[2], data[0], data[1]])
  const lists = [{ x: [5, 1] }, { x: [3] }, { x: [] }]
  expect(sorted(lists, 'x')).toEqual([lists[0], lists[1], lists[2]])
  expect(sorted(lists, '-x')).toEqual([lists[0], lists[1], lists[2]])
})

test('by the length of lists and texts', () => {
  const data = records(['a'], ['a', 'b', 'c'], [], undefined, ['a', 'b'])
  const lengths = (order: string) =>
    column(sorted(data, order)).map((list) => (list as JsonValue[] | undefined)?.length)
  for (const order of ['-x.length', '-len(x)', 'count(x) desc', 'desc(size(x))', '-x | length'])
    expect(lengths(order)).toEqual([3, 2, 1, 0, undefined])
  expect(column(sorted(records('ccc', 'a', 'bb'), 'len(x)'))).toEqual(['a', 'bb', 'ccc'])
  expect(
    column(
      sorted(
        [
          { length: 2, x: 1 },
          { length: 1, x: 2 },
        ],
        'length',
      ),
    ),
  ).toEqual([2, 1])
})

test('says how many lack the field, and refuses what is no field', () => {
  const { metadata } = sort.process(fromValue([{ x: 1 }, { y: 1 }, { y: 2 }, { x: 2 }]), { sort: ['-x'] })
  expect(metadata).toEqual({ total: 4, notes: ['2 without `x` come last.'] })
  expect(sort.process(fromValue([{ x: 1 }, { x: 2 }]), { sort: ['xyzzy'] }).error).toContain('There are: `x`')
  expect(sort.process(fromText('b\na'), { sort: ['x'] }).content.rows().items).toEqual(['a', 'b'])
})

test('is a stable permutation, and descending orders the keys the other way round', () => {
  const listOf = (...values: fc.Arbitrary<JsonValue>[]) =>
    fc.array(fc.oneof(fc.constant(null), ...values), { minLength: 1, maxLength: 20 })
  const numbers = listOf(fc.integer({ min: 0, max: 5 }), fc.constant('3'))
  const words = listOf(fc.constantFrom('a', 'b', 'B', 'item 3'))
  fc.assert(
    fc.property(fc.oneof(numbers, words), (values) => {
      const data = records(...values)
      const up = sorted(data, 'x')
      const down = sorted(data, '-x')
      expect([...up].sort((a, b) => place(a) - place(b))).toEqual(data)
      expect([...down].sort((a, b) => place(a) - place(b))).toEqual(data)
      expect(sorted(up, 'x')).toEqual(up)
      const keys = (items: readonly JsonValue[]) =>
        column(items)
          .filter((x) => x !== null)
          .map((x) => String(x).toLowerCase())
      expect(keys(down)).toEqual(keys(up).reverse())
      for (const [at, item] of up.entries()) {
        const next = up[at + 1]
        if (next !== undefined && column([item])[0] === column([next])[0])
          expect(place(item)).toBeLessThan(place(next))
      }
    }),
  )
})

function place(item: JsonValue): number {
  return (item as { n: number }).n
}

test('any number of orders: the first ones decide', () => {
  const data = records(3, 1, 2, 1, 3)
  const orders = ['-x', ...Array.from({ length: 60 }, () => 'x'), '-n']
  expect(column(sorted(data, ...orders), 'n')).toEqual([4, 0, 2, 3, 1])
})

test('times of one form go by the clock, others by what they mean', () => {
  expect(column(sorted(records('2024-01-02T00:00:00Z', '2024-01-01T23:59:59.999Z'), 'x'))).toEqual([
    '2024-01-01T23:59:59.999Z',
    '2024-01-02T00:00:00Z',
  ])
  expect(column(sorted(records('2024-01-02T00:00:00Z', '2024-01-02T00:30:00+01:00'), 'x'))).toEqual([
    '2024-01-02T00:30:00+01:00',
    '2024-01-02T00:00:00Z',
  ])
})

test('a field that ends as a property does is no length', () => {
  const packets = ['758', '1226', '90'].map((length) => ({
    layers: { frame: { 'frame.number': '1', 'frame.len': length } },
  }))
  const lengths = sorted(packets, '-frame.len').map(
    (one) => (one as (typeof packets)[0]).layers.frame['frame.len'],
  )
  expect(lengths).toEqual(['1226', '758', '90'])
  const lists = [{ items: [1] }, { items: [1, 2] }]
  expect(sorted(lists, '-items.len')).toEqual([lists[1], lists[0]])
})
