/** Which different values there are, and how often. */
import { toJson } from '../../documents/stringify.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Census } from './census.ts'
import type { Values } from './values.ts'

/** Different values that are all listed beside `distinct`, and characters of all of them; else the most frequent few. */
const mostListed = 50
const mostCharacters = 1_500
const mostFrequent = 10

/** What stands for a value among others: itself, or its JSON where two that are equal are not the same. */
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
function frequencies(values: Values, { counts, present }: Census): [id: number, count: number][] {
  const same = equals(values)
  if (!same) return Array.from(present, (id) => [id, counts[id] ?? 0])
  const sums = new Map<number, number>()
  for (const id of present) {
    const first = same[id] ?? id
    sums.set(first, (sums.get(first) ?? 0) + (counts[id] ?? 0))
  }
  return [...sums]
}

/** Different values with their counts, most frequent first, and what they are: all of them, or the most frequent. */
export function listValues(values: Values, census: Census): { title: string; counts: JsonValue[] } {
  const found = frequencies(values, census)
  const value = (id: number): JsonValue => values.items[id] ?? null
  const many = found.length > mostListed
  const sorted = many ? largest(found, mostFrequent) : found.sort((a, b) => b[1] - a[1])
  const characters = many ? 0 : sorted.reduce((sum, [id]) => sum + toJson(value(id)).length + 6, 0)
  const all = sorted.length === found.length && (found.length <= mostFrequent || characters <= mostCharacters)
  const shown = all ? sorted : sorted.slice(0, mostFrequent)
  return {
    title: all ? 'values' : `${mostFrequent} most frequent`,
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
