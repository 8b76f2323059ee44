/** The values of a column, each different one once, by code which of them, and how often each occurs. */
import type { JsonValue } from '../../protocol/json.ts'
import { toJson } from '../json/stringify.ts'
import type { Coded, Column, Derives } from './column.ts'

/** Never changes. */
export interface Values extends Derives {
  /** In the order in which they first occur. */
  readonly items: readonly JsonValue[]
  /** The rows with a code hold the items `ids[starts[code]]` to `ids[starts[code + 1]]`, that one not included. */
  readonly starts: Uint32Array
  readonly ids: Uint32Array
  /** By code the one item it has, -1 for none; undefined where some code has several. */
  readonly single: Int32Array | undefined
}

/** How often each value occurs in the rows at hand. Never changes. */
export interface Census extends Derives {
  /** By item of the values. */
  readonly counts: Uint32Array
  /** The items that occur, in the order in which they first do. */
  readonly present: Uint32Array
  /** All of them. */
  readonly total: number
  /** Rows without a value. */
  readonly without: number
}

/** The values of a column, those in lists one by one, without nulls. Lists and objects are an item each time they occur. */
export function valuesOf(column: Column): Values {
  return column.derived('values', () => encoded(column, 'values', withoutNulls, itself))
}

const MINUS_ZERO = Symbol('-0')

function itself(value: JsonValue): unknown {
  return Object.is(value, -0) ? MINUS_ZERO : value
}

function withoutNulls(found: readonly JsonValue[]): readonly JsonValue[] {
  return elementsOf(found).filter((value) => value !== null)
}

/** Values that a reader found, a list that is alone or among them by its elements. */
export function elementsOf(found: readonly JsonValue[]): readonly JsonValue[] {
  const [only] = found
  return found.length === 1 && !Array.isArray(only) ? found : (found.flat(1) as JsonValue[])
}

/** By code the values that `list` makes of what was found, one item for all that have the same identity. */
export function encoded(
  column: Column,
  name: string,
  list: (found: readonly JsonValue[]) => readonly JsonValue[],
  identityOf: (value: JsonValue) => unknown,
): Values {
  const items: JsonValue[] = []
  const known = new Map<unknown, number>()
  const starts = new Uint32Array(column.size + 1)
  const ids: number[] = []
  for (let code = 0; code < column.size; code++) {
    for (const value of list(column.values(code))) {
      const key = identityOf(value)
      let id = known.get(key)
      if (id === undefined) {
        id = items.push(value) - 1
        known.set(key, id)
      }
      ids.push(id)
    }
    starts[code + 1] = ids.length
  }
  return {
    items,
    starts,
    ids: Uint32Array.from(ids),
    single: singleIn(starts, ids),
    derived: (what, make) => column.derived(`${name}: ${what}`, make),
  }
}

function singleIn(starts: Uint32Array, ids: readonly number[]): Int32Array | undefined {
  const single = new Int32Array(starts.length - 1).fill(-1)
  for (let code = 0; code < single.length; code++) {
    const from = starts[code] as number
    const count = (starts[code + 1] as number) - from
    if (count > 1) return undefined
    if (count === 1) single[code] = ids[from] as number
  }
  return single
}

/** How often the values occur in the rows of these codes. */
export function censusOf({ codes, whole }: Pick<Coded, 'codes' | 'whole'>, values: Values): Census {
  return whole ? values.derived('census', () => counted(codes, values)) : counted(codes, values)
}

function counted(codes: Uint32Array, { items, starts, ids }: Values): Census {
  const counts = new Uint32Array(items.length)
  const present = new Uint32Array(items.length)
  let [different, total, without] = [0, 0, 0]
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number
    const from = starts[code] as number
    const end = starts[code + 1] as number
    if (from === end) without += 1
    total += end - from
    for (let place = from; place < end; place++) {
      const id = ids[place] as number
      const before = counts[id] as number
      if (before === 0) present[different++] = id
      counts[id] = before + 1
    }
  }
  const made = new Map<string, unknown>()
  return {
    counts,
    present: present.subarray(0, different),
    total,
    without,
    derived<T>(name: string, make: () => T): T {
      if (!made.has(name)) made.set(name, make())
      return made.get(name) as T
    },
  }
}

/** The key of a value among others: itself, or its JSON where two that are equal are not the same. */
export function identity(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.charCodeAt(0) === 0 ? `\u0000"${value}` : value
  return typeof value === 'object' && value !== null ? `\u0000${toJson(value)}` : value
}

/** For each item the first one that is equal to it; undefined where all are different. */
export function equals(values: Values): Uint32Array | undefined {
  return values.derived('equals', () => {
    const { items } = values
    if (!items.some((value) => typeof value === 'object' || Object.is(value, -0))) return undefined
    const first = new Map<JsonValue, number>()
    return Uint32Array.from(items, (value, id) => {
      const key = identity(value)
      const known = first.get(key) ?? id
      if (known === id) first.set(key, id)
      return known
    })
  })
}

/** How often each different value occurs, by its item, in the order in which they first do. */
export function frequencies(values: Values, { counts, present }: Census): [id: number, count: number][] {
  const same = equals(values)
  if (!same) return Array.from(present, (id) => [id, counts[id] ?? 0])
  const sums = new Map<number, number>()
  for (const id of present) {
    const first = same[id] ?? id
    sums.set(first, (sums.get(first) ?? 0) + (counts[id] ?? 0))
  }
  return [...sums]
}

/** Different values that are all listed, and characters of all of them; else the most frequent few. */
const MOST_LISTED = 50
const MOST_CHARACTERS = 1_500
const MOST_FREQUENT = 10

/** Different values with their counts, most frequent first, and what they are: all of them, or the most frequent. */
export function listValues(values: Values, census: Census): { title: string; counts: JsonValue[] } {
  const found = frequencies(values, census)
  const value = (id: number): JsonValue => values.items[id] ?? null
  const many = found.length > MOST_LISTED
  const sorted = many ? largest(found, MOST_FREQUENT) : found.sort((a, b) => b[1] - a[1])
  const characters = many ? 0 : sorted.reduce((sum, [id]) => sum + toJson(value(id)).length + 6, 0)
  const all =
    sorted.length === found.length && (found.length <= MOST_FREQUENT || characters <= MOST_CHARACTERS)
  const shown = all ? sorted : sorted.slice(0, MOST_FREQUENT)
  return {
    title: all ? 'values' : `${MOST_FREQUENT} most frequent`,
    counts: shown.map(([id, count]) => [value(id), count]),
  }
}

/** The few that occur most, in the order of their counts, of equals the first, without sorting all. */
function largest(found: readonly [number, number][], few: number): [number, number][] {
  const top: [number, number][] = []
  for (const one of found) {
    if (top.length === few && one[1] <= (top[few - 1]?.[1] ?? 0)) continue
    const before = top.findIndex(([, count]) => count < one[1])
    top.splice(before < 0 ? top.length : before, 0, one)
    if (top.length > few) top.pop()
  }
  return top
}
