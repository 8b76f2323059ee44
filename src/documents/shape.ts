/** What values at one place have in common: the node of a profile. */
import type { JsonPrimitive } from '../protocol/json.ts'

export interface NumberStats {
  count: number
  min: number
  max: number
  sum: number
  /** Records that hold the extremes, by index. */
  minAt: number
  maxAt: number
  integers: boolean
}

export interface StringStats {
  count: number
  minLength: number
  maxLength: number
  /** Characters of all strings. */
  total: number
  /** How many are URLs, ISO dates, numbers in quotes, and JSON. */
  urls: number
  dates: number
  numeric: number
  json: number
  /** Extremes of the dates. ISO dates of one form sort as text. */
  earliest: string
  latest: string
}

export interface ArrayStats {
  count: number
  min: number
  max: number
  total: number
}

/** Bounded counting: the first values that differ, each counted exactly. */
export interface Distinct {
  counts: Map<JsonPrimitive, number>
  /** There are more values than were kept. */
  overflow: boolean
}

/** A place in the records: `state`, `user.login`, `labels[]`. Counts are exact unless the profile says otherwise. */
export interface Shape {
  /** Values found here, of every type. */
  count: number
  nulls: number
  booleans: number
  objects: number
  numbers: NumberStats | undefined
  strings: StringStats | undefined
  arrays: ArrayStats | undefined
  distinct: Distinct
  /** Fields of the objects, in order of appearance. Empty when the objects are maps. */
  fields: Map<string, Shape>
  /** What the objects hold when they are maps: all values as one. */
  values: Shape | undefined
  /** Different keys of the maps; a lower bound once it reaches thousands. */
  keys: number
  /** What the arrays hold. */
  elements: Shape | undefined
}

export function emptyShape(): Shape {
  return {
    count: 0,
    nulls: 0,
    booleans: 0,
    objects: 0,
    numbers: undefined,
    strings: undefined,
    arrays: undefined,
    distinct: { counts: new Map(), overflow: false },
    fields: new Map(),
    values: undefined,
    keys: 0,
    elements: undefined,
  }
}

/** Adds all that `source` counted to `target`. */
export function absorb(target: Shape, source: Shape): void {
  target.count += source.count
  target.nulls += source.nulls
  target.booleans += source.booleans
  target.objects += source.objects
  absorbNumbers(target, source.numbers)
  absorbStrings(target, source.strings)
  absorbArrays(target, source.arrays)
  for (const [value, count] of source.distinct.counts) tally(target.distinct, value, count)
  target.distinct.overflow ||= source.distinct.overflow
  target.keys = Math.max(target.keys, source.keys)
  for (const [name, field] of source.fields) {
    if (target.values) absorb(target.values, field)
    else absorb(child(target, name), field)
  }
  if (source.values) absorb(collapse(target), source.values)
  if (source.elements) {
    target.elements ??= emptyShape()
    absorb(target.elements, source.elements)
  }
}

/** Makes the objects of a shape a map: all its fields become one. Answers the shape of the values. */
export function collapse(shape: Shape): Shape {
  if (!shape.values) {
    shape.values = emptyShape()
    shape.keys = Math.max(shape.keys, shape.fields.size)
    for (const field of shape.fields.values()) absorb(shape.values, field)
    shape.fields = new Map()
  }
  return shape.values
}

/** The shape of a field, made when it is new. */
export function child(shape: Shape, name: string): Shape {
  let field = shape.fields.get(name)
  if (!field) {
    field = emptyShape()
    shape.fields.set(name, field)
  }
  return field
}

const MAX_DISTINCT = 300
const MAX_DISTINCT_LENGTH = 120

/** Counts a value. What would not fit is not kept, and `overflow` says so. */
export function tally(distinct: Distinct, value: JsonPrimitive, count = 1): void {
  const before = distinct.counts.get(value)
  if (before !== undefined) {
    distinct.counts.set(value, before + count)
    return
  }
  const tooLong = typeof value === 'string' && value.length > MAX_DISTINCT_LENGTH
  if (distinct.overflow || tooLong || distinct.counts.size >= MAX_DISTINCT) {
    distinct.overflow = true
    return
  }
  distinct.counts.set(value, count)
}

function absorbNumbers(target: Shape, source: NumberStats | undefined): void {
  const before = target.numbers
  if (!source) return
  if (!before) {
    target.numbers = { ...source }
    return
  }
  if (source.min < before.min) Object.assign(before, { min: source.min, minAt: source.minAt })
  if (source.max > before.max) Object.assign(before, { max: source.max, maxAt: source.maxAt })
  before.count += source.count
  before.sum += source.sum
  before.integers &&= source.integers
}

function absorbStrings(target: Shape, source: StringStats | undefined): void {
  const before = target.strings
  if (!source) return
  if (!before) {
    target.strings = { ...source }
    return
  }
  before.count += source.count
  before.minLength = Math.min(before.minLength, source.minLength)
  before.maxLength = Math.max(before.maxLength, source.maxLength)
  before.total += source.total
  before.urls += source.urls
  before.numeric += source.numeric
  before.json += source.json
  if (source.dates > 0) {
    before.earliest =
      before.dates > 0 && before.earliest < source.earliest ? before.earliest : source.earliest
    before.latest = before.dates > 0 && before.latest > source.latest ? before.latest : source.latest
  }
  before.dates += source.dates
}

function absorbArrays(target: Shape, source: ArrayStats | undefined): void {
  const before = target.arrays
  if (!source) return
  target.arrays = before
    ? {
        count: before.count + source.count,
        min: Math.min(before.min, source.min),
        max: Math.max(before.max, source.max),
        total: before.total + source.total,
      }
    : { ...source }
}
