import fc from 'fast-check'
import { expect, test } from 'vitest'
import { literal } from '../../../../src/text/patterns/literal.ts'
import { runs } from '../../../support/runs.ts'

test('matches the text and nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, other) => {
      const pattern = new RegExp(`^(?:${literal(text)})$`)
      expect(pattern.test(text)).toBe(true)
      expect(pattern.test(other)).toBe(other === text)
    }),
    { numRuns: runs(200) },
  )
  expect(literal('a.b*(c)')).toBe(String.raw`a\.b\*\(c\)`)
})
