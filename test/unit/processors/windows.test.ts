import { expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { withOver } from '../../../src/processors/readings/windows.ts'

const invoices = [
  { id: 1, day: '2026-01-01', total: 2 },
  { id: 2, day: '2026-01-02', total: 4 },
  { id: 3, day: '2026-01-02', total: 1 },
  { id: 4, day: '2026-01-03', total: 3 },
]

function ask(params: Record<string, unknown>) {
  const { document, error } = runPipeline(
    fromValue(invoices),
    filterSteps,
    withOver({ ...filterParams.parse(params) }),
  )
  return error ?? [...document.rows().items]
}

test('what only a window answers is over all records, in their order', () => {
  expect(ask({ fields: 'id, running_sum(total) as run' })).toEqual([
    { id: 1, run: 2 },
    { id: 2, run: 6 },
    { id: 3, run: 7 },
    { id: 4, run: 10 },
  ])
  expect(ask({ fields: 'id, lag(total) as before', where: 'id > 2' })).toEqual([
    { id: 3, before: null },
    { id: 4, before: 1 },
  ])
  expect(ask({ fields: 'id', where: 'cumsum(total) > 6' })).toEqual([{ id: 3 }, { id: 4 }])
  expect(ask({ fields: 'id, running_sum(total) over () as run', where: 'run > 8' })).toEqual([
    { id: 4, run: 10 },
  ])
})

test('a plain sort tells the order', () => {
  expect(ask({ fields: 'id, rank() as place, running_sum(total) as run', sort: '-total' })).toEqual([
    { id: 2, place: 1, run: 4 },
    { id: 4, place: 2, run: 7 },
    { id: 1, place: 3, run: 9 },
    { id: 3, place: 4, run: 10 },
  ])
  expect(ask({ fields: 'id, rank() as place' })).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }])
})

test('beside the values of a record, an aggregate is that of all', () => {
  expect(ask({ fields: 'id, percent(total) as share', where: 'id = 2' })).toEqual([{ id: 2, share: 100 }])
  expect(ask({ fields: 'id, total / sum(total) as share', sort: '-share', limit: 1 })).toMatchObject([
    { id: 2, share: 0.4 },
    {},
    {},
    {},
  ])
  expect(ask({ fields: 'sum(total)' })).toEqual([{ 'sum(total)': 10 }])
  expect(ask({ fields: 'percentile(total, 50) as half' })).toEqual([{ half: 2.5 }])
  expect(ask({ fields: 'id, sum_if(total, id > 2) over () as x', limit: 1 })).not.toMatchObject([{ x: 10 }])
})

test('a frame holds without an order', () => {
  expect(ask({ fields: 'id, sum(total) over (rows unbounded preceding) as run' })).toMatchObject([
    { run: 2 },
    { run: 6 },
    { run: 7 },
    { run: 10 },
  ])
  expect(
    ask({ fields: 'id, sum(total) over (rows between 1 preceding and current row) as run' }),
  ).toMatchObject([{ run: 2 }, { run: 6 }, { run: 5 }, { run: 4 }])
})

test('the order of groups is not guessed', () => {
  const params = { group_by: ['day'], aggregate: ['sum(total)', 'lag(sum(total)) as before'] }
  expect(withOver(params)).toBe(params)
  expect(withOver({ ...params, sort: ['day'] })).toMatchObject({
    aggregate: ['sum(total)', 'lag(sum(total)) over (order by day) as before'],
  })
})

test.each(['year(day)', 'day:year', 'day', "date_trunc('year', day)", 'extract(year from day)'])(
  'groups by a part of a date are in the order of %s',
  (sort) => {
    const records = [
      { day: '2025-03-01' },
      { day: '2024-01-01' },
      { day: '2025-01-01' },
      { day: '2026-01-01' },
    ]
    const params = filterParams.parse({ group_by: 'year(day)', sort })
    const { document, error } = runPipeline(fromValue(records), filterSteps, params)
    expect(error).toBeUndefined()
    expect(document.rows().items.map((row) => (row as Record<string, unknown>)['day:year'])).toEqual([
      '2024',
      '2025',
      '2026',
    ])
  },
)
