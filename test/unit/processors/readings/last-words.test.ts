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
