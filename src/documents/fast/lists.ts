/** Where records begin, and before every few of them how many bytes are no characters of the text. Four bytes a record, and a little. */
import type { JsonValue } from '../../protocol/json.ts'
import { type KnownList, knownList } from '../shape/known-list.ts'
import { sampled } from '../shape/profile.ts'
import { behindSpace, behindValue, parsed, unescaped } from './escaped.ts'

/** Records that were read, and where each of them is. */
export interface ScannedRecords extends KnownList {
  offsets: Offsets
  /** The first byte behind the list. */
  end: number
  /** Bytes up to there that are no characters. */
  saved: number
  /** UTF-8 bytes of the list beyond one for each of its characters. */
  wide: number
}

/** `list`: behind a bracket, with commas between. `lines`: each on a line of its own, up to the end of the text. */
export type Layout = 'list' | 'lines'

const FIRST_ROOM = 1024
const MOST_ROOM = 4_000_000
/** Records from one mark to the next. */
const STEP = 16

export class Offsets {
  count = 0
  #froms: Int32Array
  /** Bytes that are no characters, before records 0, 16, 32. */
  #marks: Int32Array

  /** `expected`: how many records there may be, about. */
  constructor(expected = 0) {
    const room = Math.min(MOST_ROOM, Math.max(FIRST_ROOM, Math.ceil(expected * 1.1)))
    this.#froms = new Int32Array(room)
    this.#marks = new Int32Array(Math.ceil(room / STEP))
  }

  /** `saved`: bytes before it that are no characters. */
  add(from: number, saved: number): void {
    const { count } = this
    if (count === this.#froms.length) this.#grow()
    this.#froms[count] = from
    if (count % STEP === 0) this.#marks[count / STEP] = saved
    this.count = count + 1
  }

  /** The first byte of a record. */
  from(index: number): number {
    return this.#froms[index] as number
  }

  /** The last mark at or before a character of the text, which begins at byte `start`: a record's first byte and its character. */
  before(character: number, start: number): { byte: number; character: number } | undefined {
    let low = 0
    let high = Math.ceil(this.count / STEP) - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#character(middle, start) <= character) low = middle
      else high = middle - 1
    }
    const at = this.#character(low, start)
    return at <= character ? { byte: this.from(low * STEP), character: at } : undefined
  }

  /** The first byte of the first marked record at or behind a character; undefined when there is none. */
  behind(character: number, start: number): number | undefined {
    const marks = Math.ceil(this.count / STEP)
    let low = 0
    let high = marks
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#character(middle, start) >= character) high = middle
      else low = middle + 1
    }
    return low < marks ? this.from(low * STEP) : undefined
  }

  #character(mark: number, start: number): number {
    return (this.#froms[mark * STEP] as number) - (this.#marks[mark] as number) - start
  }

  #grow(): void {
    const larger = (array: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(array.length * 2)
      copy.set(array)
      return copy
    }
    this.#froms = larger(this.#froms)
    this.#marks = larger(this.#marks)
  }
}

// An estimate of how many records a list has, before they are read.

/** Records that are measured at the beginning, and pieces of the list that are looked at. */
const MEASURED = 200
const PIECES = 16
const PIECE = 32_768

/**
 * The number of records in what begins at `start` and ends before `end`: a list, or lines. One that is well below the first limit is
 * rough.
 */
export function expectedCount(bytes: Uint8Array, start: number, end: number, layout: Layout): number {
  const isList = layout === 'list'
  const first = behindSpace(bytes, isList ? start + 1 : start)
  let at = first
  let count = 0
  for (; count < MEASURED && bytes[at] === 0x7b; count++) {
    at = behindSpace(bytes, behindValue(bytes, at))
    if (!isList) continue
    if (bytes[at] !== 0x2c) break
    at = behindSpace(bytes, at + 1)
  }
  const rough = ((end - start) / Math.max(1, at - first)) * Math.max(1, count)
  return sampled(rough * 2) === 1 ? rough : (byBeginnings(bytes, first, end) ?? rough)
}

/** By how often what a record begins with, up to the end of its first key, occurs in pieces from everywhere. */
function byBeginnings(bytes: Uint8Array, first: number, end: number): number | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const colon = view.indexOf('":', first + 4)
  if (colon < 0 || colon > first + 200) return undefined
  const beginning = view.subarray(first, colon + 2)
  let found = 0
  const stride = (end - first - PIECE) / (PIECES - 1)
  for (let piece = 0; piece < PIECES; piece++) {
    const from = first + Math.round(piece * stride)
    const part = view.subarray(from, from + PIECE)
    for (let at = part.indexOf(beginning); at >= 0; at = part.indexOf(beginning, at + 1)) found += 1
  }
  return found === 0 ? undefined : (found / (PIECES * PIECE)) * (end - first)
}

/** The records as a list. */
export function scannedList(bytes: Uint8Array, scanned: ScannedRecords): JsonValue[] {
  const { offsets } = scanned
  return knownList(offsets.count, scanned, (index) => {
    const from = offsets.from(index)
    return parsed(unescaped(bytes, from, behindValue(bytes, from)))
  })
}
