/** How often tools have each word, by the weights of the fields where it stands: gathered tool by tool. */
/** Words at first, and entries for each tool that comes: most have fewer. Both grow by doubling. */
const FIRST = 4096
const FIRST_OF_TOOL = 32

/**
 * One entry for each distinct word of each tool, tool by tool; those of one word hang together, so that nothing has to be sorted by words.
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

export interface Counter {
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
