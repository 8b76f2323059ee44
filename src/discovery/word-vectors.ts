/**
 * Vectors of words without a model: a table with one for each piece of a word, learnt once from a sentence model
 * (`scripts/static-vectors/README.md`). A word is the sum of its pieces, a text the sum of its words.
 */
import { readFileSync } from 'node:fs'

export interface WordVectors {
  readonly dimensions: number
  /** Adds the vector of a word in lower case, `weight` times, to the numbers of `sum` from `at` on. Nothing for a word of no known pieces. */
  add(word: string, weight: number, sum: Float32Array, at?: number): void
}

/** Where the package keeps the tables: as far from here in `src` as in `dist`, where this may be part of a bundle. */
const DATA = new URL('../../data/', import.meta.url)

const TABLES = {
  english: ['static-vectors.bin'],
  /** The words of other languages are laid over the English ones, in the same space. */
  several: ['static-vectors.bin', 'static-vectors-languages.bin'],
} as const

/** The languages with vectors. */
export type Words = keyof typeof TABLES

const shared = new Map<Words, WordVectors>()

/** The tables of the package: read when they are first asked for, and kept. A file takes some 10 ms and 6 MB. Throws what reading one throws. */
export function wordVectors(words: Words = 'english'): WordVectors {
  const vectors =
    shared.get(words) ?? openTable(...TABLES[words].map((name) => readFileSync(new URL(name, DATA))))
  shared.set(words, vectors)
  return vectors
}

const headBytes = 12
/** The offset of numbers of four bits. */
const zero = 7
/** Longer ones are no words. */
const longestWord = 40

/** @param files those of one space; a piece that several have is that of the last */
export function openTable(...files: readonly Buffer[]): WordVectors {
  const parts = files.map(partOf)
  const dimensions = parts[0]?.dimensions ?? 0
  if (parts.some((part) => part.dimensions !== dimensions)) throw new Error(DAMAGED)
  const bytes = dimensions / 2
  const scales = Buffer.concat(parts.map((part) => part.scales))
  const rows = Buffer.concat(parts.map((part) => part.rows))
  const beginnings = new Map<string, number>()
  const continuations = new Map<string, number>()
  for (const [piece, letters] of parts.flatMap((part) => part.pieces).entries()) {
    if (letters.startsWith('##') && letters.length > 2) continuations.set(letters.slice(2), piece)
    else beginnings.set(letters, piece)
  }

  /** Longest first from the left, as BERT reads words; none where a rest is no piece. */
  function piecesOf(word: string): readonly number[] {
    if (word.length > longestWord) return []
    const found: number[] = []
    for (let start = 0; start < word.length; ) {
      const known = start === 0 ? beginnings : continuations
      let end = word.length
      let piece = known.get(start === 0 ? word : word.slice(start))
      while (piece === undefined && --end > start) piece = known.get(word.slice(start, end))
      if (piece === undefined) return []
      found.push(piece)
      start = end
    }
    return found
  }

  return {
    dimensions,
    add(word, weight, sum, at = 0) {
      for (const piece of piecesOf(word)) {
        const scale = weight * scales.readFloatLE(4 * piece)
        const row = bytes * piece
        for (let nth = 0; nth < bytes; nth++) {
          const two = rows[row + nth] as number
          const to = at + 2 * nth
          sum[to] = (sum[to] as number) + ((two & 15) - zero) * scale
          sum[to + 1] = (sum[to + 1] as number) + ((two >> 4) - zero) * scale
        }
      }
    },
  }
}

const DAMAGED = 'The table of static vectors is damaged.'

/**
 * The file is little-endian. First come three u32: pieces, dimensions, bytes of the words. Then come the words, one a line, with `##`
 * before pieces that go on within a word. Then comes a float32 scale for each piece. Last come its numbers of four bits, two in a byte,
 * the first in the low half, 0 to 14 for -7 to 7.
 */
function partOf(file: Buffer): { dimensions: number; pieces: string[]; scales: Buffer; rows: Buffer } {
  const [count, dimensions, letters] = [0, 4, 8].map((at) => file.readUInt32LE(at)) as [
    number,
    number,
    number,
  ]
  const scalesAt = headBytes + letters
  const rowsAt = scalesAt + 4 * count
  if (file.length !== rowsAt + (count * dimensions) / 2) throw new Error(DAMAGED)
  return {
    dimensions,
    pieces: file.toString('utf8', headBytes, scalesAt).split('\n', count),
    scales: file.subarray(scalesAt, rowsAt),
    rows: file.subarray(rowsAt),
  }
}
