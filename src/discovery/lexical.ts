/** Finds tools by their words: BM25 over the fields of their definitions, blind to spelling and to the choice among like words. */
import winkBm25 from 'wink-bm25-text-search'
import { fieldsOf, type SearchedTool, type ToolFields } from './fields.ts'
import { nearestWords } from './misspelt.ts'
import type { Found, ToolSearch } from './search.ts'
import { alikeTo } from './thesaurus.ts'
import { wordsOf } from './words.ts'

/** How often a word counts by where it stands. */
export type Weights = Readonly<Record<keyof ToolFields, number>>

/** Measured on labelled questions by `npm run bench -- retrieval`. */
export const WEIGHTS: Weights = { name: 3, server: 1, lead: 1, description: 1, parameters: 0.5 }

/** What a word counts that the question did not use but might have, and one that it may have misspelt. */
const alikeWeight = 0.5
const misspeltWeight = 0.7
/** wink needs this many documents. */
const fewest = 3
/** Words of a question that are looked at. */
const mostWords = 48
const longestQuestion = 2_000

type Scores = readonly [index: number, score: number][]

/** An index of the tools, to be made anew when they change: 5,000 tools take about 100 ms. */
export function indexTools(tools: readonly SearchedTool[], weights: Weights = WEIGHTS): ToolSearch {
  const engine = winkBm25()
  engine.defineConfig({ fldWeights: { ...weights } })
  // The fields come as words already; a question is asked word by word.
  engine.definePrepTasks([
    (given: string | readonly string[]) => (typeof given === 'string' ? [given] : given),
  ])
  const vocabulary = new Set<string>()
  tools.forEach((tool, index) => {
    const fields = fieldsOf(tool)
    for (const words of Object.values(fields)) for (const word of words) vocabulary.add(word)
    engine.addDoc({ ...fields }, index)
  })
  for (let index = tools.length; index < fewest; index++) engine.addDoc({ ...empty() }, index)
  engine.consolidate()

  const known = new Map<string, Scores>()
  function scoresOf(word: string): Scores {
    let scores = known.get(word)
    if (scores === undefined) {
      const found = vocabulary.has(word) ? engine.search(word, tools.length) : []
      scores = found.map(([id, score]): [number, number] => [Number(id), score])
      if (vocabulary.has(word)) known.set(word, scores)
    }
    return scores
  }

  return {
    search(question, limit) {
      const total = new Float64Array(tools.length)
      for (const word of new Set(wordsOf(question.slice(0, longestQuestion)).slice(0, mostWords))) {
        const best = new Map<number, number>()
        const take = (scores: Scores, weight: number): void => {
          for (const [index, score] of scores) best.set(index, Math.max(best.get(index) ?? 0, score * weight))
        }
        take(scoresOf(word), 1)
        const alike = alikeTo(word)
        for (const other of alike) take(scoresOf(other), alikeWeight)
        if (!vocabulary.has(word) && alike.length === 0)
          for (const { word: other, similarity } of nearestWords(word, vocabulary))
            take(scoresOf(other), misspeltWeight * similarity)
        for (const [index, score] of best) total[index] = (total[index] ?? 0) + score
      }
      const found: Found[] = []
      for (let index = 0; index < total.length; index++) {
        const score = total[index] ?? 0
        if (score > 0) found.push({ index, score })
      }
      return found.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, limit)
    },
  }
}

function empty(): ToolFields {
  return { name: [], server: [], lead: [], description: [], parameters: [] }
}
