import fc from 'fast-check'
import { distance } from 'fastest-levenshtein'
import { describe, expect, test } from 'vitest'
import { buildVocabulary, type Likeness } from '../../../../src/text/words/vocabulary.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

function search(text: string, pattern: string, threshold = 0.7): Likeness[] {
  const found: Likeness[] = []
  buildVocabulary(text).search(pattern, threshold, (place) => found.push(place))
  return found
}

describe('vocabulary', () => {
  verifies('S3.23', 'finds words within a distance, with their place and similarity', () => {
    const text = 'one Connection lost'
    expect(search(text, 'conection')).toEqual([{ start: 4, end: 14, similarity: expect.closeTo(0.9) }])
    expect(search(text, 'connection')).toEqual([{ start: 4, end: 14, similarity: 1 }])
    expect(search(text, 'conection', 0.95)).toEqual([])
  })

  test('finds phrases as words in a row', () => {
    const text = 'the databse request failed; database is a request'
    expect(search(text, 'database reqest').map(({ start, end }) => text.slice(start, end))).toEqual([
      'databse request',
    ])
  })

  test('finds the pieces of identifiers', () => {
    expect(search('call getUserName()', 'usr')).toHaveLength(1)
    expect(search('MAX_RETRY_COUNT=3', 'retri')).toHaveLength(1)
  })

  test('agrees with comparing every word', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        fc.array(word),
        word,
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (words, pattern, threshold) => {
          const longer = (one: string): number => Math.max(one.length, pattern.length)
          const alike = (one: string): number => {
            const found = 1 - distance(one, pattern) / longer(one)
            return found + 1e-6 < threshold && swaps(one).includes(pattern) ? 1 - 1 / longer(one) : found
          }
          const expected = words.filter((one) => alike(one) + 1e-6 >= threshold && alike(one) > 0)
          const text = words.join(' ')
          expect(search(text, pattern, threshold).map(({ start, end }) => text.slice(start, end))).toEqual(
            expected,
          )
        },
      ),
    )
  })

  test('finds the same rows of words as going through all of them', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '_', 'é', '漢', '𝒳'),
      minLength: 1,
      maxLength: 5,
    })
    const words = fc.array(fc.oneof(word, fc.constantFrom('. ', '-', '😀')), { maxLength: 30 })
    fc.assert(
      fc.property(
        words,
        fc.tuple(word, word),
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        (all, [one, two], threshold) => {
          const text = all.join(' ')
          const pattern = `${one} ${two}`
          // More distinct words that are sought than are looked for one by one.
          const filler = Array.from({ length: 120 }, (_, nth) => `${one}${two}${one}${nth}`).join(' . ')
          const apart = ` ${'|'.repeat(9)} `
          const few = search(text, pattern, threshold)
          const many = search(`${text}${apart}${filler}`, pattern, threshold)
          expect(few).toEqual(many.filter(({ end }) => end <= text.length))
        },
      ),
      { numRuns: runs(300) },
    )
  })

  test('two letters the wrong way round are one slip', () => {
    expect(search('please retry later', 'retyr', 0.75)).toHaveLength(1)
    expect(search('please retry later', 'reyrt', 0.75)).toHaveLength(0)
  })

  test('names the nearest words', () => {
    expect(buildVocabulary('Database, datum, zebra').nearest('databse', 2)).toEqual(['database'])
    expect(buildVocabulary('Database').nearest('?', 2)).toEqual([])
  })

  test('survives names that every object has, and half characters', () => {
    expect(search('__proto__ constructor', 'constructr')).toHaveLength(1)
    expect(search('\ud800 \udc00abc', 'abc')).toHaveLength(1)
  })
})

/** The word with each pair of different neighbours in the other order. */
function swaps(word: string): string[] {
  return Array.from(
    { length: Math.max(0, word.length - 1) },
    (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  ).filter((swapped) => swapped !== word)
}
