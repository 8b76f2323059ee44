/** Elements that are read by themselves against copies of their records: a path with a position in it is always read from copies. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromRows } from '../../../../src/documents/opening/derive.ts'
import { aggregate } from '../../../../src/processors/steps/group.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { elementsOf } from '../../../../src/query/fields/lists.ts'
import { parsePath } from '../../../../src/query/fields/path.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

const element = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ sku: fc.constantFrom('a', 'b', null), n: fc.integer({ min: 0, max: 9 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonValue>(null, 'a', '{"sku":"a","n":3}', { '0': 1 }, [{ sku: 'b', n: 2 }]),
  },
)
const lines = fc.oneof(
  { weight: 8, arbitrary: fc.array(element, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>(null, 'x', { sku: 'a', n: 1 }, '[{"sku":"b"}]') },
)
const record = fc.record(
  { lines, state: fc.constantFrom('x', 'y', null), 'lines.sku': fc.constant('dotted') },
  { requiredKeys: ['state'] },
)
const first: JsonObject = { state: 'x', lines: [{ sku: 'a', n: 1 }] }

test('an element means the same by itself as in its record', () => {
  fc.assert(
    fc.property(
      fc.array(record as fc.Arbitrary<JsonObject>, { maxLength: 12 }),
      fc.constantFrom('lines.sku', 'lines[*].sku', 'lines.sku, state'),
      (made, group_by) => {
        const items = deepFreeze([first, ...structuredClone(made)])
        const ask = (more: string) => {
          const { content, error } = aggregate.process(fromRows({ noun: 'record', items }), {
            group_by: group_by.split(', '),
            aggregate: ['count', 'sum(lines.n)', 'min(state)', ...(more === '' ? [] : [more])],
          })
          expect(error).toBeUndefined()
          const rows = content.rows().items as JsonObject[]
          return rows
        }
        const copied = 'count(lines.0)'
        const without = ask(copied).map((row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('count('))),
        )
        expect(ask('')).toEqual(without)
      },
    ),
  )
})

test('is done where the path to the list is of names alone', () => {
  const records = [first, { state: 'y' }, { state: 'y', lines: [] }]
  const list = parsePath('lines')
  const units = elementsOf(records, list, [parsePath('lines.sku'), parsePath('state')])
  expect([...(units?.records ?? [])]).toEqual([0, 1, 2])
  expect(elementsOf(records, list, [parsePath('lines.0')])).toBeUndefined()
  expect(elementsOf([{ lines: [[1]] }], list, [list])).toBeUndefined()
  expect(elementsOf([{ lines: '[1]' }], list, [list])).toBeUndefined()
  expect(elementsOf([{ 'lines.sku': 1 }], list, [parsePath('lines.sku')])).toBeUndefined()
})
