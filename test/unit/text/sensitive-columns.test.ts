import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileChange } from '../../../src/text/change/change.ts'
import { Tally } from '../../../src/text/change/change-rules.ts'
import { findInColumns } from '../../../src/text/change/columns.ts'
import type { Finding } from '../../../src/text/change/scan.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

const strike = compileChange([
  { kind: 'sensitive', kinds: ['secrets'], patterns: {}, entropy: 0, replacement: '***', allow: [] },
])
const struck = (text: string): string => strike(text, new Tally())

describe('secrets in columns, by their header', () => {
  verifies('S2.26', 'of CSV, with quotes, tabs, semicolons and bars', () => {
    const cases: [string, string][] = [
      ['id,api_key,owner\n1,abc-def,ada\n2,"xy""z-1",bob\n', 'id,api_key,owner\n1,***,ada\n2,"***",bob\n'],
      ['user\tpassword\r\nada\tlove lace\r\nbob\t1234\r\n', 'user\tpassword\r\nada\t***\r\nbob\t***\r\n'],
      ['"Name";"Client Secret"\n"a";"two\nlines"\n"b";""\n', '"Name";"Client Secret"\n"a";"***"\n"b";""\n'],
      [
        '3 rows:\n\n| id | auth_token |\n|----|------|\n| 1 | abcd1234 |\n| 2 | not set |\n',
        '3 rows:\n\n| id | auth_token |\n|----|------|\n| 1 | *** |\n| 2 | not set |\n',
      ],
      [
        ' id | secret \n----+------\n  1 | hunter2\n(1 row)\n',
        ' id | secret \n----+------\n  1 | ***\n(1 row)\n',
      ],
      ['a|pwd\n1|letmein', 'a|pwd\n1|***'],
      // A row with more cells than names.
      ['a,password,b\n1,swordfish,x,y\n', 'a,password,b\n1,***,x,y\n'],
    ]
    for (const [text, expected] of cases) expect(struck(text)).toBe(expected)
  })

  test('leaves what is none: numbers, placeholders, names that count, prose, programs', () => {
    for (const text of [
      'model,input_tokens,secrets\nsmall,1000,3\nlarge,20000,0\n',
      'user,password\nada,\nbob,***\ncid,${PASSWORD}\n',
      'import os, secrets\nimport hashlib, hashes\n',
      'Enter username, password\nthen wait, calmly\n',
      'cat log | grep password\nsort | xargs\n',
      'user,password',
      'user,password\n\nNote,that nothing follows.\n',
      'The columns are user, name, and password.\nOne, two, three.\n',
    ])
      expect(struck(text)).toBe(text)
  })

  test('any cell of a column is found, and nothing beside it', () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 12, unit: fc.constantFrom('a', '"', ',', ' ', '\n', 'ü', '|') }),
      fc.constantFrom('', 'sw0rdfish', '"', ',', 'a\nb'),
    )
    const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), (rows) => {
        const text = `id,password,note\n${rows.map((row) => row.map(quoted).join(',')).join('\n')}\n`
        const findings: Finding[] = []
        findInColumns(text, findings)
        const found = findings.map(({ start, end }) => text.slice(start, end).replaceAll('""', '"'))
        for (const one of found) expect(rows.map(([, value]) => value)).toContain(one)
        for (const [, value] of rows) if (/[a-zü]/.test(value)) expect(found).toContain(value)
      }),
      { numRuns: runs(200) },
    )
  })

  test('takes no longer for what only begins like a table', () => {
    const long = 200_000
    // Quadratic it would take minutes.
    for (const text of [
      `a|password\n${'---\n'.repeat(long)}`,
      `a,password\n${'",\n'.repeat(long)}`,
      `a,password\n${'"",'.repeat(long)}\n`,
      `a,password\n${'x,"'.repeat(long)}`,
      `a\tpassword\n${'\t'.repeat(long)}\n${'""'.repeat(long)}`,
    ])
      expect(() => findInColumns(text, [])).not.toThrow()
  })
})
