/** The common facts of values at one place: the node of a profile. */
import type { JsonPrimitive } from '../../protocol/json.ts'

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

/** Bounded counting: the first values that differ. */
export interface Distinct {
  /** Exact, except where more values exist and no kept one is frequent: then a lower bound. */
  readonly counts: ReadonlyMap<JsonPrimitive, number>
  /** There are more values than were kept. */
  readonly overflow: boolean
  /** The index of the first record that was seen to hold the value. */
  firstOf(value: JsonPrimitive): number | undefined
}

/** A field with its name, in a list that objects of one kind agree with key by key. */
export interface NamedShape {
  name: string
  shape: Shape
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
  /** The numbers that strings hold (`"12.50"`), without numbers that a double cannot hold and without codes (`"007"`). */
  numeric: NumberStats | undefined
  arrays: ArrayStats | undefined
  distinct: Tally
  /** Fields of the objects, in order of appearance. Empty when the objects are maps. */
  fields: Map<string, Shape>
  /** The same as a list. */
  order: NamedShape[]
  /** The shape of the values of objects that are maps: all values as one. */
  values: Shape | undefined
  /** Different keys of the maps; a lower bound once it reaches thousands. */
  keys: number
  /** The shape of the elements of the arrays. */
  elements: Shape | undefined
  /** The shape of the content of strings of JSON: of all of them, or undefined. */
  held: Shape | undefined
}

export function emptyShape(): Shape {
  return {
    count: 0,
    nulls: 0,
    booleans: 0,
    objects: 0,
    numbers: undefined,
    strings: undefined,
    numeric: undefined,
    arrays: undefined,
    distinct: new Tally(),
    fields: new Map(),
    order: [],
    values: undefined,
    keys: 0,
    elements: undefined,
    held: undefined,
  }
}

/** Adds all that `source` counted to `target`. */
export function absorb(target: Shape, source: Shape): void {
  target.count += source.count
  target.nulls += source.nulls
  target.booleans += source.booleans
  target.objects += source.objects
  target.numbers = sumOf(target.numbers, source.numbers)
  target.numeric = sumOf(target.numeric, source.numeric)
  absorbStrings(target, source.strings)
  absorbArrays(target, source.arrays)
  target.distinct.absorb(source.distinct)
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
  if (source.held) {
    target.held ??= emptyShape()
    absorb(target.held, source.held)
  }
}

/** Makes the objects of a shape a map: all its fields become one. Answers the shape of the values. */
export function collapse(shape: Shape): Shape {
  if (!shape.values) {
    shape.values = emptyShape()
    shape.keys = Math.max(shape.keys, shape.fields.size)
    for (const field of shape.fields.values()) absorb(shape.values, field)
    shape.fields = new Map()
    shape.order = []
  }
  return shape.values
}

/** The shape of a field, made when it is new. */
export function child(shape: Shape, name: string): Shape {
  let field = shape.fields.get(name)
  if (!field) {
    field = emptyShape()
    shape.fields.set(name, field)
    shape.order.push({ name, shape: field })
  }
  return field
}

/** Values of one place that are always counted, and the most that are counted while room is left. */
const ALWAYS_DISTINCT = 300
const MAX_DISTINCT = 4000
export const MAX_DISTINCT_LENGTH = 120
/** Values beyond those kept after which a field of ids, dates or prose is known for what it is. */
const PATIENCE = 2_000
/** A value that occurs less often by then is not frequent. */
const FREQUENT = 3

/** Room for values that differ, shared by all places of a profile: wide records have many. */
export interface Room {
  left: number
}

/** How often a value was found, and in which record first. */
export interface Box {
  count: number
  readonly first: number
}

/** Counts values. A value that would not fit is not kept, and `overflow` says so. */
export class Tally implements Distinct {
  overflow = false
  readonly #boxes = new Map<JsonPrimitive, Box>()
  /** Values that may still be missed, until counting ends because none that was kept is frequent. */
  #left = PATIENCE
  #counts: Map<JsonPrimitive, number> | undefined

  get counts(): ReadonlyMap<JsonPrimitive, number> {
    if (this.#counts === undefined) {
      this.#counts = new Map()
      for (const [value, { count }] of this.#boxes) this.#counts.set(value, count)
    }
    return this.#counts
  }

  /** Nothing is counted any more. */
  get closed(): boolean {
    return this.#left === 0
  }

  firstOf(value: JsonPrimitive): number | undefined {
    return this.#boxes.get(value)?.first
  }

  /** Counts a value of the record at index `at`. Answers its box, where it has one: to count it there from then on. */
  add(value: JsonPrimitive, count = 1, room?: Room, at = 0): Box | undefined {
    if (this.#left === 0) return undefined
    const tooLong = typeof value === 'string' && value.length > MAX_DISTINCT_LENGTH
    const box = tooLong ? undefined : this.#boxes.get(value)
    this.#counts = undefined
    if (box !== undefined) {
      box.count += count
      return box
    }
    if (this.overflow || tooLong || !this.#fits(room)) {
      this.miss()
      return undefined
    }
    const made = { count, first: at }
    this.#boxes.set(value, made)
    return made
  }

  absorb(source: Tally): void {
    for (const [value, { count, first }] of source.#boxes) this.add(value, count, undefined, first)
    this.overflow ||= source.overflow
  }

  #fits(room: Room | undefined): boolean {
    if (this.#boxes.size < ALWAYS_DISTINCT) return true
    if (this.#boxes.size >= MAX_DISTINCT || room?.left === 0) return false
    if (room) room.left -= 1
    return true
  }

  /** Another value was found without room for it. */
  miss(): void {
    this.overflow = true
    this.#left -= 1
    if (this.#left > 0) return
    for (const { count } of this.#boxes.values()) if (count >= FREQUENT) this.#left = Number.POSITIVE_INFINITY
  }
}

/** Both together, in an object of its own unless there is nothing to add. */
export function sumOf(
  before: NumberStats | undefined,
  source: NumberStats | undefined,
): NumberStats | undefined {
  if (!source) return before
  if (!before) return { ...source }
  const sum = { ...before, count: before.count + source.count, sum: before.sum + source.sum }
  if (source.min < sum.min) Object.assign(sum, { min: source.min, minAt: source.minAt })
  if (source.max > sum.max) Object.assign(sum, { max: source.max, maxAt: source.maxAt })
  sum.integers &&= source.integers
  return sum
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
