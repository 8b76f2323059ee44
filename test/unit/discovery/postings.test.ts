import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import winkBm25 from 'wink-bm25-text-search'
import { type Field, fieldNames } from '../../../src/discovery/fields.ts'
import {
  createCounter,
  createLexicon,
  indexWords,
  type Postings,
  type Weights,
} from '../../../src/discovery/postings.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

/** The words of a tool by field. */
type Words = Record<Field, string[]>

const words = fc.array(fc.constantFrom('file', 'read', 'list', 'issue', 'page', 'constructor', 'prototype'), {
  maxLength: 12,
})
const tools = fc.array(fc.record({ name: words, server: words, description: words, parameters: words }), {
  minLength: 3,
  maxLength: 12,
})
const weights: Weights = { name: 4, server: 1, description: 1, parameters: 0.5 }

/** An index of these words, and what it has of a word. */
function indexOf(corpus: readonly Words[], fields: readonly Field[] = fieldNames) {
  const lexicon = createLexicon()
  const counter = createCounter(corpus.length)
  for (const tool of corpus) {
    for (const field of fields) counter.add(lexicon.read(tool[field].join(' ')), weights[field])
    counter.next()
  }
  const index = indexWords(counter.counts())
  const postings = (...words: string[]): Postings | undefined =>
    index.postings(words.map((word) => lexicon.words.indexOf(word)))
  const vocabulary = lexicon.words.filter((_, number) => index.has(number))
  return { postings, vocabulary, worth: index.worth }
}

/** Scores of one word by wink, rounded to four places as it does. */
function byWink(corpus: readonly Words[]): (word: string) => Map<number, number> {
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
        const index = indexOf(corpus)
        const wink = byWink(corpus)
        const all = new Set(corpus.flatMap((tool) => fieldNames.flatMap((field) => tool[field])))
        expect(new Set(index.vocabulary)).toEqual(all)
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

  test('several words count as if they had been one', () => {
    const forms = ['file', 'read', 'list']
    fc.assert(
      fc.property(tools, (corpus) => {
        const one = corpus.map((tool) =>
          Object.fromEntries(
            fieldNames.map((field) => [
              field,
              tool[field].map((word) => (forms.includes(word) ? 'file' : word)),
            ]),
          ),
        ) as Words[]
        expect(indexOf(corpus).postings(...forms, 'absent')).toEqual(indexOf(one).postings('file'))
      }),
      { numRuns: runs(200) },
    )
  })

  test('a strength is above 0 and below 1; rarer words are worth more', () => {
    fc.assert(
      fc.property(tools, (corpus) => {
        const index = indexOf(corpus)
        for (const word of index.vocabulary)
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

  test('a word that no tool has, one that came to the lexicon later, and no tools at all', () => {
    const one: Words = { name: ['ox'], server: ['cow'], description: ['hen'], parameters: ['dog'] }
    const index = indexOf([one], ['name', 'server', 'description'])
    expect(index.vocabulary).toEqual(['ox', 'cow', 'hen'])
    expect(index.postings('dog')).toBeUndefined()
    expect(index.postings('toString')).toBeUndefined()
    expect(indexOf([]).postings('ox')).toBeUndefined()
    const { has, postings } = indexWords(createCounter(0).counts())
    expect([0, 1, 2].map(has)).toEqual([false, false, false])
    expect(postings([1])).toBeUndefined()
    expect(postings([])).toBeUndefined()
  })

  test('many words and many tools: arrays that grow', () => {
    const corpus = Array.from({ length: 200 }, (_, place) => ({
      name: Array.from({ length: 100 }, (_, at) => `word${place * 50 + at}`),
      server: [],
      description: ['common'],
      parameters: [],
    }))
    const index = indexOf(corpus)
    expect(index.vocabulary).toHaveLength(200 * 50 + 50 + 1)
    expect([...(index.postings('word75')?.places ?? [])]).toEqual([0, 1])
    expect(index.postings('common')?.places).toHaveLength(200)
  })
})
