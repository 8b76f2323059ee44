/** Expressions that are written to cost time end soon: read as something, or refused. */
import { expect, test } from 'vitest'
import { fromRows } from '../../../src/documents/opening/derive.ts'
import { where } from '../../../src/processors/steps/where.ts'
import { parsePath } from '../../../src/query/fields/path.ts'
import { parseNamed } from '../../../src/query/language/parser.ts'
import { scan } from '../../../src/query/language/scanner.ts'
import { Refusal } from '../../../src/query/refusal.ts'
import { patience } from '../../support/runs.ts'

const items = Array.from({ length: 50 }, (_, at) => ({
  a: at,
  b: `text ${at} and more, or less`,
  c: [{ d: at }],
  'e-f': 1,
}))
const pieces = [
  '(',
  ')',
  '[',
  '{',
  '"',
  "'",
  '`',
  'a ',
  'a and ',
  'a = 1 and ',
  'a or ',
  'not ',
  '!',
  'case ',
  'case when ',
  'case when a then ',
  'a - ',
  'a-',
  'a.',
  '.a',
  'a(',
  'lower(',
  'b.lower().',
  '|',
  '| length ',
  'a, ',
  'a; ',
  'a:b ',
  'between ',
  'a between 1 ',
  '5 < ',
  'in ',
  'x => ',
  'lambda x: ',
  'select(',
  '$[?',
  '[?(@.a ',
  '->',
  "->'a'",
  '::int',
  '__gte',
  '\\',
  '\\"',
  "''",
  '- ',
  '* ',
  '1 ',
  'a = b and c = d or ',
  'end ',
  'over (',
  'a over (partition by ',
  'as x ',
  'distinct ',
  'select * from a where ',
  'b = text ',
  'b = text 1 and ',
  '?.',
  '~ (a+)+',
]

test.each(pieces)(
  '%s',
  (piece) => {
    for (const text of [
      piece.repeat(Math.ceil(2_000 / piece.length)),
      `a = 1 and ${piece.repeat(150)}`,
      `b = ${piece.repeat(300)}`,
    ]) {
      const before = process.cpuUsage()
      const { error } = where.process(fromRows({ noun: 'record', items }), { where: [text.slice(0, 2_000)] })
      expect(typeof (error ?? '')).toBe('string')
      for (const read of [parseNamed, parsePath, scan] as const) {
        try {
          read(text.slice(0, 990))
        } catch (refused) {
          expect(refused).toBeInstanceOf(Refusal)
        }
      }
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(patience(2_000))
    }
  },
  patience(60_000),
)

test('names that every object has are no fields', () => {
  for (const name of [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'a.__proto__.b',
    'length(__proto__)',
  ]) {
    const { content, error } = where.process(fromRows({ noun: 'record', items }), { where: [`${name} = 1`] })
    expect(error ?? content.rows().count).not.toBe(0)
    expect(error).toContain('has the field')
  }
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})
