/**
 * Which tools have a word, and how much they are about it: BM25 over weighted fields, in arrays of numbers. Formula and parameters
 * are those of wink-bm25-text-search, which takes several times as long for an index.
 */
import { fieldNames, type ToolFields } from './fields.ts'

/** How often a word counts by where it stands; 0 leaves the field out. */
export type Weights = Readonly<Record<keyof ToolFields, number>>

export interface Postings {
  /** Places of the tools in the list that was indexed, rising. */
  readonly places: Int32Array
  /** 0 to 1, one for each place: how much the tool is about the word, whatever other tools are about. */
  readonly strengths: Float64Array
}

export interface WordIndex {
  /** The words and their numbers. */
  readonly vocabulary: ReadonlyMap<string, number>
  /** Undefined for a word that no tool has. */
  postings(word: string): Postings | undefined
  /** What a word is worth that so many tools have: Robertson's inverse document frequency, as wink has it. */
  worth(tools: number): number
}

/** BM25's saturation of repeated words and its share of a tool's length, as wink sets them. */
const k1 = 1.2
const b = 0.75
/** Fewer tools than these do not make a word common. */
const fewest = 3

export function indexWords(tools: readonly ToolFields[], weights: Weights): WordIndex {
  const fields = fieldNames.filter((name) => weights[name] > 0)
  const vocabulary = new Map<string, number>()
  const entries = countWords(tools, fields, weights, vocabulary)
  const { starts, places, strengths } = byWord(entries, vocabulary.size)
  const size = Math.max(fewest, tools.length)
  return {
    vocabulary,
    worth: (having) => Math.log(1 + (size - having + 0.5) / (having + 0.5)),
    postings(word) {
      const number = vocabulary.get(word)
      if (number === undefined) return undefined
      const [from, to] = [starts[number], starts[number + 1]]
      return { places: places.subarray(from, to), strengths: strengths.subarray(from, to) }
    },
  }
}

/** One entry for each distinct word of each tool, tool by tool. */
interface Entries {
  used: number
  words: Int32Array
  places: Int32Array
  /** How often the tool has the word, by the weights of the fields. */
  counts: Float64Array
  /** Words of each tool, likewise. */
  lengths: Float64Array
}

function countWords(
  tools: readonly ToolFields[],
  fields: readonly (keyof ToolFields)[],
  weights: Weights,
  vocabulary: Map<string, number>,
): Entries {
  let most = 0
  for (const tool of tools) for (const field of fields) most += tool[field].length
  const words = new Int32Array(most)
  const places = new Int32Array(most)
  const counts = new Float64Array(most)
  const lengths = new Float64Array(tools.length)
  /** For each word one more than its latest entry. */
  const latest = new Int32Array(most)
  let used = 0

  // A function of its own: it is compiled after a few tools, one long loop over all only late.
  function count(list: readonly string[], weight: number, place: number, first: number): void {
    for (let at = 0; at < list.length; at++) {
      const word = list[at] as string
      let number = vocabulary.get(word)
      if (number === undefined) {
        number = vocabulary.size
        vocabulary.set(word, number)
      }
      let entry = (latest[number] as number) - 1
      if (entry < first) {
        entry = used++
        words[entry] = number
        places[entry] = place
        latest[number] = used
      }
      counts[entry] = (counts[entry] as number) + weight
    }
    lengths[place] = (lengths[place] as number) + list.length * weight
  }

  for (const [place, tool] of tools.entries()) {
    const first = used
    for (const field of fields) count(tool[field], weights[field], place, first)
  }
  return { used, words, places, counts, lengths }
}

interface ByWord {
  /** Where the entries of each word begin, and where the last ones end. */
  starts: Int32Array
  places: Int32Array
  strengths: Float64Array
}

/** The entries in the order of their words; within a word they stay in the order of the tools. */
function byWord({ used, words, places, counts, lengths }: Entries, size: number): ByWord {
  const starts = new Int32Array(size + 1)
  for (let entry = 0; entry < used; entry++) {
    const after = (words[entry] ?? 0) + 1
    starts[after] = (starts[after] ?? 0) + 1
  }
  for (let word = 0; word < size; word++) starts[word + 1] = (starts[word + 1] ?? 0) + (starts[word] ?? 0)
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const next = starts.slice()
  const sorted = { starts, places: new Int32Array(used), strengths: new Float64Array(used) }
  for (let entry = 0; entry < used; entry++) {
    const word = words[entry] ?? 0
    const place = places[entry] ?? 0
    const count = counts[entry] ?? 0
    const at = next[word] ?? 0
    next[word] = at + 1
    sorted.places[at] = place
    sorted.strengths[at] = count / (k1 * (1 - b + (b * (lengths[place] ?? 0)) / average) + count)
  }
  return sorted
}
