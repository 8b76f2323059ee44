/** Names that one parameter gives and others use. */
import { describe, expect, test } from 'vitest'
import { fromRows, fromValue } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

const orders: JsonObject[] = [
  { id: 1, state: 'open', price: 5, qty: 3, at: '2024-01-03T10:00:00Z' },
  { id: 2, state: 'open', price: 50, qty: 1, at: '2024-02-03T11:00:00Z' },
  { id: 3, state: 'closed', price: 2, qty: 100, at: '2024-02-05T10:30:00Z' },
  { id: 4, state: 'closed', price: 9, qty: 2, at: '2024-03-05T23:00:00Z' },
  { id: 5, state: 'draft', price: 7, qty: 7, at: '2024-03-07T10:00:00Z' },
]
const document = fromRows({ noun: 'record', items: deepFreeze(orders) })

function ask(params: Record<string, unknown>): { rows: JsonValue[]; notes: string[]; error: string } {
  const { document: found, steps, error = '' } = runPipeline(document, filterSteps, params)
  return {
    rows: [...found.rows().items],
    notes: steps.flatMap(({ metadata }) => metadata.notes ?? []),
    error,
  }
}

function column(name: string, params: Record<string, unknown>): (JsonValue | undefined)[] {
  const { rows, error } = ask(params)
  expect(error).toBe('')
  return rows.map((row) => (row as JsonObject)[name])
}

const total = 'price * qty as total'

describe('a name of a computed field', () => {
  test('is known to sort and where', () => {
    expect(column('id', { fields: ['id', total], sort: ['-total'] })).toEqual([3, 2, 5, 4, 1])
    expect(column('id', { fields: ['id', total], where: ['total > 40 and state != draft'] })).toEqual([2, 3])
    expect(column('id', { fields: ['id', total], where: ['Total between 15 and 18'] })).toEqual([1, 4])
  })

  test('that cannot be computed is not taken for a field that is missing', () => {
    expect(ask({ fields: ['id', 'length(rows) as n'], sort: ['-n'] }).error).toMatch(
      /^sort: `n` cannot be computed: No record has the field `rows`\./,
    )
  })

  test('is shown of groups with what was computed of them, where the fields name nothing of that', () => {
    const asked = { group_by: ['state'], aggregate: ['sum(qty) as all'], fields: ['state'], sort: ['-all'] }
    expect(ask({ ...asked, where: ['state != draft'] }).rows).toEqual([
      { state: 'closed', all: 102 },
      { state: 'open', all: 4 },
    ])
    expect(ask({ ...asked, mode: 'exclude' }).rows[0]).toEqual({ all: 102 })
  })

  test('is known to the fields after it', () => {
    expect(column('double', { fields: [total, 'total * 2 as double'], sort: ['-double'] })).toEqual([
      400, 100, 98, 36, 30,
    ])
  })

  test('is known to group_by, aggregate and conditions on groups', () => {
    expect(ask({ fields: [total], group_by: ['state'], aggregate: ['sum(total) as t'] }).rows).toEqual([
      { state: 'closed', t: 218 },
      { state: 'open', t: 65 },
      { state: 'draft', t: 49 },
    ])
    expect(column('avg(total)', { fields: [total], aggregate: ['avg(total)'] })).toEqual([66.4])
    const size = "case when price > 8 then 'high' else 'low' end as size"
    expect(ask({ fields: [size, 'count'], group_by: ['size'], sort: ['size'] }).rows).toEqual([
      { size: 'low', count: 3 },
      { size: 'high', count: 2 },
    ])
    expect(column('size', { fields: [size], group_by: ['size'] })).toEqual(['low', 'high'])
  })

  test('is known to distinct rows and to windows', () => {
    expect(
      column('s', { fields: ['distinct upper(state) as s'], sort: ['-s'], where: ['s != DRAFT'] }),
    ).toEqual(['OPEN', 'CLOSED'])
    const ranked = { fields: ['id', total, 'rank() over (order by total desc) as place'], sort: ['place'] }
    expect(column('id', ranked)).toEqual([3, 2, 5, 4, 1])
  })

  test('is no value, and no name for the next question', () => {
    expect(column('id', { fields: ['id', 'price > 8 as open'], where: ['state = open'] })).toEqual([1, 2])
    expect(ask({ fields: ['id', total], sort: ['total'] }).error).toBe('')
    expect(ask({ sort: ['total'] }).error).toContain('No record has the field `total`')
  })

  test('gives way to a field of the records', () => {
    expect(column('id', { fields: ['id', 'price * 2 as qty'], where: ['qty = 100'] })).toEqual([3])
  })

  test('is left out where nothing of that name can be computed', () => {
    const { error } = ask({ fields: ['nothing * 2 as twice'], sort: ['twice'] })
    expect(error).toContain('`twice`')
  })

  test('leaves a map its keys', () => {
    const entries = Array.from({ length: 20 }, (_, n): [string, JsonValue] => [`node-${n}`, { n, m: 20 - n }])
    const map = fromValue(Object.fromEntries(entries))
    const asked = { fields: ['n * m as area'], where: ['area > 98'], sort: ['n'] }
    expect([...runPipeline(map, filterSteps, asked).document.rows().items]).toEqual([
      { _key: 'node-9', area: 99 },
      { _key: 'node-10', area: 100 },
      { _key: 'node-11', area: 99 },
    ])
  })
})

describe('an aggregate among the fields', () => {
  test('is computed of groups, and its name is known to the other steps', () => {
    const fields = ['state', 'sum(price * qty) as total', 'sum(price * qty) / count as mean']
    expect(ask({ fields, group_by: ['state'], sort: ['-mean'] }).rows).toEqual([
      { state: 'closed', total: 218, mean: 109 },
      { state: 'draft', total: 49, mean: 49 },
      { state: 'open', total: 65, mean: 32.5 },
    ])
    expect(column('state', { fields, group_by: ['state'], where: ['mean > 40'] })).toEqual([
      'closed',
      'draft',
    ])
  })

  test('may be computed of the columns before it', () => {
    const asked = { group_by: ['state'], sort: ['-mean'] }
    const aggregate = ['sum(price * qty) as total', 'count as n', 'total / n as mean', 'mean * 2 as twice']
    expect(column('twice', { ...asked, aggregate })).toEqual([218, 98, 65])
    const fields = ['state', 'total / n as mean']
    expect(column('mean', { ...asked, aggregate: aggregate.slice(0, 2), fields })).toEqual([109, 49, 32.5])
  })

  test('is over all records where nothing is grouped', () => {
    expect(ask({ fields: ['sum(qty)', 'count'] }).rows).toEqual([{ 'sum(qty)': 113, count: 5 }])
  })

  test('takes the name that the fields give to a group key', () => {
    const month = "date_trunc('month', at)"
    expect(column('m', { fields: [`${month} as m`, 'count'], group_by: [month], sort: ['m'] })).toEqual([
      '2024-01',
      '2024-02',
      '2024-03',
    ])
  })
})

describe('a window over groups', () => {
  test('stands in a condition beside what it ranks', () => {
    const where = ['rank() over (order by sum(price) desc) <= 1']
    expect(column('state', { where, group_by: ['state'], aggregate: ['sum(price)'] })).toEqual(['open'])
    expect(column('state', { where, group_by: ['state'] })).toEqual(['open'])
  })

  test('stands in a condition on the records that are grouped', () => {
    const where = ['row_number() over (partition by state order by price desc) = 1']
    expect(column('sum(price)', { where, aggregate: ['sum(price)'] })).toEqual([66])
  })
})

describe('an hour', () => {
  test('called as a function is the hour of day, and the reply tells of the other', () => {
    for (const key of ['hour(at)', 'extract(hour from at)', "date_part('hour', at)"]) {
      const { rows, notes } = ask({ group_by: [key] })
      expect(rows).toEqual([
        { 'at:hour_of_day': '10', count: 3 },
        { 'at:hour_of_day': '11', count: 1 },
        { 'at:hour_of_day': '23', count: 1 },
      ])
      expect(notes).toEqual([
        `\`${key}\` read as the hour of day; for each hour of each day write \`at:hour\`.`,
      ])
    }
  })

  test('after a colon is each hour of each day', () => {
    expect(column('at:hour', { group_by: ['at:hour'] })).toHaveLength(5)
  })

  test('a month says how to group by the month of the year', () => {
    expect(ask({ group_by: ['month(at)'] }).notes).toEqual([
      '`month(at)` read as each month; for the month of year write `at:month_of_year`.',
    ])
  })
})

test('groups have an order and conditions by what was asked for, where a field was found deeper', () => {
  const records = ['a', 'b', 'a', 'c'].map((kind, n) => ({ id: n, is: { kind, 'Hours (h)': n + 1 } }))
  const run = (params: Record<string, unknown>) => {
    const { document: made, error } = runPipeline(fromValue(records), filterSteps, params)
    expect(error).toBeUndefined()
    return made.rows().items.map((row) => Object.values(row as JsonObject))
  }
  const asked = { group_by: 'kind', aggregate: 'sum(Hours (h))' }
  expect(run({ ...asked, sort: 'sum(Hours (h))' })).toEqual([
    ['b', 2],
    ['a', 4],
    ['c', 4],
  ])
  expect(run({ ...asked, where: 'sum(Hours (h)) > 3', sort: '-kind' })).toEqual([
    ['c', 4],
    ['a', 4],
  ])
})

test.each([
  ['author', { id: 1, sender: 'ann', text: 'Hi' }],
  ['user', { id: 1, UID: 'ann', CMD: 'sshd' }],
  ['topic', { id: 1, source: 'home/hall', unit: 'C' }],
])('%s is read as another word for it', (name, record) => {
  const key = Object.keys(record)[1] ?? ''
  const items = [record, { ...record, id: 2, [key]: 'x' }]
  const { document: found } = runPipeline(fromRows({ noun: 'record', items }), filterSteps, {
    where: [`${name} = ${record[key as keyof typeof record]}`],
  })
  expect(found.rows().items).toEqual([record])
})
