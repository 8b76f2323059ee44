/**
 * The words of definitions by number, so that what counts them needs no strings: a word that was seen before is only looked up. They
 * are not stemmed, which takes longer than all else (`stems.ts`). Splitting by a pattern and looking up in a map are the engine's
 * own, compiled work: fast in a process that has just started, where a loop of our own over the letters is not.
 */
import { eachWord } from '../text/tokenize.ts'
import type { NumberList } from './number-list.ts'
import { eachPart, stopWords } from './words.ts'

export interface Lexicon {
  /** Each word once, in lower case, at the place of its number. Grows. */
  readonly words: readonly string[]
  /** The number of a word in lower case that says something; a new one where it has none. */
  number(word: string): number
  /** Adds the numbers of the words of a text in their order, those of identifiers piece by piece. */
  read(text: string, into: NumberList): void
}

/** In place of the number of a word that says nothing. */
const none = -1

export function createLexicon(): Lexicon {
  const words: string[] = []
  /** Of each word as it was written its number, or those of its pieces. */
  const known = new Map<string, number | Int32Array>()
  for (const word of stopWords) known.set(word, none)

  function number(word: string): number {
    const before = known.get(word)
    if (typeof before === 'number') return before
    known.set(word, words.length)
    return words.push(word) - 1
  }

  function learn(written: string): number | Int32Array {
    if (simple.test(written)) return number(written)
    const numbers: number[] = []
    eachPart(written, (part) => numbers.push(number(part)))
    const [only = none] = numbers
    const found = numbers.length > 1 ? Int32Array.from(numbers) : only
    known.set(written, found)
    return found
  }

  function add(found: number | Int32Array, into: NumberList): void {
    if (typeof found !== 'number')
      for (let nth = 0; nth < found.length; nth++) into.push(found[nth] as number)
    else if (found !== none) into.push(found)
  }

  function take(written: string, into: NumberList): void {
    add(known.get(written) ?? learn(written), into)
  }

  return {
    words,
    number,
    read(text, into) {
      // Names of parameters are half of all texts, and a word each.
      const whole = known.get(text)
      if (whole !== undefined) {
        add(whole, into)
        return
      }
      if (beyondAscii.test(text)) {
        eachWord(text, (start, end) => take(text.slice(start, end), into))
        return
      }
      const written = text.match(asciiWords) ?? []
      for (let nth = 0; nth < written.length; nth++) take(written[nth] as string, into)
    },
  }
}

/** One piece, in lower case. */
const simple = /^[a-z\d]{1,40}$/
const beyondAscii = /[^\0-\x7f]/
/** What `eachWord` finds where all is ASCII. */
const asciiWords = /\w+/g
