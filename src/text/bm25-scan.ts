/**
 * BM25 without an index: only the words of the query are looked for. On 10 MB a query takes milliseconds, where
 * building an index takes more than a second. Formula and rounding are those of wink-bm25-text-search.
 */
import { type Spans, spanAfter } from './spans.ts'
import { countTerms, pieces, wordAt } from './tokenize.ts'

/** The parameters k1 and b of BM25. */
const saturation = 1.2
const lengthWeight = 0.75

/** Words whose terms are remembered during a query. */
const mostKnown = 10_000

/** A passage, by its number, and how well it answers. */
export interface Ranked {
  index: number
  score: number
}

/** Terms in each passage, and on average. */
export interface PassageLengths {
  counts: Int32Array
  average: number
}

/** One pass over the text, to be kept with it. */
export function measurePassages(text: string, passages: Spans): PassageLengths {
  const counts = new Int32Array(passages.count)
  let sum = 0
  for (let index = 0; index < passages.count; index++) {
    const count = countTerms(text, passages.start(index), passages.end(index))
    counts[index] = count
    sum += count
  }
  return { counts, average: passages.count === 0 ? 0 : sum / passages.count }
}

/** Passages that hold a term, best first, equals in their order. `terms` are distinct and lower case. */
export function scanBm25(
  text: string,
  passages: Spans,
  lengths: PassageLengths,
  terms: readonly string[],
): Ranked[] {
  if (terms.length === 0) return []
  const scores = new Float64Array(passages.count)
  // A word that nearly all of very many passages hold rounds to nothing; they hold it all the same.
  const found = new Uint8Array(passages.count)
  for (const { counts, held } of termFrequencies(text, passages, terms)) {
    const rarity = Math.log(1 + (passages.count - held.length + 0.5) / (held.length + 0.5))
    const weight = weighting(rarity, lengths)
    for (const index of held) {
      scores[index] = (scores[index] ?? 0) + weight(counts[index] ?? 0, index)
      found[index] = 1
    }
  }
  const ranked: Ranked[] = []
  for (let index = 0; index < scores.length; index++) {
    if (found[index] === 1) ranked.push({ index, score: scores[index] ?? 0 })
  }
  return ranked.sort(better)
}

/** The score of one term in one passage. Frequencies and lengths repeat, and rounding is slow: answers are kept. */
function weighting(
  rarity: number,
  { counts, average }: PassageLengths,
): (frequency: number, index: number) => number {
  const known = new Map<number, number>()
  return (frequency, index) => {
    const length = counts[index] ?? 0
    const key = frequency * 0x1000000 + length
    let score = known.get(key)
    if (score === undefined) {
      const norm = saturation * (1 - lengthWeight + lengthWeight * (length / average))
      score = Number((rarity * ((frequency * (saturation + 1)) / (norm + frequency))).toFixed(4))
      known.set(key, score)
    }
    return score
  }
}

export function rank(scores: Iterable<[number, number]>): Ranked[] {
  const ranked: Ranked[] = []
  for (const [index, score] of scores) if (score > 0) ranked.push({ index, score })
  return ranked.sort(better)
}

function better(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.index - b.index
}

/** How often each passage holds a term. */
interface Frequencies {
  counts: Int32Array
  /** The passages that hold it, in order. */
  held: number[]
}

function termFrequencies(text: string, passages: Spans, terms: readonly string[]): Frequencies[] {
  const found = new Map(
    terms.map((term): [string, Frequencies] => [term, { counts: new Int32Array(passages.count), held: [] }]),
  )
  /** The counters of the terms that a word gives. Words repeat, taking them apart is slow: answers are kept. */
  const known = new Map<string, readonly Frequencies[]>()
  const countersOf = (word: string): readonly Frequencies[] => {
    let counters = known.get(word)
    if (counters === undefined) {
      const given = [word, ...pieces(word)].map((term) => found.get(term.toLowerCase()))
      counters = given.filter((counter) => counter !== undefined)
      if (known.size < mostKnown) known.set(word, counters)
    }
    return counters
  }
  // Terms hold letters, digits and `_` alone: nothing in them is special in a pattern.
  const candidates = new RegExp(shortest(terms).join('|'), 'giu')
  let passage = 0
  for (let match = candidates.exec(text); match !== null; match = candidates.exec(text)) {
    if (passages.end(passage) <= match.index) passage = spanAfter(passages, match.index)
    if (passage >= passages.count) break
    const first = passages.start(passage)
    if (match.index < first) {
      candidates.lastIndex = first
      continue
    }
    const word = wordAt(text, match.index, first, passages.end(passage))
    for (const { counts, held } of countersOf(text.slice(word.start, word.end))) {
      const before = counts[passage] ?? 0
      if (before === 0) held.push(passage)
      counts[passage] = before + 1
    }
    candidates.lastIndex = Math.max(word.end, match.index + 1)
  }
  return [...found.values()]
}

/** The terms that begin with no other: where the others stand, these do. */
function shortest(terms: readonly string[]): string[] {
  return terms.filter((term) => !terms.some((other) => other !== term && term.startsWith(other)))
}
