import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import winkBm25 from 'wink-bm25-text-search'
import { fieldNames, type ToolFields } from '../../../src/discovery/fields.ts'
import { indexWords, type Weights } from '../../../src/discovery/postings.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

const words = fc.array(fc.constantFrom('file', 'read', 'list', 'issue', 'page', 'constructor', '__proto__'), {
  maxLength: 12,
})
const tools = fc.array(fc.record({ name: words, server: words, description: words, parameters: words }), {
  minLength: 3,
  maxLength: 12,
})
const weights: Weights = { name: 4, server: 1, description: 1, parameters: 0.5 }

/** Scores of one word by wink, rounded to four places as it does. */
function byWink(corpus: readonly ToolFields[]): (word: string) => Map<number, number> {
  const engine = winkBm25()
  engine.defineConfig({ fldWeights: { ...weights } })
  engine.definePrepTasks([
    (given: string | readonly string[]) => (typeof given === 'string' ? [given] : given),
  ])
  for (const [place, tool] of corpus.entries()) engine.addDoc({ ...tool }, place)
  engine.consolidate(9)
  return (word) => new Map(engine.search(word, corpus.length).map(([place, score]) => [Number(place), score]))
}

describe('an index of words', () => {
  verifies('S1.4', 'ranks as wink-bm25-text-search does, word by word', () => {
    fc.assert(
      fc.property(tools, (corpus) => {
        const index = indexWords(corpus, weights)
        const wink = byWink(corpus)
        const all = new Set(corpus.flatMap((tool) => fieldNames.flatMap((field) => tool[field])))
        expect(new Set(index.vocabulary.keys())).toEqual(all)
        for (const word of all) {
          const postings = index.postings(word)
          const expected = wink(word)
          expect([...(postings?.places ?? [])]).toEqual([...expected.keys()].sort((a, b) => a - b))
          postings?.places.forEach((place, at) => {
            const score = (postings.strengths[at] ?? 0) * index.worth(expected.size) * 2.2
            expect(score).toBeCloseTo(expected.get(place) ?? Number.NaN, 6)
          })
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('a strength is above 0 and below 1; rarer words are worth more', () => {
    fc.assert(
      fc.property(tools, (corpus) => {
        const index = indexWords(corpus, weights)
        for (const word of index.vocabulary.keys())
          for (const strength of index.postings(word)?.strengths ?? []) {
            expect(strength).toBeGreaterThan(0)
            expect(strength).toBeLessThan(1)
          }
        for (let having = 0; having < corpus.length; having++)
          expect(index.worth(having)).toBeGreaterThan(index.worth(having + 1))
      }),
      { numRuns: runs(100) },
    )
  })

  test('a word that no tool has, a field without weight, and no tools at all', () => {
    const one: ToolFields = { name: ['a'], server: ['b'], description: ['c'], parameters: ['d'] }
    const index = indexWords([one], { ...weights, parameters: 0 })
    expect([...index.vocabulary.keys()]).toEqual(['a', 'b', 'c'])
    expect(index.postings('d')).toBeUndefined()
    expect(index.postings('toString')).toBeUndefined()
    expect(indexWords([], weights).postings('a')).toBeUndefined()
  })
})
