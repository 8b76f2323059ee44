/** Groups and functions over codes against plain loops over records, for all records and for those chosen from them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnsOf } from '../../../../src/documents/columns/column.ts'
import { fromRows } from '../../../../src/documents/opening/derive.ts'
import { aggregate } from '../../../../src/processors/steps/group.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'
import { type PlainKey, plainRows } from './plain.ts'

const scalar = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
  fc.constantFrom<JsonValue>(
    1e300,
    -1e300,
    9007199254740992,
    5e-324,
    0.1,
    0.2,
    true,
    false,
    null,
    '',
    '\u0000a',
  ),
  fc.constantFrom<JsonValue>(
    '5',
    '05',
    '$1,250.50',
    '12%',
    '10MB',
    '2GiB',
    '97ms',
    '1.5s',
    'v1.9',
    'v1.10',
    'n/a',
  ),
  fc.constantFrom<JsonValue>('2024-05-06', '2024-05-06T10:30:59Z', '2023-12-31T23:59:59.999Z', 1714989600),
)
const family = fc.constantFrom<JsonValue[]>(
  [1, 2, 0.5, -3, null],
  ['97ms', '1.5s', '2m'],
  ['10MB', '2GiB', '1k'],
  ['2024-05-06', '2023-01-31T10:00:00Z', '2024-12-30'],
  ['open', 'shut', 'item 2', 'item 10'],
)
const several = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.constantFrom<JsonValue>({ x: 1 }, [{ x: 1 }, [2]]),
)
const records = fc
  .tuple(family, fc.array(fc.tuple(fc.nat(), scalar, several, fc.nat(7)), { minLength: 1, maxLength: 30 }))
  .map(([values, rows]) =>
    rows.map(([nth, one, many, shown]): JsonObject => {
      const record: JsonObject = { even: values[nth % values.length] ?? null }
      if (shown > 1) record.one = one
      if (shown !== 4) record.many = many
      if (shown !== 5) record.more = many
      return record
    }),
  )
/** A function over the list that is grouped by is over its elements: that is tested elsewhere. Every field is there at least once, and holds no objects alone. */
const first: JsonObject = { even: null, one: 1, many: [1], more: [1] }

const key = fc.constantFrom<PlainKey>(
  { field: 'even' },
  { field: 'one' },
  { field: 'many' },
  { field: 'even', part: 'month' },
  { field: 'one', part: 'weekday' },
  { field: 'many', part: 'year' },
)
const call = fc.oneof(
  fc.constantFrom({ name: 'count' }, { name: 'percent' }),
  fc.record({
    name: fc.constantFrom('count', 'sum', 'avg', 'min', 'max', 'median', 'distinct', 'percent', 'stddev'),
    field: fc.constantFrom('even', 'one', 'more'),
  }),
  fc.constant({ name: 'percentile', rank: 90, field: 'one' }),
)

test('what is computed from codes is what plain loops compute', () => {
  fc.assert(
    fc.property(
      records,
      fc.uniqueArray(key, {
        maxLength: 3,
        selector: ({ field, part }) => (field === 'many' ? field : `${field}${part}`),
      }),
      fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
      fc.infiniteStream(fc.boolean()),
      (made, keys, calls, coins) => {
        const all = deepFreeze([first, ...structuredClone(made)])
        const positions = Uint32Array.from(all.keys()).filter((at) => at === 0 || coins.next().value)
        // Twice: what is kept with a column must not change what is answered.
        const chosen = (): readonly JsonValue[] => columnsOf(all).choose(positions).rows
        for (const list of [all, chosen(), all, chosen()]) {
          const { content, error } = aggregate.process(fromRows({ noun: 'record', items: list }), {
            group_by: keys.map(({ field, part }) => (part ? `${field}:${part}` : field)),
            aggregate: calls.map((one) =>
              one.name === 'percentile'
                ? 'p90(one)'
                : 'field' in one
                  ? `${one.name}(${one.field})`
                  : one.name,
            ),
          })
          expect(error).toBeUndefined()
          const expected = plainRows(list as JsonObject[], keys, calls)
          const shown = (content.rows().items as JsonObject[]).map((row) =>
            Object.fromEntries(Object.entries(row).filter(([name]) => !/^(?:values|10 most)/.test(name))),
          )
          expect(bySelf(shown)).toEqual(bySelf(expected))
        }
      },
    ),
  )
})

/** Rows in an order of their own, as the JSON that is shown of them. */
function bySelf(rows: readonly JsonObject[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}
