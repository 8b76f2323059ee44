import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLexicon } from '../../../src/discovery/postings.ts'
import { stemOf, wordsOf } from '../../../src/discovery/words.ts'
import { runs } from '../../support/runs.ts'

/** Reads texts with one lexicon, and gives their words. */
function reader() {
  const lexicon = createLexicon()
  return (text: string) => lexicon.read(text).map((number) => lexicon.words[number] ?? '')
}

describe('a lexicon', () => {
  test('reads what the words of a text are, in any script, again and again', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.stringMatching(/^[ -~\n]{0,100}$/),
        fc
          .array(
            fc.constantFrom(
              'listPullRequests',
              'files',
              'the',
              'búsqueda',
              '删除',
              'HTTP_PORT',
              '…',
              'x'.repeat(50),
              'readÜber',
            ),
          )
          .map((words) => words.join(' ')),
      ),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(texts, (all) => {
        const read = reader()
        for (const text of [...all, ...all]) expect(read(text).map(stemOf)).toEqual(wordsOf(text))
      }),
      { numRuns: runs(100) },
    )
  })

  test('numbers words from 0, each once, without those that say nothing', () => {
    const lexicon = createLexicon()
    const read = (text: string) => [...lexicon.read(text)]
    expect(read('file and page: file')).toEqual([0, 1, 0])
    expect(['Page', 'the', '', 'constructor', '__proto__ getPage'].map(read)).toEqual([
      [1],
      [],
      [],
      [2],
      [3, 4, 1],
    ])
    expect(lexicon.words).toEqual(['file', 'page', 'constructor', 'proto', 'get'])
  })

  test('very long words are cut', () => {
    const read = reader()
    const long = 'x'.repeat(5_000)
    for (let round = 0; round < 2; round++)
      expect(read(`${long} ${long}`)).toEqual(Array(2).fill('x'.repeat(40)))
  })
})
