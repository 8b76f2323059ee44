/** The distinct words of a text and where they stand: approximate search compares words, never whole lines. */
import { distance } from 'fastest-levenshtein'
import type { Span } from '../patterns/pattern.ts'
import { NumberList } from '../spans.ts'
import { eachWord, pieces, wordAfter, wordAt, wordBefore } from './tokenize.ts'

/** Longer words (base64, hashes) are compared by their beginning. */
const longestCompared = 64
/** Words of a pattern that are looked at. */
const longestPhrase = 16

/** A place that resembles the pattern: the words from `first` on, by their numbers in the text. */
export interface Likeness {
  start: number
  end: number
  /** 1: equal but for case; 0: nothing in common. */
  similarity: number
}

export interface Vocabulary {
  /**
   * Calls `visit` for each place with words that resemble the pattern's by `threshold` or more, from left to right. Places
   * of a pattern of several words are as many words in a row. The cost: the distinct words, then one look for similar ones.
   */
  search(pattern: string, threshold: number, visit: (place: Likeness) => void): void
  /** Words most like `word`, best first; only those at least half alike. */
  nearest(word: string, limit: number): string[]
}

/** More words than this are not looked for one by one: the text is gone through instead. */
const mostSought = 100

/** One pass over the text; the distinct words stay in memory. */
export function buildVocabulary(text: string): Vocabulary {
  const words = distinctWords(text)

  function search(pattern: string, threshold: number, visit: (place: Likeness) => void): void {
    const phrase = phraseOf(pattern)
    if (phrase.length === 0) return
    // Of several words one at least is as alike as all together shall be.
    const sought: string[] = []
    for (const word of words())
      if (phrase.some((wanted) => likeness(wanted, word, threshold - 1e-5) > 0)) sought.push(word)
    if (sought.length === 0) return
    const scale = new Scale(phrase, threshold)
    if (sought.length > mostSought) everywhere(text, scale, visit)
    else if (phrase.length === 1) eachOf(text, sought, (place, word) => scale.weigh([word], [place], visit))
    else around(text, sought, scale, visit)
  }

  return {
    search,
    nearest(word, limit) {
      const wanted = phraseOf(word)[0]
      if (wanted === undefined) return []
      const best = new Map<string, number>()
      for (const each of words()) {
        const alike = likeness(wanted, each, 0.5)
        if (alike >= 0.5) best.set(each.toLowerCase(), alike)
      }
      return [...best]
        .sort((a, b) => b[1] - a[1])
        .slice(0, limit)
        .map(([name]) => name)
    },
  }
}

/**
 * The distinct words: their places are kept, the words themselves while there is room. Case decides where an identifier
 * falls apart, so it is kept here and ignored when comparing.
 */
function distinctWords(text: string): () => readonly string[] {
  const words = new Set<string>()
  const places = new NumberList()
  eachWord(text, (start, end) => {
    const before = words.size
    words.add(comparedPart(text, { start, end }))
    if (words.size === before) return
    places.add(start)
    places.add(end)
  })
  return wordsAt(text, places.array())
}

/** A function of its own, so that what it was made of is not kept. */
function wordsAt(text: string, places: Uint32Array): () => readonly string[] {
  let used: WeakRef<readonly string[]> | undefined
  return () => {
    const words =
      used?.deref() ??
      Array.from({ length: places.length / 2 }, (_, at) =>
        comparedPart(text, { start: places[at * 2] ?? 0, end: places[at * 2 + 1] ?? 0 }),
      )
    used = new WeakRef(words)
    return words
  }
}

function comparedPart(text: string, { start, end }: Span): string {
  return text.slice(start, Math.min(end, start + longestCompared))
}

/** How alike words in a row are to those of a phrase, longer ones counting more. */
class Scale {
  readonly words: number
  private readonly phrase: readonly string[]
  private readonly threshold: number
  private readonly whole: number
  /** By the words of the phrase. */
  private readonly known: readonly Map<string, number>[]

  constructor(phrase: readonly string[], threshold: number) {
    this.phrase = phrase
    this.words = phrase.length
    this.threshold = threshold
    this.whole = phrase.reduce((sum, word) => sum + word.length, 0)
    this.known = phrase.map(() => new Map())
  }

  /** Visits the place of the words, as many as the phrase has, when they are alike enough. */
  weigh(words: readonly string[], places: readonly Span[], visit: (place: Likeness) => void): void {
    let sum = 0
    for (let nth = 0; nth < this.words; nth++)
      sum += this.alike(nth, words[nth] ?? '') * (this.phrase[nth]?.length ?? 0)
    const similarity = sum / this.whole
    const [first, last] = [places[0], places[this.words - 1]]
    if (first && last && similarity + 1e-6 >= this.threshold && similarity > 0)
      visit({ start: first.start, end: last.end, similarity })
  }

  private alike(nth: number, word: string): number {
    const known = this.known[nth]
    let found = known?.get(word)
    if (found === undefined) {
      found = likeness(this.phrase[nth] ?? '', word, this.words === 1 ? this.threshold : 0)
      known?.set(word, found)
    }
    return found
  }
}

/** All words of the text, each as the first of a row. */
function everywhere(text: string, scale: Scale, visit: (place: Likeness) => void): void {
  const words: string[] = []
  const places: Span[] = []
  eachWord(text, (start, end) => {
    words.push(comparedPart(text, { start, end }))
    places.push({ start, end })
    if (words.length < scale.words) return
    scale.weigh(words, places, visit)
    words.shift()
    places.shift()
  })
}

/** The places of some words of the text, from left to right. */
function eachOf(text: string, sought: readonly string[], visit: (place: Span, word: string) => void): void {
  const wanted = new Set(sought)
  // Words hold letters, marks, digits and `_` alone: nothing in them is special in a pattern.
  const candidates = new RegExp(sought.join('|'), 'gu')
  let from = 0
  for (let match = candidates.exec(text); match !== null; match = candidates.exec(text)) {
    const place = wordAt(text, match.index, from, text.length)
    const word = comparedPart(text, place)
    if (wanted.has(word)) visit(place, word)
    from = Math.max(place.end, match.index + 1)
    candidates.lastIndex = from
  }
}

/** The rows of words that hold one of those sought, from left to right, each once. */
function around(
  text: string,
  sought: readonly string[],
  scale: Scale,
  visit: (place: Likeness) => void,
): void {
  const found = new Map<number, Likeness>()
  eachOf(text, sought, (place) => {
    const before: Span[] = [place]
    while (before.length < scale.words) {
      const next = wordBefore(text, before[0]?.start ?? 0)
      if (!next) break
      before.unshift(next)
    }
    const row = [...before]
    for (let after = wordAfter(text, place.end); after && row.length < before.length + scale.words - 1; ) {
      row.push(after)
      after = wordAfter(text, after.end)
    }
    for (let first = 0; first + scale.words <= row.length; first++) {
      const start = row[first]?.start ?? 0
      if (found.has(start)) continue
      const places = row.slice(first, first + scale.words)
      const words = places.map((each) => comparedPart(text, each))
      scale.weigh(words, places, (likely) => found.set(start, likely))
    }
  })
  for (const place of [...found.values()].sort((a, b) => a.start - b.start)) visit(place)
}

/** The words of a pattern, as they are compared. */
function phraseOf(pattern: string): string[] {
  const phrase: string[] = []
  eachWord(pattern.slice(0, 2_000), (start, end) => {
    if (phrase.length < longestPhrase)
      phrase.push(pattern.slice(start, Math.min(end, start + longestCompared)).toLowerCase())
  })
  return phrase
}

/** `1 - distance / longer` of a word as it is written, or of its best piece; 0 where it stays under `threshold`. */
function likeness(wanted: string, word: string, threshold: number): number {
  let best = similarity(wanted, word.toLowerCase(), threshold)
  for (const piece of pieces(word)) best = Math.max(best, similarity(wanted, piece.toLowerCase(), threshold))
  return best
}

function similarity(a: string, b: string, threshold: number): number {
  const longer = Math.max(a.length, b.length)
  // The distance is at least the difference of the lengths.
  if (longer === 0 || 1 - Math.abs(a.length - b.length) / longer < threshold) return 0
  if (a === b) return 1
  const edits = distance(a, b)
  const found = 1 - edits / longer
  if (found + 1e-6 >= threshold) return found
  // Two letters the wrong way round are one slip, not two edits.
  return edits === 2 && isSwapped(a, b) && 1 - 1 / longer + 1e-6 >= threshold ? 1 - 1 / longer : 0
}

/** True when two neighbouring letters have changed places and nothing else differs. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2)
}
