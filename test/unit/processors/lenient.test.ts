import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  choice,
  count,
  flag,
  fraction,
  joined,
  names,
  sentences,
  splitNames,
  text,
} from '../../../src/processors/lenient.ts'

describe('names', () => {
  const schema = names('Some names.')

  test.each([
    ['a, b', ['a', 'b']],
    ['a', ['a']],
    ['["a", "b.c"]', ['a', 'b.c']],
    ["['a', 'b']", ['a', 'b']],
    [
      ['a, b', 'c'],
      ['a', 'b', 'c'],
    ],
    ['items[?@.x == 1, @.y].a, b', ['items[?@.x == 1, @.y].a', 'b']],
    ['["a, b"].c', ['["a, b"].c']],
    ['sum(price), avg(x)', ['sum(price)', 'avg(x)']],
    ['', []],
    ['a,,b,', ['a', 'b']],
    [[], []],
  ])('reads %j', (given, read) => {
    expect(schema.parse(given)).toEqual(read)
  })

  test('refuses what is no list of strings', () => {
    for (const given of [
      5,
      {},
      [1],
      [['a']],
      ['x'.repeat(3_000)],
      Array(300).fill('a'),
      'x'.repeat(1_000_000),
    ]) {
      expect(schema.safeParse(given).success).toBe(false)
    }
  })
})

test.each([
  [[['total', -1]], ['total desc']],
  [
    [
      ['state', 'ASC'],
      ['total', 'descending'],
    ],
    ['state asc', 'total descending'],
  ],
])('orders in pairs are read: %j', (given, read) => {
  expect(joined('Orders.').parse(given)).toEqual(read)
  expect(joined('Orders.').safeParse([['a', 'b']]).success).toBe(false)
})

test('functions of one field come in a list', () => {
  expect(joined('Calls.').parse({ price: ['sum', 'mean'] })).toEqual(['sum price', 'mean price'])
  expect(joined('Calls.').safeParse({ price: [] }).success).toBe(false)
  expect(joined('Calls.').safeParse({ price: [1] }).success).toBe(false)
})

test('sentences keep their commas', () => {
  const schema = sentences('Conditions.')
  expect(schema.parse('state in (a, b)')).toEqual(['state in (a, b)'])
  expect(schema.parse('["a = 1, 2", "b = 2"]')).toEqual(['a = 1, 2', 'b = 2'])
  expect(schema.parse(['a = 1, 2'])).toEqual(['a = 1, 2'])
})

test('numbers, flags and words come from strings too', () => {
  expect(count('n').parse('20')).toBe(20)
  expect(count('n').parse(0)).toBe(0)
  for (const given of [-1, '-5', 1.5, '', 'ten', Number.NaN, true, 1e12]) {
    expect(count('n').safeParse(given).success, String(given)).toBe(false)
  }
  expect(count('n', 1).safeParse(0).success).toBe(false)
  expect(['1,000', 'top 5', '10 rows', 'first 3 lines'].map((given) => count('n').parse(given))).toEqual([
    1000, 5, 10, 3,
  ])
  expect(count('n', 1).parse('all')).toBe(1e9)
  for (const given of ['last 5', '10k', '20%', '5-10', 'all'])
    expect(count('n').safeParse(given).success, given).toBe(false)
  expect(fraction('t').parse('0.7')).toBe(0.7)
  expect(fraction('t').safeParse(1.1).success).toBe(false)
  expect(['true', 'Yes', 1, true].map((given) => flag('f').parse(given))).toEqual([true, true, true, true])
  expect(['false', 'no', 0, false].map((given) => flag('f').parse(given))).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(flag('f').safeParse('maybe').success).toBe(false)
  expect(choice(['include', 'exclude'], 'm').parse(' Exclude ')).toBe('exclude')
  expect(choice(['section', 'lines'], 'm').parse('whole section')).toBe('section')
  expect(choice(['section', 'lines'], 'm').safeParse('lines of a section').success).toBe(false)
  expect(choice(['include', 'exclude'], 'm').safeParse('both').error?.issues[0]?.message).toContain(
    'include, exclude',
  )
  expect(text('t').parse(5)).toBe('5')
})

test('the schema a model sees is that of the plain types', () => {
  const schema = z.object({
    fields: names('N.'),
    limit: count('C.'),
    deep: flag('F.'),
    path: text('T.'),
    at: fraction('R.'),
  })
  const { properties, required } = z.toJSONSchema(schema, { io: 'input' })
  expect(required).toBeUndefined()
  expect(properties).toMatchObject({
    fields: { type: 'array', items: { type: 'string' }, description: 'N.' },
    limit: { type: 'integer', minimum: 0 },
    deep: { type: 'boolean' },
    path: { type: 'string' },
    at: { type: 'number' },
  })
})

test('splitNames never loses a name', () => {
  expect(splitNames('a, "b, c", d(e, f)')).toEqual(['a', '"b, c"', 'd(e, f)'])
  expect(splitNames("it’s, don't, x")).toEqual(['it’s', "don't", 'x'])
})
