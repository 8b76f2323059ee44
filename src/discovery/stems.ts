/**
 * Which words have a stem. To stem a word takes longer than all else that an index does with it, and most words are never asked for:
 * until there is time for all, only those are stemmed that begin as the stem does.
 */
import { baseOf, regularOf, stemOf } from './words.ts'

export interface Stems {
  /** Numbers of the words that have this stem. */
  having(stem: string): number[]
  /** Numbers and stems of the words whose stem begins with this letter. */
  beginning(letter: string): Iterable<readonly [number: number, stem: string]>
  /** Stems so many words more, so that no question waits for it; says whether some are left. */
  prepare(most: number): boolean
}

/** Letters that every word (`regularOf`) has in common with its stem, `aing` and the like apart; tests hold the stemmer to it. */
const sameLetters = 2

/** @param words what has numbers, in their order; more may come at the end. */
export function createStems(words: readonly string[]): Stems {
  /** Numbers of words by their first letters. */
  const groups = new Map<string, number[]>()
  let grouped = 0
  let prepared = 0

  function group(): void {
    for (; grouped < words.length; grouped++) {
      const key = regularOf(words[grouped] as string).slice(0, sameLetters)
      const group = groups.get(key)
      if (group) group.push(grouped)
      else groups.set(key, [grouped])
    }
  }

  return {
    having(stem) {
      group()
      const numbers = groups.get(stem.slice(0, sameLetters)) ?? []
      // The last letter of a stem may be another one than the word has there: `happi` of `happy`.
      const beginning = stem.slice(0, -1)
      // What costs least first: it leaves few.
      const first = beginning.slice(0, 3)
      return numbers.filter((number) => {
        const word = words[number] as string
        return (
          regularOf(word).startsWith(first) && baseOf(word).startsWith(beginning) && stemOf(word) === stem
        )
      })
    },
    *beginning(letter) {
      group()
      for (const [key, numbers] of groups)
        if (key[0] === letter)
          for (const number of numbers) yield [number, stemOf(words[number] as string)] as const
    },
    prepare(most) {
      group()
      for (const end = Math.min(words.length, prepared + most); prepared < end; prepared++)
        stemOf(words[prepared] as string)
      return prepared < words.length
    },
  }
}
