/** Parts of a file by lines and bytes: what `head`, `tail`, `grep` and a look at the size are for files. */

import { isUtf8 } from 'node:buffer'
import { Refusal } from '../query/refusal.ts'
import {
  characterStart,
  countLines,
  countNewlines,
  decode,
  fitFrom,
  fitTo,
  skipLines,
} from '../text/byte-text.ts'
import { formatCount, formatPlural } from '../text/format.ts'
import { indexLines, type LineIndex } from '../text/lines.ts'
import { compilePattern, isPattern, type Pattern, PatternError } from '../text/patterns/pattern.ts'
import { ellipsis, head } from '../text/shorten.ts'

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

/** Lines that `head` and `tail` give by default. */
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

// `grep` over a file: lines with their numbers, and of lines too long to be shown what is around each match.

/** Characters of a line that is shown whole, of one that stands beside a match, and around a match in a longer one. */
const longLine = 1000
const longContext = 200
const around = 150
/** Matches in one long line that are counted. */
const mostCounted = 100_000

/** Lines are counted from 0, places are characters of the text. */
interface Hit {
  line: number
  /** Of the line, or of the match in a long one. */
  at: number
  end: number
  isLong: boolean
}

interface Found {
  /** Those from the offset on, one more than are shown. */
  hits: Hit[]
  lines: number
  matches: number
  isMore: boolean
}

/** A file as it is searched. */
interface Searched {
  bytes: Uint8Array
  text: string
  lines: LineIndex
}

/** Blind to case. A pattern that is no regular expression is searched as text; no pattern takes for ever. Throws a `Refusal`. */
export function grep(bytes: Uint8Array, params: ReadbackParams, limits: ReadbackLimits): ReadbackAnswer {
  const { pattern: source = '', offset = 0 } = params
  if (source === '') throw new Refusal('grep needs pattern: what to look for, as a regular expression.')
  const pattern = compilePattern(source, { caseInsensitive: true })
  if (!isPattern(pattern)) throw new Refusal(pattern.error)
  const text = decode(bytes, 0, bytes.length)
  const from = offset === 0 ? 0 : decode(bytes, 0, characterStart(bytes, offset)).length
  const searched = { bytes, text, lines: indexLines(text) }
  try {
    return pattern.run(() => {
      const found = find(searched, pattern, from, limits.maxMatches + 1)
      return shown(searched, found, pattern, params, limits)
    })
  } catch (error) {
    if (error instanceof PatternError) throw new Refusal(error.message)
    throw error
  }
}

function find({ text, lines }: Searched, pattern: Pattern, from: number, most: number): Found {
  const found: Found = { hits: [], lines: 0, matches: 0, isMore: false }
  const add = (hit: Hit): void => {
    found.matches++
    if (hit.at >= from && found.hits.length < most) found.hits.push(hit)
  }
  for (let line = 0; line < lines.count; line++) {
    const candidate = pattern.candidate(text, lines.start(line))
    if (candidate < 0) break
    line = Math.max(line, lines.lineAt(candidate))
    const [at, end] = [lines.start(line), lines.end(line)]
    const before = found.matches
    if (end - at <= longLine) {
      if (pattern.test(lines.at(line))) add({ line, at, end, isLong: false })
    } else {
      for (const match of pattern.matches(lines.at(line))) {
        add({ line, at: at + match.start, end: at + match.end, isLong: true })
        found.isMore ||= found.matches - before >= mostCounted
        if (found.isMore) break
      }
    }
    if (found.matches > before) found.lines++
  }
  return found
}

function shown(
  searched: Searched,
  found: Found,
  pattern: Pattern,
  { pattern: source = '', context = 0, offset = 0 }: ReadbackParams,
  { maxChars, maxMatches }: ReadbackLimits,
): ReadbackAnswer {
  const note = pattern.note === undefined ? '' : `${ellipsis(pattern.note, 300)}\n`
  if (found.matches === 0) return { text: `${note}No line matches ${ellipsis(JSON.stringify(source), 200)}.` }
  const heading = `${note}${countOf(found)}\n`
  if (found.hits.length === 0) return { text: `${heading}None of them is at byte ${offset} or later.` }
  const out: string[] = []
  /** The last line that is shown, and the last character. */
  let [line, end] = [-1, -1]
  let room = maxChars - heading.length
  let done = 0
  for (const hit of found.hits.slice(0, maxMatches)) {
    const block = hit.isLong
      ? windowOf(searched, hit, end)
      : linesAround(searched, pattern, hit, line, context)
    const isApart = line >= 0 && hit.line - (hit.isLong ? 0 : context) > line + 1
    const text = [...(isApart && block.length > 0 ? ['---'] : []), ...block].join('\n')
    if (text.length > room) {
      if (done > 0) break
      // Rather the line itself than what stands before it.
      const alone = hit.isLong ? block : linesAround(searched, pattern, hit, line, 0)
      out.push(head(alone.join('\n'), room))
      done = 1
      break
    }
    if (text !== '') out.push(text)
    room -= text.length + 1
    line = Math.max(line, hit.line + (hit.isLong ? 0 : context))
    end = Math.max(end, hit.isLong ? hit.end + around : -1)
    done++
  }
  const left = found.hits[done]
  const text = heading + out.join('\n')
  if (left === undefined) return { text }
  const next = byteOf(searched, left)
  return {
    text,
    next: next === undefined ? 'a narrower pattern' : `grep with offset ${next}, or a narrower pattern`,
  }
}

function countOf({ lines, matches, isMore }: Found): string {
  const count = `${formatPlural(lines, 'line')} match${lines === 1 ? 'es' : ''}`
  const times = `${isMore ? 'at least ' : ''}${formatCount(matches)} times`
  return matches > lines ? `${count}, ${times}.` : `${count}.`
}

/** As grep writes them: `12:` matches, `13-` stands beside it. `last` was shown already. */
function linesAround(
  { lines }: Searched,
  pattern: Pattern,
  hit: Hit,
  last: number,
  context: number,
): string[] {
  const block: string[] = []
  const to = Math.min(lines.count - 1, hit.line + context)
  for (let line = Math.max(last + 1, hit.line - context); line <= to; line++) {
    const text = lines.at(line)
    const isMatch = line === hit.line || (text.length <= longLine && pattern.test(text))
    block.push(`${line + 1}${isMatch ? ':' : '-'} ${isMatch ? text : ellipsis(text, longContext)}`)
  }
  return block
}

/** The part around a match in a long line, and where: nothing when that was shown already. */
function windowOf(searched: Searched, hit: Hit, last: number): string[] {
  const { text, lines } = searched
  if (hit.end <= last) return []
  const [start, end] = [lines.start(hit.line), lines.end(hit.line)]
  const from = Math.max(start, last, hit.at - around)
  const to = Math.min(end, Math.max(hit.end, Math.min(hit.end + around, from + longLine)))
  const part = ellipsis(
    text.slice(from, Math.min(to, from + longLine)).replaceAll(/\p{Cs}/gu, '\uFFFD'),
    longLine,
  )
  const byte = byteOf(searched, { ...hit, at: from })
  const place = byte === undefined ? '' : ` (byte ${byte})`
  return [`${hit.line + 1}${place}: ${from > start ? '…' : ''}${part}${to < end ? '…' : ''}`]
}

/** The byte of a place; undefined where its line is no UTF-8, so that characters do not tell. */
function byteOf({ bytes, text, lines }: Searched, { line, at }: Hit): number | undefined {
  const start = skipLines(bytes, 0, line)
  const characters = at - lines.start(line)
  if (characters === 0) return start
  const part = bytes.subarray(start, skipLines(bytes, start, 1))
  return isUtf8(part) ? start + Buffer.byteLength(text.slice(lines.start(line), at)) : undefined
}
