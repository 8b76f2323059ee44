/** Parts of a file by lines and bytes: what `head`, `tail`, `grep` and a look at the size are for files. */
import {
  characterStart,
  countLines,
  countNewlines,
  decode,
  fitFrom,
  fitTo,
  skipLines,
} from '../text/byte-text.ts'
import { formatCount } from '../text/format.ts'
import { grep } from './readback-grep.ts'

export const READBACK_OPS = ['stat', 'head', 'tail', 'slice', 'grep', 'read'] as const

export interface ReadbackParams {
  op: (typeof READBACK_OPS)[number]
  /** Of `head` and `tail`. */
  lines?: number | undefined
  /** Of `slice`: 1-based, inclusive; negative ones count from the end, -1 is the last line. */
  fromLine?: number | undefined
  toLine?: number | undefined
  /** Of `grep`. */
  pattern?: string | undefined
  context?: number | undefined
  /** Of `read`: 0 or absent: all. */
  maxBytes?: number | undefined
  /** Of `read` and `grep`: the byte where it begins. */
  offset?: number | undefined
}

export interface ReadbackLimits {
  /** Characters of an answer. */
  maxChars: number
  /** Matches of `grep`. */
  maxMatches: number
}

/** `next`: what to ask for what is missing. Absent: nothing is. */
export interface ReadbackAnswer {
  text: string
  next?: string
}

/** Lines that `head` and `tail` give when nobody says how many. */
const someLines = 50

const NEWLINE = 10

/**
 * Any op but `stat`. Bounded by the limits; what they cut is named in `next`. Lines end at newlines alone, and all else is shown as it is:
 * parts put together give the file. Throws a `Refusal`.
 */
export function readback(bytes: Uint8Array, params: ReadbackParams, limits: ReadbackLimits): ReadbackAnswer {
  const { op, lines = someLines, fromLine = 1, toLine } = params
  if (op === 'read') return readBytes(bytes, params, limits)
  if (op === 'grep') return grep(bytes, params, limits)
  if (op === 'head') return forwards(bytes, 1, lines, limits)
  const count = countLines(bytes)
  if (op === 'tail') return backwards(bytes, Math.max(1, count - lines + 1), count, limits)
  const fromEnd = (line: number): number => (line < 0 ? count + 1 + line : line)
  const [from, to] = [Math.max(1, fromEnd(fromLine)), Math.min(fromEnd(toLine ?? count), count)]
  if (from > to && count > 0)
    return { text: `There are no lines ${from}-${toLine ?? count}: the file has ${formatCount(count)}.` }
  return forwards(bytes, from, to - from + 1, limits)
}

/** Where these lines begin and end, without the newline after them. */
function placeOf(bytes: Uint8Array, line: number, lines: number): [from: number, to: number] {
  const from = skipLines(bytes, 0, line - 1)
  const end = skipLines(bytes, from, lines)
  return [from, end > from && bytes[end - 1] === NEWLINE ? end - 1 : end]
}

/** Whole lines while they fit; at least the beginning of the first. */
function forwards(
  bytes: Uint8Array,
  line: number,
  lines: number,
  { maxChars }: ReadbackLimits,
): ReadbackAnswer {
  const [from, to] = placeOf(bytes, line, lines)
  const end = fitFrom(bytes, from, to, maxChars)
  if (end >= to) return { text: decode(bytes, from, to) }
  const border = bytes[end] === NEWLINE ? end : bytes.lastIndexOf(NEWLINE, end - 1)
  if (border < from) {
    const next = `read with offset ${end}, maxBytes ${to - end} (a long line), or a proxy query by cache_id`
    return { text: decode(bytes, from, end), next }
  }
  const after = line + countNewlines(bytes, from, border) + 1
  const last = line + countNewlines(bytes, from, to)
  return { text: decode(bytes, from, border), next: `slice with fromLine ${after}, toLine ${last}` }
}

/** The last of these lines while they fit; at least the end of the last. */
function backwards(
  bytes: Uint8Array,
  line: number,
  last: number,
  { maxChars }: ReadbackLimits,
): ReadbackAnswer {
  const [from, to] = placeOf(bytes, line, last - line + 1)
  const start = fitTo(bytes, from, to, maxChars)
  if (start <= from) return { text: decode(bytes, from, to) }
  const border = bytes[start - 1] === NEWLINE ? start - 1 : bytes.indexOf(NEWLINE, start)
  if (border < 0 || border >= to) {
    const next = `read with offset ${from}, maxBytes ${start - from}, for what comes before`
    return { text: decode(bytes, start, to), next }
  }
  const before = line + countNewlines(bytes, from, border)
  const next = `slice with fromLine ${line}, toLine ${before}, for what comes before`
  return { text: decode(bytes, border + 1, to), next }
}

function readBytes(
  bytes: Uint8Array,
  { maxBytes = 0, offset = 0 }: ReadbackParams,
  { maxChars }: ReadbackLimits,
): ReadbackAnswer {
  const size = bytes.length
  if (offset > 0 && offset >= size)
    return { text: `There is nothing at byte ${offset}: the file has ${formatCount(size)}.` }
  const from = characterStart(bytes, offset)
  const wanted = maxBytes === 0 ? size : characterStart(bytes, Math.min(size, from + maxBytes))
  const end = fitFrom(bytes, from, wanted, maxChars)
  const text = decode(bytes, from, end)
  if (end >= size) return { text }
  const rest = maxBytes > 0 && end < wanted ? `, maxBytes ${wanted - end}` : ''
  return { text, next: `read with offset ${end}${rest} (${formatCount(size - end)} bytes are left)` }
}
