/**
 * Headings with a line of marks below them: `=` and `-` in Markdown (CommonMark §4.3), any mark in reStructuredText, perhaps with the same
 * line above. There the order in which they first come tells their levels (docutils, "Sections").
 */
import { type LineIndex, linesUpTo } from './lines.ts'

/** Longer lines are no headings. */
const LONGEST = 200
const textAt = linesUpTo(LONGEST, '')
/** Lines that are looked at for how headings are marked, and headings that there must be. */
const LOOKED = 2_000
const LEAST = 3
const RULE = /^ {0,3}([=~^"'*+#-])\1*[ \t]*$/
/** A list, a quote, a row of a table and a number of a list are no titles in Markdown. */
const NO_TITLE = /^ {0,3}(?:[>#|*+-]|\d+[.)] )/

/** Names over columns: a rule below them is that of a table. */
const COLUMNS = /\S {2,}\S.* {2,}\S/

export interface Underlined {
  /** 1 is the outermost. */
  level: number
  /** The same marks stand above the title. */
  overlined: boolean
}

interface Marked {
  mark: string
  overlined: boolean
}

export interface Underlines {
  /** Undefined for a line that is no heading with marks below it. */
  at(line: number): Underlined | undefined
  /** The marks are those of reStructuredText, in which no fence stands. */
  areOwn: boolean
}

export function underlinesOf(lines: LineIndex): Underlines {
  const order = orderOf(lines)
  const at = (line: number): Underlined | undefined => {
    const found = markedAt(lines, line)
    if (!found) return undefined
    const { mark, overlined } = found
    if (order) return { level: levelIn(order, found), overlined }
    if (overlined || NO_TITLE.test(lines.at(line)) || !/[=-]/.test(mark)) return undefined
    return { level: mark === '=' ? 1 : 2, overlined }
  }
  return { at, areOwn: order !== undefined }
}

/** True for a text with headings of this kind that are no chance. */
export function isUnderlined(lines: LineIndex): boolean {
  const { at } = underlinesOf(lines)
  let found = 0
  for (let line = 0; line < Math.min(lines.count, LOOKED) && found < LEAST; line++) if (at(line)) found += 1
  return found === LEAST
}

/** The kinds of marks in their order; undefined where Markdown has them all, or headings of its own. */
function orderOf(lines: LineIndex): string[] | undefined {
  const order = new Set<string>()
  let [count, isOwn] = [0, false]
  for (let line = 0; line < Math.min(lines.count, LOOKED); line++) {
    if (textAt(lines, line).startsWith('# ')) return undefined
    const found = markedAt(lines, line)
    if (!found) continue
    count += 1
    order.add(kindOf(found))
    if (found.overlined || !/[=-]/.test(found.mark)) isOwn = true
  }
  return isOwn && count >= LEAST ? [...order] : undefined
}

function levelIn(order: readonly string[], found: Marked): number {
  const at = order.indexOf(kindOf(found))
  return at < 0 ? order.length + 1 : at + 1
}

function kindOf({ mark, overlined }: Marked): string {
  return overlined ? `${mark}${mark}` : mark
}

function markedAt(lines: LineIndex, line: number): Marked | undefined {
  const below = line + 1 < lines.count ? textAt(lines, line + 1) : ''
  const mark = RULE.exec(below)?.[1]
  if (mark === undefined) return undefined
  const title = textAt(lines, line).trim()
  const above = line === 0 ? '' : textAt(lines, line - 1).trim()
  if (!/^ {0,3}\S/.test(textAt(lines, line)) || !/[\p{L}\p{N}]/u.test(title) || RULE.test(title))
    return undefined
  if (COLUMNS.test(title)) return undefined
  const overlined = above !== '' && above === below.trim() && above.length >= title.length
  if (above !== '' && !overlined) return undefined
  const length = below.trim().length
  // Markdown takes a rule of any length; other marks are a heading only where they are as long as it.
  const isLong = /[=-]/.test(mark) ? length > (mark === '=' ? 0 : 1) : length >= Math.max(LEAST, title.length)
  return isLong ? { mark, overlined } : undefined
}
