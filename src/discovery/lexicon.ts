/**
 * The words of definitions by number, so that what counts them needs no strings: a word that was seen before is only looked up. They
 * are not stemmed, which takes longer than all else (`stems.ts`). Splitting by a pattern and looking up in a map are the engine's
 * own, compiled work: fast in a process that has just started, where a loop of our own over the letters is not.
 */
import { eachWord } from '../text/tokenize.ts'
import { eachPart, stopWords } from './words.ts'

export interface Lexicon {
  /** Each word once, in lower case, at the place of its number. Grows. */
  readonly words: readonly string[]
  /** The numbers of the words of a text in their order, those of identifiers piece by piece; new words get one. */
  read(text: string): readonly number[]
}

export function createLexicon(): Lexicon {
  const words: string[] = []
  /** Of each word as it was written its number, or those of its pieces; none where it says nothing. */
  const known = new Map<string, readonly number[]>()
  for (const word of stopWords) known.set(word, [])

  /** A word in lower case and one piece that was not known. */
  function add(word: string): readonly number[] {
    const numbers = [words.push(word) - 1]
    known.set(word, numbers)
    return numbers
  }

  function learn(written: string): readonly number[] {
    if (simple.test(written)) return add(written)
    const numbers: number[] = []
    eachPart(written, (part) => numbers.push(...(known.get(part) ?? add(part))))
    known.set(written, numbers)
    return numbers
  }

  return {
    words,
    read(text) {
      // Names of parameters are half of all texts, and a word each.
      const whole = known.get(text)
      if (whole) return whole
      const read: number[] = []
      const written = beyondAscii.test(text) ? wordsIn(text) : (text.match(asciiWords) ?? [])
      for (let nth = 0; nth < written.length; nth++) {
        const word = written[nth] as string
        const numbers = known.get(word) ?? learn(word)
        for (let part = 0; part < numbers.length; part++) read.push(numbers[part] as number)
      }
      return read
    },
  }
}

function wordsIn(text: string): string[] {
  const words: string[] = []
  eachWord(text, (start, end) => words.push(text.slice(start, end)))
  return words
}

/** One piece, in lower case. */
const simple = /^[a-z\d]{1,40}$/
const beyondAscii = /[^\0-\x7f]/
/** What `wordsIn` finds where all is ASCII. */
const asciiWords = /\w+/g
