/** Finds tools by their words: BM25 over the fields of their definitions, blind to spelling and to the choice among like words. */
import { fieldsOf, type SearchedTool } from './fields.ts'
import { nearestWords } from './misspelt.ts'
import { indexWords, type Weights, type WordIndex } from './postings.ts'
import type { Found, ToolSearch } from './search.ts'
import { alikeTo } from './thesaurus.ts'
import { wordsOf } from './words.ts'

/** Measured on labelled questions by `npm run bench -- retrieval`. */
export const WEIGHTS: Weights = { name: 4, server: 1, description: 1, parameters: 0.5 }

/** What a word counts that the question did not use but might have, and one that it may have misspelt. */
const alikeWeight = 0.6
const misspeltWeight = 0.7
/** How much a tool that has only a like word counts among those that make a word a common one. */
const alikeShare = 0.1
/** Words of a question that are looked at. */
const mostWords = 48
const longestQuestion = 2_000

/**
 * Below this the best tool has one common word of the question and no more: nothing fits. Where many words are in no tool at
 * all, more is asked for, up to so many times `1 / (1 - strangeness)`.
 */
const leastFit = 0.08
const strangeness = 0.7

/** An index of these tools, to be made anew when they change: the words of tools that were seen before are remembered. */
export function indexTools(tools: readonly SearchedTool[], weights: Weights = WEIGHTS): ToolSearch {
  const fields = tools.map(fieldsOf)
  const index = indexWords(fields, weights)
  const byName = new Map<string, number[]>()
  fields.forEach(({ name, server }, place) => {
    for (const key of new Set([name.join(' '), [...server, ...name].join(' ')]))
      byName.set(key, [...(byName.get(key) ?? []), place])
  })
  return {
    search(question, limit) {
      const words = wordsOf(question.slice(0, longestQuestion))
      const scores = score(index, questionWords(words), tools.length)
      // Who knows the name of a tool wants that one.
      for (const place of byName.get(words.join(' ')) ?? []) scores[place] = 1
      const found: Found[] = []
      scores.forEach((score, place) => {
        if (score > 0) found.push({ index: place, score })
      })
      return found.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, limit)
    },
  }
}

/** Each word once, without numbers and single letters, which are what a tool is called with, unless there is nothing else. */
function questionWords(words: readonly string[]): string[] {
  const telling = words.filter((word) => !/^(?:\d+|[a-z])$/.test(word))
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, mostWords)
}

/** For each tool the part of the question that it answers, by what the words are worth; 0 for all where nothing fits. */
function score(index: WordIndex, words: readonly string[], size: number): Float64Array {
  const total = new Float64Array(size)
  const best = new Float64Array(size)
  let possible = 0
  let strange = 0
  for (const word of words) {
    const having: number[] = []
    const take = (other: string, weight: number): void => {
      const { places, strengths } = index.postings(other)
      for (let at = 0; at < places.length; at++) {
        const place = places[at] ?? 0
        const strength = (strengths[at] ?? 0) * weight
        if (best[place] === 0) having.push(place)
        if (strength > (best[place] ?? 0)) best[place] = strength
      }
    }
    take(word, 1)
    const same = having.length
    const alike = alikeTo(word)
    for (const other of alike) take(other, alikeWeight)
    if (!index.vocabulary.has(word) && alike.length === 0)
      for (const near of nearestWords(word, index.vocabulary))
        take(near.word, misspeltWeight * near.similarity)

    // A word that only stands for others is as rare as any.
    const worth = index.worth(
      having.length === 0 ? 0 : Math.max(1, same) + alikeShare * (having.length - same),
    )
    possible += worth
    if (having.length === 0) strange++
    for (const place of having) {
      total[place] = (total[place] ?? 0) + (best[place] ?? 0) * worth
      best[place] = 0
    }
  }
  let most = 0
  for (let place = 0; place < size; place++) {
    const part = (total[place] ?? 0) / possible
    total[place] = part
    if (part > most) most = part
  }
  const fits = words.length < 2 ? most > 0 : most * (1 - strangeness * (strange / words.length)) > leastFit
  return fits ? total : total.fill(0)
}
