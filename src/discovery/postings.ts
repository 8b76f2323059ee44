/**
 * Which tools have a word, and how much they are about it: BM25 over weighted fields, in arrays of numbers. Formula and parameters
 * are those of wink-bm25-text-search, which takes several times as long for an index.
 */
import type { JsonObject } from '../protocol/json.ts'
import { normOf, worthOf } from '../text/words/bm25.ts'
import { eachWord } from '../text/words/tokenize.ts'
import { baseOf, eachPart, regularOf, stemOf, stopWords } from '../text/words/words.ts'
import { commonParameters, type Field, readFields, type SearchedTool } from './fields.ts'

export interface Postings {
  /** Places of the tools in the list that was indexed, rising. */
  readonly places: Int32Array
  /** 0 to 1, one for each place: how much the tool is about the word, whatever other tools are about. */
  readonly strengths: Float64Array
}

/** Words are numbers of a lexicon, which may have others as well. */
interface WordIndex {
  /** For each tool what the count of a word is weighed against. */
  readonly norms: Float64Array
  has(word: number): boolean
  /** Of words that count as one; undefined where no tool has any of them. */
  postings(words: readonly number[]): Postings | undefined
  /** The worth of a word that so many tools have. */
  worth(tools: number): number
}

/** Fewer tools than these do not make a word common. */
const fewest = 3

/** Nothing is computed before it is asked for, but for one number of each tool. */
export function indexWords(counts: Counts): WordIndex {
  const norms = normsOf(counts)
  const size = Math.max(fewest, counts.tools)
  const has = (word: number): boolean => (counts.having[word] ?? 0) > 0
  return {
    norms,
    worth: (having) => worthOf(having, size),
    has,
    postings(words) {
      const [first, ...others] = words.filter(has).map((word) => entriesOf(word, counts))
      if (first === undefined) return undefined
      const { places, counted } = others.reduce(merge, first)
      const strengths = counted.map((count, at) => count / ((norms[places[at] as number] as number) + count))
      return { places, strengths }
    },
  }
}

/** The entries of tools for a word. */
interface Entries {
  /** Rising. */
  places: Int32Array
  /** How often each has it, by the weights of the fields. */
  counted: Float64Array
}

function entriesOf(word: number, { places, counts, earlier, latest, having }: Counts): Entries {
  const found = {
    places: new Int32Array(having[word] as number),
    counted: new Float64Array(having[word] as number),
  }
  let entry = (latest[word] as number) - 1
  for (let at = found.places.length - 1; at >= 0; at--) {
    found.places[at] = places[entry] as number
    found.counted[at] = counts[entry] as number
    entry = (earlier[entry] as number) - 1
  }
  return found
}

/** The entries of tools for either. */
function merge(one: Entries, other: Entries): Entries {
  const most = one.places.length + other.places.length
  const places = new Int32Array(most)
  const counted = new Float64Array(most)
  let used = 0
  for (let left = 0, right = 0; left < one.places.length || right < other.places.length; used++) {
    const place = Math.min(one.places[left] ?? Infinity, other.places[right] ?? Infinity)
    places[used] = place
    if (one.places[left] === place) counted[used] = one.counted[left++] as number
    if (other.places[right] === place)
      counted[used] = (counted[used] as number) + (other.counted[right++] as number)
  }
  return { places: places.subarray(0, used), counted: counted.subarray(0, used) }
}

/** The size that a count is divided by in each tool: larger for a tool with many words. */
function normsOf({ tools, lengths }: Counts): Float64Array {
  const norms = new Float64Array(tools)
  let sum = 0
  for (let tool = 0; tool < tools; tool++) sum += lengths[tool] as number
  for (let tool = 0; tool < tools; tool++) norms[tool] = normOf(lengths[tool] as number, sum / tools)
  return norms
}

/** How often tools have each word, by the weights of the fields where it stands: gathered tool by tool. */
/** Words at first, and entries for each tool that comes: most have fewer. Both grow by doubling. */
const FIRST = 4096
const FIRST_OF_TOOL = 32

/**
 * One entry for each distinct word of each tool, tool by tool. The entries of one word are linked, so nothing has to be sorted by words.
 * Arrays may be longer than what is in them.
 */
export interface Counts {
  /** Tools that were counted. */
  readonly tools: number
  /** For each tool the end of its entries, where those of the next begin. */
  readonly ends: Int32Array
  /** Words of each tool, by their weights. */
  readonly lengths: Float64Array
  /** For each entry the number of the word. */
  readonly words: Int32Array
  /** For each entry the place of the tool. */
  readonly places: Int32Array
  /** For each entry how often the tool has it, by the weights. */
  readonly counts: Float64Array
  /** For each entry one more than the one before it of the same word; 0: there is none. */
  readonly earlier: Int32Array
  /** For each word one more than its latest entry; 0: there is none. */
  readonly latest: Int32Array
  /** For each word how many tools have it. */
  readonly having: Int32Array
}

interface Counter {
  /** The tool in work has these words (numbers from 0), each of which counts `weight`. */
  add(list: readonly number[], weight: number): void
  /** The tool in work has what another one has. Nothing was added to it. */
  copy(from: Counts, tool: number): void
  /** That was all of a tool. */
  next(): void
  /** Of all tools so far. */
  counts(): Counts
}

/** `most`: tools that come, at most. */
export function createCounter(most: number): Counter {
  const ends = new Int32Array(most)
  const lengths = new Float64Array(most)
  let tools = 0
  let words = new Int32Array(FIRST_OF_TOOL * most)
  let places = new Int32Array(FIRST_OF_TOOL * most)
  let counts = new Float64Array(FIRST_OF_TOOL * most)
  let earlier = new Int32Array(FIRST_OF_TOOL * most)
  let used = 0
  /** The first entry of the tool in work. */
  let first = 0
  let latest = new Int32Array(FIRST)
  let having = new Int32Array(FIRST)

  function reserve(more: number): void {
    if (used + more <= words.length) return
    const size = Math.max(used + more, 2 * words.length)
    words = longer(words, new Int32Array(size))
    places = longer(places, new Int32Array(size))
    counts = longer(counts, new Float64Array(size))
    earlier = longer(earlier, new Int32Array(size))
  }

  function enter(word: number): number {
    if (word >= having.length) {
      const size = Math.max(word + 1, 2 * having.length)
      having = longer(having, new Int32Array(size))
      latest = longer(latest, new Int32Array(size))
    }
    words[used] = word
    places[used] = tools
    earlier[used] = latest[word] as number
    latest[word] = used + 1
    having[word] = (having[word] as number) + 1
    return used++
  }

  return {
    add(list, weight) {
      const { length } = list
      reserve(length)
      for (let at = 0; at < length; at++) {
        const word = list[at] as number
        const before = word < latest.length ? (latest[word] as number) - 1 : -1
        const entry = before < first ? enter(word) : before
        counts[entry] = (counts[entry] as number) + weight
      }
      lengths[tools] = (lengths[tools] as number) + length * weight
    },
    copy(from, tool) {
      const start = tool === 0 ? 0 : (from.ends[tool - 1] as number)
      const end = from.ends[tool] as number
      reserve(end - start)
      for (let at = start; at < end; at++) {
        const entry = enter(from.words[at] as number)
        counts[entry] = from.counts[at] as number
      }
      lengths[tools] = from.lengths[tool] as number
    },
    next() {
      ends[tools++] = used
      first = used
    },
    counts: () => ({ tools, ends, lengths, words, places, counts, earlier, latest, having }),
  }
}

function longer<A extends Int32Array | Float64Array>(old: A, made: A): A {
  made.set(old)
  return made
}

// Reads the words of tools, a few tools at a time, for an index of them.

/** How often a word counts by where it stands; 0 leaves the field out. */
export type Weights = Readonly<Record<Field, number>>

export interface Reading {
  readonly tools: readonly SearchedTool[]
  readonly weights: Weights
  /** For servers that have such the parameters that were not read, as they tell no tool from another. */
  readonly common: ReadonlyMap<string, ReadonlySet<string>>
  readonly lexicon: Lexicon
  readonly stems: Stems
  /** For each tool the first word of its name, and of its server's; -1 where there is none. */
  readonly names: Int32Array
  readonly servers: Int32Array
  /** Reads so many tools more, all where no number is given. Counts of all that were read so far. */
  read(most?: number): Counts
}

/** A lexicon of more words has mostly those of tools that are gone. */
const mostWords = 100_000

/**
 * @param before a reading with the same weights, of a list that had many of these tools: theirs are not read again. Definitions
 * are not changed.
 */
export function readTools(tools: readonly SearchedTool[], weights: Weights, before?: Reading): Reading {
  let earlier = before?.weights === weights && before.lexicon.words.length <= mostWords ? before : undefined
  const lexicon = earlier?.lexicon ?? createLexicon()
  const stems = earlier?.stems ?? createStems(lexicon.words)
  const common = commonParameters(tools)
  let known: Known | undefined
  const names = new Int32Array(tools.length).fill(-1)
  const servers = new Int32Array(tools.length).fill(-1)
  const counter = createCounter(tools.length)
  let place = 0

  function read(field: Field, said: string): void {
    const weight = weights[field]
    if (weight === 0) return
    const words = lexicon.read(said)
    counter.add(words, weight)
    if (field === 'name') note(names, words)
    else if (field === 'server') note(servers, words)
  }

  /** The first of the words, of the first text that has any. */
  function note(firsts: Int32Array, [first = -1]: readonly number[]): void {
    if (firsts[place] === -1) firsts[place] = first
  }

  function readOne(tool: SearchedTool): void {
    const from = known?.placeOf(tool)
    if (known === undefined || from === undefined) readFields(tool, read, common.get(tool.server))
    else {
      names[place] = known.reading.names[from] as number
      servers[place] = known.reading.servers[from] as number
      counter.copy(known.counts, from)
    }
    counter.next()
    place++
  }

  return {
    tools,
    weights,
    common,
    lexicon,
    stems,
    names,
    servers,
    read(most = tools.length) {
      // Not before: the earlier list may be read meanwhile. Nor kept: it would keep one before it.
      if (earlier) known = knownFrom(earlier, common)
      earlier = undefined
      const end = Math.min(tools.length, place + most)
      while (place < end) readOne(tools[place] as SearchedTool)
      if (place === tools.length) known = undefined
      return counter.counts()
    },
  }
}

/** The tools that were read for an earlier list. */
interface Known {
  reading: Reading
  counts: Counts
  placeOf(tool: SearchedTool): number | undefined
}

/** @param common those of now: where they are others than they were, the tools are read again */
function knownFrom(reading: Reading, common: Reading['common']): Known {
  const counts = reading.read(0)
  const same = new Map<string, boolean>()
  const isSame = (server: string): boolean => {
    const before = same.get(server)
    if (before !== undefined) return before
    const [then, now] = [reading.common.get(server), common.get(server)]
    const is = then?.size === now?.size && [...(then ?? [])].every((name) => now?.has(name))
    same.set(server, is)
    return is
  }
  const places = new Map<JsonObject, number>()
  for (let place = 0; place < counts.tools; place++)
    places.set((reading.tools[place] as SearchedTool).definition, place)
  return {
    reading,
    counts,
    placeOf({ definition, server, original }) {
      const place = places.get(definition)
      const then = place === undefined ? undefined : reading.tools[place]
      return then?.server === server && then.original === original && isSame(server) ? place : undefined
    },
  }
}

// The words of definitions by number, so that what counts them needs no strings: a word that was seen before
// is only looked up. They are not stemmed, which takes longer than all else (`stems.ts`). Splitting by a pattern and looking up in a map
// are compiled work of the engine. They are fast in a process that has just started, where our own loop over the letters is slow.

interface Lexicon {
  /** Each word once, in lower case, at the place of its number. Grows. */
  readonly words: readonly string[]
  /** The numbers of the words of a text in their order, those of identifiers piece by piece; new words get one. */
  read(text: string): readonly number[]
  /** The numbers of a word in lower case; none where it is not known. */
  having(word: string): readonly number[]
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
    having: (word) => known.get(word) ?? [],
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
      // `e-mail` is `email` as well: its first part says nothing by itself.
      if (text.includes('-'))
        for (const [, first = '', rest = ''] of text.matchAll(shortFirst))
          read.push(...numberOf(`${first}${rest}`.toLowerCase()))
      return read
    },
  }
}

/** Longer runs are of scripts without spaces, or noise: they do not come again. */
const longestKnown = 60
/** One word of one piece. */
const simple = /^(?:[A-Z]?[a-z\d]{1,39}|[A-Z]{1,40})$/
const shortFirst = /(?<![\w-])([A-Za-z]{1,2})-([A-Za-z]{3,38})(?![\w-])/g
const beyondAscii = /[^\0-\x7f]/
/** Between two of them there is what surely ends a word. Most are one word. */
const runs = /[\w\x80-\uffff]+/g

// Which words have a stem. To stem a word takes longer than all else that an index does with it, and no question asks for most words.
// Until there is time for all, the index stems only words that begin as the stem does.

interface Stems {
  /** Numbers of the words that have this stem. */
  having(stem: string): number[]
  /** Numbers and stems of the words with a stem that begins with this letter. */
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
      // The cheapest test first: it leaves few.
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
