/** Data frames as pandas and R print them: names and cells end at the same places, and each row begins with its index. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { asideOf, distinct, exactNumber, type FoundTable } from './cells.ts'

const LONGEST = 4096
const LEAST_ROWS = 3
/** Rows that are looked at to decide, and the share that must fit. */
const SAMPLE = 400
const FIT = 0.95
/** `..   ...   ...` in the place of rows that are not printed. */
const LEFT_OUT = /^\.{2,3}(?: +\.{2,3})*\s*$/
/** `[260 rows x 5 columns]`, `Name: units, dtype: int64`, R's ` [ reached getOption("max.print") -- omitted 90 rows ]`. */
const FOOTER = /^\s*(?:\[.*\]|Name: .*|dtype: .*|Length: .*)\s*$/
const ABSENT: ReadonlySet<string> = new Set(['NaN', 'NaT', '<NA>', 'NA', 'None'])

/** The records `{index, …}` of a frame; undefined for any other text. */
export function readFrame(lines: LineIndex): FoundTable | undefined {
  const header = lines.at(0)
  // The column of the index has no name.
  if (!/^\s+\S/.test(header) || header.length > LONGEST) return undefined
  if (header.endsWith(GOES_ON)) {
    const whole = inOneBlock(lines)
    return whole && readFrame(whole)
  }
  const names = [...header.matchAll(/\S+/g)]
  const ends = names.map(({ 0: name, index }) => index + name.length)
  const [first = 0] = ends
  const below = lines.at(1)
  const isNamed = below.trim() !== '' && below.trimEnd().length < first && /^\S+\s*$/.test(below)
  const rows: string[] = []
  const asides: string[] = []
  for (let index = isNamed ? 2 : 1; index < lines.count; index++) {
    const line = lines.at(index)
    if (line.trim() === '') continue
    if (LEFT_OUT.test(line.slice(0, LONGEST))) asides.push('rows are left out here: …')
    else if (FOOTER.test(line.slice(0, LONGEST))) asides.push(asideOf(line.trim()))
    else rows.push(line)
    if (rows.length === SAMPLE && !areAligned(rows, ends)) return undefined
  }
  if (rows.length < LEAST_ROWS || !areAligned(rows.slice(0, SAMPLE), ends)) return undefined
  const title = isNamed ? below.trim() : 'index'
  const all = distinct([title, ...names.map(([name]) => name)])
  const read = (): JsonValue[] => {
    const cells = rows.map((row) => (areAligned([row], ends) ? cellsOf(row, ends) : undefined))
    const isNumber = (cell = ''): boolean => ABSENT.has(cell) || exactNumber(cell) !== undefined
    const areNumbers = all.map((_, column) =>
      cells.every((row) => row === undefined || isNumber(row[column])),
    )
    return cells.map((row, at) => {
      if (row === undefined) return { _line: rows[at] ?? '' }
      const record: JsonObject = {}
      for (const [column, name] of all.entries()) {
        const cell = row[column] ?? ''
        const value = areNumbers[column] ? (exactNumber(cell) ?? cell) : cell
        setOwn(record, name, ABSENT.has(cell) ? null : value)
      }
      return record
    })
  }
  return { json: read, asides }
}

/** Behind the names of a block of columns that others follow below. */
const GOES_ON = '\\'

/** A frame too wide for its page with all of its columns beside each other; undefined where the blocks have other rows. */
function inOneBlock(lines: LineIndex): LineIndex | undefined {
  const rows: string[][] = []
  const indexes: string[] = []
  let [first, width, all, isLast] = [0, 0, 0, false]
  while (!isLast) {
    const header = lines.at(first)
    isLast = !header.endsWith(GOES_ON)
    const isFirst = first === 0
    let count = 1
    while (first + count < lines.count && lines.at(first + count).trim() !== '') {
      const [index = ''] = /^\S+/.exec(lines.at(first + count)) ?? []
      if (isFirst) width = Math.max(width, index.length)
      else if (indexes[count] !== index) return undefined
      indexes[count] = index
      count += 1
    }
    all += header.length
    if (count < LEAST_ROWS || all > LONGEST || (!isFirst && count !== rows.length)) return undefined
    const names = isLast ? header.trimEnd() : header.slice(0, -1).trimEnd()
    const from = isFirst ? 0 : width
    for (let at = 0; at < count; at++) {
      const line = at === 0 ? names : lines.at(first + at).trimEnd()
      const parts = rows[at] ?? []
      rows[at] = parts
      parts.push(line.slice(from).padEnd(names.length - from))
    }
    first += count + 1
  }
  const whole = rows.map((parts) => parts.join(''))
  for (let index = first; index < lines.count; index++) whole.push(lines.at(index))
  return indexLines(whole.join('\n'))
}

function areAligned(rows: readonly string[], ends: readonly number[]): boolean {
  const last = ends.at(-1) ?? 0
  const fits = rows.filter(
    (row) =>
      row.length <= LONGEST &&
      /^\S/.test(row) &&
      row.trimEnd().length === last &&
      ends.every((end) => row[end - 1] !== ' ' && (end === last || row[end] === ' ')),
  )
  return fits.length >= rows.length * FIT
}

function cellsOf(row: string, ends: readonly number[]): string[] {
  const [index = ''] = /^\S+/.exec(row) ?? []
  const cells = ends.map((end, at) => row.slice(at === 0 ? index.length : ends[at - 1], end).trim())
  return [index, ...cells]
}
