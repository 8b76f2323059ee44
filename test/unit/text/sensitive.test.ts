/** Short cuts of the search for sensitive data find what a plain look at every place finds. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entropyOf, findSensitive } from '../../../src/text/sensitive.ts'

/** Pieces that make and break what is looked for. */
const pieces = fc.oneof(
  fc.constantFrom('@', '.', '-', ' ', '\n', '"', 'ada', 'example.org', 'A'.repeat(70), '_', '+', 'ü'),
  fc.constantFrom('4111 1111 1111 1111', '4111', '1111', '-', '5500-0000-0000-0004', '378282246310005'),
  fc.stringMatching(/^[A-Za-z0-9_+-]{1,60}$/),
)
const texts = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(''))

const EMAIL =
  /(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,7}\.[A-Za-z]{2,24}(?![A-Za-z0-9-])/g

function placesOf(text: string, regex: RegExp): [number, number][] {
  return [...text.matchAll(regex)].map(({ 0: found, index }) => [index, index + found.length])
}

function found(text: string, kinds: Parameters<typeof findSensitive>[1], entropy = 0): [number, number][] {
  return findSensitive(text, kinds, entropy).map(({ start, end }) => [start, end])
}

test('mail addresses', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(found(text, ['email'])).toEqual(placesOf(text, EMAIL))
    }),
  )
  expect(found('to ada@example.org, x', ['email'])).toEqual([[3, 18]])
})

test('cards are found with spaces and hyphens between their digits', () => {
  for (const card of ['4111111111111111', '4111 1111 1111 1111', '5500-0000-0000-0004', '378282246310005'])
    expect(found(`card ${card}!`, ['card'])).toEqual([[5, 5 + card.length]])
  expect(found('4111  1111  1111  1111', ['card'])).toEqual([])
})

test('random words of 24 to 128 characters', () => {
  const WORD = /(?<![A-Za-z0-9_+-])[A-Za-z0-9_+-]{24,128}(?![A-Za-z0-9_+-])/g
  fc.assert(
    fc.property(texts, (text) => {
      const expected = placesOf(text, WORD).filter(([start, end]) => {
        const word = text.slice(start, end)
        return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && entropyOf(word) >= 4
      })
      expect(found(text, [], 4)).toEqual(expected)
    }),
  )
})
