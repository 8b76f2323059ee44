/** Short cuts of the search for sensitive data find what a plain look at every place finds. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entropyOf } from '../../../src/text/change/random-words.ts'
import type { SensitiveKind } from '../../../src/text/change/scan.ts'
import { findSensitive } from '../../../src/text/change/strike.ts'

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

function found(text: string, kinds: readonly SensitiveKind[], entropy = 0): [number, number][] {
  return findSensitive(text, new Set(kinds), entropy).map(({ start, end }) => [start, end])
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
      const possible = placesOf(text, WORD).filter(([start, end]) => {
        const word = text.slice(start, end)
        return /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && entropyOf(word) >= 4
      })
      for (const place of found(text, [], 4)) expect(possible).toContainEqual(place)
    }),
  )
  const word = 'qZ7xW2mK9pL4vB8nR3tY6uJ1hG5fD0sA'
  for (const text of [word, `a ${word}, b`, `"${word}"`, `key-${word}`, `\\n${word}\\n`])
    expect(found(text, [], 4.3), text).toHaveLength(1)
})

test('random words that are for others to go by, to compare, or a part of something larger', () => {
  const word = 'qZ7xW2mK9pL4vB8nR3tY6uJ1hG5fD0sA'
  const image = Buffer.from(Array.from({ length: 300 }, (_, n) => (n * 7919) % 251)).toString('base64')
  for (const text of [
    `"node_id": "${word}"`,
    `{\\"fileId\\":\\"${word}\\"}`,
    `https://example.org/d/${word}/edit`,
    `sha512-${word}${word}==`,
    `"etag":"${word}"`,
    image,
    `data:image/png;base64,${image}`,
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    'convertStringToLittleEndianBufferOfUtf8',
    'convertUTF8StringToUTF16LittleEndianBuffer2',
    'SOME_VERY_LONG_CONSTANT_NAME_2_OF_THEM',
  ])
    expect(found(text, ['secrets', 'email', 'card', 'iban'], 4.3), text).toEqual([])
  expect(findSensitive(word, new Set(), 4.3, 'node_id')).toEqual([])
  expect(findSensitive(word, new Set(), 4.3, 'note')).toHaveLength(1)
})

test('numbers of records are no cards: networks do not give out some, and others have another length', () => {
  for (const number of [
    '1234567890123456',
    '4111111111111112',
    '2345678901234',
    '7992739871300000',
    '20261122101112',
  ])
    expect(found(`n ${number}.`, ['card']), number).toEqual([])
})

test('a random value of an address may be what opens it; well-known parameters that only track are left', () => {
  const word = 'qZ7xW2mK9pL4vB8nR3tY6uJ1hG5fD0sA'
  for (const name of ['?usg', '&ved', '%26usg', '\\u0026ei', '&gclid', '?fbclid', '&srsltid'])
    for (const mark of ['=', ...(name.startsWith('%') ? ['%3D'] : [])])
      expect(found(`https://example.org/a${name}${mark}${word}&x=1`, [], 4.3), name).toEqual([])
  for (const name of ['?sig', '&key', '?s', '&code', '?busg', 'usg'])
    expect(found(`https://example.org/a${name}=${word}&x=1`, [], 4.3), name).toHaveLength(1)
})
