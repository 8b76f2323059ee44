import { expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { structure } from '../../../../src/processors/steps/structure.ts'
import { verifies } from '../../../support/verifies.ts'

const explore = (value: Parameters<typeof fromValue>[0], max_depth?: number) =>
  structure.process(fromValue(value), max_depth === undefined ? {} : { max_depth })

verifies('S3.25', 'an object below what is shown does not seem empty', () => {
  const items = Array.from({ length: 30 }, (_, id) => ({ id, a: { b: [{ c: { d: [id] } }] }, none: {} }))
  for (const depth of [1, 2, 3]) {
    const { text } = explore({ items }, depth).content
    expect(text).toContain('none: {}')
    expect(text.replaceAll(/"?none"?: ?\{\}/g, '')).not.toMatch(/\{\}|unknown/)
  }
})

verifies('S3.25', 'tells types, presence, counts, ranges and frequent values of records', () => {
  const items = Array.from({ length: 30 }, (_, id) => ({
    id,
    user: { name: id % 2 ? 'ann' : 'bob' },
    ...(id < 10 ? { note: 'hi' } : {}),
  }))
  const { content, metadata, applied, error } = explore({ total: 30, items })
  expect([applied, error, metadata.total]).toEqual([true, undefined, 30])
  const lines = content.text.split('\n')
  expect(lines[0]).toMatch(/^json: 30 records in \$\.items, /)
  expect(lines).toContain('beside the records: total = 30')
  expect(lines).toContain('  note: string, in 10 of 30; 1 value: "hi" 10')
  expect(lines).toContain('  user.name: string; 2 values: "bob" 15, "ann" 15')
  expect(lines.find((line) => line.startsWith('  id:'))).toMatch(
    /^ {2}id: number; 0 to 29, mean 14\.5; many values|30 values/,
  )
})

test('shows as many levels as asked for', () => {
  const value = [{ a: { b: { c: { d: 1 } } } }, { a: { b: { c: { d: 2 } } } }]
  expect(explore(value, 1).content.text).not.toContain('a.b:')
  expect(explore(value, 4).content.text).toContain('a.b.c.d: number')
})

verifies('S3.25', 'describes every format', () => {
  const samples: [string, string][] = [
    ['{"a":1}\n{"a":2}\n', 'ndjson: 2 records'],
    ['a,b\n1,2\n3,4\n', 'csv: 2 records'],
    ['2024-01-01 10:00:00 INFO x\n2024-01-01 10:00:01 INFO y\n', 'log: 2 lines'],
    ['# A\n\nx\n\n## B\n', 'markdown: 5 lines, 2 headings'],
    ['<html><h1>T</h1></html>', 'html: 1 line'],
    ['just words\nand more of them\n', 'text: 2 lines'],
  ]
  for (const [text, start] of samples) expect(explore(text).content.text.slice(0, start.length)).toBe(start)
})

test('says what is wrong with its parameter', () => {
  expect(structure.process(fromValue([1]), { max_depth: -1 }).error).toContain('max_depth')
})
