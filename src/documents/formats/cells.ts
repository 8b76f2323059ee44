/** Cells under the names of their columns, as records; and which texts are numbers. */

import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { saysNothing } from '../../text/values/quantities.ts'

/** A table as records, and the words around it. */
export interface FoundTable {
  json: () => JsonValue[]
  asides: string[]
}

/** The label of words that stand beside the data. */
export const BESIDE = 'text beside it: '

/** A line beside a table, told as such. A part of a text may have told it already. */
export function asideOf(line: string): string {
  const text = line.trim()
  return text.startsWith(BESIDE) ? text : BESIDE + text.slice(0, 200)
}

/** The words on both sides of data as a remark each, without the borders of a fence. */
export function wordsAround(before: string, after: string): string[] {
  return [before, after]
    .map((words) =>
      words
        .replace(/```\w*/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((words) => words !== '')
    .map((words) => BESIDE + words)
}

/**
 * A record a row; a line that is none becomes `{_line}`. Cells beyond the last column go to `_more`; a cell is a number only where the
 * number is written back the same.
 */
export function recordsOf(
  names: readonly string[],
  rows: readonly (readonly string[] | string)[],
): JsonObject[] {
  const cells = rows.filter((row) => typeof row !== 'string')
  const numeric = names.map((_, column) => isNumeric(cells, column))
  return rows.map((row) => (typeof row === 'string' ? { _line: row } : record(row, names, numeric)))
}

/** Numbers when every cell of the column is one exactly; empty cells are then null. */
function isNumeric(rows: readonly (readonly string[])[], column: number): boolean {
  let numbers = 0
  for (const row of rows) {
    const cell = row[column]
    if (cell === undefined || cell === '') continue
    if (exactNumber(cell) === undefined) return false
    numbers += 1
  }
  return numbers > 0
}

function record(row: readonly string[], names: readonly string[], numeric: readonly boolean[]): JsonObject {
  const object: JsonObject = {}
  for (let column = 0; column < names.length && column < row.length; column++) {
    const cell = row[column] ?? ''
    setOwn(object, names[column] ?? '', numeric[column] ? (exactNumber(cell) ?? null) : cell)
  }
  if (row.length > names.length) object._more = row.slice(names.length)
  return object
}

/** Share of cells with a blank that a column of prose has, and rows that say it. */
const PROSE = 0.5
const FEWEST_OF_PROSE = 3

/**
 * Joins the cells of a row that has more than `count`. A bar within a cell was not marked, and belongs to the one column of prose. Undefined where there is no such column, or where cells of other columns would be of another kind. `rows`: those with as many cells.
 */
export function joinerOf(
  rows: readonly (readonly string[])[],
  count: number,
): (cells: readonly string[]) => string[] | undefined {
  const hasBlank = (cell = ''): boolean => cell.includes(' ')
  const blanks = Array.from({ length: count }, (_, at) => rows.filter((row) => hasBlank(row[at])).length)
  const [prose, ...others] = [...blanks.keys()].filter((at) => (blanks[at] ?? 0) >= rows.length * PROSE)
  if (prose === undefined || others.length > 0 || rows.length < FEWEST_OF_PROSE) return () => undefined
  const areNumbers = Array.from({ length: count }, (_, at) => rows.every((row) => isValue(row[at])))
  return (written) => {
    const end = written.findLastIndex((cell) => cell.trim() !== '') + 1
    const cells = written.slice(0, Math.max(count, end))
    const surplus = cells.length - count
    if (surplus <= 0) return undefined
    const joined = [
      ...cells.slice(0, prose),
      cells.slice(prose, prose + surplus + 1).join(' | '),
      ...cells.slice(prose + surplus + 1),
    ]
    const fits = (cell: string, at: number): boolean =>
      at === prose || ((blanks[at] !== 0 || !hasBlank(cell)) && (!areNumbers[at] || isValue(cell)))
    return joined.every(fits) ? joined : undefined
  }
}

/** Rows of a spreadsheet that tell whether its first row has names. */
const FEWEST_OF_SHEET = 3
const SAMPLE_OF_SHEET = 200
const LONGEST_NAME = 64
const VALUE = /^[-+]?[\d.,]+%?$|^\d{1,4}[-/.:]\d|^(?:true|false)$/i

/** True for a number, a date, a yes or no, or nothing. */
function isValue(cell: unknown): boolean {
  return typeof cell !== 'string' || saysNothing(cell) || VALUE.test(cell.trim())
}

/**
 * True for a row of different texts that are no values, and that stand in none of the rows below it. Some column below has values alone:
 * otherwise the row may be one of them.
 */
export function areNames(row: readonly unknown[], below: readonly (readonly unknown[])[]): boolean {
  const rows = below.slice(0, SAMPLE_OF_SHEET)
  const hasValues = (at: number): boolean =>
    rows.every((cells) => isValue(cells[at])) && rows.some((cells) => !isBlank(cells[at]))
  return (
    row.length > 1 &&
    row.some((_, at) => hasValues(at)) &&
    new Set(row).size === row.length &&
    row.every(
      (name, at) =>
        typeof name === 'string' &&
        name.length <= LONGEST_NAME &&
        !isValue(name) &&
        rows.every((cells) => cells[at] !== name),
    )
  )
}

function isBlank(cell: unknown): boolean {
  return cell === undefined || cell === null || (typeof cell === 'string' && saysNothing(cell))
}

/**
 * The names in the first row of a spreadsheet, of which the head has the letters of columns and the first column the numbers of rows.
 * Undefined for any other table, and where the first row may be a row of values.
 */
export function namesOfSheet(
  [corner = '', ...letters]: readonly string[],
  [first = [], ...below]: readonly (readonly string[])[],
): string[] | undefined {
  const [start = 0, ...others] = letters.map(columnOf)
  const isSheet =
    /^(?:column_1|#|)$/.test(corner) &&
    start > 0 &&
    others.every((column, at) => column === start + at + 1) &&
    below.length >= FEWEST_OF_SHEET &&
    [first, ...below].every(([number = '']) => /^\d{1,9}$/.test(number))
  const names = first.slice(1)
  if (
    !isSheet ||
    !areNames(
      names,
      below.map((row) => row.slice(1)),
    )
  )
    return undefined
  return names.length === letters.length ? ['row', ...distinct(names)] : undefined
}

/** `A` is 1, `AA` is 27; 0 for any other text. */
function columnOf(letters: string): number {
  if (!/^[A-Z]{1,3}$/.test(letters)) return 0
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0)
}

/** Names of columns: trimmed, never empty, never twice. */
export function distinct(header: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return header.map((cell, index) => {
    const name = cell.trim() === '' ? `column_${index + 1}` : cell.trim()
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return times === 1 ? name : `${name}_${times}`
  })
}

/** A name that is none of those given: with a number behind it where it is. */
export function freeName(names: ReadonlySet<string>, name: string): string {
  return names.has(name) ? freeName(names, `${name}_2`) : name
}

/** Other signs may be the value itself: `__init__`, `*test*`. */
const EMPHASIS = /^(?:\*{2,3}|`|[*_](?=[^\p{L}*_]+[*_]$))/u

/** The cell of a table of Markdown without signs of emphasis or code around all of it. */
export function withoutEmphasis(cell: string): string {
  const sign = EMPHASIS.exec(cell)?.[0] ?? ''
  const text = cell.slice(sign.length, -sign.length)
  if (text === '' || !cell.endsWith(sign) || text.includes(sign.charAt(0)) || text.trim() !== text)
    return cell
  return sign === '`' ? text : withoutEmphasis(text)
}

/** The names of columns: those in the first row, or made ones. */
export function namesOf(first: readonly string[], named: boolean): string[] {
  return named ? distinct(first) : first.map((_, index) => `column_${index + 1}`)
}

/** The number a text is, when writing that number gives the same text. */
export function exactNumber(text: string): number | undefined {
  const first = text.charCodeAt(0)
  if (text.length > 24 || text.length === 0 || (first !== 45 && (first < 48 || first > 57))) return undefined
  const whole = wholeNumber(text)
  if (whole !== undefined) return whole
  const number = Number(text)
  return String(number) === text && Number.isFinite(number) ? number : undefined
}

/** Whole numbers of a few digits, which are most numbers, in a fraction of the time; undefined: it is not known here. */
function wholeNumber(text: string): number | undefined {
  if (text.length > FEW_DIGITS || (text.length > 1 && text.charCodeAt(0) === 48)) return undefined
  let number = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return number
}

const FEW_DIGITS = 15
