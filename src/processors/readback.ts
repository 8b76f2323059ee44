/** Parts of a text by lines and bytes: what `head`, `tail`, `grep` and a look at the size are for files. */

import { head } from '../text/cut.ts'
import { formatCount } from '../text/format.ts'
import { indexLines, type LineIndex } from '../text/lines.ts'
import { compilePattern, isPattern, type Pattern, PatternError } from '../text/pattern.ts'
import { Refusal } from './refusal.ts'

export const READBACK_OPS = ['stat', 'head', 'tail', 'slice', 'grep', 'read'] as const

export interface ReadbackParams {
  op: (typeof READBACK_OPS)[number]
  /** Of `head` and `tail`. */
  lines?: number | undefined
  /** Of `slice`: 1-based, inclusive. */
  fromLine?: number | undefined
  toLine?: number | undefined
  /** Of `grep`. */
  pattern?: string | undefined
  context?: number | undefined
  /** Of `read`: UTF-8 bytes; 0 or absent: all. And where it begins. */
  maxBytes?: number | undefined
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

/** Any op but `stat`. Bounded by the limits; what they cut is named in `next`. Throws a `Refusal`. */
export function readback(text: string, params: ReadbackParams, limits: ReadbackLimits): ReadbackAnswer {
  if (params.op === 'read') return readBytes(text, params, limits)
  const lines = indexLines(text)
  if (params.op === 'grep') return grep(text, lines, params, limits)
  const [from, to] = rangeOf(lines.count, params)
  if (params.op === 'slice' && from > to)
    return { text: `There are no lines ${from}-${to}: the file has ${formatCount(lines.count)}.` }
  return range(lines, from, to, limits)
}

function rangeOf(
  count: number,
  { op, lines = someLines, fromLine = 1, toLine = count }: ReadbackParams,
): [number, number] {
  if (op === 'head') return [1, Math.min(lines, count)]
  if (op === 'tail') return [Math.max(1, count - lines + 1), count]
  return [Math.max(1, fromLine), Math.min(toLine, count)]
}

/** Whole lines while they fit; at least the beginning of the first. */
function range(lines: LineIndex, from: number, to: number, { maxChars }: ReadbackLimits): ReadbackAnswer {
  const taken: string[] = []
  let room = maxChars
  for (let line = from; line <= to; line++) {
    const length = lines.end(line - 1) - lines.start(line - 1)
    if (length > room) {
      if (taken.length > 0)
        return { text: taken.join('\n'), next: `slice with fromLine ${line}, toLine ${to}` }
      const next = `read with offset (this line has ${formatCount(length)} characters), or a proxy query by cache_id`
      return { text: head(lines.at(line - 1), room), next }
    }
    taken.push(lines.at(line - 1))
    room -= length + 1
  }
  return { text: taken.join('\n') }
}

function readBytes(
  text: string,
  { maxBytes = 0, offset = 0 }: ReadbackParams,
  { maxChars }: ReadbackLimits,
): ReadbackAnswer {
  const bytes = Buffer.from(text, 'utf8')
  const from = characterStart(bytes, Math.min(offset, bytes.length))
  const wanted = maxBytes === 0 ? bytes.length : Math.min(bytes.length, from + maxBytes)
  // Characters are bytes at least: no more than this is looked at.
  const to = characterStart(bytes, Math.min(wanted, from + maxChars * 4))
  const part = head(bytes.toString('utf8', from, Math.max(to, from)), maxChars)
  const end = from + Buffer.byteLength(part)
  const left = bytes.length - end
  return left <= 0
    ? { text: part }
    : { text: part, next: `read with offset ${end} (${formatCount(left)} bytes are left)` }
}

/** The last position at or before `at` where a character begins. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = at
  while (start > 0 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  return start
}

/** Matching lines with their numbers, `--` where lines between were left out, as grep writes them. */
function grep(
  text: string,
  lines: LineIndex,
  params: ReadbackParams,
  limits: ReadbackLimits,
): ReadbackAnswer {
  const { pattern: source = '', context = 0 } = params
  if (source === '') throw new Refusal('grep needs pattern: what to look for, as a regular expression.')
  const compiled = compilePattern(source, { caseInsensitive: true })
  if (!isPattern(compiled)) throw new Refusal(compiled.error)
  const matches = matchingLines(text, lines, compiled)
  if (matches.length === 0) return { text: `No line matches ${JSON.stringify(source).slice(0, 200)}.` }
  const shown = matches.slice(0, limits.maxMatches)
  const matching = new Set(matches)
  const out: string[] = []
  let room = limits.maxChars
  let last = -1
  let full = 0
  for (const match of shown) {
    const block: string[] = []
    const from = Math.max(last + 1, match - context)
    const to = Math.min(lines.count - 1, match + context)
    if (last >= 0 && from > last + 1) block.push('---')
    for (let line = from; line <= to; line++)
      block.push(`${line + 1}${matching.has(line) ? ':' : '-'} ${lines.at(line)}`)
    const size = block.reduce((sum, one) => sum + one.length + 1, 0)
    if (size > room && full > 0) break
    out.push(...block.map((one) => head(one, Math.max(200, room))))
    room -= size
    last = Math.max(last, to)
    full++
    if (room <= 0) break
  }
  const note = compiled.note === undefined ? '' : `${compiled.note}\n`
  const heading = `${note}${formatCount(matches.length)} lines match.\n`
  if (full === matches.length) return { text: heading + out.join('\n') }
  const next = `a narrower pattern, or slice with fromLine ${(matches[full] ?? 0) + 1}`
  return { text: heading + out.join('\n'), next }
}

function matchingLines(text: string, lines: LineIndex, pattern: Pattern): number[] {
  const found: number[] = []
  try {
    pattern.run(() => {
      for (let line = 0; line < lines.count; line++) {
        const from = lines.start(line)
        const candidate = pattern.candidate(text, from)
        if (candidate < 0) break
        line = Math.max(line, lines.lineAt(candidate))
        if (pattern.test(lines.at(line))) found.push(line)
      }
    })
  } catch (error) {
    if (error instanceof PatternError) throw new Refusal(error.message)
    throw error
  }
  return found
}
