import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWordTable, EMPTY_HASH, step } from '../../../src/discovery/word-table.ts'
import { runs } from '../../support/runs.ts'

const hashOf = (word: string): number =>
  [...word].reduce((hash, letter) => step(hash, letter.charCodeAt(0)), EMPTY_HASH)

/** A table that gives each word itself, and what it was asked to make. */
function world(most = 1_000_000) {
  const made: string[] = []
  const table = createWordTable((word) => {
    made.push(word)
    return { word }
  }, most)
  const at = (text: string, start = 0, end = text.length, hash = hashOf(text.slice(start, end))) =>
    table.at(text, start, end, hash)
  return { made, at }
}

describe('a table of words', () => {
  test('gives what was made of the word, made once', () => {
    const word = fc.stringMatching(/^[a-zA-Z_]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 50 }), (words) => {
        const { made, at } = world()
        const text = words.join(' ')
        let start = 0
        for (const each of [...words, ...words]) {
          start = text.indexOf(each)
          expect(at(text, start, start + each.length)).toEqual({ word: each })
        }
        expect(made).toEqual([...new Set(words)])
      }),
      { numRuns: runs(200) },
    )
  })

  test('grows, and knows the words from before', () => {
    const { made, at } = world()
    const words = Array.from({ length: 20_000 }, (_, n) => `word${n}`)
    const first = words.map((word) => at(word))
    expect(words.map((word) => at(word))).toEqual(first)
    // A few have no place: they are made anew.
    expect(made.length).toBeLessThan(20_500)
  })

  test('words that want one place are told apart, and cost no more than a few looks', () => {
    const { made, at } = world()
    for (let round = 0; round < 2; round++)
      for (let n = 0; n < 100; n++) expect(at(`w${n}`, 0, `w${n}`.length, 7)).toEqual({ word: `w${n}` })
    expect(made).toHaveLength(200 - 16)
  })

  test('remembers no more than it may', () => {
    const { made, at } = world(2)
    for (let round = 0; round < 2; round++) for (const word of ['a', 'b', 'c']) at(word)
    expect(made).toEqual(['a', 'b', 'c', 'c'])
  })
})
