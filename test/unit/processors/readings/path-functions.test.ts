/** Functions around a path, or behind it, as XPath and Jayway's JSONPath have them. */
import { expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { runProgram } from '../../../../src/processors/readings/programs.ts'
import { aggregate } from '../../../../src/processors/steps/group.ts'
import { select } from '../../../../src/processors/steps/select.ts'
import { where } from '../../../../src/processors/steps/where.ts'

const orders = fromValue({
  orders: Array.from({ length: 12 }, (_, id) => ({ id, total: id * 3, lines: [{ qty: id % 3 }] })),
  name: 'list of orders',
})

test.each([
  ['count(//order[total > 12])', { count: 7 }],
  ['count(//orders[total > 12])', { count: 7 }],
  ['sum(//total)', { 'sum(value)': 198 }],
  ['max(//lines/qty)', { 'max(value)': 2 }],
  ['$..total.sum()', { 'sum(value)': 198 }],
  ['$.orders.length()', { count: 12 }],
  ['length($.orders)', { count: 12 }],
  ['$.orders[?(@.id > 9)].total.avg()', { 'avg(value)': 31.5 }],
  ['$.orders[0].length()', undefined],
  ['$.name.length()', undefined],
  ['$..name.size()', undefined],
  ['$.orders.nosuch()', undefined],
  ['$..nosuch.sum()', undefined],
])('%s', (path, row) => {
  expect(runProgram(path, 'path', orders)?.values).toEqual(row && [row])
})

test('a value without fields goes by the name of the field that it was reached by', () => {
  const totals = select.process(orders, { path: '$.orders[*].total' }).content
  const note = 'The records are values without fields: `total` read as the value itself.'
  const sum = aggregate.process(totals, { aggregate: ['sum(total)'] })
  expect(sum.content.rows().items).toEqual([{ 'sum(value)': 198 }])
  expect(sum.metadata.notes).toEqual([note])
  const large = where.process(totals, { where: ['totals > 30'] })
  expect(large.content.rows().items).toEqual([33])
  expect(aggregate.process(totals, { aggregate: ['sum(price)'] }).error).toContain('have no fields')
})
