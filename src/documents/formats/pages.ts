/** Tables on several pages of a text: the same names stand above the rows of each, two blanks or more apart, often with a rule below. */
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { asideOf, type FoundTable } from './cells.ts'

const RULE = /^\s*[-=_─═]{10,}\s*$/
const NAMES = /^\s*\p{L}[^\d:]{0,60}$/u
const LONGEST = 1_000
const MOST_LINES = 20_000
/** Lines in which the first names are looked for. */
const MOST_BEFORE = 40
/** Names of columns, rows of all pages, and the share of rows among the lines. */
const LEAST_NAMES = 3
const LEAST_ROWS = 5
const SHARE = 0.5
const MOST_ASIDES = 6
/** Lines between an empty one and names that come again. */
const MOST_TITLES = 2
const PAIR = /^(\p{L}[\p{L}\p{N} ./()%-]{0,40}): (\S.*)$/u
/** A line of `kubectl describe` around its tables, and the share of such lines among the rows of a table. */
const KEY = /^\s*\p{L}[\p{L}\p{N} ./()%-]{0,40}:(?:\s|$)/u
const KEYED = 0.1
/** So many keys with a value for each page are the fields of a record. */
const MOST_OWN = 3

/**
 * The rows of all pages as one table. Undefined where other names stand above a rule, most lines are no rows, or pages are records such as
 * invoices. The names are known to stand apart for `readOne`.
 */
export function readPages(
  lines: LineIndex,
  readOne: (table: LineIndex) => FoundTable | undefined,
): FoundTable | undefined {
  const head = headOf(lines)
  if (head === undefined) return undefined
  const [rows, others] = [[] as string[], [] as string[]]
  // Rows since the last empty line.
  let [isOpen, isApart, form, below] = [false, false, '', MOST_TITLES + 1]
  for (let index = 0; index < lines.count; index++) {
    const line = at(lines, index).trimEnd()
    if (line.startsWith('```')) return undefined
    const isHead = line === head
    if (!isHead && isRule(lines, index + 1) && areNames(line)) return undefined
    if (isHead) {
      // A title of the page stands right above its names.
      const titles = isOpen && below <= MOST_TITLES ? rows.splice(rows.length - below) : []
      others.push(...titles)
      isOpen = true
    }
    if (isRule(lines, index) && at(lines, index - 1).trimEnd() !== head) isOpen = false
    if (line === '') [isApart, below] = [true, 0]
    if (line === '' || isHead || isRule(lines, index)) continue
    const own = formOf(line)
    if (isOpen && rows.length === 0) form = own
    // Rows may go on below an empty line, where they begin alike.
    if (isApart && rows.length > 0 && at(lines, index - 1).trimEnd() === '') isOpen &&= own === form
    isApart = false
    below = isOpen ? below + 1 : MOST_TITLES + 1
    if (isOpen) rows.push(line)
    else others.push(line)
  }
  if (rows.length < LEAST_ROWS || rows.length < (rows.length + others.length) * SHARE) return undefined
  if (ownKeys(others) >= MOST_OWN || rows.filter((row) => KEY.test(row)).length > rows.length * KEYED)
    return undefined
  const found = readOne(indexLines([head, ...rows].join('\n')))
  return found && { ...found, asides: [...others.slice(0, MOST_ASIDES).map(asideOf), ...found.asides] }
}

/** How many keys beside the rows have several values: each page tells them of itself. */
function ownKeys(others: readonly string[]): number {
  const values = new Map<string, Set<string>>()
  for (const part of others.flatMap((line) => line.trim().split(/ {2,}/))) {
    const [, key, value = ''] = PAIR.exec(part) ?? []
    if (key !== undefined && value !== '') values.set(key, (values.get(key) ?? new Set()).add(value))
  }
  return [...values.values()].filter(({ size }) => size > 1).length
}

function at(lines: LineIndex, index: number): string {
  if (index < 0 || index >= lines.count) return ''
  return lines.at(index).slice(0, LONGEST).replace(/^\f/, '')
}

function isRule(lines: LineIndex, index: number): boolean {
  return RULE.test(at(lines, index))
}

function areNames(line: string): boolean {
  const names = line.trim().split(/ {2,}/)
  return names.length >= LEAST_NAMES && names.every((name) => NAMES.test(name))
}

/** The first names above a rule, or above rows where they come again. */
function headOf(lines: LineIndex): string | undefined {
  if (lines.count > MOST_LINES) return undefined
  for (let index = 0; index < Math.min(MOST_BEFORE, lines.count); index++) {
    const line = at(lines, index).trimEnd()
    if (!line.includes('  ') || !areNames(line) || at(lines, index + 1).trim() === '') continue
    if (isRule(lines, index + 1)) return line
    for (let next = index + 2; next < lines.count; next++)
      if (lines.end(next) - lines.start(next) < LONGEST && at(lines, next).trimEnd() === line) return line
  }
  return undefined
}

/** How the first word of a row is written: `03` is as `12`. Rows that begin with blanks or words have no form in common. */
function formOf(line: string): string {
  const [word = ''] = /^\S{0,40}/.exec(line) ?? []
  return /\d/.test(word) ? word.replace(/\d+/g, '9').replace(/\p{L}+/gu, 'a') : '?'
}
