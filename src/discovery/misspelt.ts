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

/** Words of the vocabulary with the same first letter and one slip, two in long words; best first. */
export function nearestWords(word: string, vocabulary: Iterable<string>): NearWord[] {
  if (word.length < shortest) return []
  const slips = word.length < 6 ? 1 : 2
  const found: NearWord[] = []
  for (const other of vocabulary) {
    if (Math.abs(other.length - word.length) > slips || other[0] !== word[0]) continue
    const edits = distance(word, other)
    if (edits <= slips)
      found.push({ word: other, similarity: 1 - edits / Math.max(word.length, other.length) })
  }
  return found.sort((a, b) => b.similarity - a.similarity || (a.word < b.word ? -1 : 1)).slice(0, mostFound)
}
