/** How near the meaning of a question is to that of each tool: vectors of words, added up, the rare ones of the catalogue more. */
import type { Counts } from './postings.ts'
import type { WordVectors } from './word-vectors.ts'

export interface Nearness {
  /** Adds up the vectors of so many words more, so that no question waits for it; says whether some are left. */
  prepare(most: number): boolean
  /**
   * The cosine with each tool, in their order, in an array that the next question uses again; undefined where no word has a vector. Each
   * of several sentences is given as its words. The cosine is then the mean of two: the one of all sentences, and the one of the nearest
   * sentence. A question may ask for several things.
   */
  of(sentences: readonly (readonly string[])[]): Float32Array | undefined
}

interface NearnessParts {
  counts: Counts
  /** For each tool what the count of a word is weighed against (`normOf`). */
  norms: Float64Array
  /** The words by their numbers. */
  words: readonly string[]
  /** The number of a word in lower case; none where it is not known. */
  numbersOf(word: string): readonly number[]
  vectors: WordVectors
  /** Worth of a word that so many tools have. */
  worth(tools: number): number
}

/** How much more a rare word says of a meaning than a common one: the square root of what it is worth as a word. */
const weightOf = (worth: number): number => Math.sqrt(worth)

/** Word by word, not tool by tool: the vector of a word is made once, and no more of them are kept. */
export function createNearness({ counts, norms, words, numbersOf, vectors, worth }: NearnessParts): Nearness {
  const { dimensions } = vectors
  const { tools } = counts
  /** A copy: the list grows with the next catalogue. */
  const total = words.length
  const rows = new Float32Array(tools * dimensions)
  const row = new Float32Array(dimensions)
  let next = 0

  function addWord(word: number): void {
    const having = counts.having[word] ?? 0
    if (having === 0) return
    row.fill(0)
    vectors.add(words[word] as string, weightOf(worth(having)), row)
    for (let entry = counts.latest[word] as number; entry > 0; entry = counts.earlier[entry - 1] as number) {
      const place = counts.places[entry - 1] as number
      const count = counts.counts[entry - 1] as number
      const share = count / ((norms[place] as number) + count)
      const from = place * dimensions
      for (let at = 0; at < dimensions; at++)
        rows[from + at] = (rows[from + at] as number) + share * (row[at] as number)
    }
  }

  function prepare(most: number): boolean {
    if (next > total) return false
    for (const end = Math.min(total, next + most); next < end; next++) addWord(next)
    if (next < total) return true
    next++
    for (let tool = 0; tool < tools; tool++) toUnitLength(rows, tool * dimensions, dimensions)
    return false
  }

  /** Of length 1; undefined where no word has a vector. */
  function vectorOf(question: readonly string[]): Float32Array | undefined {
    const vector = new Float32Array(dimensions)
    for (const word of question) {
      const [number = -1] = numbersOf(word)
      vectors.add(word, weightOf(worth(counts.having[number] ?? 0)), vector)
    }
    return toUnitLength(vector, 0, dimensions) ? vector : undefined
  }

  /** Two sums, neither of which waits for the other: a quarter less time than one. The number of dimensions is even. */
  function cosineOf(tool: number, vector: Float32Array): number {
    let even = 0
    let odd = 0
    for (let at = 0, from = tool * dimensions; at < dimensions; at += 2) {
      even += (rows[from + at] as number) * (vector[at] as number)
      odd += (rows[from + at + 1] as number) * (vector[at + 1] as number)
    }
    return even + odd
  }

  const cosines = new Float32Array(tools)
  return {
    prepare,
    of(sentences) {
      prepare(total)
      const whole = vectorOf(sentences.flat())
      if (whole === undefined) return undefined
      const each = sentences.length > 1 ? sentences.flatMap((words) => vectorOf(words) ?? []) : []
      for (let tool = 0; tool < tools; tool++) {
        const cosine = cosineOf(tool, whole)
        let nearest = each.length === 0 ? cosine : -1
        for (const vector of each) nearest = Math.max(nearest, cosineOf(tool, vector))
        cosines[tool] = (cosine + nearest) / 2
      }
      return cosines
    },
  }
}

/** False where there is no direction. */
function toUnitLength(numbers: Float32Array, from: number, count: number): boolean {
  let sum = 0
  for (let at = from; at < from + count; at++) sum += (numbers[at] as number) ** 2
  if (sum === 0) return false
  const scale = 1 / Math.sqrt(sum)
  for (let at = from; at < from + count; at++) numbers[at] = (numbers[at] as number) * scale
  return true
}
