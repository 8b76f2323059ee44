/** `sort`: the records in another order. */
import { abridge } from '../../documents/abridge.ts'
import { type Coded, type Column, codesPresent, columnsOf } from '../../documents/columns/column.ts'
import { fromTable } from '../../documents/opening/derive.ts'
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { namesakes } from '../../query/conditions/explain.ts'
import { exactPath, knowing, resolveField } from '../../query/fields/fields.ts'
import { holdsObjects, nameWithin, numberWithin, valueOfPairs } from '../../query/fields/inner-fields.ts'
import { firstName, formatPath, type Path, pathKey, withinEach } from '../../query/fields/path.ts'
import { codedOf, readingIn } from '../../query/fields/reader.ts'
import { type Field, type Records, requireRecords } from '../../query/fields/records.ts'
import { readValues, valuesAt } from '../../query/fields/walk.ts'
import { rejoined } from '../../query/fields/wanted.ts'
import { closingAt } from '../../query/language/scanner.ts'
import { newWork } from '../../query/work.ts'
import { datePart } from '../../text/values/date-parts.ts'
import { rankOn } from '../../text/values/levels.ts'
import { ascending, isScale, type Key, keyOf, type Reading, timesRemark } from '../../text/values/reading.ts'
import { compareNaturally } from '../../text/words/natural-order.ts'
import { sortParams } from '../parameters.ts'
import { defineStep } from '../step.ts'
import { totalAmong } from './totals.ts'

/** Of fewer records one may be the sum of the others by chance. */
const LEAST_WITH_TOTAL = 6

/**
 * Stable. Numbers, also when held in strings, before text; text regardless of case, numbers in it by value (`v1.9` before
 * `v1.10`). Sizes (`2Gi`), durations (`1.5s`), dates, levels and grades go by what they mean where the values are such.
 * The few texts among them that are none (`N/A`) come last either way, as do records without the field. Of several values the smallest
 * counts, descending the largest.
 */
export const sort = defineStep({
  name: 'sort',
  params: sortParams,
  wanted: ({ sort: orders }) => orders !== undefined && orders.length > 0,
  run(document, { sort: written = [] }) {
    const records = requireRecords(document, 'sort')
    const { values } = records
    const orders = rejoined(written, records).map((reference) => parseOrder(records, reference))
    const notes = orders.flatMap(({ field }) => [
      ...(field.note ? [field.note] : []),
      ...namesakes(document, records, field),
    ])
    const ranks = orders.map((order) => ranksIn(records, order))
    for (const [at, one] of ranks.entries()) {
      const strays = straysOf(records, orders[at] as Order)
      const missing = countMissing(one, values.length)
      if (strays !== undefined) notes.push(strays)
      if (missing > 0) notes.push(`${missing} without \`${orders[at]?.field.name}\` come last.`)
    }
    const order = inOrder(ranks, values.length)
    const isOfGroups = document.rows().noun === 'group'
    const fields = isOfGroups || values.length < LEAST_WITH_TOTAL ? [] : orders.map(({ field }) => field)
    const total = totalAmong(records, fields)
    if (total) {
      const place = order.indexOf(total.at)
      order.copyWithin(place, place + 1)
      order[order.length - 1] = total.at
      notes.push(`${total.told}, and comes last.`)
    }
    for (const one of orders)
      notes.push(
        ...listRemark(records, one, order),
        ...scaleRemark(records, one),
        ...timeRemark(records, one),
      )
    const noun = isOfGroups ? 'group' : 'record'
    return {
      content: fromTable(noun, records.table.choose(order)),
      metadata: { total: values.length, ...(notes.length > 0 && { notes }) },
    }
  },
})

function ranksIn({ values }: Records, { field, descending, length }: Order): Ranks {
  return length ? sizeRanks(values, field.path, descending) : ranksOf(codedOf(values, field.path), descending)
}

/** Records without a key have the last rank. */
function countMissing({ ranks, codes, count }: Ranks, records: number): number {
  let missing = 0
  for (let at = 0; at < records; at++)
    if (ranks[codes ? (codes[at] as number) : at] === count - 1) missing += 1
  return missing
}

/** The nouns for the values of a reading, where some texts are no such values. */
const NOUNS: Partial<Record<Reading, string>> = {
  plain: 'numbers',
  bytes: 'numbers',
  ms: 'durations',
  instant: 'times',
  time: 'dates',
  dated: 'dates',
  datedDayFirst: 'dates',
  datedMonthFirst: 'dates',
  aged: 'dates and ages',
  agedDayFirst: 'dates and ages',
  agedMonthFirst: 'dates and ages',
  dayFirst: 'dates',
  monthFirst: 'dates',
  level: 'levels',
  grade: 'grades',
  clock: 'times',
  weekday: 'days',
  month: 'months',
  version: 'versions',
}

/** Tells of the records with a text that is no value of the kind that the field has. */
function straysOf({ values }: Records, { field, length }: Order): string | undefined {
  if (length) return undefined
  const coded = codedOf(values, field.path)
  const noun = NOUNS[readingFor(coded)]
  const kind = noun === undefined ? 'says nothing' : `is none of its ${noun}`
  const { count, texts } = straysIn(coded)
  if (count === 0) return undefined
  const told = texts.slice(0, MOST_TOLD).map((text) => JSON.stringify(abridge(text, LONGEST_TOLD)))
  const more = texts.length > told.length ? ', …' : ''
  return `${count} with a \`${field.name}\` that ${kind} come last: ${told.join(', ')}${more}.`
}

interface Strays {
  readonly count: number
  /** A few of the texts. */
  readonly texts: readonly string[]
}

/** All values have to be read for it: of a whole column once. */
function straysIn(coded: Coded): Strays {
  const find = (): Strays => foundStrays(coded, readingFor(coded))
  return coded.whole ? coded.column.derived('strays', find) : find()
}

/** The text of a value, or of several; undefined for nothing. */
function textOf(column: Column, code: number): string | undefined {
  const one = scalarOrList(column, code)
  if (Array.isArray(one)) return one.length === 0 ? undefined : JSON.stringify(one)
  return one === undefined || typeof one === 'object' ? undefined : String(one)
}

function foundStrays(coded: Coded, reading: Reading): Strays {
  const strays = new Map<number, string>()
  for (const code of codesPresent(coded)) {
    const text = keyIn(coded.column, code, reading) === undefined ? textOf(coded.column, code) : undefined
    if (text !== undefined) strays.set(code, text)
  }
  const count = strays.size && coded.codes.reduce((sum, code) => sum + (strays.has(code) ? 1 : 0), 0)
  return { count, texts: [...strays.values()].slice(0, MOST_TOLD + 1) }
}

/** Values looked at to tell whether a field holds lists. */
const MOST_SAMPLED = 200

/** Records of which it is said by which of their values they were sorted, and characters of one such value. */
const MOST_TOLD = 3
const LONGEST_TOLD = 80

/** Says what was compared of a field that holds several values, and which it was of the first records. */
function listRemark({ values }: Records, { field, descending, length }: Order, order: Uint32Array): string[] {
  if (length) return []
  const coded = codedOf(values, field.path)
  const isList = (code: number): boolean => {
    const one = scalarOrList(coded.column, code)
    return Array.isArray(one) && one.length > 1
  }
  let code = 0
  while (code < Math.min(coded.column.size, MOST_SAMPLED) && !isList(code)) code += 1
  if (code === Math.min(coded.column.size, MOST_SAMPLED)) return []
  const reading = readingFor(coded)
  const told = Array.from(order.subarray(0, MOST_TOLD)).flatMap((at) => {
    const found = elementIn(values[at] ?? null, field.path, reading, descending)
    return found === undefined ? [] : [`\`${found.place}\` ${abridge(found.value, LONGEST_TOLD)}`]
  })
  return [
    `\`${field.name}\` holds several values: sorted by the ${descending ? 'largest' : 'smallest'} of each record${
      told.length > 0 ? `, here by ${told.join(', ')}${order.length > told.length ? ', …' : ''}` : ''
    }. For how many there are, sort by length(${field.name}).`,
  ]
}

/** Says so where words were sorted by what they mean and not by their letters. */
function scaleRemark({ values }: Records, { field, descending, length }: Order): string[] {
  if (length) return []
  const coded = codedOf(values, field.path)
  const scale = readingFor(coded)
  if (!isScale(scale)) return []
  const words = [...new Set(textsIn(coded))]
  if (words.length < 2) return []
  const place = (word: string): number => (rankOn(scale, word) ?? 0) * (descending ? -1 : 1)
  const told = words
    .sort((one, other) => place(one) - place(other))
    .map((word) => abridge(word, LONGEST_TOLD))
  return [`\`${field.name}\` sorted by what its words mean: ${told.join(', ')}.`]
}

/** Says which times were read in a way that is not plain. */
function timeRemark({ values }: Records, { field, length }: Order): string[] {
  if (length) return []
  const coded = codedOf(values, field.path)
  const remark = timesRemark(field.name, readingFor(coded), () => textsIn(coded))
  return remark === undefined ? [] : [remark]
}

/** The element of the first list on the path that holds the value by which a record is sorted. Undefined where there is none. */
function elementIn(
  record: JsonValue,
  path: Path,
  reading: Reading,
  descending: boolean,
): { place: string; value: JsonValue } | undefined {
  let here: JsonValue | undefined = record
  let at = 0
  for (; at < path.length && isObject(here); at++) {
    const name = firstName(path[at])
    here = name === undefined ? undefined : own(here, name)
  }
  if (!Array.isArray(here)) return undefined
  const rest = withinEach(path.slice(at))
  const work = newWork(MOST_WORK)
  let best: { key: Key; index: number } | undefined
  for (const [index, element] of here.entries()) {
    for (const value of valuesAt(element, rest, work).flat()) {
      const key = keyOf(value, reading)
      const order = key === undefined || best === undefined ? 0 : ascending(key, best.key)
      if (key !== undefined && (best === undefined || (descending ? order > 0 : order < 0)))
        best = { key, index }
    }
  }
  if (best === undefined) return undefined
  return { place: `${formatPath(path.slice(0, at))}[${best.index}]`, value: here[best.index] ?? null }
}

// Keys.

/** The reading of the values among the records at hand. */
function readingFor(coded: Coded): Reading {
  const read = (): Reading => readingIn([coded])
  return coded.whole ? coded.column.derived('reading for order', read) : read()
}

function textsIn(coded: Coded): string[] {
  const texts: string[] = []
  for (const code of codesPresent(coded)) {
    const one = scalarOrList(coded.column, code)
    if (typeof one === 'string') texts.push(one)
    else if (Array.isArray(one)) for (const value of one) if (typeof value === 'string') texts.push(value)
  }
  return texts
}

/** Of several values the smallest counts, descending the largest. */
function keyIn(column: Column, code: number, reading: Reading, descending = false): Key | undefined {
  const one = scalarOrList(column, code)
  if (!Array.isArray(one)) return one === undefined ? undefined : keyOf(one, reading)
  let chosen: Key | undefined
  for (const value of one) {
    const key = keyOf(value, reading)
    if (key === undefined) continue
    if (chosen === undefined || (descending ? ascending(key, chosen) > 0 : ascending(key, chosen) < 0))
      chosen = key
  }
  return chosen
}

/** One value as it is, several in a list; undefined for none, and for null. */
function scalarOrList(column: Column, code: number): JsonValue[] | Exclude<JsonValue, null> | undefined {
  const scalar = column.scalar(code)
  if (typeof scalar !== 'symbol') return scalar ?? undefined
  const values = column.values(code)
  const [only] = values
  if (values.length === 1 && !Array.isArray(only)) return only ?? undefined
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter((value) => value !== null)
}

// The order that is asked for.

/** A field to sort by. */
export interface Order {
  field: Field
  descending: boolean
  /** By how many elements, keys or characters its value has. */
  length?: true
}

/** `-a`, `a desc`, `a:desc`, `desc(a)`, `+a`, `a asc`; a field that has such a name itself comes first. */
export function parseOrder(records: Records, reference: string): Order {
  const exact = exactPath(records, reference)
  if (exact) return { field: comparable(records, exact), descending: false }
  const [, sign = '', signed = ''] =
    /^\s*([-+]?)\s*(.*?)(?:\s+nulls\s+(?:first|last))?\s*$/is.exec(reference) ?? []
  const [, called, inParentheses, bare] =
    /^(asc|desc|reverse)(?:ending)?(?:\s*\((.*)\)|\s+(.*))$/is.exec(signed) ?? []
  const [, before, after] = /^(.*?)(?:\s+|:)(asc|desc)(?:ending)?$/is.exec(signed) ?? []
  const descending = sign === '-' || /^(?:desc|reverse)$/i.test(called ?? after ?? '')
  const name = (inParentheses ?? bare ?? before ?? signed).trim()
  // `frame.len` may be a field beside an object `frame` within others, as conditions have it.
  const isKnown =
    exactPath(records, name) ||
    (!name.includes('(') &&
      !exactPath(records, name.replace(/\.\w+$/, '')) &&
      knowing(records)(name) !== undefined)
  const measured = isKnown ? undefined : lengthOf(name)
  const part = exactPath(records, name) ? undefined : partOfGroups(records, name)
  if (part) return { field: part, descending }
  if (measured === undefined) return { field: comparable(records, resolveField(records, name)), descending }
  return { field: resolveField(records, measured), descending, length: true }
}

/** Objects have no order; what they hold may have one. */
function comparable(records: Records, field: Field): Field {
  if (!holdsObjects(records, field)) return valueOfPairs(records, field) ?? field
  return numberWithin(records, field) ?? nameWithin(records, field) ?? field
}

/** The column of groups by a part of a date: `created_at:year` for `year(created_at)`, and for `created_at` where no other part is there. */
function partOfGroups(records: Records, name: string): Field | undefined {
  const [first] = records.values
  if (!isObject(first)) return undefined
  const [, called = '', inside] = /^([a-z_]\w*)\s*\((.*)\)$/is.exec(name) ?? []
  const words = [called, ...(inside ?? '').split(/,|\sfrom\s/i)].map((text) =>
    text.trim().replace(/^(["'`])(.*)\1$/s, '$2'),
  )
  const keys = Object.keys(first).filter((key) => /^.+:\w+$/s.test(key))
  const isOf = (key: string): boolean => {
    const [, of = '', part = ''] = /^(.+):(\w+)$/s.exec(key) ?? []
    if (datePart(part) === undefined) return false
    return inside === undefined
      ? of === name
      : words.includes(of) && words.some((word) => word.toLowerCase() === part.replace(/_of_.*$/, ''))
  }
  const [key, another] = keys.filter(isOf)
  return key === undefined || another !== undefined
    ? undefined
    : exactPath(records, `[${JSON.stringify(key)}]`)
}

/** `items` of `items.length`, `len(items)`, `size(items)`, `count(items)`. */
function lengthOf(name: string): string | undefined {
  // `length(a) - length(b)` is none of them.
  if (/\(/.test(name) && closingAt(name, name.indexOf('(')) < name.length - 1) return undefined
  const [, called, before] =
    /^(?:len|length|size|count)\s*\(\s*(.+?)\s*\)$|^(.+?)\s*(?:\.(?:length|len|size|count)(?:\(\))?|\|\s*length)$/is.exec(
      name,
    ) ?? []
  return called ?? before
}

// Order.

/** Ranks up to which they are counted, and as a multiple of the records. */
const MOST_COUNTED = 65_536
const MOST_RANKS = 4

/** The positions of the records in the order of their ranks, the first of several first; equals stay in theirs. */
export function inOrder(all: readonly Ranks[], count: number): Uint32Array {
  let order: Uint32Array | undefined
  // From the last on: each pass keeps the order of those before it among equals.
  for (const one of all.toReversed()) {
    const counted = one.count <= Math.max(MOST_COUNTED, count * MOST_RANKS)
    order = counted ? byCounting(one, order, count) : byComparing(one, order, count)
  }
  return order ?? positions(count)
}

function byCounting(
  { ranks, codes, count: different }: Ranks,
  before: Uint32Array | undefined,
  count: number,
): Uint32Array {
  const places = new Uint32Array(different + 1)
  for (let at = 0; at < count; at++) {
    const rank = ranks[codes ? (codes[at] as number) : at] as number
    places[rank + 1] = (places[rank + 1] as number) + 1
  }
  for (let rank = 1; rank <= different; rank++)
    places[rank] = (places[rank] as number) + (places[rank - 1] as number)
  const order = new Uint32Array(count)
  for (let nth = 0; nth < count; nth++) {
    const at = before ? (before[nth] as number) : nth
    const rank = ranks[codes ? (codes[at] as number) : at] as number
    const place = places[rank] as number
    order[place] = at
    places[rank] = place + 1
  }
  return order
}

function byComparing({ ranks, codes }: Ranks, before: Uint32Array | undefined, count: number): Uint32Array {
  const order = before ?? positions(count)
  const rankAt = (at: number): number => ranks[codes ? (codes[at] as number) : at] as number
  const places = new Uint32Array(count)
  for (let nth = 0; nth < count; nth++) places[order[nth] as number] = nth
  return order.sort((a, b) => rankAt(a) - rankAt(b) || (places[a] as number) - (places[b] as number))
}

/** 0, 1, 2 … `count - 1`: records in the order in which they came. */
export function positions(count: number): Uint32Array {
  const all = new Uint32Array(count)
  for (let at = 0; at < count; at++) all[at] = at
  return all
}

// Ranks.

export interface Ranks {
  /** From 0 by record, or by the code that a record has; what has no key comes after all of them. */
  readonly ranks: Uint32Array
  /** By record. Undefined: the ranks are. */
  readonly codes: Uint32Array | undefined
  /** How many ranks there are, that of what has no key included. */
  readonly count: number
}

/** All keys of a field are ranked, and the ranks kept, where so many of its records are asked about. */
const WORTHWHILE = 1 / 8

/** Each different value is read and ranked once, in place of each record. */
export function ranksOf(coded: Coded, descending: boolean): Ranks {
  const { column, codes, whole } = coded
  const reading = readingFor(coded)
  const name = `order as ${reading}${descending ? ', descending' : ''}`
  const many = whole || codes.length >= column.codes.length * WORTHWHILE
  const all = (): Ranks => rankCodes({ column, codes: column.codes, whole: true }, reading, descending)
  const { ranks, count } = many ? column.derived(name, all) : rankCodes(coded, reading, descending)
  return { ranks, count, codes }
}

function rankCodes(coded: Coded, reading: Reading, descending: boolean): Ranks {
  const present = codesPresent(coded)
  const keys = Array.from(present, (code) => keyIn(coded.column, code, reading, descending))
  const strays = Array.from(present, (code, at) =>
    keys[at] === undefined ? textOf(coded.column, code)?.toLowerCase() : undefined,
  )
  const { ranks: places, count } = rankedKeys(keys, strays, descending)
  if (coded.whole) return { ranks: places, count, codes: undefined }
  const ranks = new Uint32Array(coded.column.size)
  for (let at = 0; at < present.length; at++) ranks[present[at] as number] = places[at] as number
  return { ranks, count, codes: undefined }
}

/** The ranks of keys by their position; texts that are no such keys come after them, in their own order. */
function rankedKeys(
  all: readonly (Key | undefined)[],
  others: readonly (string | undefined)[],
  descending: boolean,
): Ranks {
  const places = new Map<Key, number>()
  for (const key of all) if (key !== undefined) places.set(key, 0)
  const keys = sorted([...places.keys()])
  for (const [place, key] of keys.entries()) places.set(key, descending ? keys.length - 1 - place : place)
  const strays = [...new Set(others.filter((one) => one !== undefined))].sort(compareNaturally)
  const behind = new Map<string | undefined, number>(strays.map((text, place) => [text, keys.length + place]))
  const last = keys.length + strays.length
  const ranks = Uint32Array.from(all, (key, at) =>
    key === undefined ? (behind.get(others[at]) ?? last) : (places.get(key) ?? 0),
  )
  return { ranks, count: last + 1, codes: undefined }
}

function sorted(keys: Key[]): Key[] | Float64Array {
  if (keys.every((key) => typeof key === 'number')) return Float64Array.from(keys).sort()
  // Without digits the natural order is that of code units, which needs no function that compares.
  const plain = keys.every((key) => typeof key === 'string' && !/\d/.test(key))
  return plain ? keys.sort() : keys.sort(ascending)
}

// Sizes.

const MOST_WORK = 20_000_000

/** Ranks by the elements of a list or of all lists, the keys of an object, the characters of a text; nothing comes last. */
export function sizeRanks(records: readonly JsonValue[], path: Path, descending: boolean): Ranks {
  const sizes = sizesIn(records, path)
  let most = 0
  for (const size of sizes) if (size > most) most = size
  const ranks = new Uint32Array(sizes.length)
  for (let at = 0; at < ranks.length; at++) {
    const size = sizes[at] as number
    ranks[at] = size === NOTHING ? most + 1 : descending ? most - size : size
  }
  return { ranks, codes: undefined, count: most + 2 }
}

const NOTHING = -1

/** By record, once for a list of records. */
function sizesIn(records: readonly JsonValue[], path: Path): Int32Array {
  const name = pathKey(path)
  return name === undefined
    ? readSizes(records, path)
    : columnsOf(records).derived(`sizes of ${name}`, () => readSizes(records, path))
}

function readSizes(records: readonly JsonValue[], path: Path): Int32Array {
  const work = newWork(MOST_WORK)
  const values: JsonValue[] = []
  return Int32Array.from(records, (record) => {
    values.length = 0
    const many = readValues(record, path, values, work)
    let size = NOTHING
    for (const value of values) if (value !== null) size = Math.max(size, 0) + sizeOf(value, many)
    return size === NOTHING && many ? 0 : size
  })
}

function sizeOf(value: Exclude<JsonValue, null>, many: boolean): number {
  if (Array.isArray(value)) return value.length
  if (typeof value === 'object') return Object.keys(value).length
  return many ? 1 : String(value).length
}
