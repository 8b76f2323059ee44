/** Windows against plain code. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRows } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

function ask(
  rows: readonly JsonValue[],
  params: Record<string, unknown>,
): { rows: JsonValue[]; error?: string } {
  const { document, error } = runPipeline(fromRows({ noun: 'record', items: rows }), filterSteps, params)
  return { rows: [...document.rows().items], ...(error !== undefined && { error }) }
}

const players: JsonObject[] = [
  { name: 'ann', team: 'red', points: 10, day: '2024-01-03' },
  { name: 'bob', team: 'red', points: 30, day: '2024-01-01' },
  { name: 'cat', team: 'blue', points: 30, day: '2024-01-02' },
  { name: 'dan', team: 'blue', points: 20, day: '2024-01-04' },
  { name: 'eve', team: 'red', points: 30, day: '2024-01-05' },
]

function column(params: Record<string, unknown>, name: string): JsonValue[] {
  const { rows, error } = ask(players, params)
  expect(error).toBeUndefined()
  return rows.map((row) => (row as JsonObject)[name] ?? null)
}

describe('a window', () => {
  test.each<[string, JsonValue[]]>([
    ['row_number() over (partition by team order by points desc)', [3, 1, 1, 2, 2]],
    ['rank() over (partition by team order by -points)', [3, 1, 1, 2, 1]],
    ['dense_rank() over (order by points desc)', [3, 1, 1, 2, 1]],
    ['rank() over (order by points)', [1, 3, 3, 2, 3]],
    ['percent_rank() over (order by points)', [0, 0.5, 0.5, 0.25, 0.5]],
    ['cume_dist() over (order by points)', [0.2, 1, 1, 0.4, 1]],
    ['ntile(2) over (order by day)', [1, 1, 1, 2, 2]],
    ['lag(points) over (order by day)', [30, null, 30, 10, 20]],
    ['lag(points, 1, 0) over (order by day)', [30, 0, 30, 10, 20]],
    ['lead(name, 2) over (order by day)', ['eve', 'ann', 'dan', null, null]],
    ['change(points) over (order by day)', [-20, null, 0, 10, 10]],
    ['pct_change(points) over (order by day)', [-66.67, null, 0, 100, 50]],
    ['first_value(name) over (partition by team order by day)', ['bob', 'bob', 'cat', 'cat', 'bob']],
    ['last_value(name) over (partition by team order by day)', ['eve', 'eve', 'dan', 'dan', 'eve']],
    ['sum(points) over (order by day)', [70, 30, 60, 90, 120]],
    ['sum(points) over (partition by team)', [70, 70, 50, 50, 70]],
    ['avg(points) over (order by day rows between 1 preceding and current row)', [20, 30, 30, 15, 25]],
    ['moving_avg(points, 2) over (order by day)', [20, 30, 30, 15, 25]],
    ['count(*) over (partition by team)', [3, 3, 2, 2, 3]],
    ['median(points) over (partition by team)', [30, 30, 25, 25, 30]],
    ['percent(points) over (partition by team)', [14.29, 42.86, 60, 40, 42.86]],
  ])('%s', (call, expected) => {
    expect(column({ fields: [`${call} as w`, 'name'] }, 'w')).toEqual(expected)
  })

  test('stands in conditions, which come after those about records', () => {
    const params = {
      where: ['points > 10', 'row_number() over (partition by team order by day) = 1'],
      fields: ['name'],
    }
    expect(column(params, 'name')).toEqual(['bob', 'cat'])
  })

  test('is over all rows where a condition is about another name that is computed', () => {
    const params = {
      fields: ['name', 'upper(team) as t', 'row_number() over (order by name) as n'],
      where: ['t = BLUE'],
    }
    expect([column(params, 'name'), column(params, 'n')]).toEqual([
      ['cat', 'dan'],
      [3, 4],
    ])
  })

  test('@ is the record, not the row with the columns', () => {
    const params = { fields: ['row_number() over () as i', 'length(@) as n'], sort: ['-n'] }
    expect(ask([[1], [1, 2, 3], [1, 2]], params).rows).toEqual([
      { i: 2, n: 3 },
      { i: 3, n: 2 },
      { i: 1, n: 1 },
    ])
  })

  test('is called by its other name in conditions and orders', () => {
    const params = {
      fields: ['name', 'rank() over (partition by team order by points desc) as place'],
      where: ['place <= 1'],
      sort: ['-name'],
    }
    expect(column(params, 'name')).toEqual(['eve', 'cat', 'bob'])
    expect(column({ sort: ['-rank() over (order by points)', 'name'], fields: ['name'] }, 'name')).toEqual([
      'bob',
      'cat',
      'eve',
      'dan',
      'ann',
    ])
  })

  test('is computed of groups', () => {
    const { rows, error } = ask(players, {
      group_by: ['team'],
      aggregate: ['sum(points) as all', 'rank() over (order by sum(points) desc) as place'],
      sort: ['team'],
    })
    expect(error).toBeUndefined()
    expect(rows).toEqual([
      { team: 'blue', all: 50, 'sum(points)': 50, place: 2 },
      { team: 'red', all: 70, 'sum(points)': 70, place: 1 },
    ])
  })

  test('stands in a comparison with a field, and in arithmetic over groups', () => {
    expect(
      column(
        { where: ['points > lag(points) over (order by day)'], sort: ['day'], fields: ['name'] },
        'name',
      ),
    ).toEqual(['dan', 'eve'])
    const { rows, error } = ask(players, {
      group_by: ['team'],
      aggregate: ['round(100.0 * sum(points * 2) / sum(sum(points * 2)) over (), 1) as share'],
      fields: ['team', 'share'],
      sort: ['team'],
    })
    expect(error).toBeUndefined()
    expect(rows).toEqual([
      { team: 'blue', share: 41.7 },
      { team: 'red', share: 58.3 },
    ])
  })

  test('in a condition is computed before what is counted', () => {
    expect(
      column({ where: ['points > lag(points) over (order by day)'], aggregate: ['count'] }, 'count'),
    ).toEqual([2])
  })

  test('that cannot be read is refused with one that can', () => {
    expect(ask(players, { fields: ['nothing(points) over (order by day)'] }).error).toMatch(
      /not a function|rank\(\) over/,
    )
    expect(ask(players, { fields: ['rank() over (partition by colour)'] }).error).toMatch(/colour/)
  })
})

const row = fc.record({
  g: fc.constantFrom('a', 'b', null),
  n: fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constant(null)),
  v: fc.integer({ min: -900, max: 900 }).map((n) => n / 100),
})

test('ranks, neighbours and running sums are those of plain code', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 25 }), (rows) => {
      deepFreeze(rows)
      const over = 'over (partition by g order by n desc)'
      const asked = ask(rows as JsonValue[], {
        fields: [
          'g',
          'n',
          `row_number() ${over} as place`,
          `rank() ${over} as rank`,
          `lag(v) ${over} as before`,
          `sum(v) ${over} as total`,
        ],
      })
      expect(asked.error).toBeUndefined()
      const key = (n: number | null): number => (n === null ? Number.POSITIVE_INFINITY : -n)
      const plain = rows.map((one, at) => {
        const part = rows
          .map((other, nth) => ({ ...other, nth }))
          .filter((other) => other.g === one.g)
          .sort((x, y) => (key(x.n) === key(y.n) ? x.nth - y.nth : key(x.n) - key(y.n)))
        const place = part.findIndex(({ nth }) => nth === at)
        const upTo = part.filter((other) => key(other.n) <= key(one.n))
        return {
          place: place + 1,
          rank: part.filter((other) => key(other.n) < key(one.n)).length + 1,
          before: part[place - 1]?.v ?? null,
          total: Math.round(upTo.reduce((sum, other) => sum + other.v * 100, 0)) / 100,
        }
      })
      const found = asked.rows.map((one) => {
        const { place, rank, before = null, total } = one as JsonObject
        return { place, rank, before, total }
      })
      expect(found).toEqual(
        plain.map((one) => ({ ...one, total: one.total === 0 ? expect.closeTo(0) : one.total })),
      )
    }),
  )
})
