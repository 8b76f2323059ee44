/** The distinct words of a text and where they stand: approximate search compares words, never whole lines. */
import { distance } from 'fastest-levenshtein'
import { eachWord, pieces, wordAt } from './tokenize.ts'

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
   * Calls `visit` for each place whose words resemble the pattern's by `threshold` or more, from left to right. Places
   * of a pattern of several words are as many words in a row. The cost: the distinct words, then one pass over numbers.
   */
  search(pattern: string, threshold: number, visit: (place: Likeness) => void): void
  /** Words most like `word`, best first; only those at least half alike. */
  nearest(word: string, limit: number): string[]
}

/** One pass over the text; 8 bytes a word and the distinct words stay in memory. */
export function buildVocabulary(text: string): Vocabulary {
  const words: string[] = []
  const numbers = new Map<string, number>()
  let ids = new Int32Array(Math.max(64, text.length >> 4))
  let starts = new Int32Array(ids.length)
  let count = 0
  eachWord(text, (start, end) => {
    if (count === ids.length) {
      ids = grown(ids)
      starts = grown(starts)
    }
    // Case decides where an identifier falls apart, so it is kept here and ignored when comparing.
    const word = text.slice(start, Math.min(end, start + longestCompared))
    let id = numbers.get(word)
    if (id === undefined) {
      id = words.length
      numbers.set(word, id)
      words.push(word)
    }
    ids[count] = id
    starts[count++] = start
  })
  const lower = words.map((word) => word.toLowerCase())
  const parts = words.map((word) => pieces(word).map((piece) => piece.toLowerCase()))
  const wordEnd = (at: number): number => {
    const start = starts[at] ?? 0
    return wordAt(text, start, start, text.length).end
  }

  function search(pattern: string, threshold: number, visit: (place: Likeness) => void): void {
    const phrase = phraseOf(pattern)
    if (phrase.length === 0) return
    const weights = phrase.map((word) => word.length)
    const whole = weights.reduce((sum, weight) => sum + weight, 0)
    const alike = phrase.map((word) => similarities(word, lower, parts, phrase.length === 1 ? threshold : 0))
    for (let at = 0; at + phrase.length <= count; at++) {
      let sum = 0
      for (let nth = 0; nth < phrase.length; nth++) {
        sum += (alike[nth]?.[ids[at + nth] ?? 0] ?? 0) * (weights[nth] ?? 0)
      }
      const similarity = sum / whole
      if (similarity + 1e-6 >= threshold && similarity > 0) {
        visit({ start: starts[at] ?? 0, end: wordEnd(at + phrase.length - 1), similarity })
      }
    }
  }

  return {
    search,
    nearest(word, limit) {
      const wanted = phraseOf(word)[0]
      if (wanted === undefined) return []
      const alike = similarities(wanted, lower, parts, 0.5)
      const best = new Map<string, number>()
      alike.forEach((similarity, id) => {
        if (similarity >= 0.5) best.set(lower[id] ?? '', similarity)
      })
      return [...best]
        .sort((a, b) => b[1] - a[1])
        .slice(0, limit)
        .map(([name]) => name)
    },
  }
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

/** For each word `1 - distance / longer`, of the whole or of its best piece; 0 where it stays under `threshold`. */
function similarities(
  wanted: string,
  words: readonly string[],
  parts: readonly (readonly string[])[],
  threshold: number,
): Float32Array {
  const found = new Float32Array(words.length)
  words.forEach((word, id) => {
    let best = similarity(wanted, word, threshold)
    for (const part of parts[id] ?? []) best = Math.max(best, similarity(wanted, part, threshold))
    found[id] = best
  })
  return found
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

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}
