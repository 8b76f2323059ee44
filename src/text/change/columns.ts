/**
 * Secrets in tables of text (CSV, also with tabs, semicolons or bars) with a header that says what stands below: `id,api_key`. Only texts
 * that
 * begin with such a table, or with a few lines before it. Linear in the text.
 */

import { isSecretValue, mayBeNumber, type Secrecy, secrecyOf } from './named.ts'
import type { Finding } from './scan.ts'

const DELIMITERS = [',', '\t', ';', '|'] as const
/** Lines among which the header has to be. */
const FIRST_LINES = 10
const LONGEST_HEADER = 8_192
/** The longest cell in quotes, which may have line breaks in it. */
const LONGEST_CELL = 65_536
/** Lines in a row that are none of the table, after which it is over. */
const ENDING = 3

/** Part of any name that tells of secrets: most headers are told from those by that alone. */
const MAY_TELL = /pass|pwd|secret|key|token|auth|cred|cookie|sess|connection/i
const NAME = /^[\p{L}_][\p{L}\p{N}_.()/#-]*(?: [\p{L}\p{N}_.()/#-]+){0,3}$/u
/** The line between header and rows in tables with bars. */
const RULE = /^[\s|+:=-]+$/

interface Cell {
  start: number
  end: number
}

interface Column {
  at: number
  name: string
  secrecy: Secrecy
}

export function findInColumns(text: string, into: Finding[]): void {
  let start = 0
  for (let line = 0; line < FIRST_LINES; line++) {
    const end = text.indexOf('\n', start)
    if (end < 0) return
    const header = end - start > LONGEST_HEADER ? '' : text.slice(start, end)
    if (MAY_TELL.test(header))
      for (const delimiter of DELIMITERS)
        if (isHeader(text, header, end + 1, delimiter) && findBelow(text, start, delimiter, into)) return
    start = end + 1
  }
}

/** Programs and prose have blanks behind commas, and pipes have them around bars; of tables with such bars a rule is below the header. */
function isHeader(text: string, header: string, below: number, delimiter: string): boolean {
  if (!header.includes(delimiter)) return false
  if (delimiter === '\t' || !header.includes(`${delimiter} `)) return true
  return delimiter === '|' && isRule(text, below)
}

function isRule(text: string, at: number): boolean {
  const line = text.slice(at, Math.min(endOfLine(text, at), at + LONGEST_HEADER))
  return line.includes('--') && RULE.test(line)
}

/** True where a table of columns with such names begins here. */
function findBelow(text: string, start: number, delimiter: string, into: Finding[]): boolean {
  const { cells, next } = readRow(text, start, delimiter, true)
  const names = cells.map((cell) => text.slice(cell.start, cell.end))
  const inner =
    delimiter === '|' ? names.filter((name, at) => name !== '' || (at > 0 && at < names.length - 1)) : names
  if (inner.length < 2 || !inner.every((name) => NAME.test(name))) return false
  const columns = names.flatMap((name, at): Column[] => {
    const secrecy = secrecyOf(name)
    return secrecy === undefined ? [] : [{ at, name, secrecy }]
  })
  if (columns.length === 0) return false
  return readRows(text, next, delimiter, names.length, columns, into)
}

/** True where there is a row. A blank line ends the table. */
function readRows(
  text: string,
  from: number,
  delimiter: string,
  width: number,
  columns: readonly Column[],
  into: Finding[],
): boolean {
  let isThere = false
  let others = 0
  let hasQuotes = true
  for (let at = from; at < text.length && others < ENDING; ) {
    const row = readRow(text, at, delimiter, hasQuotes)
    hasQuotes &&= row.isSound
    if (row.cells.length === 1 && row.cells[0]?.start === row.cells[0]?.end) break
    if (isRule(text, at)) {
      at = row.next
      continue
    }
    if (row.cells.length >= width) {
      others = 0
      isThere = true
      for (const column of columns) judge(text, row.cells[column.at], column, delimiter, into)
    } else others++
    at = row.next
  }
  return isThere
}

function judge(
  text: string,
  cell: Cell | undefined,
  { name, secrecy }: Column,
  delimiter: string,
  into: Finding[],
): void {
  if (cell === undefined || cell.start >= cell.end) return
  const value = text.slice(cell.start, cell.end)
  if (/^[-+]?\d[\d.,eE+-]*$/.test(value) && !mayBeNumber(name)) return
  // Tables with bars are written for people: more than a word is about it, not it.
  const isData = delimiter !== '|'
  if (!isData && /\s/.test(value)) return
  if (isSecretValue(secrecy, value, isData)) into.push({ ...cell, kind: 'secret' })
}

interface Row {
  /** Without blanks and quotes around them. */
  cells: Cell[]
  /** Where the next one begins. */
  next: number
  /** False: quotes here do not mean what they do in CSV. */
  isSound: boolean
}

function readRow(text: string, from: number, delimiter: string, hasQuotes: boolean): Row {
  const cells: Cell[] = []
  let isSound = true
  const lineEnd = endOfLine(text, from)
  let limit = lineEnd
  for (let at = from; ; ) {
    let start = at
    while (start < limit && isBlank(text, start, delimiter)) start++
    const quoted = hasQuotes && isSound && text.charCodeAt(start) === 34 ? closing(text, start + 1) : -1
    if (hasQuotes && isSound && text.charCodeAt(start) === 34 && quoted < 0) isSound = false
    if (quoted >= 0 && quoted >= limit) limit = endOfLine(text, quoted)
    const behind = quoted >= 0 ? quoted : start
    // Of the line alone: where there is none, all that follows would be looked through.
    const next = text.slice(behind, limit).indexOf(delimiter)
    const end = next < 0 ? limit : behind + next
    cells.push(quoted >= 0 ? { start: start + 1, end: quoted } : trimmed(text, start, end))
    if (end === limit) return { cells, next: limit + 1, isSound }
    at = end + 1
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

function isBlank(text: string, at: number, delimiter: string): boolean {
  const code = text.charCodeAt(at)
  return code === 32 || (code === 9 && delimiter !== '\t')
}

function trimmed(text: string, start: number, end: number): Cell {
  let last = end
  while (last > start && /\s/.test(text[last - 1] as string)) last--
  return { start, end: last }
}

/** Where the quotes end that began before this place; two of them are one. -1: nowhere near. */
function closing(text: string, from: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at)
    if (quote < 0 || quote - from > LONGEST_CELL) return -1
    if (text.charCodeAt(quote + 1) !== 34) return quote
    at = quote + 2
  }
}
