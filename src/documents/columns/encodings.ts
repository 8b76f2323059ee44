/**
 * Values that databases send in objects which name their types: DynamoDB (`{"S": "x"}`, `{"N": "5"}`), Firestore (`{"stringValue": "x"}`),
 * MongoDB (`{"$oid": "x"}`) and BigQuery (rows of cells, `{"f": [{"v": "5"}]}`, with their types beside them). Here they are the values themselves.
 */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'

/** The value that one of a type holds. Undefined where it is none. */
type Decode = (held: JsonValue) => JsonValue | undefined
type Types = Readonly<Record<string, Decode>>

const text: Decode = (held) => (typeof held === 'string' ? held : undefined)
const flag: Decode = (held) => (typeof held === 'boolean' ? held : undefined)
/** A number that would be written another way stays a text. */
const number: Decode = (held) => {
  if (typeof held !== 'string') return typeof held === 'number' ? held : undefined
  const value = Number(held)
  if (held === '' || (Number.isNaN(value) && held !== 'NaN')) return undefined
  return String(value) === held && Number.isFinite(value) ? value : held
}
const list =
  (decode: Decode): Decode =>
  (held) =>
    Array.isArray(held) ? allOf(held.map(decode)) : undefined
const fields =
  (types: () => Types): Decode =>
  (held) =>
    isObject(held) ? decodedFields(held, types()) : undefined
/** The part that stands under a name in the value of a type, which is empty where the name is left out. */
const under =
  (name: string, decode: Decode, none: JsonValue): Decode =>
  (held) => {
    if (!isObject(held)) return undefined
    const value = own(held, name)
    return value === undefined ? none : decode(value)
  }

const DYNAMODB: Types = {
  S: text,
  N: number,
  B: text,
  BOOL: flag,
  NULL: (held) => (held === true ? null : undefined),
  M: fields(() => DYNAMODB),
  L: list((value) => decoded(value, DYNAMODB)),
  SS: list(text),
  NS: list(number),
  BS: list(text),
}

const FIRESTORE: Types = {
  stringValue: text,
  integerValue: number,
  doubleValue: number,
  booleanValue: flag,
  timestampValue: text,
  referenceValue: text,
  bytesValue: text,
  nullValue: (held) => (held === null || held === 'NULL_VALUE' ? null : undefined),
  geoPointValue: (held) => (isObject(held) ? held : undefined),
  arrayValue: under(
    'values',
    list((value) => decoded(value, FIRESTORE)),
    [],
  ),
  mapValue: under(
    'fields',
    fields(() => FIRESTORE),
    {},
  ),
}

/** Extended JSON of MongoDB, canonical and relaxed: only some of the values name their types. */
const MONGODB: Types = {
  $oid: text,
  $uuid: text,
  $symbol: text,
  $numberInt: number,
  $numberLong: number,
  $numberDouble: number,
  $numberDecimal: number,
  $date: (held) => {
    const time = isObject(held) ? decoded(held, MONGODB) : held
    return typeof time === 'number' && Math.abs(time) < 8.64e15
      ? new Date(time).toISOString()
      : text(time ?? null)
  },
}

const ENCODINGS: readonly Types[] = [DYNAMODB, FIRESTORE]
const TYPES: ReadonlySet<string> = new Set([...ENCODINGS, MONGODB].flatMap((types) => Object.keys(types)))
/** Names between two types: `mapValue.fields.name`. */
const HOLDERS: Readonly<Record<string, string>> = { mapValue: 'fields', arrayValue: 'values' }

/** The name without the types in it, as it is in values without them: `author.name` of `author.M.name.S`. The same name where it has none. */
export function withoutTypes(name: string): string {
  const steps = name.split('.')
  const plain = steps.filter((step, at) => !isType(step, steps[at - 1]))
  return plain.length === 0 ? name : plain.join('.')
}

/** True for a step of a path that names a type, or stands between two. */
export function isType(step: string, before: string | undefined): boolean {
  return (
    TYPES.has(step) || (before !== undefined && Object.hasOwn(HOLDERS, before) && HOLDERS[before] === step)
  )
}

/** How far wrappers are looked into, and how wide one may be; objects of one list that tell what the others are. */
const MAX_DEPTH = 3
const MAX_KEYS = 32
const TELLING = 3
/** One field alone may have such a name by chance. */
const FEWEST_FIELDS = 2

const untyped = new WeakSet<object>()

/** True for records, and what holds them, that their server sent with the name of a type around each value. */
export function wereTyped(value: JsonValue | readonly JsonValue[]): boolean {
  return typeof value === 'object' && value !== null && untyped.has(value)
}

/** The value without the names of types. The same value where it has none. Never mutates. */
export function withoutEncodings(value: JsonValue, depth = 0): JsonValue {
  if (depth > MAX_DEPTH) return value
  if (Array.isArray(value)) {
    const isEncoded = value
      .slice(0, TELLING)
      .some((one) => isObject(one) && withoutEncodings(one, depth + 1) !== one)
    if (!isEncoded) return value
    const plain = value.map((one) => (isObject(one) ? withoutEncodings(one, depth + 1) : one))
    untyped.add(plain)
    return plain
  }
  if (!isObject(value)) return value
  const keys = Object.keys(value)
  const types = keys.length >= FEWEST_FIELDS || depth > 0 ? typesOf(value, keys) : undefined
  const plain = types && decodedFields(value, types)
  if (plain) return plain
  if (keys.some((key) => decoded(own(value, key) ?? null, MONGODB) !== undefined)) return ofMongo(value, 0)
  if (keys.length > MAX_KEYS) return value
  let copy: JsonObject | undefined
  for (const key of keys) {
    const before = own(value, key) ?? null
    const after = typeof before === 'object' && before !== null ? withoutEncodings(before, depth + 1) : before
    if (after === before) continue
    copy ??= { ...value }
    setOwn(copy, key, after)
  }
  if (copy) untyped.add(copy)
  return copy ?? value
}

/** The types that the first of the fields is of. */
function typesOf(value: JsonObject, keys: readonly string[]): Types | undefined {
  const first = keys[0] === undefined ? undefined : own(value, keys[0])
  const [name, another] = isObject(first ?? null) ? Object.keys(first as JsonObject) : []
  if (name === undefined || another !== undefined) return undefined
  const types = ENCODINGS.find((one) => Object.hasOwn(one, name))
  return types === DYNAMODB && keys.length < FEWEST_FIELDS ? undefined : types
}

/** Levels of values within values that are read: what is deeper stays as it was sent. */
const DEEPEST = 40

function ofMongo(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  if (Array.isArray(value)) return value.map((one) => ofMongo(one, depth + 1))
  const plain = decoded(value, MONGODB)
  if (plain !== undefined) return plain
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setOwn(copy, key, ofMongo(own(value, key) ?? null, depth + 1))
  return copy
}

function decodedFields(value: JsonObject, types: Types): JsonObject | undefined {
  const plain: JsonObject = {}
  for (const key of Object.keys(value)) {
    const held = decoded(own(value, key) ?? null, types)
    if (held === undefined) return undefined
    setOwn(plain, key, held)
  }
  return plain
}

/** Values within values that are being read. */
let level = 0

function decoded(value: JsonValue, types: Types): JsonValue | undefined {
  const [name, another] = isObject(value) ? Object.keys(value) : []
  if (name === undefined || another !== undefined || !Object.hasOwn(types, name)) return undefined
  if (level > DEEPEST) return undefined
  level += 1
  try {
    return types[name]?.(own(value as JsonObject, name) ?? null)
  } finally {
    level -= 1
  }
}

function allOf(values: readonly (JsonValue | undefined)[]): JsonValue[] | undefined {
  return values.every((value) => value !== undefined) ? (values as JsonValue[]) : undefined
}

// BigQuery names the types of all rows once.

/** A column of BigQuery: `schema.fields` of a query (REST reference of BigQuery, TableSchema). */
interface Column {
  readonly name: string
  readonly type: string
  readonly isList: boolean
  readonly columns: readonly Column[]
}

/** The rows as records: cells by the names of the schema, records in records, times as dates. Undefined where they are anything else. */
export function rowsOfBigQuery(rows: readonly JsonValue[], schema: JsonValue): JsonValue[] | undefined {
  const columns = columnsIn(schema)
  // The rows of a long list are made as they are looked at.
  if (!columns || recordOf(rows[0] ?? null, columns) === undefined) return undefined
  return allOf(rows.map((row) => recordOf(row, columns)))
}

function columnsIn(schema: JsonValue, depth = 0): Column[] | undefined {
  if (depth > DEEPEST) return undefined
  const listed = isObject(schema) ? own(schema, 'fields') : undefined
  if (!Array.isArray(listed) || listed.length === 0) return undefined
  const columns = listed.map((field): Column | undefined => {
    const [name, type] = isObject(field) ? [own(field, 'name'), own(field, 'type')] : []
    if (typeof name !== 'string' || typeof type !== 'string') return undefined
    return {
      name,
      type,
      isList: own(field as JsonObject, 'mode') === 'REPEATED',
      columns: columnsIn(field ?? null, depth + 1) ?? [],
    }
  })
  return columns.every((column) => column !== undefined) ? columns : undefined
}

function recordOf(row: JsonValue, columns: readonly Column[]): JsonValue | undefined {
  const cells = isObject(row) ? own(row, 'f') : undefined
  if (!Array.isArray(cells) || cells.length !== columns.length) return undefined
  const record: JsonObject = {}
  for (const [at, column] of columns.entries()) {
    const value = cellOf(cells[at] ?? null, column, column.isList)
    if (value === undefined) return undefined
    setOwn(record, column.name, value)
  }
  return record
}

function cellOf(cell: JsonValue, column: Column, isList: boolean): JsonValue | undefined {
  const held = isObject(cell) && Object.hasOwn(cell, 'v') ? (own(cell, 'v') ?? null) : undefined
  if (held === undefined || held === null) return held
  if (isList) return Array.isArray(held) ? allOf(held.map((one) => cellOf(one, column, false))) : undefined
  if (column.columns.length > 0) return recordOf(held, column.columns)
  return column.type === 'TIMESTAMP' && typeof held === 'string' ? momentOf(held) : held
}

/** `1.791316025E9`, seconds since 1970; a time that is written otherwise is as it is. */
function momentOf(held: string): string {
  const time = new Date(Number(held) * 1000)
  return Number.isNaN(time.getTime()) ? held : time.toISOString()
}
