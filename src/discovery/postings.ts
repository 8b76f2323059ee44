/**
 * Which tools have a word, and how much they are about it: BM25 over weighted fields, in arrays of numbers. Formula and parameters
 * are those of wink-bm25-text-search, which takes several times as long for an index.
 */
import type { Counts } from './counts.ts'

export interface Postings {
  /** Places of the tools in the list that was indexed, rising. */
  readonly places: Int32Array
  /** 0 to 1, one for each place: how much the tool is about the word, whatever other tools are about. */
  readonly strengths: Float64Array
}

/** Words are numbers of a lexicon, which may have others as well. */
export interface WordIndex {
  has(word: number): boolean
  /** Of words that count as one; undefined where no tool has any of them. */
  postings(words: readonly number[]): Postings | undefined
  /** What a word is worth that so many tools have: Robertson's inverse document frequency, as wink has it. */
  worth(tools: number): number
}

/** BM25's saturation of repeated words and its share of a tool's length, as wink sets them. */
const k1 = 1.2
const b = 0.75
/** Fewer tools than these do not make a word common. */
const fewest = 3

/** Nothing is computed before it is asked for, but for one number of each tool. */
export function indexWords(counts: Counts): WordIndex {
  const norms = normsOf(counts)
  const size = Math.max(fewest, counts.tools)
  const has = (word: number): boolean => (counts.having[word] ?? 0) > 0
  return {
    worth: (having) => Math.log(1 + (size - having + 0.5) / (having + 0.5)),
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

/** What tools have of a word. */
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

/** What tools have of either. */
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

/** What a count is weighed against in each tool: more in one that says much. */
function normsOf({ tools, lengths }: Counts): Float64Array {
  const norms = new Float64Array(tools)
  let sum = 0
  for (let tool = 0; tool < tools; tool++) sum += lengths[tool] as number
  for (let tool = 0; tool < tools; tool++)
    norms[tool] = k1 * (1 - b + (b * (lengths[tool] as number) * tools) / sum)
  return norms
}
