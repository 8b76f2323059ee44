import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexLines } from '../../../src/text/lines.ts'

test('indexes lines with either line end and without one at the end', () => {
  const index = indexLines('one\r\ntwo\n\nfour')
  expect(index.count).toBe(4)
  expect([0, 1, 2, 3].map((line) => index.at(line))).toEqual(['one', 'two', '', 'four'])
  expect(index.at(9)).toBe('')
  expect(indexLines('').count).toBe(0)
  expect(indexLines('a\n').count).toBe(1)
})

test('agrees with a split, and finds the line of every offset', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '😀')), (pieces) => {
      const text = pieces.join('')
      const index = indexLines(text)
      const expected = text.split(/\r?\n/)
      if (expected.at(-1) === '') expected.pop()
      expect(Array.from({ length: index.count }, (_, line) => index.at(line))).toEqual(expected)
      for (let offset = 0; offset < text.length; offset++) {
        const line = index.lineAt(offset)
        expect(index.start(line)).toBeLessThanOrEqual(offset)
        if (line + 1 < index.count) expect(index.start(line + 1)).toBeGreaterThan(offset)
      }
    }),
  )
})

test('long texts of one length are told apart, asked one after the other', () => {
  const [one, other] = ['a\n', 'a '].map((piece) => piece.repeat(40_000))
  expect(indexLines(one ?? '').count).toBe(40_000)
  expect(indexLines(other ?? '').count).toBe(1)
  expect(indexLines(one ?? '').at(39_999)).toBe('a')
})
