/** Cutting a text into passages to rank, and finding the paragraph or sentence around a place. */
import type { LineIndex } from './lines.ts'
import { SpanList, type Spans } from './spans.ts'

/** A passage is no longer than this, in characters, unless one record is. */
const longestPassage = 1_000

/** First and last line, both included. */
export interface LineRange {
  first: number
  last: number
}

/** One passage a record: a line with those that continue it (stack traces, wrapped text), up to the next that `begins`. */
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
  return line.length < 100 && /^#{1,6}\s|^\s*(?:={3,}|-{3,})\s*\S|:\s*$/.test(line)
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
