/** Cells under the names of their columns, as records; and which texts are numbers. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { RecordMaker } from '../record-maker.ts'

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

/** The names of columns: those in the first row, or made ones. */
export function namesOf(first: readonly string[], named: boolean): string[] {
  return named ? distinct(first) : first.map((_, index) => `column_${index + 1}`)
}

/** Equal short cells of a column are one string. */
const LONGEST_REPEATED = 40
const REPEATED = 64

interface Column {
  readonly name: string
  /** Cells so far are numbers, or empty. */
  isNumeric: boolean
  numbers: number
  /** Short cells, by how they begin, end and how long they are. */
  readonly known: string[]
}

/** Makes the records of `recordsOf` of cells that are told one by one. Once it is known that a column has no numbers, its cells are texts again. */
export class CellRecords {
  readonly #named: boolean
  readonly #maker = new RecordMaker()
  readonly #records: JsonObject[] = []
  #columns: Column[] | undefined
  /** Cells of the first row, and those behind the last column. */
  #spare: string[] = []
  /** Cells of this row, and whether the last of them is empty. */
  #count = 0
  #isEmpty = false

  /** `named`: the first row names the columns. */
  constructor(named: boolean) {
    this.#named = named
  }

  /** Adds a cell as it stands between quotes. */
  quoted(cell: string): void {
    this.#add(cell.includes('"') ? cell.replaceAll('""', '"') : cell)
  }

  /** Adds what stands in the text. */
  plain(text: string, start: number, end: number): void {
    const column = this.#columns?.[this.#count]
    const length = end - start
    if (column === undefined || column.isNumeric || length === 0 || length > LONGEST_REPEATED)
      return this.#add(text.slice(start, end))
    const slot = (text.charCodeAt(start) * 7 + text.charCodeAt(end - 1) * 31 + length) % REPEATED
    const known = column.known[slot] ?? ''
    if (known.length === length && text.startsWith(known, start)) return this.#add(known)
    const cell = text.slice(start, end)
    column.known[slot] = cell
    this.#add(cell)
  }

  endRow(): void {
    const isNone = this.#count === 1 && this.#isEmpty
    const columns = this.#columns
    const spare = this.#spare
    this.#spare = []
    this.#count = 0
    if (columns !== undefined) {
      if (spare.length > 0) this.#maker.add('_more', spare)
      const record = this.#maker.finish()
      if (!isNone) this.#records.push(record)
    } else if (!isNone) {
      this.#begin(spare)
    }
  }

  /** Undefined where two columns have one name. */
  finish(): JsonObject[] | undefined {
    const columns = this.#columns ?? []
    for (const column of columns) if (column.isNumeric && column.numbers === 0) this.#writeBack(column)
    return new Set(columns.map(({ name }) => name)).size < columns.length ? undefined : this.#records
  }

  #begin(row: string[]): void {
    this.#columns = namesOf(row, this.#named).map((name) => ({
      name,
      isNumeric: true,
      numbers: 0,
      known: [],
    }))
    if (this.#named) return
    for (const cell of row) this.#add(cell)
    this.endRow()
  }

  #add(cell: string): void {
    this.#isEmpty = cell === ''
    const column = this.#columns?.[this.#count++]
    if (column === undefined) {
      this.#spare.push(cell)
      return
    }
    let value: JsonValue = cell
    if (column.isNumeric) {
      const number = exactNumber(cell)
      if (number !== undefined) column.numbers += 1
      else if (cell !== '') this.#writeBack(column)
      if (column.isNumeric) value = number ?? null
    }
    this.#maker.add(column.name, value)
  }

  /** The cells of a column as they were written: an exact number is written as it was, and nothing was an empty cell. */
  #writeBack(column: Column): void {
    column.isNumeric = false
    const { name } = column
    for (const record of this.#records)
      if (Object.hasOwn(record, name)) setOwn(record, name, String(record[name] ?? ''))
  }
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
