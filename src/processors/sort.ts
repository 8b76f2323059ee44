/** `sort`: the records in another order. */
import { fromRows } from '../documents/derive.ts'
import type { JsonValue } from '../protocol/json.ts'
import { compareNaturally } from '../text/natural-order.ts'
import { namesakes } from './fields/namesakes.ts'
import { type Field, resolveExactly, resolveField } from './fields.ts'
import { sortParams } from './parameters.ts'
import { parsePath } from './path/parse.ts'
import { newWork, type Work } from './path/path.ts'
import { readValues } from './path/walk.ts'
import { type Records, requireRecords } from './records.ts'
import { defineStep } from './step.ts'
import { parseDate } from './where/dates.ts'
import { duration, looseNumber, plainNumber, quantity } from './where/quantity.ts'

/** A field to sort by. */
interface Order {
  field: Field
  descending: boolean
  /** By how many elements, keys or characters its value has. */
  length?: true
}

/**
 * Stable. Numbers, also when held in strings, before text; text regardless of case, numbers in it by value (`v1.9` before
 * `v1.10`). Sizes (`2Gi`), durations (`1.5s`) and dates go by what they mean where all values are such. Records without the field come last either way. Of several values the smallest counts, descending
 * the largest.
 */
export const sort = defineStep({
  name: 'sort',
  params: sortParams,
  wanted: ({ sort: orders }) => orders !== undefined && orders.length > 0,
  run(document, { sort: written = [] }) {
    const records = requireRecords(document, 'sort')
    const orders = written.map((reference) => parseOrder(records, reference))
    const notes = orders.flatMap(({ field }) => [
      ...(field.note ? [field.note] : []),
      ...namesakes(document, records, field),
    ])
    const columns = orders.map((order) => keysOf(records, order))
    for (const [at, column] of columns.entries()) {
      const missing = column.filter((key) => key === undefined).length
      if (missing > 0) notes.push(`${missing} without \`${orders[at]?.field.name}\` come last.`)
    }
    const ranks = columns.map((column, at) => ranksOf(column, orders[at]?.descending ?? false))
    const positions = inOrder(ranks, records.values.length)
    const items = Array.from(positions, (position) => records.values[position] ?? null)
    return {
      content: fromRows({ noun: document.rows().noun === 'group' ? 'group' : 'record', items }),
      metadata: { total: items.length, ...(notes.length > 0 && { notes }) },
    }
  },
})

/** `-a`, `a desc`, `a:desc`, `desc(a)`, `+a`, `a asc`; a field that has such a name itself comes first. */
function parseOrder(records: Records, reference: string): Order {
  const exact = resolveExactly(records, parsePath(reference))
  if (exact) return { field: exact, descending: false }
  const [, sign = '', signed = ''] = /^\s*([-+]?)\s*(.*?)\s*$/s.exec(reference) ?? []
  const [, called, inParentheses, bare] =
    /^(asc|desc)(?:ending)?(?:\s*\((.*)\)|\s+(.*))$/is.exec(signed) ?? []
  const [, before, after] = /^(.*?)(?:\s+|:)(asc|desc)(?:ending)?$/is.exec(signed) ?? []
  const descending = sign === '-' || (called ?? after)?.toLowerCase() === 'desc'
  const name = (inParentheses ?? bare ?? before ?? signed).trim()
  const measured = resolveExactly(records, parsePath(name)) ? undefined : lengthOf(name)
  if (measured === undefined) return { field: resolveField(records, name), descending }
  return { field: resolveField(records, measured), descending, length: true }
}

/** `items` of `items.length`, `len(items)`, `size(items)`, `count(items)`. */
function lengthOf(name: string): string | undefined {
  const [, called, before] =
    /^(?:len|length|size|count)\s*\(\s*(.+?)\s*\)$|^(.+?)\s*(?:\.(?:length|len|size|count)(?:\(\))?|\|\s*length)$/is.exec(
      name,
    ) ?? []
  return called ?? before
}

/** What a record is sorted by; undefined when it has no such field, or null. */
type Key = number | string | undefined

function keysOf(records: Records, order: Order): Key[] {
  const work = newWork(20_000_000)
  if (order.length) return records.values.map((record) => sizeIn(record, order.field, work))
  const all = records.values.map((record) => scalars(record, order.field, work))
  const read = reading(all)
  return all.map((values) => {
    if (!Array.isArray(values)) return keyOf(values, read)
    return extreme(
      values.map((value) => keyOf(value, read)),
      order.descending,
    )
  })
}

/** Elements of a list or of all lists, keys of an object, characters of a text; undefined where there is nothing. */
function sizeIn(record: JsonValue, { path }: Field, work: Work): Key {
  const values: JsonValue[] = []
  const many = readValues(record, path, values, work)
  const sizes = values.flatMap((value) => {
    if (value === null) return []
    return typeof value === 'object' ? Object.keys(value).length : many ? 1 : String(value).length
  })
  return sizes.length === 0 ? (many ? 0 : undefined) : sizes.reduce((sum, size) => sum + size, 0)
}

/** What the texts of a column mean; undefined for one that means nothing else. */
type Reading = (text: string) => number | undefined

const versions = /^v?\d+(?:\.\d+){2,}/

/** A time in UTC to the millisecond, as most programs write it. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

function instantOf(value: string): number | undefined {
  const time = instant.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** The first reading that fits every text of the column; versions are none, for `1.10` is after `1.9` there. */
function reading(column: readonly Scalars[]): Reading {
  const texts: string[] = []
  for (const values of column) {
    if (typeof values === 'string') texts.push(values)
    else if (Array.isArray(values))
      for (const value of values) if (typeof value === 'string') texts.push(value)
  }
  const fitting = [instantOf, sizeOf, duration, timeOf].find((read) =>
    texts.every((text) => read(text) !== undefined),
  )
  if (fitting) return fitting
  return texts.some((text) => versions.test(text)) ? () => undefined : plainNumber
}

function sizeOf(value: string): number | undefined {
  return plainNumber(value) ?? looseNumber(value) ?? quantity(value)
}

function timeOf(value: string): number | undefined {
  return value.length > 4 ? parseDate(value)?.from : undefined
}

/** One value as it is, several in a list; undefined for none. */
type Scalars = Exclude<JsonValue, null | JsonValue[]> | JsonValue[] | undefined

function scalars(record: JsonValue, field: Field, work: Work): Scalars {
  const values: JsonValue[] = []
  readValues(record, field.path, values, work)
  const [only] = values
  if (values.length === 1 && !Array.isArray(only)) return only ?? undefined
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter((value) => value !== null)
}

function keyOf(value: Exclude<Scalars, JsonValue[]>, read: Reading): Key
function keyOf(value: JsonValue, read: Reading): number | string
function keyOf(value: JsonValue | undefined, read: Reading): Key {
  if (typeof value === 'number' || value === undefined) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return JSON.stringify(value)
  return read(value) ?? value.toLowerCase()
}

function extreme(keys: readonly (number | string)[], largest: boolean): Key {
  let chosen: Key
  for (const key of keys) {
    if (chosen === undefined || (largest ? ascending(key, chosen) > 0 : ascending(key, chosen) < 0))
      chosen = key
  }
  return chosen
}

/** The place of each record's key among the different keys, from 0; what has no key comes after all of them. */
interface Ranks {
  of: Float64Array
  /** How many there are. */
  count: number
}

/** Different keys are fewer than records and are compared in place of them. */
function ranksOf(column: readonly Key[], descending: boolean): Ranks {
  const places = new Map<number | string, number>()
  for (const key of column) if (key !== undefined) places.set(key, 0)
  const keys = sorted([...places.keys()])
  for (const [place, key] of keys.entries()) places.set(key, descending ? keys.length - 1 - place : place)
  const of = Float64Array.from(column, (key) => (key === undefined ? keys.length : (places.get(key) ?? 0)))
  return { of, count: keys.length + 1 }
}

function sorted(keys: (number | string)[]): (number | string)[] | Float64Array {
  if (keys.every((key) => typeof key === 'number')) return Float64Array.from(keys).sort()
  // Without digits the natural order is that of code units, which needs no function that compares.
  const plain = keys.every((key) => typeof key === 'string' && !/\d/.test(key))
  return plain ? keys.sort() : keys.sort(ascending)
}

/** The positions of the records in the order of their ranks, the first column first; equals stay in theirs. */
function inOrder(columns: readonly Ranks[], count: number): Iterable<number> {
  const all = columns.reduce((product, ranks) => product * ranks.count, Math.max(1, count))
  if (all > Number.MAX_SAFE_INTEGER) return compared(columns, count)
  // All ranks and the position in one number: numbers alone are sorted without a function that compares them.
  const keys = new Float64Array(count)
  for (const ranks of columns)
    for (let at = 0; at < count; at++) keys[at] = (keys[at] ?? 0) * ranks.count + (ranks.of[at] ?? 0)
  for (let at = 0; at < count; at++) keys[at] = (keys[at] ?? 0) * count + at
  return keys.sort().map((key) => key % count)
}

function compared(columns: readonly Ranks[], count: number): Iterable<number> {
  return Array.from({ length: count }, (_, at) => at).sort((a, b) => {
    for (const { of } of columns) {
      const difference = (of[a] ?? 0) - (of[b] ?? 0)
      if (difference !== 0) return difference
    }
    return a - b
  })
}

function ascending(a: number | string, b: number | string): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return compareNaturally(a, b)
}
