/** The sections of a text: by headings (Markdown, logs, INI), or by indentation where there are none. */
import type { LineIndex } from './lines.ts'
import { isBlank, type LineRange } from './passages.ts'

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
  let fence: string | undefined
  for (let line = 0; line < lines.count; line++) {
    if (lines.end(line) - lines.start(line) > 200) continue
    const text = lines.at(line)
    const marker = /^\s{0,3}(```|~~~)/.exec(text)?.[1]
    if (marker !== undefined) fence = fence === undefined ? marker : fence === marker ? undefined : fence
    const heading = fence === undefined && marker === undefined ? headingAt(lines, line, text) : undefined
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

function headingAt(lines: LineIndex, line: number, text: string): Heading | undefined {
  const first = text.trimStart().charCodeAt(0)
  if (Number.isNaN(first)) return undefined
  const markdown = /^(#{1,6})\s+(\S.*?)(?:\s+#+)?\s*$/.exec(text)
  if (markdown) return { line, level: markdown[1]?.length ?? 1, title: markdown[2] ?? '' }
  const banner = /^\s*([=*#~-])\1{2,}\s*([^\s=*#~-](?:.*[^\s=*#~-])?)\s*\1*\s*$/.exec(text)
  if (banner) return { line, level: 1, title: banner[2] ?? '' }
  const bracketed = /^\[([^[\]]{1,80})\]\s*$/.exec(text)
  if (bracketed) return { line, level: 1, title: bracketed[1] ?? '' }
  const under =
    line + 1 < lines.count && lines.end(line + 1) - lines.start(line + 1) < 200 ? lines.at(line + 1) : ''
  const underlined = /^(?:(={3,})|-{3,})\s*$/.exec(under)
  if (underlined && /^[^\s|>-].*[\p{L}\p{N})]/u.test(text) && (line === 0 || isBlank(lines, line - 1))) {
    return { line, level: underlined[1] === undefined ? 2 : 1, title: text.trim() }
  }
  return undefined
}

/**
 * The innermost section that holds `line`; from its heading on with the sections below it, when all of that has at most
 * `longest` characters. Text before the first heading is a section without a path.
 */
export function sectionAt(
  lines: LineIndex,
  headings: readonly Heading[],
  line: number,
  longest = 0,
): Section {
  if (headings.length === 0) return indentedAt(lines, line)
  const index = lastAtMost(headings, line)
  let last = (headings[index + 1]?.line ?? lines.count) - 1
  const own = headings[index]
  if (own === undefined) return { first: 0, last, path: [] }
  if (own.line === line) {
    const next = headings.findIndex(({ level }, at) => at > index && level <= own.level)
    const end = (headings[next]?.line ?? lines.count) - 1
    if (lines.end(end) - lines.start(line) <= longest) last = end
  }
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

/** Index of the last heading at or before `line`; -1 when there is none. */
export function lastAtMost(headings: readonly Heading[], line: number): number {
  let low = 0
  let high = headings.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((headings[middle]?.line ?? 0) <= line) low = middle + 1
    else high = middle
  }
  return low - 1
}
