/** Words that a misspelt one may have been meant as. */
import { distance } from 'fastest-levenshtein'

/** Short words are one slip away from too many others. */
const shortest = 4
const mostFound = 5

export interface NearWord {
  word: string
  /** Below 1: the share of letters that stay. */
  similarity: number
}

/**
 * Words of the vocabulary that begin with the same letter, or with the first two swapped, and are one slip away, two in
 * long words; best first. Neighbours that changed places are one slip.
 */
export function nearestWords(word: string, vocabulary: Iterable<string>): NearWord[] {
  if (word.length < shortest) return []
  const most = word.length < 6 ? 1 : 2
  const found: NearWord[] = []
  for (const other of vocabulary) {
    if (Math.abs(other.length - word.length) > most) continue
    if (other[0] !== word[0] && (other[0] !== word[1] || other[1] !== word[0])) continue
    const slips = slipsBetween(word, other)
    if (slips > 0 && slips <= most)
      found.push({ word: other, similarity: 1 - slips / Math.max(word.length, other.length) })
  }
  return found.sort((a, b) => b.similarity - a.similarity || (a.word < b.word ? -1 : 1)).slice(0, mostFound)
}

/** The edit distance, one less where two neighbours only changed places. */
function slipsBetween(word: string, other: string): number {
  const edits = distance(word, other)
  if (edits < 2 || edits > 3) return edits
  for (let at = 0; at + 1 < word.length; at++) {
    if (word[at] === word[at + 1] || word[at] !== other[at + 1] || word[at + 1] !== other[at]) continue
    const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`
    if (distance(swapped, other) === edits - 2) return edits - 1
  }
  return edits
}
