/** How many records a list has, about: nobody knows before they are read. */
import { sampled } from '../profile.ts'
import { behindSpace, behindValue } from './escaped.ts'

/** Records that are measured at the beginning, and pieces of the list that are looked at. */
const MEASURED = 200
const PIECES = 16
const PIECE = 32_768

/** The number of records in the list that begins at `start` and ends before `end`. One that is well below the first limit is rough. */
export function expectedCount(bytes: Uint8Array, start: number, end: number): number {
  const first = behindSpace(bytes, start + 1)
  let at = first
  let count = 0
  for (; count < MEASURED && bytes[at] === 0x7b; count++) {
    at = behindSpace(bytes, behindValue(bytes, at))
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
