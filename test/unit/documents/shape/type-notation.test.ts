import { expect, test } from 'vitest'
import { profile } from '../../../../src/documents/shape/profile.ts'
import { typeNotation } from '../../../../src/documents/shape/type-notation.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'

function notation(values: JsonValue[], length: number, implicit = true): string {
  return typeNotation(profile({ values }).record, { length, enumerate: false, implicit })
}

const wide = Array.from({ length: 5 }, (_, id) =>
  Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `field${String.fromCharCode(97 + (n % 26))}${n < 26 ? '' : 'x'}`,
      id,
    ]),
  ),
)

test('strings need no word, and a remark says so', () => {
  const values = [{ id: 1, name: 'a', at: '2024-01-01', price: '12.50', note: null }]
  expect(notation(values, 200)).toBe(
    '{id: number, name, at: date, price: numeric, note: null} (no type: string)',
  )
  expect(notation(values, 200, false)).toBe(
    '{id: number, name: string, at: date, price: numeric, note: null}',
  )
})

test('names come before types, those of the record before those within', () => {
  const bare = notation(wide, 300)
  expect(bare).not.toContain('…')
  expect(bare).not.toContain('number')
  expect(notation(wide, 600)).toContain('fielda: number')
  expect(notation([{ a: { b: { c: 1 } }, d: 'x' }], 10)).toBe('{a{…}, d}')
})

test('fields that are numbered through are told by the first and the last', () => {
  const row = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [`cpu_${String(n).padStart(2, '0')}`, n]),
  )
  expect(notation([{ host: 'a', ...row }], 200)).toBe('{host, cpu_00 … cpu_59: number} (no type: string)')
  expect(notation([{ a1: 1, a2: 'x', a3: 1, b4: 1 }], 200)).toBe(
    '{a1: number, a2, a3: number, b4: number} (no type: string)',
  )
})

test('JSON in strings is written by what it holds, when all of it was read', () => {
  const values = [0, 1, 2].map((size) => ({ payload: JSON.stringify({ kind: 'a', size }) }))
  expect(notation(values, 200)).toBe('{payload: json<{kind, size: number}>} (no type: string)')
  const long = JSON.stringify({ text: 'x'.repeat(1_500_000) })
  expect(notation([...values, { payload: long }, { payload: long }], 200)).toBe('{payload}')
})

test('what is keyed by numbers is a map', () => {
  expect(notation([{ hits: { '0': 1, '1': 5, '7': 2 } }], 200)).toBe(
    '{hits: Record<string, number>} (no type: string)',
  )
  expect(notation([{ hits: { '0': { a: 1 }, '1': { a: 2 } } }], 30)).toContain('hits: Record')
})

test.each([
  ['amount', ['$1,234', '$12', '$3,000']],
  ['amount', ['1953,10', '-12,50', '7,00', 'N/A']],
  ['amount', ['12 kB', '3 MB', '1.5 GB']],
  ['amount', ['5d', '12h', '3m20s']],
  ['date', ['01.02.2026', '17.02.2026', '03.11.2026']],
  [
    'date',
    ['Sun, 01 Mar 2026 00:00:00 GMT', 'Mon, 02 Mar 2026 10:00:00 GMT', 'Tue, 03 Mar 2026 10:00:00 GMT'],
  ],
  ['string', ['01234', '04711', '10115']],
  ['string', ['+1 555 123', '+1 555 124', '+1 555 125']],
  ['string', ['10.0.0.1', '10.0.0.2', '10.0.0.3']],
  ['string', ['v1.2', '1.2.3', '0.9']],
  ['string', ['$5', '$6', 'free of charge']],
  ['string', ['$5', '$6', 'n/a']],
])('strings that are read as %s: %j', (type, values) => {
  const { record } = profile({ values: values.map((value) => ({ value })) })
  expect(typeNotation(record, { length: 200, enumerate: false })).toBe(`{value: ${type}}`)
})

test('codes of four digits are no dates', () => {
  const records = ['0012', '0450', '1200', '0007'].map((code, n) => ({ code, day: `${28 + n}.12.2024` }))
  expect(typeNotation(profile({ values: records }).record, { length: 200, enumerate: false })).toBe(
    '{code: string, day: date}',
  )
})

test('an element that holds another object alone is no level of its own', () => {
  const states = [
    {
      cursor: 'a',
      node: { name: 'Ohio', bills: { totalCount: 1, edges: [{ node: { number: 'SB 1', status: 'law' } }] } },
    },
  ]
  expect(notation(states, 300)).toContain('edges: {node: {number, status}}[]')
})
