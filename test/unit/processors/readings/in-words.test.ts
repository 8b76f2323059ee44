/** Aggregates, orders and fields in the words of people. */
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const orders = Array.from({ length: 12 }, (_, n) => ({
  number: 12 - n,
  state: n % 4 ? 'paid' : 'failed',
  customer: `Customer ${n % 3}`,
  quantity: n,
  placed_at: `2024-05-${10 + n}T10:00:00Z`,
  note: `Bring it at ${n}`,
}))
const users = Array.from({ length: 5 }, (_, n) => ({ login: `user${n}`, role: n % 2 ? 'admin' : 'guest' }))

function ask(params: JsonObject) {
  const document = fromRecognised(JSON.stringify({ orders, users }))
  const { document: answer, error, steps } = runPipeline(document, filterSteps, params)
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? [])
  return { rows: answer.rows().items as readonly JsonObject[], notes: notes.join('\n'), error: error ?? '' }
}

describe('aggregates', () => {
  test.each<[JsonObject, JsonObject, string]>([
    [{ aggregate: 'how many' }, { count: 12 }, '`how many` read as `count`.'],
    [{ aggregate: 'number of orders' }, { count: 12 }, '`number of orders` read as `count`.'],
    [{ aggregate: 'how many users' }, { count: 5 }, '`$.users` was asked.'],
    [{ aggregate: 'number of unique customers' }, { 'distinct(customer)': 3 }, 'distinct(customer)'],
    [{ aggregate: 'how many quantities' }, { 'sum(quantity)': 66 }, 'sum(quantity)'],
    [{ aggregate: 'how many failed' }, { 'count_if(state = "failed")': 3 }, 'count_if(state = "failed")'],
    [{ aggregate: 'ratio of failed' }, { 'percent(state = "failed")': 25 }, 'percent(state = "failed")'],
    [
      { aggregate: 'how many parcels' },
      { count: 12 },
      '`how many parcels` read as `count`: `parcels` is no field and no value, so all 12 records were counted.',
    ],
    [{ aggregate: 'orders per customer' }, { customer: 'Customer 0', count: 4 }, 'read as `count`.'],
    [{ aggregate: 'count', group_by: 'state and customer' }, { state: 'paid' }, 'read as `state, customer`.'],
    [
      { aggregate: 'sum(quantity)', group_by: 'per state' },
      { state: 'paid' },
      '`per state` read as `state`.',
    ],
    [{ aggregate: '90th percentile of quantity' }, { 'p90(quantity)': 9.9 }, ''],
    [{ aggregate: 'most common state' }, { 'mode(state)': 'paid' }, ''],
    [{ aggregate: 'standard deviation of quantity' }, {}, ''],
    [{ aggregate: 'sum of order quantity' }, { 'sum(quantity)': 66 }, '`order quantity` read as `quantity`.'],
    [{ aggregate: 'sum of number of quantity' }, { 'sum(quantity)': 66 }, 'read as `quantity`.'],
  ])('%j', (params, row, note) => {
    const found = ask(params)
    expect(found.error).toBe('')
    expect(found.rows[0]).toMatchObject(row)
    expect(found.notes).toContain(note)
  })

  test('of what is no count, no field and no value are refused', () => {
    expect(ask({ aggregate: 'the usual thing' }).error).toContain('is no aggregate')
    expect(ask({ aggregate: 'how many of the odd ones' }).error).toContain('is no aggregate')
  })
})

describe('orders', () => {
  test.each<[JsonObject, number, string]>([
    [{ sort: 'newest first' }, 1, '`newest first` read as `-placed_at`.'],
    [{ sort: 'oldest' }, 12, '`oldest` read as `placed_at`.'],
    [{ sort: 'quantity high to low' }, 1, '`quantity high to low` read as `-quantity`.'],
    [{ sort: 'quantity, lowest first' }, 12, '`quantity lowest first` read as `quantity`.'],
    [{ sort: 'highest number' }, 12, '`highest number` read as `-number`.'],
    [{ sort: 'alphabetically by state' }, 12, '`alphabetically by state` read as `state`.'],
  ])('%j', (params, number, note) => {
    const { rows, notes } = ask(params)
    expect(rows[0]).toMatchObject({ number })
    expect(notes).toContain(note)
  })

  test('of no field are refused', () => {
    expect(ask({ sort: 'most beautiful first' }).error).toContain('No record has the field')
  })
})

describe('fields', () => {
  test.each<[JsonObject, string[]]>([
    [{ fields: 'everything except note' }, ['number', 'state', 'customer', 'quantity', 'placed_at']],
    [{ fields: 'all fields but note, quantity and number' }, ['state', 'customer', 'placed_at']],
    [{ fields: 'number and state' }, ['number', 'state']],
    [{ fields: 'only the number' }, ['number']],
    [{ fields: 'states only' }, ['state']],
    [{ fields: 'unique state' }, ['state']],
  ])('%j', (params, names) => {
    const { rows, notes } = ask(params)
    expect(Object.keys(rows[0] ?? {})).toEqual(names)
    expect(notes).toContain('read as')
  })

  test('each value once', () => {
    expect(ask({ fields: 'unique state' }).rows).toEqual([{ state: 'failed' }, { state: 'paid' }])
  })
})
