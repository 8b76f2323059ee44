import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareNaturally } from '../../../../src/text/words/natural-order.ts'

test('numbers in texts compare by value', () => {
  const sorted = [
    '10.0.0.9',
    '10.0.0.10',
    'item 2',
    'item 10',
    'item 10b',
    'v1.9.0',
    'v1.10.0',
    'v1.10.0-rc.1',
  ]
  expect([...sorted].reverse().sort(compareNaturally)).toEqual(sorted)
})

test('it is an order', () => {
  const text = fc.stringMatching(/^[a0-9.]{0,8}$/)
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0)
      expect(compareNaturally(a, b) === 0).toBe(a === b)
      const [x = '', y = '', z = ''] = [a, b, c].sort(compareNaturally)
      expect(compareNaturally(x, y) <= 0 && compareNaturally(y, z) <= 0 && compareNaturally(x, z) <= 0).toBe(
        true,
      )
    }),
  )
})
