/**
 * The stems of definitions by number, so that what counts them needs no strings: a word that was seen before is neither cut out of its
 * text nor stemmed nor looked up again.
 */
import { eachWord } from '../text/tokenize.ts'
import { NumberList } from './number-list.ts'
import { createWordTable, EMPTY_HASH, step } from './word-table.ts'
import { eachStem } from './words.ts'

/** Words whose stems are remembered: those of all definitions fit, those of hostile ones do not fill the memory. */
const mostRemembered = 50_000
const longestRemembered = 40

export interface Lexicon {
  /** Stems so far; their numbers are those below it. */
  size(): number
  /** Undefined for a stem that no text had. */
  find(stem: string): number | undefined
  /** The number of a stem, a new one where it has none. */
  number(stem: string): number
  /** All stems in the order of their numbers. */
  stems(): Iterable<string>
  /** Adds the numbers of what `wordsOf` finds in a text, in that order. */
  read(text: string, into: NumberList): void
}

/** In place of the stem of a word. */
const none = -1
const several = -2
const notYet = -3

export function createLexicon(): Lexicon {
  const numbers = new Map<string, number>()
  const words = createWordTable(mostRemembered)
  /** For each word its stem, where it has just one. */
  const stemOf = new NumberList()
  /** Those of words that have several. */
  const stemsOf = new Map<number, Int32Array>()

  function number(stem: string): number {
    const known = numbers.get(stem)
    if (known !== undefined) return known
    numbers.set(stem, numbers.size)
    return numbers.size - 1
  }

  function readWord(written: string, into: NumberList): void {
    eachStem(written, (stem) => into.push(number(stem)))
  }

  /** The slower way, for what stands in no table. */
  function readAny(text: string, from: number, to: number, into: NumberList): void {
    eachWord(text, (start, end) => readWord(text.slice(start, end), into), from, to)
  }

  /** A word that is new, or has several stems. Arrays of one kind alone: another kind undoes what was compiled. */
  function readRare(word: number, text: string, start: number, end: number, into: NumberList): void {
    const known = stemsOf.get(word)
    if (known !== undefined) {
      for (let nth = 0; nth < known.length; nth++) into.push(known[nth] as number)
      return
    }
    const before = into.length
    readWord(text.slice(start, end), into)
    if (word < 0) return
    const found = into.length - before
    stemOf.push(found > 1 ? several : found === 1 ? (into.values[before] as number) : none)
    if (found > 1) stemsOf.set(word, into.values.slice(before, into.length))
  }

  return {
    size: () => numbers.size,
    find: (stem) => numbers.get(stem),
    number,
    stems: () => numbers.keys(),
    read(text, into) {
      const { length } = text
      let start = -1
      let hash = EMPTY_HASH
      for (let at = 0; at <= length; at++) {
        const code = at < length ? text.charCodeAt(at) : 0
        if (code >= 128) {
          const end = endOfRun(text, at)
          readAny(text, start < 0 ? at : start, end, into)
          start = -1
          hash = EMPTY_HASH
          at = end - 1
        } else if (isWord[code] === 1) {
          if (start < 0) start = at
          hash = step(hash, code)
        } else if (start >= 0) {
          const word = at - start > longestRemembered ? -1 : words.at(text, start, at, hash)
          const stem = word < 0 || word >= stemOf.length ? notYet : (stemOf.values[word] as number)
          if (stem >= 0) into.push(stem)
          else if (stem !== none) readRare(word, text, start, at, into)
          start = -1
          hash = EMPTY_HASH
        }
      }
    },
  }
}

/** Plain ASCII, which most definitions are, needs no look at what each character is. */
const isWord = Uint8Array.from({ length: 128 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0))

/** Where the next ASCII character is that surely ends a word. */
function endOfRun(text: string, from: number): number {
  let at = from
  while (at < text.length && (text.charCodeAt(at) >= 128 || isWord[text.charCodeAt(at)] === 1)) at++
  return at
}
