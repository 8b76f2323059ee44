/** Finds tools by their words, blind to spelling, and by what the words mean: BM25 over the fields of their definitions, and static vectors. */

import { distance } from 'fastest-levenshtein'
import { stemOf, wordsOf, writtenWordsOf } from '../text/words/words.ts'
import { halvesOf, joinedIn, nameOf, type SearchedTool } from './fields.ts'
import { createNearness } from './nearness.ts'
import { indexWords, type Postings, type Reading, readTools, type Weights } from './postings.ts'
import type { Found, ToolSearch } from './search.ts'
import type { WordVectors } from './word-vectors.ts'

/** Measured on labelled questions by `npm run bench -- retrieval`. */
export const WEIGHTS: Weights = { name: 4, server: 1, description: 1, parameters: 0.5 }

/** The weight of a word that the question may have misspelt. */
const misspeltWeight = 0.7
/** Shorter words are one slip away from too many others. */
const surelyMisspelt = 5
/** Words of a question that are looked at. */
const mostWords = 48
const longestQuestion = 2_000
/** Words that are remembered though no tool has them: what people ask fits. */
const mostAsked = 10_000

/** The parts that can be left out, to see their worth (`npm run bench -- retrieval`). */
export interface Parts {
  /** Static vectors; undefined: words alone. */
  vectors: WordVectors | undefined
  /** How much more a word counts that stands in a definition just as it was asked. */
  exact: number
  /** The weight of nearness beside words, for a question of one rare word; the words count 1. */
  nearness: number
  /** Whether the nearness of each sentence of a question counts, too. */
  sentences: boolean
}
const PARTS: Parts = { vectors: undefined, exact: 0.15, nearness: 2.5, sentences: true }

/** An index of these tools, to be made again when they change. */
export function indexTools(
  tools: readonly SearchedTool[],
  weights: Weights = WEIGHTS,
  parts?: Partial<Parts>,
): ToolSearch {
  return indexReading(readTools(tools, weights), parts)
}

/** An index of what was read, and of what is left to read. */
export function indexReading(reading: Reading, given: Partial<Parts> = {}): ToolSearch {
  const parts = { ...PARTS, ...given }
  const { tools, stems, lexicon } = reading
  const counts = reading.read()
  const index = indexWords(counts)
  const asked = new Map<string, Postings | undefined>()
  const postings = (stem: string): Postings | undefined => {
    const before = asked.get(stem)
    if (before !== undefined || asked.has(stem)) return before
    const made = index.postings(stems.having(stem))
    if (made !== undefined || asked.size < mostAsked) asked.set(stem, made)
    return made
  }
  const namedBy = findNames(reading, postings)
  const answer = createAnswer(tools.length, parts)
  const { norms, worth } = index
  const nearness =
    parts.vectors &&
    createNearness({
      counts,
      norms,
      worth,
      words: lexicon.words,
      numbersOf: lexicon.having,
      vectors: parts.vectors,
    })
  let spellings: Spellings | undefined

  /** The lexicon may have words of tools that are gone. */
  function* vocabulary(letter: string): Iterable<string> {
    for (const [number, stem] of stems.beginning(letter)) if (index.has(number)) yield stem
  }

  /**
   * Takes the entries of tools for a word, or for one that may stand for it. `joined` has the entries of the words that it forms with its
   * neighbours. Says how sure the word is.
   */
  function weigh(word: string, written: string, joined: readonly Postings[]): Asked['standing'] {
    answer.take(postings(word), 1)
    for (const whole of joined) answer.take(whole, 1)
    if (parts.exact > 0) answer.exact(index.postings(lexicon.having(written)))
    answer.same()
    if (joined.length > 0 || postings(word) !== undefined) return 'known'
    spellings ??= indexSpellings(vocabulary)
    for (const near of spellings.near(word))
      answer.take(postings(near.word), misspeltWeight * near.similarity)
    return word.length < surelyMisspelt ? 'strange' : 'guessed'
  }

  /** A word that no tool has as the two that it is written of, where tools have both. */
  function apart(written: string): readonly string[] {
    if (postings(stemOf(written)) !== undefined) return [written]
    const halves = halvesOf(written, (part) => postings(stemOf(part)) !== undefined)
    return halves.length > 0 ? halves : [written]
  }

  return {
    prepare: (most) => nearness?.prepare(most) ?? false,
    search(question, limit, cosines) {
      const asked = question.slice(0, longestQuestion)
      const words = writtenWordsOf(asked)
      const joined = new Map<string, Postings[]>()
      for (const { whole, parts } of joinedIn(asked)) {
        const found = postings(stemOf(whole))
        if (found !== undefined)
          for (const part of parts) joined.set(stemOf(part), [...(joined.get(stemOf(part)) ?? []), found])
      }
      const looked = questionWords(words.flatMap(apart))
      let known = 0
      for (const [word, written] of looked) {
        const standing = weigh(word, written, joined.get(word) ?? [])
        if (standing === 'known') known++
        answer.next({ standing, worth: index.worth })
      }
      // A query that is the name of a tool means that tool.
      const sentences = parts.sentences ? sentencesOf(asked) : [asked]
      const near = nearness?.of(sentences.map(writtenWordsOf))
      const meant =
        cosines && near
          ? mixed(cosines, near, (tableShare * known) / (looked.length || 1))
          : (cosines ?? near)
      return answer.best(limit, namedBy(words.map(stemOf)), meant)
    },
  }
}

/** The part of static vectors beside a model, if tools have all words of the question: the two err on other questions. They know few languages. */
const tableShare = 0.5

function mixed(cosines: Float32Array, near: Float32Array, share: number): Float32Array {
  return cosines.map((cosine, place) => (1 - share) * cosine + share * (near[place] as number))
}

/** Longer ones are read as this many; of shorter ones the words say nothing alone. */
const mostSentences = 8
const shortestSentence = 3
const sentenceEnds = /(?<=[.?!;])\s+|\n+|,\s+(?:and|then|also)\s+|\s+and (?:then|also)\s+/i

/** The tasks of a question, one after the other: a tool that does one of them does not mean the whole. */
function sentencesOf(question: string): readonly string[] {
  const sentences = question
    .split(sentenceEnds)
    .filter((sentence) => sentence.trim().split(/\s+/).length >= shortestSentence)
  return sentences.length > 1 ? sentences.slice(0, mostSentences) : [question]
}

/**
 * Tells the places of the tools that have exactly this name, or server and name. They are among the tools that have the rarest of the
 * words, so no list of names is needed.
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
    const tool = tools[place] as SearchedTool
    const short = wordsOf(nameOf(tool))
    const names = short.length === 0 ? [] : [short.join(' '), [...wordsOf(tool.server), ...short].join(' ')]
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

/** Each stem once, with the word as written, without numbers and single letters, which are what a tool is called with, unless there is nothing else. */
function questionWords(words: readonly string[]): (readonly [stem: string, written: string])[] {
  const telling = words.filter((word) => !/^(?:\d+|[a-z])$/.test(word))
  const chosen = new Map<string, string>()
  for (const word of telling.length > 0 ? telling : words) {
    const stem = stemOf(word)
    if (!chosen.has(stem)) chosen.set(stem, word)
  }
  return [...chosen].slice(0, mostWords)
}

// The part of a question that each tool answers, added up word by word, and whether that is enough to be an answer.

/** Below this the best tool has a common word of the question and no more, or none and little of its meaning: nothing fits. */
const leastScore = 0.1
/** How much less meaning counts in a longer question: 0 makes it count the same in each. */
const lengthCounts = 0.25
/** Of the best score what a tool needs that has no word of the question. */
const leastShare = 1 / 3
/** How much of that words take away that no tool has, if all are: less where they have a meaning beside. */
const strangeness = { words: 0.7, meaning: 0.5 }

/** The facts of a word of the question. */
interface Asked {
  /** `known` where tools have it; `guessed`: one that it may be misspelt of; `strange`: nothing, or a vague guess. */
  standing: 'known' | 'guessed' | 'strange'
  /** Worth of a word that so many tools have. */
  worth(tools: number): number
}

/** For one question at a time; used again for the next, as its arrays are as long as the list of tools. */
interface Answer {
  /** Tools have this word of the question, or one that may stand for it and counts `weight`. */
  take(postings: Postings | undefined, weight: number): void
  /** Tools have this word just as it was asked: what they have of it counts more. */
  exact(postings: Postings | undefined): void
  /** The words that follow are others that may stand for this word. */
  same(): void
  /** That was all of one word. */
  next(word: Asked): void
  /**
   * The best of all, `named` ones in any case and first; then all is as before the question.
   *
   * @param cosines of the meaning of the question with that of each tool; undefined: words alone decide
   */
  best(limit: number, named: readonly number[], cosines: Float32Array | undefined): Found[]
}

/** How much a tool with only a similar word counts towards the frequency of a word. */
const alikeShare = 0.1

function createAnswer(tools: number, { exact, nearness }: Parts): Answer {
  /** Of the word in work: how much each tool is about it, and the tools that are. */
  const strongest = new Float64Array(tools)
  const having = new Int32Array(tools)
  let count = 0
  let same = 0
  /** Of all words so far. */
  const totals = new Float64Array(tools)
  const scores = new Float64Array(tools)
  const touched = new Int32Array(tools)
  let reached = 0
  let possible = 0
  let rarest = 0
  const seen = { words: 0, known: 0, guessed: 0, strange: 0 }

  function clear(): void {
    for (let at = 0; at < reached; at++) totals[touched[at] ?? 0] = 0
    reached = possible = 0
    for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] = 0
  }

  /** Whether a tool with this score answers the question, by words alone or by their meaning as well. */
  function isAnswered(most: number, by: keyof typeof strangeness): boolean {
    // A query of one word that tools have means these tools.
    if (seen.words === 1 && seen.known === 1) return true
    // Guesses alone are noise, unless most words are misspelt.
    if (by === 'words' && seen.known === 0 && 2 * seen.guessed < seen.words) return false
    return most * (1 - strangeness[by] * (seen.strange / (seen.words || 1))) > leastScore
  }

  return {
    take(postings, weight) {
      if (postings === undefined) return
      const { places, strengths } = postings
      for (let at = 0; at < places.length; at++) {
        const place = places[at] ?? 0
        const strength = (strengths[at] ?? 0) * weight
        const before = strongest[place] ?? 0
        if (before === 0) having[count++] = place
        if (strength > before) strongest[place] = strength
      }
    },

    exact(postings) {
      for (const place of postings?.places ?? []) strongest[place] = (strongest[place] ?? 0) * (1 + exact)
    },

    same() {
      same = count
    },

    next({ standing, worth }) {
      // A word that only stands for others is as rare as any.
      const value = worth(count === 0 ? 0 : Math.max(1, same) + alikeShare * (count - same))
      for (let at = 0; at < count; at++) {
        const place = having[at] ?? 0
        if (totals[place] === 0) touched[reached++] = place
        totals[place] = (totals[place] ?? 0) + (strongest[place] ?? 0) * value
        strongest[place] = 0
      }
      possible += value
      rarest = worth(1)
      seen.words++
      if (count === 0 || standing === 'strange') seen.strange++
      else seen[standing]++
      count = same = 0
    },

    best(limit, named, cosines) {
      const top = new Top(limit)
      for (const place of named) top.offer(place, 1)
      // The mean (geometric) of a tool's share of the question and its share of one rare word. Several tools may answer a part of a long
      // question, so it needs no more words than a short one.
      const part = 1 / (Math.sqrt(possible * rarest) || 1)
      // A long question has more words to go by, and means several things at once.
      const meaning =
        cosines === undefined ? 0 : nearness * (possible > 0 ? rarest / possible : 1) ** lengthCounts
      let most = 0
      for (let index = 0; index < tools; index++) {
        const score = ((totals[index] ?? 0) * part + meaning * (cosines?.[index] ?? 0)) / (1 + meaning)
        scores[index] = Math.min(1, score)
        most = Math.max(most, scores[index] as number)
      }
      // A query that names a tool does not mean tools of a similar meaning.
      const least = named.length > 0 ? Infinity : leastShare * most
      if (isAnswered(most, cosines === undefined ? 'words' : 'meaning'))
        for (let index = 0; index < tools; index++) {
          const score = scores[index] as number
          if (score > 0 && ((totals[index] ?? 0) > 0 || score >= least) && !named.includes(index))
            top.offer(index, score)
        }
      clear()
      return top.found
    },
  }
}

/** The first of a ranking, best first, equals by their places; nothing else is kept, as most of what is found is not shown. */
class Top {
  readonly found: Found[] = []
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(index: number, score: number): void {
    const { found } = this
    let at = found.length
    while (at > 0 && follows(found[at - 1], index, score)) at--
    if (at >= this.#limit) return
    found.splice(at, 0, { index, score })
    if (found.length > this.#limit) found.pop()
  }
}

function follows(found: Found | undefined, index: number, score: number): boolean {
  return found !== undefined && (found.score < score || (found.score === score && found.index > index))
}

// Words that one which no tool has may have been meant as: a misspelt one, a longer form, or a shorter one.

/** Short words are one slip away from too many others. */
const shortest = 4
/** Two slips in a word of six letters leave another word. */
const leastSimilarity = 0.7
/** A form of a word (`calc`, `Datei`) has at least so many letters, and so much of the longer one. */
const shortestForm = 3
const leastOfForm = 0.45
const formWeight = 0.9
const mostFound = 5

interface NearWord {
  word: string
  /** Below 1: the share of letters that stay. */
  similarity: number
}

/** Words to compare with, by first letter and length: few of them are measured. */
interface Spellings {
  /**
   * Words that begin with the same letter, or with the first two swapped, and are one slip away, two in long words. Also words that begin
   * with the whole word or are its beginning. The best come first. Neighbours that changed places are one slip. A word with a digit is no
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
