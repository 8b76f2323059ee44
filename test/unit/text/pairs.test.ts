import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanPairs } from '../../../src/text/pairs.ts'
import { runs } from '../../support/runs.ts'

function found(text: string, most = 100) {
  const pairs: { key: string; value: string; quoted: boolean }[] = []
  scanPairs(text, most, (key, value, quoted) => pairs.push({ key, value, quoted }))
  return pairs
}

/** The pairs to find, as an expression. */
const PAIR = /(?:^|[\s,;([{])([A-Za-z_][\w.-]{0,39})=(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s",;)\]}]+))/g

function expected(text: string) {
  return [...text.matchAll(PAIR)].map(([, key, quoted, bare]) => ({
    key,
    value: quoted ?? bare,
    quoted: quoted !== undefined,
  }))
}

test.each([
  'user=ann duration=12 done',
  'a=b=c, "x"=1 (k=v) {n=1;m="two words" o=p}',
  'msg="she said \\"no\\"" next=1 open="never closed a=1',
  'a="x"b=1 c="" d= e==f =g 9=h _i=j .k=l m-n.o=p',
  `${'k'.repeat(40)}=1 ${'k'.repeat(41)}=2`,
  'a="broken \\\n" b=1',
  'a=1\u00a0b=2\u2028c=3 é=4 d=é',
])('%j', (text) => {
  expect(found(text)).toEqual(expected(text))
})

test('agrees with the expression on any text', () => {
  const part = fc.constantFrom(
    'a',
    'b1',
    '=',
    '"',
    '\\',
    ' ',
    ',',
    '(',
    ')',
    '\n',
    '\u2028',
    'é',
    '-',
    '9',
    '==',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      expect(found(text)).toEqual(expected(text))
    }),
    { numRuns: runs(1000) },
  )
})

test('ends at the most pairs, and soon on hostile text', () => {
  expect(found('a=1 '.repeat(50), 24)).toHaveLength(24)
  expect(found('a="\\"'.repeat(20_000), 24).length).toBeLessThanOrEqual(24)
})
