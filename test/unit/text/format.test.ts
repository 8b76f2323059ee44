import { expect, test } from 'vitest'
import {
  formatBytes,
  formatCount,
  formatPlural,
  printable,
  printableLines,
} from '../../../src/text/format.ts'

test('groups thousands', () => {
  expect([0, 999, 1373, -1234567, 0.5, 1234.5].map(formatCount)).toEqual([
    '0',
    '999',
    '1,373',
    '-1,234,567',
    '0.5',
    '1234.5',
  ])
})

test('names bytes in decimal units', () => {
  expect([0, 999, 1400, 343_158, 4_010_358, 999_950_000].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.4 KB',
    '343 KB',
    '4.0 MB',
    '1.0 GB',
  ])
})

test('forms plurals', () => {
  expect([
    formatPlural(1, 'match'),
    formatPlural(2, 'match'),
    formatPlural(0, 'entry'),
    formatPlural(1373, 'row'),
  ]).toEqual(['1 match', '2 matches', '0 entries', '1,373 rows'])
})

test('texts of others do not steer a terminal', () => {
  const sent = 'a\u001b[31m\r\u009b2J\u202eb\nc\td'
  expect(printable(sent)).toBe('a [31m  2J b c d')
  expect(printableLines(sent)).toBe('a [31m  2J b\nc\td')
})
