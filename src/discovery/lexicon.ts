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
  /** Of each run of letters as it was written its number, or those of its pieces; none where it says nothing. */
  const known = new Map<string, readonly number[]>()
  for (const word of stopWords) known.set(word, [])

  /** A word in lower case and one piece that was not known. */
  function add(word: string): readonly number[] {
    const numbers = [words.push(word) - 1]
    known.set(word, numbers)
    return numbers
  }

  function learn(written: string): readonly number[] {
    const numbers = simple.test(written) ? numberOf(written.toLowerCase()) : numbersOfParts(written)
    if (written.length <= longestKnown) known.set(written, numbers)
    return numbers
  }

  function numberOf(word: string): readonly number[] {
    return known.get(word) ?? add(word)
  }

  function numbersOfParts(written: string): readonly number[] {
    const numbers: number[] = []
    const take = (part: string): number => numbers.push(...numberOf(part))
    if (beyondAscii.test(written))
      eachWord(written, (start, end) => eachPart(written.slice(start, end), take))
    else eachPart(written, take)
    return numbers
  }

  return {
    words,
    read(text) {
      // Names of parameters are half of all texts, and a word each.
      const whole = known.get(text)
      if (whole) return whole
      const read: number[] = []
      const written = text.match(runs) ?? []
      for (let nth = 0; nth < written.length; nth++) {
        const run = written[nth] as string
        const numbers = known.get(run) ?? learn(run)
        for (let part = 0; part < numbers.length; part++) read.push(numbers[part] as number)
      }
      return read
    },
  }
}

/** Longer runs are of scripts without spaces, or noise: they do not come again. */
const longestKnown = 60
/** One word of one piece. */
const simple = /^(?:[A-Z]?[a-z\d]{1,39}|[A-Z]{1,40})$/
const beyondAscii = /[^\0-\x7f]/
/** Between two of them there is what surely ends a word. Most are one word. */
const runs = /[\w\x80-\uffff]+/g
