/** Finds tools by their words: BM25 over the fields of their definitions, blind to spelling and to the choice among like words. */
import { own } from '../protocol/json.ts'
import { isAction } from './actions.ts'
import { type Asked, createAnswer } from './answer.ts'
import type { SearchedTool } from './fields.ts'
import { indexSpellings, type Spellings } from './misspelt.ts'
import { withoutPhrases } from './phrases.ts'
import { indexWords, type Postings } from './postings.ts'
import { type Reading, readTools, type Weights } from './reading.ts'
import type { ToolSearch } from './search.ts'
import { alikeTo } from './thesaurus.ts'
import { wordsOf } from './words.ts'

/** Measured on labelled questions by `npm run bench -- retrieval`. */
export const WEIGHTS: Weights = { name: 4, server: 1, description: 1, parameters: 0.5 }

/** What a word counts that the question did not use but might have, and one that it may have misspelt. */
const alikeWeight = 0.6
const misspeltWeight = 0.7
/** Shorter words are one slip away from too many others. */
const surelyMisspelt = 5
/** Words of a question that are looked at. */
const mostWords = 48
const longestQuestion = 2_000
/** Words that are remembered though no tool has them: those of the thesaurus fit. */
const mostAsked = 10_000

/** An index of these tools, to be made anew when they change. */
export function indexTools(tools: readonly SearchedTool[], weights: Weights = WEIGHTS): ToolSearch {
  return indexReading(readTools(tools, weights))
}

/** An index of what was read, and of what is left to read. */
export function indexReading(reading: Reading): ToolSearch {
  const { tools, stems } = reading
  const index = indexWords(reading.read())
  const asked = new Map<string, Postings | undefined>()
  const postings = (stem: string): Postings | undefined => {
    const before = asked.get(stem)
    if (before !== undefined || asked.has(stem)) return before
    const made = index.postings(stems.having(stem))
    if (made !== undefined || asked.size < mostAsked) asked.set(stem, made)
    return made
  }
  const namedBy = findNames(reading, postings)
  const answer = createAnswer(tools.length)
  let spellings: Spellings | undefined

  /** The lexicon may have words of tools that are gone. */
  function* vocabulary(letter: string): Iterable<string> {
    for (const [number, stem] of stems.beginning(letter)) if (index.has(number)) yield stem
  }

  /** Takes what tools have of a word, or of one that may stand for it; says how sure that is. */
  function weigh(word: string): Asked['standing'] {
    answer.take(postings(word), 1)
    answer.same()
    const alike = alikeTo(word)
    for (const other of alike) answer.take(postings(other), alikeWeight)
    if (alike.length > 0 || postings(word) !== undefined) return 'known'
    spellings ??= indexSpellings(vocabulary)
    for (const near of spellings.near(word)) {
      const weight = misspeltWeight * near.similarity
      answer.take(postings(near.word), weight)
      for (const other of alikeTo(near.word)) answer.take(postings(other), alikeWeight * weight)
    }
    return word.length < surelyMisspelt ? 'strange' : 'guessed'
  }

  return {
    search(question, limit) {
      const words = wordsOf(question.slice(0, longestQuestion))
      for (const word of questionWords(withoutPhrases(words))) {
        const standing = weigh(word)
        answer.next({ standing, action: isAction(word), worth: index.worth })
      }
      // Who knows the name of a tool wants that one.
      return answer.best(limit, namedBy(words))
    },
  }
}

/**
 * Tells the places of the tools that are called just so, by name or by server and name: they are among those that have the rarest of the
 * words, so that no list of names is needed.
 */
function findNames(
  { tools, stems, names, servers }: Reading,
  postings: (word: string) => Postings | undefined,
): (words: readonly string[]) => number[] {
  const known: (readonly string[] | undefined)[] = []
  /** A name that says nothing is none. */
  const namesAt = (place: number): readonly string[] => {
    const before = known[place]
    if (before !== undefined) return before
    const { server = '', definition = {} } = tools[place] ?? {}
    const name = own(definition, 'name')
    const short = wordsOf(typeof name === 'string' ? name : '')
    const names = short.length === 0 ? [] : [short.join(' '), [...wordsOf(server), ...short].join(' ')]
    known[place] = names
    return names
  }
  return (words) => {
    let fewest: Int32Array | undefined
    for (const word of words) {
      const places = postings(word)?.places
      if (places && (fewest === undefined || places.length < fewest.length)) fewest = places
    }
    const first = stems.having(words[0] ?? '')
    const key = words.join(' ')
    const named: number[] = []
    for (const place of fewest ?? []) {
      if (!first.includes(names[place] as number) && !first.includes(servers[place] as number)) continue
      if (namesAt(place).includes(key)) named.push(place)
    }
    return named
  }
}

/** Each word once, without numbers and single letters, which are what a tool is called with, unless there is nothing else. */
function questionWords(words: readonly string[]): string[] {
  const telling = words.filter((word) => !/^(?:\d+|[a-z])$/.test(word))
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, mostWords)
}
