/** Cutting a text into passages to rank, and finding the paragraph or sentence around a place. */
import type { LineIndex } from './lines.ts'
import type { Span } from './patterns/pattern.ts'
import { SpanList, type Spans } from './spans.ts'
import { type Underlines, underlinesOf } from './underlines.ts'

/** A passage is no longer than this, in characters, unless one record is. */
const longestPassage = 1_000

/** First and last line, both included. */
export interface LineRange {
  first: number
  last: number
}

/** One passage a record: a line with its continuations (stack traces, wrapped text), up to the next that `begins`. */
export function recordPassages(
  text: string,
  lines: LineIndex,
  begins: (line: string, index: number) => boolean = startsRecord,
): Spans {
  const list = new SpanList()
  let first = 0
  for (let line = 1; line <= lines.count; line++) {
    const continues = line < lines.count && line - first < 200 && !begins(lines.at(line), line)
    if (continues) continue
    addCut(list, text, lines.start(first), lines.end(line - 1))
    first = line
  }
  return list.spans()
}

const startsRecord = (line: string): boolean => !continuation.test(line)

const continuation = /^(?:\s+\S|Caused by\b|Traceback \(|\.{3} \d+ more)/

/** Paragraphs; long ones are cut between lines, then at blanks; headings stay with what follows. */
export function paragraphPassages(text: string, lines: LineIndex): Spans {
  const list = new SpanList()
  for (let line = 0; line < lines.count; ) {
    if (isBlank(lines, line)) {
      line++
      continue
    }
    let { last } = paragraphAround(lines, line)
    if (last === line && isHeading(lines.at(line))) last = followingParagraph(lines, line) ?? last
    addLines(list, text, lines, { first: line, last })
    line = last + 1
  }
  return list.spans()
}

/** The lines around `line` that no blank line separates; a blank line is alone. */
export function paragraphAround(lines: LineIndex, line: number): LineRange {
  if (isBlank(lines, line)) return { first: line, last: line }
  let first = line
  let last = line
  while (first > 0 && !isBlank(lines, first - 1)) first--
  while (last + 1 < lines.count && !isBlank(lines, last + 1)) last++
  return { first, last }
}

export function isBlank(lines: LineIndex, line: number): boolean {
  return (
    lines.end(line) - lines.start(line) < 1 ||
    (lines.end(line) - lines.start(line) < 200 && lines.at(line).trim() === '')
  )
}

function isHeading(line: string): boolean {
  return line.length < 100 && /^ {0,3}#{1,6}\s|^\s*(?:={3,}|-{3,})\s*\S|:\s*$/.test(line)
}

function followingParagraph(lines: LineIndex, heading: number): number | undefined {
  const next = heading + 2
  if (next >= lines.count || isBlank(lines, next)) return undefined
  return isHeading(lines.at(next)) ? undefined : paragraphAround(lines, next).last
}

function addLines(list: SpanList, text: string, lines: LineIndex, { first, last }: LineRange): void {
  let from = first
  for (let line = first + 1; line <= last + 1; line++) {
    if (line <= last && lines.end(line) - lines.start(from) <= longestPassage) continue
    addCut(list, text, lines.start(from), lines.end(line - 1))
    from = line
  }
}

/** Adds `[start, end)`, cut at blanks where it is too long. */
function addCut(list: SpanList, text: string, start: number, end: number): void {
  let from = start
  while (end - from > longestPassage) {
    const blank = text.slice(from, from + longestPassage).lastIndexOf(' ')
    const cut = blank > longestPassage / 2 ? from + blank + 1 : wholeCharacter(text, from + longestPassage)
    list.add(from, cut)
    from = cut
  }
  if (end > from) list.add(from, end)
}

/** `at`, or one less when that would split a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at
}

// The sections of a text: by headings (Markdown, logs, INI), or by indentation where there are none.

export interface Heading {
  line: number
  /** 1 is the outermost. */
  level: number
  title: string
}

/** A section and the headings that lead to it, outermost first. */
export interface Section extends LineRange {
  path: readonly string[]
}

/** Lines that are looked at for the start and the end of an indented block. */
const blockReach = 2_000

/** All headings, in order; numbered ones and those in capitals only where there are no others. One pass over the lines. */
export function findHeadings(lines: LineIndex): Heading[] {
  const headings: Heading[] = []
  const plain: Heading[] = []
  const underlines = underlinesOf(lines)
  let fence: string | undefined
  for (let line = 0; line < lines.count; line++) {
    if (lines.end(line) - lines.start(line) > 200) continue
    const text = lines.at(line)
    const marker = underlines.areOwn ? undefined : /^\s{0,3}(```|~~~)/.exec(text)?.[1]
    if (marker !== undefined) fence = fence === undefined ? marker : fence === marker ? undefined : fence
    const heading =
      fence === undefined && marker === undefined ? headingAt(line, text, underlines) : undefined
    if (heading !== undefined) headings.push(heading)
    else if (headings.length === 0 && fence === undefined) {
      const numbered = plainHeadingAt(lines, line, text)
      if (numbered !== undefined) plain.push(numbered)
    }
  }
  return headings.length > 0 || plain.length < 2 ? headings : plain
}

/** `3.2. Framing` between empty lines, as RFCs have it, or `SYNOPSIS` above something indented, as manuals do. */
function plainHeadingAt(lines: LineIndex, line: number, text: string): Heading | undefined {
  if (text.length > 80 || !/^[\dA-Z]/.test(text) || (line > 0 && !isBlank(lines, line - 1))) return undefined
  const numbered = /^(\d{1,3}(?:\.\d{1,3}){0,5})\.?\s{1,3}\p{Lu}.*[^.,;:\s]\s*$/u.exec(text)
  if (numbered && (line + 1 >= lines.count || isBlank(lines, line + 1)))
    return { line, level: numbered[1]?.split('.').length ?? 1, title: text.trim() }
  const indented = line + 1 < lines.count && /^\s+\S/.test(lines.at(line + 1).slice(0, 200))
  return indented && /^[A-Z][A-Z\d ,/()&-]{2,}$/.test(text)
    ? { line, level: 1, title: text.trim() }
    : undefined
}

/** For each heading the titles that lead to it, its own last. */
export function headingPaths(headings: readonly Heading[]): (readonly string[])[] {
  const open: Heading[] = []
  return headings.map((heading) => {
    while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop()
    open.push(heading)
    return open.map(({ title }) => title)
  })
}

function headingAt(line: number, text: string, underlines: Underlines): Heading | undefined {
  const first = text.trimStart().charCodeAt(0)
  if (Number.isNaN(first)) return undefined
  const markdown = /^ {0,3}(#{1,6})\s+(\S.*?)(?:\s+#+)?\s*$/.exec(text)
  if (markdown) return { line, level: markdown[1]?.length ?? 1, title: markdown[2] ?? '' }
  const banner = /^\s*([=*#~-])\1{2,}\s*([^\s=*#~-](?:.*[^\s=*#~-])?)\s*\1*\s*$/.exec(text)
  if (banner) return { line, level: 1, title: banner[2] ?? '' }
  const bracketed = /^\[([^[\]]{1,80})\]\s*$/.exec(text)
  if (bracketed) return { line, level: 1, title: bracketed[1] ?? '' }
  const under = underlines.at(line)
  return under && { line, level: under.level, title: text.trim() }
}

/**
 * The section that holds `line`, from its heading to the next one of its own level or above: with the sections and tables below it.
 * If all of that has more than `longest` characters and `line` is not its heading, the section is its own text alone. That text ends at
 * the next heading of any level. Text before the first heading is a section without a path.
 */
export function sectionAt(
  lines: LineIndex,
  headings: readonly Heading[],
  line: number,
  longest = 0,
): Section {
  if (headings.length === 0) return indentedAt(lines, line)
  const index = lastAtMost(headings, line)
  const own = headings[index]
  const before = (at: number): number => (headings[at]?.line ?? lines.count) - 1
  if (own === undefined) return { first: 0, last: before(0), path: [] }
  const next = headings.findIndex(({ level }, at) => at > index && level <= own.level)
  let last = before(next)
  if (own.line !== line && lines.end(last) - lines.start(own.line) > longest) last = before(index + 1)
  while (last > own.line && isBlank(lines, last)) last--
  const path = [own.title]
  let level = own.level
  for (let above = index - 1; above >= 0 && level > 1; above--) {
    const heading = headings[above]
    if (heading === undefined || heading.level >= level) continue
    path.unshift(heading.title)
    level = heading.level
  }
  return { first: own.line, last, path }
}

/** The block of the line that `line` is indented under, with the chain of such lines as its path. */
function indentedAt(lines: LineIndex, line: number): Section {
  const path: string[] = []
  let first = line
  let indent = indentOf(lines, line)
  for (let above = line - 1; above >= Math.max(0, line - blockReach) && indent > 0; above--) {
    const found = indentOf(lines, above)
    if (isBlank(lines, above) || found >= indent) continue
    if (path.length === 0) first = above
    path.unshift(lines.at(above).trim().slice(0, 100))
    indent = found
  }
  const border = indentOf(lines, first)
  let last = Math.max(line, first)
  for (let next = first + 1; next < Math.min(lines.count, first + blockReach); next++) {
    if (isBlank(lines, next)) continue
    if (indentOf(lines, next) <= border) break
    last = Math.max(last, next)
  }
  return { first, last, path }
}

function indentOf(lines: LineIndex, line: number): number {
  return /^[ \t]*/.exec(lines.at(line).slice(0, 200))?.[0].length ?? 0
}

/** Index of the last heading, or anything else, at or before `line`; -1 when there is none. */
export function lastAtMost(headings: readonly { readonly line: number }[], line: number): number {
  let low = 0
  let high = headings.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((headings[middle]?.line ?? 0) <= line) low = middle + 1
    else high = middle
  }
  return low - 1
}

// The sentence around a place in a text.

/** Sentences are looked for this far before and after; a longer one is cut there. */
const reach = 600

/**
 * The sentences that hold `[start, end)`, within `[from, to)`: from the first to the last one it touches. A single line
 * break does not end a sentence, as prose is often wrapped; an empty line does.
 */
export function sentenceAround(text: string, place: Span, from: number, to: number): Span {
  const low = Math.max(from, place.start - reach)
  const high = Math.min(to, Math.max(place.start, Math.min(place.end, place.start + reach)) + reach)
  const window = text.slice(low, high)
  const unwrapped = window.replace(wrap, (lineBreak) => ' '.repeat(lineBreak.length))
  let start = low
  let end = high
  for (const { index, segment } of sentences.segment(unwrapped)) {
    const first = low + index
    const after = first + segment.length
    if (first <= place.start) start = first
    if (after >= place.end || after >= high) {
      end = after
      break
    }
  }
  return trimmed(text, start, end)
}

/** A line break within a sentence: not after a heading, not before a heading, a list item or an empty line. */
const wrap = /(?<!^#{1,6} .*)\r?\n(?!\s*(?:[-*•]|\d+[.)]|#{1,6})\s|\s*\n)/gm

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

function trimmed(text: string, start: number, end: number): Span {
  const part = text.slice(start, end)
  const from = start + (part.length - part.trimStart().length)
  return { start: from, end: Math.max(from, start + part.trimEnd().length) }
}
