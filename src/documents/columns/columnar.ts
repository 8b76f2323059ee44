/**
 * Tables that come as names beside rows (`{columns: ["id", "name"], rows: [[1, "a"], …]}`), or as one list for each column
 * (`{id: [1, 2], name: ["a", "b"]}`).
 */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { rowsOfBigQuery, withoutEncodings } from './encodings.ts'
import { ofJsonStat } from './json-stat.ts'

/** Wrappers around the table, and how wide one may be. */
const MAX_DEPTH = 3
const MAX_KEYS = 32
const SAMPLE = 50
/** Lists that name columns, by their own name or by that of the object they are in. */
const NAMES =
  /^(?:columns?|column_?(?:names|info)|cols|fields?|headers?|schema|meta|row_?type|result_?set_?meta_?data)$/i

const made = new WeakMap<readonly JsonValue[], 'columns' | readonly string[]>()

/** The form in which the server sent these records: a list for each column, or rows of lists under these names. Undefined: just them. */
export function sentAs(records: readonly JsonValue[]): 'columns' | readonly string[] | undefined {
  return made.get(records)
}

/** The value with such rows as records, so that fields have names, and values without their types. The same value when there are none. Never mutates. */
export function withColumns(value: JsonValue): JsonValue {
  const plain = withoutEncodings(value)
  if (Array.isArray(plain))
    return ofNamedCells(plain) ?? underFirstRow(plain) ?? underPlaceholders(plain) ?? plain
  return inRecords(plain, 0, isObject(plain) ? namesElsewhere(plain, 0) : [])
}

/** `elsewhere`: lists of names in other parts of the result. */
function inRecords(value: JsonValue, depth: number, elsewhere: readonly string[][]): JsonValue {
  if (!isObject(value) || depth > MAX_DEPTH) return value
  const keys = Object.keys(value)
  const parallel = inRows(value, keys) ?? ofMatches(value, keys)
  if (parallel) return parallel
  if (keys.length > MAX_KEYS) return value
  const dataset = ofJsonStat(value)
  if (dataset) return dataset
  const names = [...columnNames(value), ...elsewhere]
  let copy: JsonObject | undefined
  for (const key of keys) {
    const before = own(value, key) ?? null
    const after = Array.isArray(before)
      ? listOf(before, value, names, depth + 1)
      : inRecords(before, depth + 1, elsewhere)
    if (after === before) continue
    copy ??= { ...value }
    setOwn(copy, key, after)
  }
  return copy ?? value
}

function listOf(
  sent: JsonValue[],
  holder: JsonObject,
  names: readonly string[][],
  depth: number,
): JsonValue[] {
  const named =
    ofNamedCells(sent) ??
    ofGroups(sent, holder) ??
    rowsOfBigQuery(sent, own(holder, 'schema') ?? null) ??
    rowsOfAthena(sent, names)
  if (named) return named
  const records = names.length > 0 ? recordsIn(sent, names) : sent
  if (records !== sent) return records
  return underFirstRow(sent) ?? underPlaceholders(sent) ?? inFew(sent, depth)
}

/** Objects that are looked into for names of columns, and the fewest names that rows in another part are read under. */
const MAX_NAMING = 3
const FEWEST_ELSEWHERE = 3

/** Names of columns in an object beside that of the rows: `manifest.schema.columns` of Databricks, `meta.view.columns` of Socrata. */
function namesElsewhere(value: JsonObject, depth: number): string[][] {
  const keys = Object.keys(value)
  if (keys.length > MAX_KEYS || depth > MAX_NAMING) return []
  return keys.flatMap((key) => {
    const below = own(value, key)
    if (below === undefined || !isObject(below)) return []
    const named = columnNames(below).filter(({ length }) => length >= FEWEST_ELSEWHERE)
    return [...named, ...namesElsewhere(below, depth + 1)]
  })
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

// Stores of vectors answer with lists side by side, each in a list that has one for the one query: `{ids: [["a"]], distances: [[0.1]]}`.

const inOneList = new WeakSet<readonly JsonValue[]>()

/** True of records of which the server sent each column in a list of one. */
export function wereInOneList(records: readonly JsonValue[]): boolean {
  return inOneList.has(records)
}

/** A record for each of the `ids`, of all lists that are as long. Undefined where the object has more than such lists, and what they are. */
function ofMatches(value: JsonObject, keys: readonly string[]): JsonValue[] | undefined {
  const ids = own(value, 'ids') ?? null
  if (!Array.isArray(ids)) return undefined
  const isNested = ids.length === 1 && Array.isArray(ids[0])
  const known = isNested ? (ids[0] as JsonValue[]) : ids
  if (known.length < 2 || !known.every(isText) || new Set(known).size < known.length) return undefined
  const columns: (readonly [string, readonly JsonValue[]])[] = []
  for (const key of keys) {
    const sent = own(value, key) ?? null
    const [only = null] = isNested && Array.isArray(sent) && sent.length === 1 ? sent : [sent]
    if (Array.isArray(only) && only.length === known.length) columns.push([key, only])
    else if (sent !== null && !(Array.isArray(sent) && sent.every((name) => keys.includes(String(name)))))
      return undefined
  }
  if (columns.length < 2) return undefined
  const rows = known.map((_, row) => {
    const record: JsonObject = {}
    for (const [key, column] of columns) setOwn(record, key, column[row] ?? null)
    return record
  })
  made.set(rows, 'columns')
  if (isNested) inOneList.add(rows)
  return rows
}

/** The lists of names that an object gives for columns. */
export function columnNames(value: JsonObject): string[][] {
  return Object.keys(value)
    .filter((key) => NAMES.test(key))
    .flatMap((key) => namesIn(own(value, key) ?? null))
}

const NAME_OF_COLUMN = ['name', 'Name', 'field', 'label', 'ColumnName', 'columnName', 'column_name']

/** Lists of distinct names: of strings, of objects with a name, or either in an object. */
function namesIn(value: JsonValue, depth = 0): string[][] {
  if (depth > MAX_DEPTH) return []
  if (isObject(value))
    return Object.keys(value)
      .slice(0, MAX_KEYS)
      .flatMap((key) => (NAMES.test(key) ? namesIn(own(value, key) ?? null, depth + 1) : []))
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

const grouped = new WeakMap<readonly JsonValue[], ReadonlyMap<string, readonly string[]>>()

/** The names of the cells in each group of a row, by the key of the group. Undefined for records that had no such groups. */
export function groupsOf(records: readonly JsonValue[]): ReadonlyMap<string, readonly string[]> | undefined {
  return grouped.get(records)
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
  grouped.set(rows, new Map(groups.map(({ key, names }) => [key, names])))
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

function recordsIn(sent: JsonValue[], candidates: readonly string[][]): JsonValue[] {
  const rows = cellsOf(sent[0] ?? null) ? sent.map((row) => cellsOf(row) ?? row) : sent
  const [first] = rows
  if (!Array.isArray(first)) return sent
  const names = candidates.find(({ length }) => length === first.length)
  const step = Math.max(1, Math.floor(rows.length / SAMPLE))
  const isRow = (row: JsonValue | undefined) => Array.isArray(row) && row.length === names?.length
  for (let index = 0; index < rows.length; index += step) if (!isRow(rows[index])) return sent
  if (names === undefined) return sent
  const records = rows.map((row, at) => {
    if (!Array.isArray(row) || row.length !== names.length) return row
    const record = recordUnder(names, row)
    return rows === sent ? record : { ...besideCells(sent[at] ?? null), ...record }
  })
  made.set(records, names)
  return records
}

function recordUnder(names: readonly string[], row: readonly JsonValue[]): JsonObject {
  const record: JsonObject = {}
  for (const [index, name] of names.entries()) setOwn(record, name, row[index] ?? null)
  return record
}

// CloudWatch Logs Insights sends each cell with its name: `{results: [[{field: "@message", value: "x"}, …], …]}`.

const OF_CELL = /^(?:field|column(?:_?name)?)$/i

/**
 * Rows of cells that name themselves, as records. Undefined where one is anything else, has a name twice, or few names of the first one:
 * tables of settings have each their own.
 */
function ofNamedCells(sent: readonly JsonValue[]): JsonValue[] | undefined {
  const [first] = sent
  const cell = Array.isArray(first) ? (first[0] ?? null) : null
  const name = isObject(cell) ? Object.keys(cell).find((key) => OF_CELL.test(key)) : undefined
  const value = isObject(cell) ? Object.keys(cell).find((key) => /^value$/i.test(key)) : undefined
  if (name === undefined || value === undefined || sent.length < 2) return undefined
  const records: JsonObject[] = []
  for (const row of sent) {
    const record = recordOfCells(row, name, value)
    if (record === undefined) return undefined
    const names = Object.keys(record)
    const shared = names.filter((one) => Object.hasOwn(records[0] ?? record, one)).length
    if (shared < names.length / 2) return undefined
    records.push(record)
  }
  return records
}

function recordOfCells(row: JsonValue, name: string, value: string): JsonObject | undefined {
  if (!Array.isArray(row) || row.length === 0 || row.length > MOST_COLUMNS) return undefined
  const record: JsonObject = {}
  for (const cell of row) {
    const called = isObject(cell) && Object.keys(cell).length === 2 ? own(cell, name) : undefined
    const held = isObject(cell) ? own(cell, value) : undefined
    if (typeof called !== 'string' || held === undefined || (typeof held === 'object' && held !== null))
      return undefined
    if (Object.hasOwn(record, called)) return undefined
    setOwn(record, called, held)
  }
  return record
}

// Athena sends each cell in an object, and the names of the columns as the first row.

/** `{Rows: [{Data: [{VarCharValue: "id"}, …]}, …]}` under the names of `ColumnInfo`. Undefined where it is anything else. */
function rowsOfAthena(sent: readonly JsonValue[], names: readonly string[][]): JsonValue[] | undefined {
  const cells = (row: JsonValue): JsonValue[] | undefined => {
    const data = isObject(row) ? own(row, 'Data') : undefined
    const isCell = (cell: JsonValue): boolean =>
      isObject(cell) && Object.keys(cell).every((key) => key === 'VarCharValue')
    return Array.isArray(data) && data.every(isCell)
      ? data.map((cell) => own(cell as JsonObject, 'VarCharValue') ?? null)
      : undefined
  }
  const first = cells(sent[0] ?? null)
  const columns = first && names.find((one) => one.length === first.length)
  if (!first || !columns) return undefined
  const isHead = first.every((cell, at) => cell === columns[at])
  const rows = (isHead ? sent.slice(1) : sent).map(cells)
  if (rows.includes(undefined)) return undefined
  const records = rows.map((row) => recordUnder(columns, row ?? []))
  if (isHead) headed.set(records, { rows: 1, titles: [] })
  return records
}

// Neo4j sends each row in an object: `{columns: ["p", "m"], data: [{row: [{name: "Ana"}, {title: "Up"}], meta: […]}]}`.

export const CELLS_OF_ROW = 'row'

function cellsOf(row: JsonValue): JsonValue[] | undefined {
  const cells = isObject(row) ? own(row, CELLS_OF_ROW) : undefined
  return Array.isArray(cells) ? cells : undefined
}

function besideCells(row: JsonValue): JsonObject {
  const { [CELLS_OF_ROW]: _, ...others } = isObject(row) ? row : {}
  return others
}

/** A few results beside each other: of several statements, as Neo4j sends them, and of several ranges of a sheet. */
function inFew(results: JsonValue[], depth: number): JsonValue[] {
  if (results.length === 0 || results.length > FEW_RESULTS) return results
  const isResult = (one: JsonValue): boolean => {
    const data = isObject(one) && own(one, 'columns') !== undefined ? own(one, 'data') : undefined
    return Array.isArray(data) && (data.length === 0 || cellsOf(data[0] ?? null) !== undefined)
  }
  if (results.every(isResult)) return results.map((one) => inRecords(one, depth, []))
  const ranges = results.map(withRowsHeaded)
  return ranges.some((range, at) => range !== results[at]) ? ranges : results
}

/** A range of a sheet, its rows as records. */
function withRowsHeaded(range: JsonValue): JsonValue {
  const values = isObject(range) ? own(range, 'values') : undefined
  const records = Array.isArray(values) ? underFirstRow(values) : undefined
  return isObject(range) && records ? { ...range, values: records } : range
}

const FEW_RESULTS = 10

// Sheets send the names of columns as the first row.

interface Head {
  /** The rows before the first record. */
  readonly rows: number
  readonly titles: readonly string[]
}

const headed = new WeakMap<readonly JsonValue[], Head>()

/** The row with the names of the fields, and titles above it, which are no records. Undefined for records that had no such row. */
export function headOf(records: readonly JsonValue[]): Head | undefined {
  return headed.get(records)
}

/** Rows below the names, by which it is told that they are names, and cells of a column that are looked at for it. */
const FEWEST_BELOW = 3
const FEWEST_REPEATING = 8

/** Rows of a sheet as records under the names in the first; a row may end early. Undefined where nothing tells that these are names. */
function underFirstRow(rows: readonly JsonValue[]): JsonValue[] | undefined {
  // The rows of a long list are made as they are looked at.
  let above = 0
  while (above < MOST_TITLES && isTitle(rows[above])) above++
  const first = rows[above]
  if (!Array.isArray(first) || first.length < 2 || first.length > MOST_COLUMNS) return undefined
  const below = rows.slice(above + 1)
  if (below.length < FEWEST_BELOW) return undefined
  const names = first.filter(
    (name): name is string => typeof name === 'string' && name.trim() !== '' && !TYPED.test(name.trim()),
  )
  if (names.length < first.length || new Set(names).size < names.length) return undefined
  const isRow = (row: JsonValue): row is JsonValue[] =>
    Array.isArray(row) &&
    row.length <= names.length &&
    row.every((cell) => typeof cell !== 'object' || cell === null)
  if (!below.every(isRow)) return undefined
  const step = Math.max(1, Math.floor(below.length / SAMPLE))
  const sample = below.filter((_, at) => at % step === 0)
  const isTold = names.some((name, column) => {
    const cells = sample.flatMap((row) =>
      row[column] === undefined || row[column] === '' ? [] : [row[column]],
    )
    const areTyped =
      cells.length >= FEWEST_BELOW && cells.every((cell) => typeof cell !== 'string' || TYPED.test(cell))
    // Few values that repeat, and the name is none of them.
    const values = new Set(cells)
    return (
      areTyped || (cells.length >= FEWEST_REPEATING && values.size <= cells.length / 2 && !values.has(name))
    )
  })
  if (!isTold) return undefined
  const records = below.map((row) => recordUnder(names.slice(0, row.length), row))
  const titles = rows.slice(0, above).flatMap((row) => (Array.isArray(row) ? row.map(String) : []))
  headed.set(records, { rows: above + 1, titles })
  made.set(records, names)
  return records
}

const MOST_TITLES = 3

/** The names that SheetJS and pandas give columns without a name in the first cell; others give them the letters of the sheet. */
const PLACEHOLDER = /^(?:__EMPTY(?:_\d+)?|Unnamed: \d+)$/
const LETTERS = 'A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V,W,X,Y,Z,'

/** Records under such names with the names of the columns in the first of them, below a title. Undefined where nothing tells that these are names. */
function underPlaceholders(sent: readonly JsonValue[]): JsonValue[] | undefined {
  const [first] = sent
  if (!isObject(first ?? null) || sent.length > MOST_ROWS) return undefined
  const keys = Object.keys(first as JsonObject)
  const areLetters = LETTERS.startsWith(`${keys.join(',')},`)
  const titles = areLetters ? [] : keys.filter((key) => !PLACEHOLDER.test(key))
  if (keys.length < 2 || titles.length > 1) return undefined
  const rows = sent.map((record) =>
    isObject(record) && Object.keys(record).every((key) => keys.includes(key))
      ? keys.map((key) => own(record, key) ?? '')
      : null,
  )
  const records = underFirstRow(rows)
  const head = records && headed.get(records)
  if (head) headed.set(records, { ...head, titles: [...titles, ...head.titles] })
  return records
}

/** A row of one text, or an empty one. */
function isTitle(row: JsonValue | undefined): boolean {
  return Array.isArray(row) && row.length < 2 && row.every(isText)
}

/** A number, an amount, a date, or a flag, and no name of a column. */
const TYPED =
  /^(?:[-+(]?\p{Sc}?\s?[-+]?[\d.,']*\d[\d.,']*\s?[%\p{Sc}]?\)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?|true|false)$/iu
