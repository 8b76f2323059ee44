import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLexicon } from '../../../src/discovery/lexicon.ts'
import { NumberList } from '../../../src/discovery/number-list.ts'
import { wordsOf } from '../../../src/discovery/words.ts'
import { runs } from '../../support/runs.ts'

/** Reads texts with one lexicon, and gives their stems. */
function reader() {
  const lexicon = createLexicon()
  return (text: string) => {
    const list = new NumberList()
    lexicon.read(text, list)
    const stems = [...lexicon.stems()]
    return [...list.values.subarray(0, list.length)].map((number) => stems[number])
  }
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
        for (const text of [...all, ...all]) expect(read(text)).toEqual(wordsOf(text))
      }),
      { numRuns: runs(100) },
    )
  })

  test('numbers stems from 0, each once', () => {
    const lexicon = createLexicon()
    expect(lexicon.find('file')).toBeUndefined()
    expect([lexicon.number('file'), lexicon.number('page'), lexicon.number('file')]).toEqual([0, 1, 0])
    const list = new NumberList()
    lexicon.read('files and pages: constructor', list)
    expect([...list.values.subarray(0, list.length)]).toEqual([0, 1, 2])
    expect([lexicon.find('constructor'), lexicon.find('and'), lexicon.size()]).toEqual([2, undefined, 3])
  })

  test('more words than are remembered are read all the same', () => {
    const read = reader()
    const text = Array.from({ length: 60_000 }, (_, at) => `w${at}x`).join(' ')
    for (let round = 0; round < 2; round++) {
      const stems = read(text)
      expect(stems).toHaveLength(60_000)
      expect(stems.at(-1)).toBe('w59999x')
    }
  })
})
