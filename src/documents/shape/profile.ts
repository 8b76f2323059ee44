/** One pass over a collection: what each field holds. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { parseJson } from '../json/stringify.ts'
import {
  type Collection,
  comeAndGo,
  isMap,
  isMapShape,
  isRagged,
  MOST_FIELDS,
  SOME_FIELDS,
} from './collections.ts'
import {
  child,
  collapse,
  emptyShape,
  type NamedShape,
  type NumberStats,
  type Room,
  type Shape,
  type StringStats,
} from './shape.ts'

export interface Profile {
  /** Records looked at: all of them. */
  count: number
  /** The shape of a record. */
  record: Shape
  /** Frequent values come from every nth record only; everything else is exact. 1: from all. */
  every: number
}

export interface ProfileOptions {
  /** Levels of fields below the record. Default 6. Deeper values are only counted. */
  maxDepth?: number
}

/** Above this many records the values of a sample are counted. */
export const ALL_VALUES = 200_000
/** Values that differ, of all fields, beyond the few hundred of each. */
const MOST_DISTINCT = 60_000
/** Characters of JSON in strings that are parsed. Where there are more, they stay strings. */
const MOST_PARSED = 2_000_000

/** Profiles the records of a collection. Linear in what they hold; memory is bounded by the number of fields. */
export function profile(collection: Pick<Collection, 'values'>, options: ProfileOptions = {}): Profile {
  const { values } = collection
  const every = sampled(values.length)
  const pass = new Pass(options.maxDepth)
  const record = emptyShape()
  for (let index = 0; index < values.length; index++)
    pass.visit(record, values[index] ?? null, index, index % every === 0)
  return pass.finished(record, values.length, every)
}

/** So many records are so many apart of which the values are counted. */
export function sampled(count: number): number {
  return Math.max(1, Math.ceil(count / ALL_VALUES))
}

/** The counts of one pass over records. */
export class Pass {
  readonly maxDepth: number
  readonly room: Room = { left: MOST_DISTINCT }
  #parsed = 0

  constructor(maxDepth = 6) {
    this.maxDepth = maxDepth
  }

  /** The profile, once all `count` records are counted. */
  finished(record: Shape, count: number, every: number): Profile {
    findMaps(record, this.maxDepth)
    return { count, record, every }
  }

  /** Counts one value. `at` is the index of its record; `detail` false leaves its value out of the frequent ones. */
  visit(shape: Shape, value: JsonValue, at: number, detail: boolean, depth = 0): void {
    shape.count += 1
    if (typeof value === 'string') {
      countString(shape, value, at)
      if (detail) shape.distinct.add(value, 1, this.room, at)
      if (isJson(value)) this.#held(shape, value, at, detail, depth)
    } else if (typeof value === 'number') {
      shape.numbers = countNumber(shape.numbers, value, at)
      if (detail) shape.distinct.add(value, 1, this.room, at)
    } else if (value === null) {
      shape.nulls += 1
    } else if (typeof value === 'boolean') {
      shape.booleans += 1
      if (detail) shape.distinct.add(value, 1, this.room, at)
    } else if (Array.isArray(value)) {
      this.#array(shape, value, at, detail, depth)
    } else {
      shape.objects += 1
      if (depth < this.maxDepth) this.#object(shape, value, at, detail, depth)
    }
  }

  /** Counts what a string that begins with a digit or a minus may be: a date, a number. */
  digits(shape: Shape, stats: StringStats, value: string, at: number): void {
    countDigits(shape, stats, value, at)
  }

  /** JSON in strings is profiled as what it holds, while there is room to parse all of it. */
  #held(shape: Shape, text: string, at: number, detail: boolean, depth: number): void {
    this.#parsed += text.length
    const parsed = this.#parsed <= MOST_PARSED && depth < this.maxDepth ? parseJson(text) : undefined
    if (typeof parsed?.value !== 'object') return
    shape.held ??= emptyShape()
    this.visit(shape.held, parsed.value, at, detail, depth)
  }

  #array(shape: Shape, items: readonly JsonValue[], at: number, detail: boolean, depth: number): void {
    const { length } = items
    const stats = shape.arrays
    if (stats) {
      stats.count += 1
      stats.total += length
      if (length < stats.min) stats.min = length
      if (length > stats.max) stats.max = length
    } else {
      shape.arrays = { count: 1, min: length, max: length, total: length }
    }
    if (depth >= this.maxDepth) return
    shape.elements ??= emptyShape()
    for (const item of items) this.visit(shape.elements, item, at, detail, depth + 1)
  }

  #object(shape: Shape, object: JsonObject, at: number, detail: boolean, depth: number): void {
    let seen = 0
    let expected = 0
    // The keys of data are own: `for in` lists them without making a list, for every record again.
    for (const key in object) {
      if (seen++ === SOME_FIELDS && !shape.values && isWide(object, depth)) collapse(shape)
      const value = object[key] ?? null
      if (shape.values) {
        this.visit(shape.values, value, at, detail, depth + 1)
        continue
      }
      const place = placeOf(shape.order, key, expected)
      if (place >= 0) expected = place + 1
      // Beyond so many fields of records only the known ones are counted.
      const isFull = shape.fields.size > MOST_FIELDS
      const field = shape.order[place]?.shape ?? (isFull ? shape.fields.get(key) : child(shape, key))
      if (field) this.visit(field, value, at, detail, depth + 1)
    }
    if (shape.values) shape.keys = Math.max(shape.keys, seen)
    if (shape.fields.size > SOME_FIELDS && comeAndGo(shape)) collapse(shape)
  }
}

/** Fields that a record may lack before the next of its keys is looked up. */
const LACKING = 3

/** The place of a field in the list, where records have them in one order; -1: look it up. */
function placeOf(order: readonly NamedShape[], key: string, expected: number): number {
  for (let place = expected; place <= expected + LACKING; place++)
    if (order[place]?.name === key) return place
  return -1
}

/** True for an object of more than `SOME_FIELDS` keys that is a map. */
function isWide(object: JsonObject, depth: number): boolean {
  return Object.keys(object).length > MOST_FIELDS || (depth > 0 && isMap(object))
}

/** Collapses what turned out to be a map only when all of it had been seen. */
function findMaps(shape: Shape, depth: number): void {
  if (depth < 0) return
  if (isMapShape(shape)) collapse(shape)
  // The fields that most records have say what they are.
  if (isRagged(shape))
    shape.fields = new Map([...shape.fields].sort(([, one], [, other]) => other.count - one.count))
  for (const field of shape.fields.values()) findMaps(field, depth - 1)
  if (shape.values) findMaps(shape.values, depth - 1)
  if (shape.elements) findMaps(shape.elements, depth - 1)
  dropPartial(shape, depth)
}

/** Members of only some of the strings of JSON would pass for members of all. */
function dropPartial(shape: Shape, depth: number): void {
  if (shape.held && shape.held.count < (shape.strings?.json ?? 0)) shape.held = undefined
  if (shape.held) findMaps(shape.held, depth - 1)
}

/** Counts a number of the record at index `at`. */
export function countNumber(stats: NumberStats | undefined, value: number, at: number): NumberStats {
  if (!stats) {
    const integers = Number.isInteger(value)
    return { count: 1, min: value, max: value, sum: value, minAt: at, maxAt: at, integers }
  }
  stats.count += 1
  stats.sum += value
  if (value < stats.min) {
    stats.min = value
    stats.minAt = at
  }
  if (value > stats.max) {
    stats.max = value
    stats.maxAt = at
  }
  if (stats.integers && !Number.isInteger(value)) stats.integers = false
  return stats
}

const DATE =
  /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?)?$/

const DASH = 45

/** The beginning and the end of a JSON object or array. */
function isJson(text: string): boolean {
  const first = text.charCodeAt(0)
  return (first === 123 || first === 91) && text.length > 1 && /[}\]]\s*$/.test(text.slice(-8))
}

function countString(shape: Shape, value: string, at: number): void {
  const { length } = value
  const stats = countLength(shape, length)
  const first = value.charCodeAt(0)
  if (first === 104 && /^https?:\/\//.test(value)) stats.urls += 1
  else if ((first >= 48 && first <= 57 && length <= 35) || first === 45) countDigits(shape, stats, value, at)
  else if (isJson(value)) stats.json += 1
}

/** As many digits as a double holds exactly. */
const EXACT = 15

function countDigits(shape: Shape, stats: StringStats, value: string, at: number): void {
  if (value.charCodeAt(4) === DASH && DATE.test(value)) {
    if (stats.dates === 0 || value < stats.earliest) stats.earliest = value
    if (stats.dates === 0 || value > stats.latest) stats.latest = value
    stats.dates += 1
  } else if (value.length <= 40 && /^-?\d+(?:\.\d+)?$/.test(value)) {
    stats.numeric += 1
    if (value.length <= EXACT && !/^-?0\d/.test(value))
      shape.numeric = countNumber(shape.numeric, Number(value), at)
  }
}

/** Counts a string of this length, and answers where what it looks like is counted. */
export function countLength(shape: Shape, length: number): StringStats {
  shape.strings ??= {
    count: 0,
    minLength: length,
    maxLength: length,
    total: 0,
    urls: 0,
    dates: 0,
    numeric: 0,
    json: 0,
    earliest: '',
    latest: '',
  }
  const stats = shape.strings
  stats.count += 1
  stats.total += length
  if (length < stats.minLength) stats.minLength = length
  if (length > stats.maxLength) stats.maxLength = length
  return stats
}
