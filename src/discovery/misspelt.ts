/** Words that one which no tool has may have been meant as: a misspelt one, a longer form, or a shorter one. */
import { distance } from 'fastest-levenshtein'

/** Short words are one slip away from too many others. */
const shortest = 4
/** Two slips in a word of six letters leave another word. */
const leastSimilarity = 0.7
/** A form of a word (`calc`, `Datei`) has at least so many letters, and so much of the longer one. */
const shortestForm = 3
const leastOfForm = 0.45
const formWeight = 0.9
const mostFound = 5

export interface NearWord {
  word: string
  /** Below 1: the share of letters that stay. */
  similarity: number
}

/** Words to compare with, by first letter and length: few of them are measured. */
export interface Spellings {
  /**
   * Those that begin with the same letter, or with the first two swapped, and are one slip away, two in long words, or that begin
   * with the whole word or are its beginning; best first. Neighbours that changed places are one slip. What has a digit is no
   * misspelt word.
   */
  near(word: string): NearWord[]
}

interface Spelling {
  word: string
  /** Its letters as bits. */
  letters: number
}

/** @param vocabulary the words that begin with a letter, asked for once, when one is looked for that begins so. */
export function indexSpellings(vocabulary: (letter: string) => Iterable<string>): Spellings {
  const initials = new Map<string, Map<number, Spelling[]>>()

  /** By their lengths. */
  function beginning(letter: string): Map<number, Spelling[]> {
    const before = initials.get(letter)
    if (before) return before
    const lengths = new Map<number, Spelling[]>()
    for (const word of new Set(vocabulary(letter))) {
      if (word.length < shortestForm) continue
      const group = lengths.get(word.length)
      const spelling = { word, letters: lettersOf(word) }
      if (group) group.push(spelling)
      else lengths.set(word.length, [spelling])
    }
    initials.set(letter, lengths)
    return lengths
  }

  return {
    near(word) {
      if (word.length < shortest || /\d/.test(word)) return []
      const letters = lettersOf(word)
      const found: NearWord[] = []
      const shortestOther = Math.max(shortestForm, Math.ceil(word.length * leastOfForm))
      for (const first of new Set(word.slice(0, 2))) {
        const lengths = beginning(first)
        for (let length = shortestOther; length <= word.length / leastOfForm; length++) {
          for (const other of lengths.get(length) ?? []) {
            const similarity = compare(word, letters, other)
            if (similarity > 0) found.push({ word: other.word, similarity })
          }
        }
      }
      return found
        .sort((a, b) => b.similarity - a.similarity || (a.word < b.word ? -1 : 1))
        .slice(0, mostFound)
    },
  }
}

/** 0 where they have nothing to do with each other. */
function compare(word: string, letters: number, { word: other, letters: others }: Spelling): number {
  const longer = Math.max(word.length, other.length)
  const form = (formWeight * Math.min(word.length, other.length)) / longer
  if (word.length !== other.length && (word.startsWith(other) || other.startsWith(word))) return form
  const most = word.length < 6 ? 1 : 2
  if (Math.abs(word.length - other.length) > most || other.length < shortest) return 0
  // A slip takes at most one letter away and brings at most one.
  if (bits(letters & ~others) > most || bits(others & ~letters) > most) return 0
  if (other[0] !== word[0] && other[1] !== word[0]) return 0
  const slips = slipsBetween(word, other)
  const similarity = 1 - slips / longer
  return slips > 0 && slips <= most && similarity >= leastSimilarity ? similarity : 0
}

function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

function bits(set: number): number {
  let count = 0
  for (let left = set; left !== 0; left &= left - 1) count++
  return count
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
