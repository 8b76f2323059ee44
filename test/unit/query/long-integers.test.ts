/** Integers of more digits than a double holds: JSON with them is read to the digit, and so they are asked about. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../src/documents/opening/derive.ts'
import { preview } from '../../../src/documents/reply/preview.ts'
import { aggregate } from '../../../src/processors/steps/group.ts'
import { select } from '../../../src/processors/steps/select.ts'
import { sort } from '../../../src/processors/steps/sort.ts'
import { structure } from '../../../src/processors/steps/structure.ts'
import { where } from '../../../src/processors/steps/where.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { arithmetic } from '../../../src/query/language/compile.ts'
import { besideToTheDigit } from '../../../src/text/values/quantities.ts'
import { verifies } from '../../support/verifies.ts'

/** Half of them are doubles, and stand as numbers among texts. */
const first = 9_007_199_254_740_993n
const written = Array.from({ length: 12 }, (_, nth) => first + BigInt((nth * 5) % 12))
const others = [10n ** 25n, 10n ** 25n + 1n, -(10n ** 20n), -(10n ** 20n) - 1n, 7n]
const document = (ids: readonly bigint[]) =>
  fromRecognised(`[${ids.map((id, nth) => `{"id":${id},"name":"n${nth}"}`).join(',')}]`)
const ids = (rows: readonly unknown[]) =>
  rows.map((row) =>
    BigInt(
      Number.isSafeInteger((row as JsonObject).id)
        ? Number((row as JsonObject).id)
        : String((row as JsonObject).id).replace('1e+25', `${10n ** 25n}`),
    ),
  )
const found = (from: readonly bigint[], condition: string) =>
  ids(where.process(document(from), { where: [condition] }).content.rows().items)
const ascending = (all: readonly bigint[]) => [...all].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))

describe('ids beyond 2^53', () => {
  verifies('S3.26', 'one is found by its digits, and its neighbours are not', () => {
    for (const id of written) expect(found(written, `id = ${id}`)).toEqual([id])
    for (const id of others) expect(found(others, `id = ${id}`)).toEqual([id])
    expect(found(written, `id in (${first}, ${first + 1n})`)).toHaveLength(2)
    expect(found(written, `id != ${first}`)).toHaveLength(11)
  })

  verifies('S3.26', 'they are compared and sorted to the digit', () => {
    const all = [...written, ...others]
    for (const id of all) {
      expect(ascending(found(all, `id > ${id}`))).toEqual(ascending(all.filter((other) => other > id)))
      expect(ascending(found(all, `id <= ${id}`))).toEqual(ascending(all.filter((other) => other <= id)))
    }
    const rows = (order: string) => ids(sort.process(document(all), { sort: [order] }).content.rows().items)
    expect(rows('id')).toEqual(ascending(all))
    expect(rows('-id')).toEqual(ascending(all).reverse())
  })

  verifies('S3.26', 'the smallest and the largest are those', () => {
    const { content } = aggregate.process(document(written), { aggregate: ['min(id)', 'max(id)'] })
    expect(content.rows().items).toEqual([{ 'min(id)': `${first}`, 'max(id)': Number(first + 11n) }])
  })

  test('a condition in a path means them to the digit', () => {
    for (const id of written) {
      const { content } = select.process(document(written), { path: `$[?@.id == ${id}]` })
      expect(ids(content.rows().items)).toEqual([id])
      const above = select.process(document(written), { path: `$[?@.id > ${id}]` }).content.rows()
      expect(above.count).toBe(written.filter((other) => other > id).length)
    }
  })

  test('no range is told that leaves some of them out', () => {
    const many = Array.from({ length: 200 }, (_, nth) => first + BigInt(nth))
    const text = preview(document(many), { budget: 2000, tool: 't', bytes: 9000, tokens: 9000 }).join('x')
    expect(text).not.toMatch(/^numbers: .*\bid\b/m)
    expect(structure.process(document(many), {}).content.text).toMatch(
      /^ {2}id: string\|number; numbers as text;/m,
    )
  })

  test('their rest is that of all digits', () => {
    const by = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 16n, max: 10n ** 30n }), by, (a, b) => {
        expect(arithmetic('%', `${a}`, b)).toBe(Number(a % BigInt(b)))
      }),
    )
  })

  test('they are in the order of their digits', () => {
    const integer = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
    fc.assert(
      fc.property(integer, integer, (a, b) => {
        expect(besideToTheDigit(`${a}`, `${b}`)).toBe(
          [a, b].every((one) => /\d{16}/.test(`${one}`)) ? (a < b ? -1 : a > b ? 1 : 0) : 0,
        )
      }),
    )
  })
})
