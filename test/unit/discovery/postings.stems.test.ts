import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createStems } from '../../../src/discovery/postings.ts'
import { stemOf } from '../../../src/discovery/words.ts'
import { runs } from '../../support/runs.ts'

/** Words with the endings that the stemmer knows, irregular ones, and what is no word of English. */
const endings =
  's es ed ing ly edly ingly eed ies ied sses ational ization isation ise ised fulness ousness iveness tional ability lessly ently ' +
  'ation alism ality ously ivity fully ency ancy ably izer ator ology alize icate ical ness ful ement ance ence able ible ment ant ent ' +
  'ism ate ous ive ize ion al er ic ity y our ours ogue e l'
const word = fc.oneof(
  fc
    .tuple(fc.stringMatching(/^[a-z]{2,6}$/), fc.constantFrom('', ...endings.split(' ')))
    .map(([a, b]) => a + b)
    .filter((word) => !/^[aeiou]ings?$/.test(word)),
  fc.constantFrom(
    'wrote',
    'bought',
    'people',
    'indices',
    'dying',
    'skies',
    'went',
    'was',
    'a',
    'I',
    'xy',
    '删',
    'über',
    's3',
  ),
)

describe('stems', () => {
  test('every word is found by its stem, and no other one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 40 }), (words) => {
        const stems = createStems(words)
        for (const each of words) {
          const stem = stemOf(each)
          const expected = words.flatMap((other, number) => (stemOf(other) === stem ? [number] : []))
          expect(stems.having(stem), each).toEqual(expected)
          expect([...stems.beginning(stem.slice(0, 1))]).toContainEqual([words.indexOf(each), stem])
        }
        expect(stems.having('nothingofthis')).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })

  test('words that come later are found, too', () => {
    const words = ['file']
    const stems = createStems(words)
    expect(stems.having('file')).toEqual([0])
    expect(stems.prepare(5)).toBe(false)
    words.push('files', 'filing', 'page')
    expect(stems.having('file')).toEqual([0, 1, 2])
    expect([...stems.beginning('p')]).toEqual([[3, 'page']])
    expect([stems.prepare(2), stems.prepare(2), stems.prepare(2)]).toEqual([true, false, false])
  })
})
