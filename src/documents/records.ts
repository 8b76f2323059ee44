/** What repeats in a value: arrays, and objects used as maps. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import type { Collection } from './document.ts'
import { isMap } from './map-like.ts'

/** Objects and short arrays that are looked into while searching; wide trees stay cheap. */
const MAX_VISITS = 5000
const MAX_DEPTH = 8
/** Arrays up to this length may be wrappers: what they hold is searched as well. */
const WRAPPER = 3

/**
 * The collection that a question without a path is about: the root when it is an array or a map, otherwise the one
 * that holds most below it, shallow ones first. Undefined for scalars and for objects that hold nothing repeated.
 */
export function mainCollection(root: JsonValue): Collection | undefined {
  if (Array.isArray(root) && root.length > WRAPPER) return { path: '$', keys: undefined, values: root }
  const [first, ...others] = collectionsOf(root)
  if (first?.path !== '$')
    return wholeTree(best(first ? [first, ...others] : []), first ? [first, ...others] : [])
  const inner = wholeTree(best(others), others)
  return inner && first.values.length === 1 && inner.values.length > WRAPPER ? inner : first
}

/** All collections of two elements or more that wrappers lead to, breadth-first; a root collection is the first. */
export function collectionsOf(root: JsonValue): Collection[] {
  const found: Collection[] = []
  let level: { path: string; value: JsonValue }[] = [{ path: '$', value: root }]
  let visits = 0
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: typeof level = []
    for (const { path, value } of level) {
      if (visits++ > MAX_VISITS) return found
      const collection = asCollection(value, path)
      if (collection && (collection.values.length > 1 || path === '$')) found.push(collection)
      if (Array.isArray(value) && value.length <= WRAPPER) {
        value.forEach((item, index) => {
          next.push({ path: `${path}[${index}]`, value: item })
        })
      } else if (isObject(value) && !collection) {
        for (const key of Object.keys(value)) {
          const child = own(value, key)
          if (typeof child === 'object' && child !== null && next.length < MAX_VISITS) {
            next.push({ path: path + pathStep(key), value: child })
          }
        }
      }
    }
    level = next
  }
  return found
}

/** The value as a collection: an array's elements, a map's values with their keys. Undefined for anything else. */
export function asCollection(value: JsonValue, path: string): Collection | undefined {
  if (Array.isArray(value)) return { path, keys: undefined, values: value }
  if (!isObject(value) || !isMap(value)) return undefined
  const keys = Object.keys(value)
  return { path, keys, values: keys.map((key) => own(value, key) ?? null) }
}

/**
 * Records as rows: those of a map carry their key as `_key`, before their own fields; scalars of a map become
 * `{_key, _value}`. Elements of arrays are as they are. The same rows each time it is asked for a collection.
 */
export function keyedRecords(collection: Collection): readonly JsonValue[] {
  const { keys, values } = collection
  if (!keys) return values
  const before = keyed.get(collection)
  if (before) return before
  const rows = values.map((value, index) => withField('_key', keys[index] ?? '', value))
  keyed.set(collection, rows)
  return rows
}

const keyed = new WeakMap<Collection, readonly JsonValue[]>()

/** The rows of a map, where `keyedRecords` made them before. */
export function keyedBefore(collection: Collection): readonly JsonValue[] | undefined {
  return keyed.get(collection)
}

/** `value` with one field before its own; a value that has no fields goes to `_value`. */
export function withField(name: string, field: string, value: JsonValue): JsonObject {
  const record: JsonObject = {}
  record[name] = field
  if (!isObject(value)) {
    record._value = value
    return record
  }
  for (const key of Object.keys(value))
    setOwn(record, key === name ? `${name}_` : key, own(value, key) ?? null)
  return record
}

/** A step of a JSONPath: `.name` where that is enough, `["any name"]` otherwise. */
export function pathStep(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

function best(candidates: readonly Collection[]): Collection | undefined {
  let winner: Collection | undefined
  let most = 0
  for (const candidate of candidates) {
    const size = weight(candidate)
    if (size > most) {
      winner = candidate
      most = size
    }
  }
  return winner
}

/**
 * Of records that hold lists of their kind, `$.children` in place of the largest `$.children[0].children`: the list that all the
 * others are in, where it is one of several records.
 */
function wholeTree(inner: Collection | undefined, all: readonly Collection[]): Collection | undefined {
  const name = inner && /\.\w+$|\["(?:[^"\\]|\\.)*"\]$/.exec(inner.path)?.[0]
  if (!inner || inner.keys || name === undefined) return inner
  const outer = all.find(
    ({ path, keys, values }) =>
      !keys && path.endsWith(name) && inner.path.startsWith(`${path}[`) && isKin(values, inner.values),
  )
  return outer ?? inner
}

/** True when the records of a list have most of the fields that those of another have. */
function isKin(values: readonly JsonValue[], others: readonly JsonValue[]): boolean {
  const [names, wanted] = [namesOf(values), namesOf(others)]
  const shared = [...wanted].filter((name) => names.has(name)).length
  return shared > 0 && shared >= wanted.size * 0.6
}

function namesOf(values: readonly JsonValue[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const value of values.slice(0, 20)) {
    if (isObject(value)) for (const name of Object.keys(value).slice(0, 100)) names.add(name)
  }
  return names
}

/** How much a collection holds, in leaves, judged by a few of its elements. */
function weight({ values }: Collection): number {
  const step = Math.max(1, Math.floor(values.length / 8))
  let leaves = 0
  let looked = 0
  for (let index = 0; index < values.length && looked < 8; index += step, looked++) {
    leaves += countLeaves(values[index] ?? null, 4)
  }
  return looked === 0 ? 0 : (leaves / looked) * values.length
}

function countLeaves(value: JsonValue, depth: number): number {
  if (typeof value !== 'object' || value === null || depth === 0) return 1
  const children = Array.isArray(value) ? value.slice(0, 32) : firstValues(value, 64)
  return children.reduce<number>((sum, child) => sum + countLeaves(child, depth - 1), 1)
}

function firstValues(object: JsonObject, count: number): JsonValue[] {
  return Object.keys(object)
    .slice(0, count)
    .map((key) => own(object, key) ?? null)
}
