/** Lists within records: where they are, and their elements by themselves or each in a record of its own. */

import { type Coded, columnsOf } from '../../documents/columns/column.ts'
import { isObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { placesOver } from '../../text/spread.ts'
import { Refusal } from '../refusal.ts'
import { newWork, type Work } from '../work.ts'
import {
  firstName,
  formatPath,
  isEach,
  nameOf,
  type Path,
  pathKey,
  type Segment,
  withinEach,
} from './path.ts'
import { codedOf } from './reader.ts'
import type { Records } from './records.ts'
import { isIndex } from './walk.ts'

/** Records looked at to learn where lists are, and elements of each list. */
const MOST_SAMPLED = 200
const MOST_ELEMENTS = 5

/**
 * The way to the innermost list that a path goes through or ends at in some record: `items` for `items.price`,
 * `items[*].price` and `items[0:3]`. Undefined: it goes through none, or through other things than names and whole lists.
 */
export function listOn(records: Records, path: Path): Path | undefined {
  if (!path.every(isPlain)) return undefined
  const { values } = records
  let end = -1
  for (const at of placesOver(values.length, MOST_SAMPLED))
    end = Math.max(end, listEnd(values[at] ?? null, path, 0))
  return end < 0 ? undefined : path.slice(0, end)
}

/** The innermost list with elements in which the path leads to a field: `items` for `items.price`, and for `items.sizes`, a list itself. */
export function listAround(records: Records, path: Path): Path | undefined {
  const list = listOn(records, path)
  const around = list && list.length === path.length ? listOn(records, path.slice(0, -1)) : list
  return around && around.length > 0 ? around : undefined
}

/** The list that all of the paths go through to something in its elements, innermost; undefined where they have none in common. */
export function listOfAll(records: Records, paths: readonly Path[]): Path | undefined {
  const list = paths[0] && listOn(records, paths[0])
  if (!list || list.length === 0) return undefined
  const isThrough = (path: Path): boolean => {
    const inner = within(list, path)
    return inner !== undefined && inner.length > 0 && listOn(records, path)?.length === list.length
  }
  return paths.every(isThrough) ? list : undefined
}

/** True for a path that begins another one, whole lists aside: `items` of `items[*].price`. */
export function isOn(list: Path, path: Path): boolean {
  const [short, long] = [namesOf(list), namesOf(path)]
  return short.length <= long.length && short.every((name, at) => name === long[at])
}

function namesOf(path: Path): string[] {
  return path.filter((segment) => !isEach(segment)).map((segment) => formatPath([segment]))
}

function isPlain(segment: Segment): boolean {
  const isAlone = !segment.deep && segment.selectors.length === 1
  return isAlone && (isEach(segment) || firstName(segment) !== undefined)
}

/** How many segments lead to the innermost list on the way; -1 for none, and where `*` goes through an object. */
function listEnd(value: JsonValue, path: Path, at: number): number {
  const segment = path[at]
  if (Array.isArray(value)) {
    const next = isEach(segment) ? at + 1 : at
    const inner = segment ? value.slice(0, MOST_ELEMENTS).map((element) => listEnd(element, path, next)) : []
    return Math.max(at, ...inner)
  }
  const name = firstName(segment)
  if (name === undefined || !isObject(value)) return -1
  const whole = segment?.dotted.find((dotted) => Object.hasOwn(value, dotted.name))
  return whole ? -1 : listEnd(own(value, name) ?? null, path, at + 1)
}

/**
 * The record once for each element of the list, with `wrap(element)` in place of the list; lists that lie outside of it
 * count as well. A record with an empty or absent list comes back as it is.
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
    const next = isEach(segment) ? at + 1 : at
    return value.flatMap((element) => unwindFrom(element, list, next, work, wrap).map(wrap))
  }
  const name = firstName(segment)
  const held = name !== undefined && isObject(value) ? own(value, name) : undefined
  if (held === undefined || name === undefined || !isObject(value)) return [value]
  return unwindFrom(held, list, at + 1, work, wrap).map((element) => {
    const copy = { ...value }
    setOwn(copy, name, element)
    return copy
  })
}

/** A list as people call it: `items`, `orders.items`. */
export function listName(list: Path): string {
  return list.length === 0 ? '@' : formatPath(list.filter((segment) => !isEach(segment)))
}

/** The path of a field in records of which `list` was unwound: its `[*]` is gone. */
export function withoutList(list: Path, path: Path): Path {
  const names = namesOf(list).length
  let seen = 0
  return path.filter((segment) => {
    if (isEach(segment) && seen <= names) return false
    if (!isEach(segment)) seen += 1
    return true
  })
}

export interface Units {
  /** The record that each is of, by its position. */
  readonly records: Uint32Array
  /** A field as it is in each of them. */
  codes(path: Path): Coded
}

/** Elements that are looked at in all records. */
export const MOST_WORK = 20_000_000

/**
 * The elements of `list`. A record with an empty or absent list has none, or is one as it is. `paths`: what will be asked for. Throws
 * a `Refusal` when there are too many.
 */
export function unitsOf(records: readonly JsonValue[], list: Path, paths: readonly Path[]): Units {
  return elementsOf(records, list, paths) ?? copiesOf(records, list)
}

/** Each element as the record it is in with that element alone, whatever the paths. */
function copiesOf(records: readonly JsonValue[], list: Path): Units {
  const work = newWork(MOST_WORK)
  const rows: JsonValue[] = []
  const from: number[] = []
  for (let at = 0; at < records.length; at++) {
    for (const unit of unwind(records[at] ?? null, list, work, (element) => [element])) {
      rows.push(unit)
      from.push(at)
    }
  }
  return { records: Uint32Array.from(from), codes: (path) => codedOf(rows, path) }
}

interface Elements {
  readonly values: readonly JsonValue[]
  readonly records: Uint32Array
}

/** Undefined where a path means something else in an element than in a record that has that element alone. */
export function elementsOf(
  records: readonly JsonValue[],
  list: Path,
  paths: readonly Path[],
): Units | undefined {
  const names = list.map(nameOf)
  const key = pathKey(list)
  if (key === undefined || names.some((name) => name === undefined || isIndex(name))) return undefined
  if (!paths.every((path) => (isOn(list, path) ? within(list, path) : isBeside(list, path)))) return undefined
  const dotted = list.flatMap((segment) => segment.dotted.map(({ name }) => name))
  const longer = paths.flatMap((path) => path.slice(0, list.length).flatMap(({ dotted }) => dotted))
  const others = new Set([...dotted, ...longer.map(({ name }) => name)])
  const starred = paths.some((path) => isEach(path[list.length]))
  const collect = (): Elements | undefined => collected(records, names as string[], [...others], starred)
  const elements = columnsOf(records).derived(
    `elements ${key} ${starred} ${JSON.stringify([...others])}`,
    collect,
  )
  if (!elements) return undefined
  return {
    records: elements.records,
    codes(path) {
      const inner = isOn(list, path) ? within(list, path) : undefined
      if (inner) return codedOf(elements.values, inner)
      const { column, codes } = codedOf(records, path)
      return { column, codes: elements.records.map((record) => codes[record] as number), whole: false }
    },
  }
}

/** The rest of a path behind the list and its `[*]`; undefined where that cannot be asked of an element. */
export function within(list: Path, path: Path): Path | undefined {
  const own = path.slice(0, list.length).map(nameOf)
  if (own.some((name, at) => name === undefined || name !== nameOf(list[at]))) return undefined
  const rest = path.slice(list.length)
  const inner = rest[0]?.deep ? rest : withinEach(rest)
  const named = inner.every((segment) => {
    const name = nameOf(segment)
    return name !== undefined && !isIndex(name)
  })
  return named ? inner : undefined
}

/** True for names that lead past the list. */
function isBeside(list: Path, path: Path): boolean {
  const names = path.map(nameOf)
  return names.length > 0 && names[0] !== nameOf(list[0]) && names.every((name) => name !== undefined)
}

/** The elements of a record that has none: no path finds anything in them. */
const NOTHING: JsonValue[] = []

/**
 * Undefined where records have a key with dots for the way to the list, or JSON in a string on that way. Undefined also where they have
 * another value in place of the list, or lists in it.
 */
function collected(
  records: readonly JsonValue[],
  names: readonly string[],
  dotted: readonly string[],
  starred: boolean,
): Elements | undefined {
  const values: JsonValue[] = []
  const from: number[] = []
  let record = 0
  const take = (value: JsonValue): boolean => {
    from.push(record)
    return values.push(value) > 0 && !Array.isArray(value)
  }
  const visit = (value: JsonValue, at: number): boolean => {
    const name = names[at]
    if (Array.isArray(value)) return value.every((one) => (name === undefined ? take(one) : visit(one, at)))
    // A value in place of the list is something else to a path with `[*]`.
    if (name === undefined || typeof value === 'string') return value === null && !starred && take(value)
    if (!isObject(value)) return true
    for (const key of dotted) if (Object.hasOwn(value, key)) return false
    const held = own(value, name)
    return held === undefined || visit(held, at + 1)
  }
  for (; record < records.length; record++) {
    const before = values.length
    if (!visit(records[record] ?? null, 0)) return undefined
    if (values.length === before) take(NOTHING)
  }
  return { values, records: Uint32Array.from(from) }
}
