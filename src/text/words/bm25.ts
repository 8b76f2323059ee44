/** Relevance ranking by BM25 (Robertson and Zaragoza, 2009): rare words count more, repeated ones less and less. */
import { createRequire } from 'node:module'
import { type Spans, spanAfter } from '../spans.ts'
import { countTermsOf, pieces, tokenize, wordAt } from './tokenize.ts'
import { irregularForms, stemOf, stopWords } from './words.ts'

/** A ranking that can be asked again and again about the same passages. */
export interface Ranking {
  /** Passages that hold a word of the query, at most `most` of them: all, if not said otherwise. */
  search(query: string, most?: number): Found
}

/** Texts up to this many characters get an index: it takes 18 times the memory of the text, and a scan 1 ms a megabyte. */
const indexedCharacters = 50_000
/** wink needs this many. */
const fewest = 3
/** Words of a query that are looked at, and the characters of one. */
const mostTerms = 32
const longestTerm = 100

/** Ranks passages: with an index when they are small, by scanning for the words of the query when large. Same order. */
export function rankPassages(corpus: Corpus): Ranking {
  return corpus.text.length <= indexedCharacters ? indexed(corpus) : scanned(corpus)
}

/** The distinct words of a query that count: stop words only where no others exist. */
export function queryTerms(query: string): string[] {
  const terms = [...new Set(tokenize(query.slice(0, 2_000)))].filter((term) => term.length <= longestTerm)
  const telling = terms.filter((term) => !stopWords.has(term))
  return (telling.length > 0 ? telling : terms).slice(0, mostTerms)
}

/** The wanted stems of the words. `install` is also in `installing` and `installation`. */
export function searchStems(query: string): string[] {
  return [...new Set(queryTerms(query).map(stemOf))]
}

/** How the words begin that have these stems, as a pattern. Some other words begin so, too. */
export function beginningsOf(stems: readonly string[]): string {
  const beginnings = new Set(stems.flatMap((stem) => [commonTo(stem), ...irregularForms(stem)]))
  // Words hold letters, digits and `_` alone: nothing in them is special in a pattern.
  const telling = [...beginnings].filter(
    (one) => ![...beginnings].some((other) => other !== one && one.startsWith(other)),
  )
  return telling.join('|') || '(?!)'
}

/** The beginning of all words of a stem. Its last letter may be another one than theirs: `happi` of `happy`, `hope` of `hoping`. */
function commonTo(stem: string): string {
  if (!/^[a-z]{3,}$/.test(stem)) return stem
  const british = /^([a-z]{2,}i)z[a-z]{0,5}$/.exec(stem)
  if (british) return british[1] ?? stem
  return stem.length > 3 || /(?:[eiy]|ns)$/.test(stem) ? stem.slice(0, -1) : stem
}

/** The memory of the terms of queries takes this part of the text's length at most. */
const rememberedShare = 1 / 128

export function scanned(corpus: Corpus): Ranking {
  const lengths = measurePassages(corpus)
  const known = new KnownTerms(corpus.text.length * rememberedShare)
  return {
    search: (query, most = Infinity) => scanBm25(corpus, lengths, known, searchStems(query), most),
  }
}

let wink: typeof import('wink-bm25-text-search').default | undefined

/** A require, because most threads never rank a small text. */
function loadWink(): typeof import('wink-bm25-text-search').default {
  wink ??= createRequire(import.meta.url)(
    'wink-bm25-text-search',
  ) as typeof import('wink-bm25-text-search').default
  return wink
}

export function indexed(corpus: Corpus): Ranking {
  const { text, passages, shared } = corpus
  // Padding would change how rare a word is; scanning needs none.
  if (passages.count < fewest) return scanned(corpus)
  const engine = loadWink()()
  engine.defineConfig({ fldWeights: { text: 1 } })
  // Texts and queries take the same way in; a repeated word of a query would count repeatedly.
  let learning = true
  engine.definePrepTasks([(input) => (learning ? tokenize(input).map(stemOf) : searchStems(input))])
  for (let index = 0; index < passages.count; index++) {
    const part = shared?.of[index] ?? 0
    const common = shared?.text.slice(shared.parts.start(part), shared.parts.end(part)) ?? ''
    engine.addDoc({ text: `${common}\n${text.slice(passages.start(index), passages.end(index))}` }, index)
  }
  engine.consolidate()
  learning = false
  return {
    search(query, most = Infinity) {
      const scores: Scores = {
        values: new Float64Array(passages.count),
        held: new Uint8Array(passages.count),
      }
      for (const [id, score] of engine.search(query, passages.count)) {
        if (score <= 0) continue
        scores.values[Number(id)] = score
        scores.held[Number(id)] = 1
      }
      return bestPassages(scores, corpus.goOn ?? new Uint32Array(0), most)
    },
  }
}

// * BM25 without an index: only the words of the query are looked for. On 10 MB a query takes milliseconds, where
// building an index takes more than a second. Formula and rounding are those of wink-bm25-text-search.

/** The parameters k1 and b of BM25, as wink sets them: saturation of repeated words, share of a text's length. */
export const K1 = 1.2
export const B = 0.75

/** The worth of a word that `having` of `all` texts have: Robertson's inverse document frequency, as wink has it. */
export const worthOf = (having: number, all: number): number =>
  Math.log(1 + (all - having + 0.5) / (having + 0.5))

/** The number that the count of a word is divided by in a text: more in one that is longer than the average. */
export const normOf = (length: number, average: number): number => K1 * (1 - B + B * (length / average))

/** The most words with remembered terms during a query. */
const mostKnown = 10_000

/** The ranked texts. */
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
  /** For each passage the part that its words come from. */
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

/** The `most` best of the passages that hold a term. `terms` are distinct stems; those not `known` yet become so. */
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
    const rarity = worthOf(passages.length, count)
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
      const norm = normOf(length, average)
      score = Number((rarity * ((frequency * (K1 + 1)) / (norm + frequency))).toFixed(4))
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

/** One for each term, in the order of the terms; undefined for terms that do not occur. */
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
      const given = [word, ...pieces(word)].map((term) => stemOf(term.toLowerCase()))
      counters = given.filter((term) => wanted.has(term)).map(counterOf)
      if (known.size < mostKnown) known.set(word, counters)
    }
    return counters
  }
  const candidates = new RegExp(beginningsOf(terms), 'giu')
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

// The best of many passages by their scores, without sorting all.

/** A passage, by its number, and how well it answers. */
export interface Ranked {
  index: number
  score: number
}

/** The found texts: the best, first, equals in their order; and how many there are in all. */
export interface Found {
  best: Ranked[]
  count: number
}

/** Scores of all passages, and which of them hold a word of the query. */
export interface Scores {
  readonly values: Float64Array
  /** 1 for passages that match: a score may round to 0. */
  readonly held: Uint8Array
}

/**
 * At most `most` of the found passages. Of a passage and the ones after it that `goOn` (ascending), which are parts of one
 * thing, only the best counts.
 */
export function bestPassages({ values, held }: Scores, goOn: Uint32Array, most: number): Found {
  const best = new Best(values, most)
  let next = 0
  let candidate = -1
  for (let index = 0; index < values.length; index++) {
    if (goOn[next] === index) next++
    else if (candidate >= 0) {
      best.offer(candidate)
      candidate = -1
    }
    if (held[index] === 1 && (candidate < 0 || (values[index] ?? 0) > (values[candidate] ?? 0)))
      candidate = index
  }
  if (candidate >= 0) best.offer(candidate)
  return best.found()
}

/** Takes passages in their order and keeps the best. */
class Best {
  readonly #values: Float64Array
  readonly #most: number
  readonly #kept: number[] = []
  /** Set when enough is found: later ones of an equal score are no better. */
  #enough = -1
  #count = 0

  constructor(values: Float64Array, most: number) {
    this.#values = values
    this.#most = most
  }

  offer(index: number): void {
    this.#count++
    if ((this.#values[index] ?? 0) <= this.#enough) return
    if (this.#kept.push(index) >= 2 * this.#most) this.#cut()
  }

  found(): Found {
    this.#cut()
    const best = this.#kept.map((index): Ranked => ({ index, score: this.#values[index] ?? 0 }))
    return { best, count: this.#count }
  }

  #cut(): void {
    const values = this.#values
    this.#kept.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b)
    if (this.#kept.length < this.#most) return
    this.#kept.length = this.#most
    this.#enough = values[this.#kept.at(-1) ?? 0] ?? 0
  }
}

// The texts found for the terms of the last queries: the next page asks for them again, and so does a sharper query.

/** The passages that hold a term, and how often each does. */
export interface Occurrences {
  readonly passages: Uint32Array
  readonly times: Uint8Array | Uint32Array
}

/** The most remembered terms, absent ones counted. */
const MOST = 256

/** Terms with their places, as many as fit; the least recently used go first. */
export class KnownTerms {
  readonly #mostBytes: number
  readonly #known = new Map<string, Occurrences>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get(term: string): Occurrences | undefined {
    const found = this.#known.get(term)
    if (found === undefined) return undefined
    this.#known.delete(term)
    this.#known.set(term, found)
    return found
  }

  add(term: string, found: Occurrences): void {
    const bytes = bytesOf(found)
    if (bytes > this.#mostBytes || this.#known.has(term)) return
    this.#known.set(term, found)
    this.#bytes += bytes
    for (const [oldest, one] of this.#known) {
      if (this.#bytes <= this.#mostBytes && this.#known.size <= MOST) return
      this.#known.delete(oldest)
      this.#bytes -= bytesOf(one)
    }
  }
}

const bytesOf = ({ passages, times }: Occurrences): number => passages.byteLength + times.byteLength
