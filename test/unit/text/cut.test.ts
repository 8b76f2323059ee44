import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cut, ellipsis, head, tail } from '../../../src/text/shorten.ts'

const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

test('never exceeds the length and never splits a surrogate pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(320), (text, max) => {
      for (const shorten of [head, tail, ellipsis, cut]) {
        const short = shorten(text, max)
        expect(short.length).toBeLessThanOrEqual(max)
        if (!lone.test(text)) expect(short).not.toMatch(lone)
        if (text.length <= max) expect(short).toBe(text)
      }
    }),
  )
})

test('keeps both ends and names what is missing', () => {
  const short = cut(`begin${'x'.repeat(5000)}end`, 100)
  expect(short).toMatch(/^beginx+ …\[4,9\d\d characters left out\]… x+end$/)
})
