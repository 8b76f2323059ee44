import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { parsePath } from '../../../../src/query/fields/path.ts'
import { columnOf } from '../../../../src/query/fields/reader.ts'
import { readValues } from '../../../../src/query/fields/walk.ts'
import { Refusal } from '../../../../src/query/refusal.ts'
import { newWork } from '../../../../src/query/work.ts'

const scalar = fc.oneof(
  fc.constantFrom<JsonValue>('a', 'b', '', 1, '1', 0, -0, true, null),
  fc.double({ noNaN: true }),
)
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('b', 'c', '__proto__'), scalar),
)
const record = fc.dictionary(fc.constantFrom('a', 'a.b', 'b', '__proto__'), value, { maxKeys: 3 })
const path = fc.constantFrom('a', 'b', 'a.b', 'a[*]', 'a[0]', '..b', '*', '__proto__', 'missing')

describe('a column', () => {
  test('holds for every record what the path reaches in it', () => {
    fc.assert(
      fc.property(
        fc.array(record as fc.Arbitrary<JsonValue>, { maxLength: 20 }),
        path,
        (records, written) => {
          const followed = parsePath(written)
          const column = columnOf(records, followed)
          records.forEach((one, at) => {
            const values: JsonValue[] = []
            readValues(one, followed, values, newWork())
            const code = column.codes[at] ?? -1
            expect(code).toBeLessThan(column.size)
            expect(column.values(code)).toStrictEqual(values)
          })
        },
      ),
    )
  })

  test('has one code for records that hold the same scalar, and one for records that hold nothing', () => {
    const column = columnOf(
      [{ a: 1 }, { a: '1' }, {}, { a: 1 }, { b: 2 }, { a: null }, { a: [1] }, { a: [1] }],
      parsePath('a'),
    )
    expect([...column.codes]).toEqual([0, 1, 2, 0, 2, 3, 4, 5])
    expect(column.size).toBe(6)
  })

  test('is read once for a list of records', () => {
    const records = [{ a: 1 }]
    expect(columnOf(records, parsePath('a'))).toBe(columnOf(records, parsePath('a')))
    expect(columnOf(records, parsePath('a'))).not.toBe(columnOf([...records], parsePath('a')))
    let made = 0
    const numbers = () => columnOf(records, parsePath('a')).derived('numbers', () => ++made)
    expect([numbers(), numbers()]).toEqual([1, 1])
  })

  test('gives way to those asked for later', () => {
    const records = [{ a: 1 }]
    const first = columnOf(records, parsePath('a'))
    for (let at = 0; at < 40; at++) columnOf(records, parsePath(`b${at}`))
    expect(columnOf(records, parsePath('a'))).not.toBe(first)
  })

  test('is refused when the path looks at too many values', () => {
    expect(() => columnOf([{ a: [1, 2, 3] }], parsePath('$..*'), newWork(2))).toThrow(Refusal)
  })
})
