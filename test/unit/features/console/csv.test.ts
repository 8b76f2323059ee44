import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { csvOf } from '../../../../src/features/console/csv.ts'
import { runs } from '../../../support/runs.ts'

const FORMULA = /^[=+\-@\t\r]/

interface Parsed {
  data: string[][]
  errors: unknown[]
}

/** A value as a cell of a spreadsheet shows it. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return FORMULA.test(value) ? `'${value}` : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '=', '-', '\t', ' ', 'é') }),
  fc.jsonValue({ maxDepth: 2 }),
)
const record = fc.dictionary(fc.string({ unit: fc.constantFrom('a', 'b', ',', '"', '_') }), cell)

test('a reader of CSV gets every cell of any records back, and no cell is a formula', () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 8 }), (rows) => {
      const names = [...new Set(rows.flatMap(Object.keys))]
      fc.pre(names.length > 0)
      const text = csvOf(rows)
      const { data, errors } = Papa.parse(text, { delimiter: ',', newline: '\r\n' } as never) as Parsed
      expect(errors).toEqual([])
      expect(data.at(-1)).toEqual([''])
      expect(data.slice(0, -1)).toEqual([
        names.map(shown),
        ...rows.map((row) => names.map((name) => shown(Object.hasOwn(row, name) ? row[name] : undefined))),
      ])
      for (const one of data.flat()) expect(one).not.toMatch(FORMULA_TEXT)
    }),
    { numRuns: runs(200) },
  )
})

/** A text that a spreadsheet runs: a number with a sign is none. */
const FORMULA_TEXT = /^(?:[=+@\t\r]|-(?![\d.]))/

test.each<[string, unknown[], string]>([
  ['records that are no objects', [1, 'two', null], 'value\r\n1\r\ntwo\r\n\r\n'],
  ['a name that objects inherit', [{ constructor: 'x' }, { a: 1 }], 'constructor,a\r\nx,\r\n,1\r\n'],
  ['quotes and line ends', [{ a: 'say "hi"\nthere' }], 'a\r\n"say ""hi""\nthere"\r\n'],
  ['a formula', [{ a: '=1+1', b: -1 }], "a,b\r\n'=1+1,-1\r\n"],
])('%s', (_, rows, text) => {
  expect(csvOf(rows)).toBe(text)
})

test('given columns are all that is written, in their order', () => {
  expect(csvOf([{ a: 1, b: 2, c: 3 }], ['c', 'a'])).toBe('c,a\r\n3,1\r\n')
})
