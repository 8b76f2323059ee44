/** Groups and functions against loops that are written as plainly as they can be. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRows, fromValue } from '../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { aggregate } from '../../../src/processors/steps/group.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { datePart, partOf } from '../../../src/text/values/date-parts.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'

interface Order {
  state?: string | null
  price?: number | string | null
  lines: { sku: string; n: number }[]
  tags?: string[]
}

const order: fc.Arbitrary<Order> = fc.record(
  {
    state: fc.constantFrom('open', 'shut', null),
    price: fc.oneof(
      fc.integer({ min: -500, max: 500 }),
      fc.constantFrom<string | null>('12', '$1,250.5', '7%', 'n/a', null),
    ),
    lines: fc.array(fc.record({ sku: fc.constantFrom('a', 'b', 'c'), n: fc.integer({ min: 0, max: 9 }) }), {
      maxLength: 4,
    }),
    tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
  },
  { requiredKeys: ['lines'] },
)

/** All fields exist, and prices are mostly numbers. */
const first: Order = { state: 'open', price: 1, lines: [{ sku: 'a', n: 1 }], tags: ['x'] }
const orders = fc.array(order, { minLength: 1, maxLength: 12 }).map((list) => [first, ...list])

const numbers: Record<string, number> = { '12': 12, '$1,250.5': 1250.5, '7%': 7 }

function numberOf(price: Order['price']): number | undefined {
  return typeof price === 'number' ? price : typeof price === 'string' ? numbers[price] : undefined
}

function rows(data: readonly Order[], params: Record<string, unknown>): JsonObject[] {
  const document = fromRows({ noun: 'record', items: deepFreeze(structuredClone(data)) as never })
  const { content, error } = aggregate.process(document, params as never)
  expect(error).toBeUndefined()
  return content.rows().items as JsonObject[]
}

const byKey = (list: readonly JsonObject[], key: string) =>
  Object.fromEntries(list.map(({ [key]: name, ...rest }) => [String(name), rest]))

test('counts and sums of groups, numbers in texts included', () => {
  fc.assert(
    fc.property(orders, (data) => {
      const expected: Record<string, JsonObject> = {}
      for (const state of new Set(data.map((one) => one.state))) {
        if (state === undefined) continue
        const members = data.filter((one) => one.state === state)
        const prices = members.flatMap(({ price }) => numberOf(price) ?? [])
        const given = members.filter(({ price }) => price !== undefined && price !== null).length
        const sum = prices.reduce((all, one) => all + one, 0)
        expected[String(state)] = {
          count: members.length,
          'sum(price)': prices.length === 0 && given > 0 ? null : sum,
          'avg(price)': prices.length === 0 ? null : Number((sum / prices.length).toPrecision(12)),
          'count(price)': given,
        }
      }
      const found = rows(data, {
        group_by: 'state',
        aggregate: 'count, sum(price), avg(price), count(price)',
      })
      expect(byKey(found, 'state')).toEqual(expected)
      expect(found.map(({ count }) => count)).toEqual(
        found.map(({ count }) => count).sort((a, b) => Number(b) - Number(a)),
      )
    }),
  )
})

test('each element of a list belongs to its own group', () => {
  fc.assert(
    fc.property(orders, (data) => {
      const expected: Record<string, JsonObject> = {}
      for (const sku of new Set(data.flatMap(({ lines }) => lines.map((line) => line.sku)))) {
        const with_ = data.filter(({ lines }) => lines.some((line) => line.sku === sku))
        const lines = data.flatMap((one) => one.lines).filter((line) => line.sku === sku)
        expected[sku] = { count: with_.length, 'sum(lines.n)': lines.reduce((all, { n }) => all + n, 0) }
      }
      for (const group_by of ['lines.sku', 'lines[].sku', '$[*].lines[*].sku']) {
        const found = rows(data, { group_by, aggregate: 'count, sum(lines.n)' })
        const [key = ''] = Object.keys(found[0] ?? {})
        expect(byKey(found, key)).toEqual(expected)
      }
    }),
  )
})

test('a record with several values is in each of their groups', () => {
  fc.assert(
    fc.property(orders, (data) => {
      const found = byKey(rows(data, { group_by: 'tags', aggregate: 'count, percent' }), 'tags')
      for (const tag of ['x', 'y', 'z']) {
        const count = data.filter(({ tags }) => tags?.includes(tag)).length
        if (count === 0) expect(found[tag]).toBeUndefined()
        else expect(found[tag]).toEqual({ count, percent: Number(((count / data.length) * 100).toFixed(2)) })
      }
    }),
  )
})

test('distinct tells all values and their counts, nested ones too', () => {
  fc.assert(
    fc.property(orders, (data) => {
      const [row] = rows(data, { aggregate: 'distinct(lines.n)' })
      const all = data.flatMap(({ lines }) => lines.map(({ n }) => n))
      const counts = new Map<number, number>()
      for (const n of all) counts.set(n, (counts.get(n) ?? 0) + 1)
      expect(row?.['distinct(lines.n)']).toBe(counts.size)
      const told = row?.['values of lines.n'] as [number, number][]
      expect(new Map(told)).toEqual(counts)
      expect(told.map(([, count]) => count)).toEqual([...counts.values()].sort((a, b) => b - a))
    }),
  )
})

test('percentiles lie where their share of the numbers is below', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 40 }),
      fc.nat(100),
      (values, rank) => {
        const data = values.map((v) => ({ v }))
        const { content } = aggregate.process(fromRows({ noun: 'record', items: data }), {
          aggregate: [
            `p(v)`.replace('p', `percentile`).replace(')', `, ${rank})`),
            'median(v)',
            'min(v)',
            'max(v)',
          ],
        })
        const [row] = content.rows().items as JsonObject[]
        const sorted = [...values].sort((a, b) => a - b)
        const place = ((sorted.length - 1) * rank) / 100
        const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
        const found = Number(row?.[`p${rank}(v)`])
        expect(found).toBeGreaterThanOrEqual(low - 1e-9)
        expect(found).toBeLessThanOrEqual(high + 1e-9)
        expect([row?.['min(v)'], row?.['max(v)']]).toEqual([sorted[0], sorted.at(-1)])
      },
    ),
  )
})

describe('conditions on groups', () => {
  const data = fromValue(
    Array.from({ length: 30 }, (_, n) => ({ team: `t${n % 7}`, points: n, price: `$${n}` })),
  )
  const groups = (params: Record<string, unknown>) => {
    const { document, error, steps } = runPipeline(data, filterSteps, params)
    expect(error).toBeUndefined()
    return { items: document.rows().items, notes: steps.flatMap(({ metadata }) => metadata.notes ?? []) }
  }

  test.each([
    { where: ['count > 4'] },
    { where: ['count(*) > 4'] },
    { where: ['COUNT >= 5'] },
    { where: ['sum(points) >= 70', 'count >= 5'], aggregate: 'count, sum(points)' },
    { where: ['n > 4'], aggregate: 'count as n' },
  ])('%j', (params) => {
    const { items, notes } = groups({ group_by: 'team', ...params })
    expect(items).toHaveLength(2)
    expect(notes.join()).toContain('2 of 7 groups fulfil')
  })

  test('an aggregate that was not asked for is added', () => {
    expect(groups({ group_by: 'team', where: 'avg(points) >= 15' }).items).toEqual(
      [1, 2, 3, 4, 5, 6].flatMap((n) => {
        const own = Array.from({ length: 30 }, (_, at) => at).filter((at) => at % 7 === n)
        const avg = own.reduce((sum, one) => sum + one, 0) / own.length
        return avg >= 15 ? [{ team: `t${n}`, count: own.length, 'avg(points)': avg }] : []
      }),
    )
  })

  test('a field of that name is the field’s', () => {
    const { document } = runPipeline(
      fromValue([
        { count: 9, k: 'a' },
        { count: 1, k: 'a' },
      ]),
      filterSteps,
      {
        group_by: 'k',
        where: ['count > 5'],
      },
    )
    expect(document.rows().items).toEqual([{ k: 'a', count: 1 }])
  })

  test('conditions on records go first, orders on groups last', () => {
    const { items } = groups({
      group_by: 'team',
      where: ['points < 14', 'count > 1'],
      aggregate: 'count, sum(price) as sum',
      sort: '-sum',
      limit: 2,
    })
    expect(items[0]).toEqual({ team: 't6', count: 2, sum: 19 })
    expect(items).toHaveLength(7)
  })
})

test('a condition on elements chooses records: that functions are over all their elements is said', () => {
  const data = fromValue([
    {
      id: 1,
      lines: [
        { sku: 'a', n: 1 },
        { sku: 'b', n: 5 },
      ],
    },
    { id: 2, lines: [{ sku: 'b', n: 7 }] },
  ])
  const said = (params: Record<string, unknown>) =>
    runPipeline(data, filterSteps, params)
      .steps.flatMap(({ metadata }) => metadata.notes ?? [])
      .join()
  expect(said({ where: ['lines.sku = a'], aggregate: 'sum(lines.n)' })).toContain(
    'that fulfil the condition: {"sum(n)":1}, as with "path": "lines[*]"',
  )
  expect(said({ where: ['id = 1'], aggregate: 'sum(lines.n)' })).toBe('')
  expect(said({ where: ['lines.sku = a'], aggregate: 'sum(id)' })).toBe('')
})

test('the record that has the largest value is named', () => {
  const data: JsonValue = Array.from({ length: 6 }, (_, n) => ({ id: n, name: `N${n}`, cost: n % 3 }))
  const { metadata } = aggregate.process(fromValue(data), {
    aggregate: ['max(cost)', 'min(cost)', 'max(id)'],
  })
  expect(metadata.notes).toEqual([
    'max(cost) is of 2 records, the first {"id":2,"name":"N2"}.',
    'min(cost) is of 2 records, the first {"id":0,"name":"N0"}.',
    'max(id) is of {"id":5,"name":"N5"}.',
  ])
})

test('the largest of levels is the worst one', () => {
  const data: JsonValue = ['low', 'High', 'medium', null].map((severity, id) => ({ id, severity }))
  const { content } = aggregate.process(fromValue(data), { aggregate: ['max(severity)', 'min(severity)'] })
  expect(content.rows().items).toEqual([{ 'max(severity)': 'High', 'min(severity)': 'low' }])
})

describe('parts of dates', () => {
  test.each([
    ['2024-05-06T10:30:59Z', 'year', '2024'],
    ['2024-05-06T10:30:59Z', 'quarter', '2024-Q2'],
    ['2024-05-06T10:30:59Z', 'month', '2024-05'],
    ['2024-12-30', 'week', '2025-W01'],
    ['2021-01-03', 'week', '2020-W53'],
    ['2024-05-06T10:30:59Z', 'hour', '2024-05-06T10'],
    ['2024-05-06T10:30:59Z', 'minute', '2024-05-06T10:30'],
    ['2024-05-06T10:30:59Z', 'weekday', 'Monday'],
    ['2024-05-06T10:30:59Z', 'hour_of_day', '10'],
    ['2024-05-06T10:30:59Z', 'day_of_month', '06'],
    ['2024-05-06T10:30:59Z', 'month_of_year', '05'],
    [1714991459, 'day', '2024-05-06'],
    ['1714991459', 'day', '2024-05-06'],
    [1714991459000, 'hour', '2024-05-06T10'],
    ['May  6 10:30:59', 'day', '05-06'],
    ['May  6 10:30:59', 'weekday', undefined],
    ['no date', 'day', undefined],
    [7, 'day', undefined],
    [null, 'day', undefined],
  ] as const)('%j by %s is %j', (value, part, expected) => {
    expect(partOf(value, part)).toBe(expected)
  })

  test.each([
    'at:month',
    'at by month',
    'month(at)',
    'month of at',
    'MONTHLY(at)',
    "date_trunc('month', at)",
    'extract(month from at)',
    'at per month',
    'month(at) as month',
  ])('%s', (group_by) => {
    const { content, error } = aggregate.process(
      fromValue([{ at: '2024-05-06' }, { at: '2024-05-09' }, { at: '2024-06-01' }]),
      {
        group_by: [group_by],
      },
    )
    expect(error).toBeUndefined()
    expect(content.rows().items.map((row) => Object.values(row as JsonObject))).toEqual([
      ['2024-05', 2],
      ['2024-06', 1],
    ])
  })

  test('words for parts', () => {
    expect(
      ['Day', 'days', 'daily', 'day-of-week', 'dow', 'hour_of_day', 'Weekly', 'minutes'].map(datePart),
    ).toEqual(['day', 'day', 'day', 'weekday', 'weekday', 'hour_of_day', 'week', 'minute'])
    expect(['', 'constructor', 'name'].map(datePart)).toEqual([undefined, undefined, undefined])
  })
})
