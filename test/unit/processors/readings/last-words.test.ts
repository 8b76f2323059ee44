import { expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../../src/processors/parameters.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const orders = Array.from({ length: 6 }, (_, n) => ({
  order_id: n,
  order_status: n % 2 ? 'paid' : 'open',
  last_order_status: 'open',
  customerName: `c${n % 3}`,
  tax_amount: n,
  'total-amount': n * 2,
}))

function ask(params: JsonObject, value: JsonObject[] = orders) {
  const { document, steps, error } = runPipeline(fromValue(value), filterSteps, filterParams.parse(params))
  return {
    rows: [...document.rows().items],
    notes: steps.flatMap(({ metadata }) => metadata.notes ?? []),
    error,
  }
}

test('a name that no field has is the last word of the one field that ends so, and the reply says it', () => {
  const paid = ask({ where: 'status = paid', group_by: 'name', aggregate: 'count', sort: 'name' })
  expect(paid.rows).toEqual([
    { customerName: 'c0', count: 1 },
    { customerName: 'c1', count: 1 },
    { customerName: 'c2', count: 1 },
  ])
  expect(paid.notes).toEqual(
    expect.arrayContaining(['`status` read as `order_status`.', '`name` read as `customerName`.']),
  )
  expect(ask({ fields: ['id', 'status'], limit: 1 }).rows[0]).toEqual({ order_id: 0, order_status: 'open' })
})

test('a field of that name comes first, and of two that end so none is meant', () => {
  const own = orders.map((order) => ({ ...order, status: 'own' }))
  expect(ask({ where: 'status = own' }, own)).toMatchObject({ rows: own, notes: [] })
  expect(ask({ where: 'amount > 2' }).error).toContain('No record has the field `amount`')
  expect(ask({ where: 'status = paid and nosuch = 1' }).error).toContain('No record has the field `status`')
})

test('`date` is the one field with times, where there is one', () => {
  const paid = orders.map((order, n) => ({ ...order, paid: `2026-0${n + 1}-01` }))
  expect(ask({ where: 'date > 2026-04-15', fields: 'order_id' }, paid)).toMatchObject({
    rows: [{ order_id: 4 }, { order_id: 5 }],
    notes: ['`date` read as `paid`.'],
  })
  const twice = paid.map((order) => ({ ...order, sent: '2026-01-01' }))
  expect(ask({ where: 'date > 2026-04-15' }, twice).error).toContain('No record has the field `date`')
})

test('what is computed of groups, and what `fields` compute, are no last words', () => {
  const counted = orders.map((order) => ({ ...order, item_count: order.tax_amount }))
  const keyed = { group_by: 'customerName', aggregate: 'sum(item_count)' }
  expect(ask({ ...keyed, sort: '-count' }, counted).error).toContain('No record has the field `count`')
  expect(ask({ ...keyed, where: 'count >= 2 and order_status = open' }, counted).error).toContain('`count`')
  const states = { group_by: 'customerName', aggregate: 'count(order_status)', sort: 'status' }
  expect(ask(states).error).toContain('No record has the field `status`')
  for (const total of ['amount: tax_amount * 3', 'amount = tax_amount * 3'])
    expect(ask({ fields: [total], where: 'amount > 9', sort: '-amount' }, orders).rows).toEqual([
      { amount: 15 },
      { amount: 12 },
    ])
})

test('a field that is left out under its last word is told', () => {
  const { rows, notes } = ask({ exclude: ['status', 'name'], limit: 1 })
  expect(rows[0]).toEqual({ order_id: 0, last_order_status: 'open', tax_amount: 0, 'total-amount': 0 })
  expect(notes).toEqual(['`status` read as `order_status`.', '`name` read as `customerName`.'])
})
