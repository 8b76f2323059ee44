/**
 * BM25 without an index: only the words of the query are looked for. On 10 MB a query takes milliseconds, where
 * building an index takes more than a second. Formula and rounding are those of wink-bm25-text-search.
 */
import { bestPassages, type Found, type Scores } from './best-passages.ts'
import type { KnownTerms, Occurrences } from './known-terms.ts'
import { type Spans, spanAfter } from './spans.ts'
import { countTermsOf } from './term-counts.ts'
import { pieces, wordAt } from './tokenize.ts'

/** The parameters k1 and b of BM25. */
const saturation = 1.2
const lengthWeight = 0.75

/** Words whose terms are remembered during a query. */
const mostKnown = 10_000

/** What is ranked. */
export interface Corpus {
  readonly text: string
  readonly passages: Spans
  readonly shared?: SharedWords
  /** Passages, ascending, that go on with what the one before is of: of those only the best is found. */
  readonly goOn?: Uint32Array
}

/** Words that many passages have in common, as the names of fields: kept once for all of them. */
export interface SharedWords {
  readonly text: string
  readonly parts: Spans
  /** For each passage the part whose words belong to it. */
  readonly of: Uint32Array
}

/** Terms in each passage, and on average. */
export interface PassageLengths {
  counts: Int32Array
  average: number
}

/** One pass over the text, to be kept with it. */
export function measurePassages({ text, passages, shared }: Corpus): PassageLengths {
  const sharedCounts = shared && countTermsOf(shared.text, shared.parts)
  const counts = countTermsOf(text, passages)
  let sum = 0
  for (let index = 0; index < counts.length; index++) {
    const count = (counts[index] ?? 0) + (sharedCounts?.[shared?.of[index] ?? 0] ?? 0)
    counts[index] = count
    sum += count
  }
  return { counts, average: counts.length === 0 ? 0 : sum / counts.length }
}

/** The `most` best of the passages that hold a term. `terms` are distinct and lower case; those not `known` yet become so. */
export function scanBm25(
  corpus: Corpus,
  lengths: PassageLengths,
  known: KnownTerms,
  terms: readonly string[],
  most: number,
): Found {
  const { count } = corpus.passages
  if (terms.length === 0) return { best: [], count: 0 }
  const scores: Scores = { values: new Float64Array(count), held: new Uint8Array(count) }
  for (const { passages, times } of occurrencesOf(corpus, known, terms)) {
    const rarity = Math.log(1 + (count - passages.length + 0.5) / (passages.length + 0.5))
    const weight = weighting(rarity, lengths)
    for (let nth = 0; nth < passages.length; nth++) {
      const index = passages[nth] ?? 0
      scores.values[index] = (scores.values[index] ?? 0) + weight(times[nth] ?? 0, index)
      scores.held[index] = 1
    }
  }
  return bestPassages(scores, corpus.goOn ?? none, most)
}

const none = new Uint32Array(0)

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

/** How often each passage holds a term. */
class Frequencies {
  readonly counts: Int32Array
  /** The passages that hold it. */
  readonly held: number[] = []
  #most = 0

  constructor(passages: number) {
    this.counts = new Int32Array(passages)
  }

  add(passage: number, times: number): void {
    const before = this.counts[passage] ?? 0
    if (before === 0) this.held.push(passage)
    this.counts[passage] = before + times
    if (before + times > this.#most) this.#most = before + times
  }

  /** The same without what holds it not. */
  occurrences(): Occurrences {
    const passages = Uint32Array.from(this.held)
    const times = this.#most < 256 ? new Uint8Array(passages.length) : new Uint32Array(passages.length)
    for (let nth = 0; nth < passages.length; nth++) times[nth] = this.counts[passages[nth] ?? 0] ?? 0
    return { passages, times }
  }
}

/** One for each term, in the order of the terms. Only terms that are not known are looked for. */
function occurrencesOf(corpus: Corpus, known: KnownTerms, terms: readonly string[]): Occurrences[] {
  const before = terms.map((term) => known.get(term))
  const sought = terms.filter((_, nth) => before[nth] === undefined)
  const found = sought.length === 0 ? [] : termFrequencies(corpus, sought)
  let next = 0
  return terms.map((term, nth) => {
    const occurrences = before[nth] ?? found[next++]?.occurrences() ?? nowhere
    known.add(term, occurrences)
    return occurrences
  })
}

const nowhere: Occurrences = { passages: new Uint32Array(0), times: new Uint8Array(0) }

/** One for each term, in the order of the terms; undefined for those that do not occur. */
function termFrequencies(
  { text, passages, shared }: Corpus,
  terms: readonly string[],
): (Frequencies | undefined)[] {
  const found = findTerms(text, passages, terms)
  const ofParts = shared && findTerms(shared.text, shared.parts, terms)
  return terms.map((term) => {
    const own = found.get(term)
    const parts = ofParts?.get(term)
    if (shared === undefined || parts === undefined) return own
    const all = own ?? new Frequencies(passages.count)
    for (let passage = 0; passage < passages.count; passage++) {
      const times = parts.counts[shared.of[passage] ?? 0] ?? 0
      if (times > 0) all.add(passage, times)
    }
    return all
  })
}

/** The terms that occur in a text, with how often each passage holds them. */
function findTerms(text: string, passages: Spans, terms: readonly string[]): Map<string, Frequencies> {
  const wanted = new Set(terms)
  const found = new Map<string, Frequencies>()
  const counterOf = (term: string): Frequencies => {
    const counter = found.get(term) ?? new Frequencies(passages.count)
    found.set(term, counter)
    return counter
  }
  /** The counters of the terms that a word gives. Words repeat, taking them apart is slow: answers are kept. */
  const known = new Map<string, readonly Frequencies[]>()
  const countersOf = (word: string): readonly Frequencies[] => {
    let counters = known.get(word)
    if (counters === undefined) {
      const given = [word, ...pieces(word)].map((term) => term.toLowerCase())
      counters = given.filter((term) => wanted.has(term)).map(counterOf)
      if (known.size < mostKnown) known.set(word, counters)
    }
    return counters
  }
  // Terms hold letters, digits and `_` alone: nothing in them is special in a pattern.
  const candidates = new RegExp(shortest(terms).join('|'), 'giu')
  let passage = 0
  for (let match = candidates.exec(text); match !== null; match = candidates.exec(text)) {
    const at = match.index
    if (passages.end(passage) <= at) passage = spanAfter(passages, at, passage)
    if (passage >= passages.count) break
    const first = passages.start(passage)
    if (at < first) {
      candidates.lastIndex = first
      continue
    }
    const word = wordAt(text, at, first, passages.end(passage))
    for (const counter of countersOf(text.slice(word.start, word.end))) counter.add(passage, 1)
    candidates.lastIndex = Math.max(word.end, at + 1)
  }
  return found
}

/** The terms that begin with no other: where the others stand, these do. */
function shortest(terms: readonly string[]): string[] {
  return terms.filter((term) => !terms.some((other) => other !== term && term.startsWith(other)))
}
