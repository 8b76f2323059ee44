/** Reads the words of tools, a few tools at a time, for an index of them. */
import type { JsonObject } from '../protocol/json.ts'
import { type Counts, createCounter } from './counts.ts'
import { type Field, readFields, type SearchedTool } from './fields.ts'
import { createLexicon, type Lexicon } from './lexicon.ts'
import { createStems, type Stems } from './stems.ts'

/** How often a word counts by where it stands; 0 leaves the field out. */
export type Weights = Readonly<Record<Field, number>>

export interface Reading {
  readonly tools: readonly SearchedTool[]
  readonly weights: Weights
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
    if (known === undefined || from === undefined) readFields(tool, read)
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
    lexicon,
    stems,
    names,
    servers,
    read(most = tools.length) {
      // Not before: the earlier list may be read meanwhile. Nor kept: it would keep one before it.
      if (earlier) known = knownFrom(earlier)
      earlier = undefined
      const end = Math.min(tools.length, place + most)
      while (place < end) readOne(tools[place] as SearchedTool)
      if (place === tools.length) known = undefined
      return counter.counts()
    },
  }
}

/** What was read for an earlier list. */
interface Known {
  reading: Reading
  counts: Counts
  placeOf(tool: SearchedTool): number | undefined
}

function knownFrom(reading: Reading): Known {
  const counts = reading.read(0)
  const places = new Map<JsonObject, number>()
  for (let place = 0; place < counts.tools; place++)
    places.set((reading.tools[place] as SearchedTool).definition, place)
  return {
    reading,
    counts,
    placeOf({ definition, server }) {
      const place = places.get(definition)
      return place !== undefined && reading.tools[place]?.server === server ? place : undefined
    },
  }
}
