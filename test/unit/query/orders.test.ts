import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { ordersOf, UNORDERED } from '../../../src/query/conditions/verdict.ts'
import { columnOf } from '../../../src/query/fields/reader.ts'
import { operandOf, order } from '../../../src/text/values/compare.ts'
import { parseDate } from '../../../src/text/values/dates.ts'

const two = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'))
const near = (least: number, most: number) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: least, max: most }).map((n) => String(n).padStart(2, '0')) },
    { weight: 1, arbitrary: two },
  )
const year = fc.constantFrom('2024', '2023', '1969', '1000', '0999', '9999')
const fraction = fc.oneof(fc.constantFrom('', '.', '.5', '.12x'), fc.stringMatching(/^\.[0-9]{1,10}$/))
const time = fc
  .tuple(year, near(1, 12), near(1, 31), near(0, 24), near(0, 59), near(0, 60), fraction)
  .map(([y, m, d, h, n, s, f]) => `${y}-${m}-${d}T${h}:${n}:${s}${f}`)

describe('times as most programs write them', () => {
  test('are read as those in any other spelling', () => {
    // In small letters they are read the long way.
    fc.assert(
      fc.property(time, (text) => {
        expect(parseDate(`${text}Z`)).toEqual(parseDate(`${text}z`))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the orders of a column', () => {
  const value = fc.oneof(
    time.map((text) => `${text}Z`),
    time,
    fc.constantFrom<JsonValue>(
      '2024-05',
      '2024-05-06',
      'May 6 10:00:00',
      '10:30',
      '12MB',
      '1.5s',
      'warn',
      '',
      null,
      true,
      7,
      1_700_000_000,
      '1717200000',
    ),
    fc.constant<JsonValue>([1, 2]),
  )
  const wanted = fc.constantFrom(
    '2024-05',
    '2024-05-06',
    '2024-05-06T10:00:00Z',
    '2024',
    'May 6',
    '10:00',
    '1KB',
    '2s',
    'error',
    '5',
    'x',
  )

  test('are those of each value by itself', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 10 }), wanted, (values, text) => {
        const records = values.map((a) => ({ a }))
        const column = columnOf(records, [
          { selectors: [{ kind: 'name', name: 'a' }], deep: false, dotted: [] },
        ])
        const operand = operandOf(text)
        const orders = ordersOf(column, operand)
        values.forEach((one, at) => {
          const sign = Math.sign(order(one, operand))
          const expected = Array.isArray(one) || Number.isNaN(sign) ? UNORDERED : sign + 0
          expect(orders[column.codes[at] ?? 0]).toBe(expected)
        })
      }),
    )
  })
})
