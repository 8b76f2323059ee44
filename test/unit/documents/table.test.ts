import { expect, test } from 'vitest'
import { Findings, type Reader, several } from '../../../src/documents/columns/column.ts'
import { fromTable } from '../../../src/documents/opening/derive.ts'
import { tableOf } from '../../../src/documents/table.ts'

const rows = ['a', 'b', 'c', 'd']

test('chosen rows know their places in the whole, those chosen of them too', () => {
  const table = tableOf(rows)
  const chosen = table.choose(Uint32Array.of(3, 1, 2))
  expect(chosen.rows).toEqual(['d', 'b', 'c'])
  const fewer = chosen.choose(Uint32Array.of(2, 0))
  expect(fewer.row(1)).toBe('d')
  expect(fewer.rows).toEqual(['c', 'd'])
  expect(fewer.columns.positions).toEqual(Uint32Array.of(2, 3))
  expect(fewer.whole).toBe(table)
  expect(fromTable('record', fewer).text).toBe('c\nd')
})

test('a column is read once for the whole, and serves the rows that were chosen', () => {
  let reads = 0
  const reader: Reader = {
    key: 'itself',
    scalar: (row) => {
      reads += 1
      return typeof row === 'object' ? several : row
    },
    values: (row) => [row],
  }
  const table = tableOf([1, 2, [3], 1])
  const { column, codes, whole } = table.choose(Uint32Array.of(3, 2)).coded(reader)
  expect(reads).toBe(4)
  expect(whole).toBe(false)
  expect(Array.from(codes, (code) => column.values(code))).toEqual([[1], [[3]]])
  table.coded(reader)
  expect(reads).toBe(4)
})

test('a finding is made once under its name, nothing found too, and what failed is tried again', () => {
  const findings = new Findings(10)
  let asked = 0
  const ask = (name: string, fails = false): unknown =>
    findings.of(name, () => {
      asked += 1
      if (fails) throw new Error('failed')
      return undefined
    })
  expect(() => ask('a', true)).toThrow('failed')
  for (const name of ['a', 'a', 'b', 'a']) ask(name)
  expect(asked).toBe(3)
})

test('the finding that was not asked for the longest is forgotten first', () => {
  const findings = new Findings(2)
  const made: string[] = []
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) findings.of(name, () => made.push(name))
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})
