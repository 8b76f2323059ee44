import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWordTable, EMPTY_HASH, step } from '../../../src/discovery/word-table.ts'
import { runs } from '../../support/runs.ts'

const hashOf = (word: string): number =>
  [...word].reduce((hash, letter) => step(hash, letter.charCodeAt(0)), EMPTY_HASH)

function tableOf(most = 1_000_000) {
  const table = createWordTable(most)
  return (text: string, start = 0, end = text.length, hash = hashOf(text.slice(start, end))) =>
    table.at(text, start, end, hash)
}

describe('a table of words', () => {
  test('numbers words as they come, wherever they stand', () => {
    const word = fc.stringMatching(/^[a-zA-Z_]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 50 }), (words) => {
        const at = tableOf()
        const distinct = [...new Set(words)]
        const text = words.join(' ')
        let start = 0
        for (const each of words) {
          expect(at(text, start, start + each.length)).toBe(distinct.indexOf(each))
          start += each.length + 1
        }
        for (const each of words) expect(at(each)).toBe(distinct.indexOf(each))
      }),
      { numRuns: runs(200) },
    )
  })

  test('grows, and knows the words from before', () => {
    const at = tableOf()
    const words = Array.from({ length: 20_000 }, (_, n) => `word${n}`)
    const first = words.map((word) => at(word))
    // A few had no place.
    const numbered = first.filter((number) => number >= 0)
    expect(numbered.length).toBeGreaterThan(19_500)
    expect(numbered).toEqual(numbered.map((_, place) => place))
    const again = words.map((word) => at(word))
    expect(again.filter((_, n) => (first[n] ?? -1) >= 0)).toEqual(numbered)
  })

  test('words that want one place are told apart, and cost no more than a few looks', () => {
    const at = tableOf()
    for (let round = 0; round < 2; round++) {
      const numbers = Array.from({ length: 100 }, (_, n) => at(`w${n}`, 0, `w${n}`.length, 7))
      expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => (n < 16 ? n : -1)))
    }
  })

  test('remembers no more than it may', () => {
    const at = tableOf(2)
    for (let round = 0; round < 2; round++)
      expect(['a', 'b', 'c'].map((word) => at(word))).toEqual([0, 1, -1])
  })
})
