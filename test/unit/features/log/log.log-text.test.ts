import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownText } from '../../../../src/features/log/index.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { compileChange, Tally } from '../../../../src/text/change.ts'

const secrets = compileChange([
  { kind: 'sensitive', kinds: ['secrets'], patterns: {}, entropy: 0, replacement: '***', allow: [] },
])
const clean = (text: string): string => secrets(text, new Tally())

test('the beginning of the JSON, or all of it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 16, max: 200 }), (made, most) => {
      const value = made as JsonValue
      const json = JSON.stringify(value)
      const text = shownText(value, most)
      expect(text).toBe(json.length <= most ? json : `${json.slice(0, most)}…`)
    }),
  )
})

test('of a secret that the cut goes through nothing is left, wherever the cut is', () => {
  const parts = 'a1B2c3D4e5F6g7H8i9J0'.repeat(40)
  const values: [JsonValue, string][] = [
    [
      { a: 'see', token: `eyJ${parts.slice(0, 30)}.eyJ${parts.slice(0, 700)}.${parts.slice(0, 40)}` },
      parts.slice(0, 8),
    ],
    [{ text: `x\nghp_${parts.slice(0, 36)} y` }, parts.slice(0, 8)],
    [
      { text: `-----BEGIN PRIVATE ${'KEY'}-----\n${parts.slice(0, 64)}\n${parts.slice(0, 64)}\n` },
      parts.slice(0, 8),
    ],
    [{ url: 'postgres://ada:horse-battery@db/x' }, 'horse'],
    [{ password: 'correct horse battery' }, 'correct'],
  ]
  for (const [value, secret] of values)
    for (let most = 16; most < 400; most += 3)
      expect(shownText(value, most, clean), String(most)).not.toContain(secret)
})

test('what is long, wide or deep costs no more than its beginning', () => {
  const wide = Array.from({ length: 200_000 }, (_, n) => ({ n }))
  expect(shownText({ wide }, 30)).toBe('{"wide":[{"n":0},{"n":1},{"n":…')
  let deep: JsonValue = 'x'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(shownText(deep, 500)).toContain('…')
  expect(shownText({ text: 'x'.repeat(1_000_000), more: 1 }, 20)).toBe(`{"text":"${'x'.repeat(11)}…`)
})
