/** Lists within records, and a record for each of their elements. */
import { isObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import { formatPath, type Path, type Segment, type Work } from './path/path.ts'
import type { Records } from './records.ts'
import { Refusal } from './refusal.ts'

/** Records looked at to learn where lists are, and elements of each list. */
const mostSampled = 200
const mostElements = 5

/**
 * The way to the innermost list that a path goes through or ends at in some record: `items` for `items.price`,
 * `items[*].price` and `items[0:3]`. Undefined: it goes through none, or through other things than names and whole lists.
 */
export function listOn(records: Records, path: Path): Path | undefined {
  if (!path.every(isPlain)) return undefined
  const { values } = records
  const step = Math.max(1, Math.floor(values.length / mostSampled))
  let end = -1
  for (let at = 0; at < values.length; at += step) end = Math.max(end, listEnd(values[at] ?? null, path, 0))
  return end < 0 ? undefined : path.slice(0, end)
}

/** True for a path whose names are the beginning of another's, whole lists aside: `items` of `items[*].price`. */
export function isOn(list: Path, path: Path): boolean {
  const [short, long] = [namesOf(list), namesOf(path)]
  return short.length <= long.length && short.every((name, at) => name === long[at])
}

function namesOf(path: Path): string[] {
  return path.filter((segment) => !isAll(segment)).map((segment) => formatPath([segment]))
}

function isAll({ selectors: [only] }: Segment): boolean {
  return only?.kind === 'all'
}

function isPlain({ selectors, deep }: Segment): boolean {
  const [only] = selectors
  return !deep && selectors.length === 1 && (only?.kind === 'name' || only?.kind === 'all')
}

/** How many segments lead to the innermost list on the way; -1 for none, and where `*` goes through an object. */
function listEnd(value: JsonValue, path: Path, at: number): number {
  const segment = path[at]
  if (Array.isArray(value)) {
    const next = segment && isAll(segment) ? at + 1 : at
    const inner = segment ? value.slice(0, mostElements).map((element) => listEnd(element, path, next)) : []
    return Math.max(at, ...inner)
  }
  const name = segment?.selectors[0]
  if (name?.kind !== 'name' || !isObject(value)) return -1
  const whole = segment?.dotted.find((dotted) => Object.hasOwn(value, dotted.name))
  return whole ? -1 : listEnd(own(value, name.name) ?? null, path, at + 1)
}

/**
 * The record once for each element of the list, with `wrap(element)` in place of the list; lists that lie outside of it
 * count as well. A record whose list is empty or absent comes back as it is.
 */
export function unwind(
  record: JsonValue,
  list: Path,
  work: Work,
  wrap: (element: JsonValue) => JsonValue = (element) => element,
): JsonValue[] {
  return unwindFrom(record, list, 0, work, wrap)
}

function unwindFrom(
  value: JsonValue,
  list: Path,
  at: number,
  work: Work,
  wrap: (element: JsonValue) => JsonValue,
): JsonValue[] {
  if (--work.left < 0) throw new Refusal('These lists hold too many elements. Narrow down with `path` first.')
  const segment = list[at]
  if (Array.isArray(value)) {
    if (value.length === 0) return [value]
    if (!segment) return value.map(wrap)
    const next = isAll(segment) ? at + 1 : at
    return value.flatMap((element) => unwindFrom(element, list, next, work, wrap).map(wrap))
  }
  const name = segment?.selectors[0]
  const held = name?.kind === 'name' && isObject(value) ? own(value, name.name) : undefined
  if (held === undefined || name?.kind !== 'name' || !isObject(value)) return [value]
  return unwindFrom(held, list, at + 1, work, wrap).map((element) => {
    const copy = { ...value }
    setOwn(copy, name.name, element)
    return copy
  })
}

/** A list as people call it: `items`, `orders.items`. */
export function listName(list: Path): string {
  return list.length === 0 ? '@' : formatPath(list.filter((segment) => !isAll(segment)))
}

/** The path of a field in records of which `list` was unwound: its `[*]` is gone. */
export function withoutList(list: Path, path: Path): Path {
  const names = namesOf(list).length
  let seen = 0
  return path.filter((segment) => {
    if (isAll(segment) && seen <= names) return false
    if (!isAll(segment)) seen += 1
    return true
  })
}
