/**
 * Tables that come as names beside rows (`{columns: ["id", "name"], rows: [[1, "a"], …]}`), or as one list for each column
 * (`{id: [1, 2], name: ["a", "b"]}`).
 */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { rowsOfBigQuery, withoutEncodings } from './encodings.ts'

/** Wrappers around the table, and how wide one may be. */
const MAX_DEPTH = 3
const MAX_KEYS = 32
const SAMPLE = 50
/** Lists that name columns, by their own name or by that of the object they are in. */
const NAMES =
  /^(?:columns?|column_?names|cols|fields?|headers?|schema|meta|row_?type|result_?set_?meta_?data)$/i

const made = new WeakMap<readonly JsonValue[], 'columns' | readonly string[]>()

/** The form in which the server sent these records: a list for each column, or rows of lists under these names. Undefined: just them. */
export function sentAs(records: readonly JsonValue[]): 'columns' | readonly string[] | undefined {
  return made.get(records)
}

/** The value with such rows as records, so that fields have names, and values without their types. The same value when there are none. Never mutates. */
export function withColumns(value: JsonValue): JsonValue {
  return inRecords(withoutEncodings(value), 0)
}

function inRecords(value: JsonValue, depth: number): JsonValue {
  if (!isObject(value) || depth > MAX_DEPTH) return value
  const keys = Object.keys(value)
  const parallel = inRows(value, keys)
  if (parallel) return parallel
  if (keys.length > MAX_KEYS) return value
  const names = columnNames(value)
  let copy: JsonObject | undefined
  for (const key of keys) {
    const before = own(value, key) ?? null
    const after = Array.isArray(before)
      ? (ofGroups(before, value) ??
        rowsOfBigQuery(before, own(value, 'schema') ?? null) ??
        recordsIn(before, names))
      : inRecords(before, depth + 1)
    if (after === before) continue
    copy ??= { ...value }
    setOwn(copy, key, after)
  }
  return copy ?? value
}

/** Fewer rows, or columns, may have one length by chance; more are not worth a copy. */
const FEWEST_ROWS = 8
/** A column that says what a row is about: a forecast has a row for each day of a week. */
const OF_TIMES = /^(?:time(?:stamp)?s?|date(?:time)?s?|days?)$/i
const MOST_ROWS = 1_000_000
const MOST_COLUMNS = 200

const isText = (cell: JsonValue): boolean => typeof cell === 'string'

/** Rows of lists of scalars that are all of one length. Undefined when it is anything else. */
function inRows(value: JsonObject, keys: readonly string[]): JsonValue[] | undefined {
  if (keys.length < 2 || keys.length > MOST_COLUMNS) return undefined
  const columns: (readonly JsonValue[])[] = []
  for (const key of keys) {
    const column = own(value, key)
    if (!Array.isArray(column) || column.length !== (columns[0] ?? column).length) return undefined
    columns.push(column)
  }
  const count = columns[0]?.length ?? 0
  const fewest = keys.some((key, at) => OF_TIMES.test(key) && columns[at]?.every(isText)) ? 2 : FEWEST_ROWS
  if (count < fewest || count > MOST_ROWS) return undefined
  if (!columns.every((column) => column.every((cell) => typeof cell !== 'object' || cell === null)))
    return undefined
  const rows = Array.from({ length: count }, (_, row) => {
    const record: JsonObject = {}
    for (const [index, key] of keys.entries()) setOwn(record, key, columns[index]?.[row] ?? null)
    return record
  })
  made.set(rows, 'columns')
  return rows
}

/** The lists of names that an object gives for columns. */
export function columnNames(value: JsonObject): string[][] {
  return Object.keys(value)
    .filter((key) => NAMES.test(key))
    .flatMap((key) => namesIn(own(value, key) ?? null))
}

const NAME_OF_COLUMN = ['name', 'field', 'label', 'ColumnName', 'columnName', 'column_name']

/** Lists of distinct names: of strings, of objects with a name, or either in an object. */
function namesIn(value: JsonValue): string[][] {
  if (isObject(value))
    return Object.keys(value)
      .slice(0, MAX_KEYS)
      .flatMap((key) => (NAMES.test(key) ? namesIn(own(value, key) ?? null) : []))
  if (!Array.isArray(value) || value.length < 2 || value.length > 2000) return []
  const names = value.map((item) =>
    isObject(item)
      ? (NAME_OF_COLUMN.map((key) => own(item, key)).find((name) => name !== undefined) ?? null)
      : item,
  )
  const strings = names.filter((name) => typeof name === 'string')
  return strings.length === value.length && new Set(strings).size === strings.length ? [strings] : []
}

/** A group of cells in a row, and the key of the list that names them. */
interface Group {
  readonly key: string
  readonly names: readonly string[]
}

const CELLS = /^(.+?)_?values$/i
const HEADERS = /^(.+?)_?headers$/i

/**
 * The rows of reports, as Google Analytics has them: `{dimensionHeaders: [{name: "country"}], rows: [{dimensionValues: [{value: "DE"}]}]}`
 * with the same for `metric`. Undefined when it is anything else.
 */
function ofGroups(sent: readonly JsonValue[], value: JsonObject): JsonValue[] | undefined {
  const [first] = sent
  if (!isObject(first ?? null)) return undefined
  const headers = new Map(
    Object.keys(value).flatMap((key): [string, readonly string[]][] => {
      const list = own(value, key)
      const about = HEADERS.exec(key)?.[1]?.toLowerCase()
      if (about === undefined || !Array.isArray(list) || list.length > MOST_COLUMNS) return []
      const names = list.map((item) => (isObject(item) ? own(item, 'name') : item))
      return names.every((name) => typeof name === 'string') ? [[about, names]] : []
    }),
  )
  if (headers.size === 0) return undefined
  const groups = Object.keys(first as JsonObject).map((key): Group => {
    const names = headers.get(CELLS.exec(key)?.[1]?.toLowerCase() ?? '') ?? []
    return { key, names }
  })
  const all = groups.flatMap(({ names }) => names)
  if (new Set(all).size < all.length || groups.some(({ names }) => names.length === 0)) return undefined
  const rows: JsonValue[] = []
  for (const row of sent) {
    const record = isObject(row) ? recordOf(row, groups) : undefined
    if (record === undefined) return undefined
    rows.push(record)
  }
  return rows
}

function recordOf(row: JsonObject, groups: readonly Group[]): JsonObject | undefined {
  const record: JsonObject = {}
  for (const { key, names } of groups) {
    const cells = own(row, key)
    if (!Array.isArray(cells) || cells.length !== names.length) return undefined
    for (const [index, name] of names.entries()) {
      const cell = cells[index] ?? null
      setOwn(record, name, isObject(cell) ? (own(cell, 'value') ?? null) : cell)
    }
  }
  return record
}

function recordsIn(rows: JsonValue[], candidates: readonly string[][]): JsonValue[] {
  const [first] = rows
  if (candidates.length === 0 || !Array.isArray(first)) return rows
  const names = candidates.find(({ length }) => length === first.length)
  const step = Math.max(1, Math.floor(rows.length / SAMPLE))
  const isRow = (row: JsonValue | undefined) => Array.isArray(row) && row.length === names?.length
  for (let index = 0; index < rows.length; index += step) if (!isRow(rows[index])) return rows
  if (names === undefined) return rows
  const records = rows.map((row) => {
    if (!Array.isArray(row) || row.length !== names.length) return row
    const record: JsonObject = {}
    for (const [index, name] of names.entries()) setOwn(record, name, row[index] ?? null)
    return record
  })
  made.set(records, names)
  return records
}
