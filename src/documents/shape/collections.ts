/**
 * Decides which objects of a document are records and which are maps of records. Names its collections, the main one among them,
 * collections of one kind, and records that hold others of their kind. All else asks here.
 */

import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { tally } from '../../text/groups.ts'
import { columnsOf } from '../columns/column.ts'
import type { Shape } from './shape.ts'

/** Things of one kind that a document holds: the elements of an array, the values of an object used as a map. */
export interface Collection {
  /** JSONPath from the root to the collection: `$`, `$.items`, `$.definitions`. */
  readonly path: string
  /** The key of each record when the collection is a map; undefined for arrays. */
  readonly keys: readonly string[] | undefined
  readonly values: readonly JsonValue[]
  /** Where the values were put together of several places. */
  readonly gathered?: Gathered
}

/** The origin of values that were put together: points of series, records of several lists, operations of an interface. */
export interface Gathered {
  /** JSONPath of what holds them all, which is told no second time. */
  readonly path: string
  /** `3,000 points of 3 series`, and the path that is shown with it. */
  readonly said: string
  readonly shown: string
  /** The fields of a value itself, without those of its series, and which of them has the time. */
  readonly fields: readonly string[]
  readonly time: string | undefined
  /** The field that says of which list or map a record is; undefined for points of series. */
  readonly by?: string
  /** JSONPath of a value by its position; undefined where none leads to it. */
  readonly placeOf: ((value: number) => string) | undefined
  /** The lists that the values were read of: all others beside them are told. Absent: all that is at `path`. */
  readonly lists?: ReadonlySet<readonly JsonValue[]>
  /** The collection that the document would be about without it, which is searched: a label of a series is there once. */
  readonly from: Collection
  /** True where the values are parts of its records, and a question may name fields of these. */
  readonly isOfRecords?: true
  /** A record for each list or series of the fields that its values repeat. Absent: they repeat none. */
  readonly repeated?: readonly JsonObject[]
}

/** Objects and short arrays that are looked into while searching; wide trees stay cheap. */
const MAX_VISITS = 5000
const MAX_DEPTH = 8
/** Arrays up to this length may be wrappers: what they hold is searched as well. */
const WRAPPER = 3

/**
 * The collection that a question without a path is about. It is the root when that is an array or a map. Otherwise it is the largest one,
 * and shallow ones come first. Undefined for scalars and for objects that hold nothing repeated.
 */
export function mainCollection(root: JsonValue): Collection | undefined {
  const found = largestCollection(root)
  return (found?.values.length ?? 0) > WRAPPER ? found : (treeIn(root) ?? found)
}

function largestCollection(root: JsonValue): Collection | undefined {
  const page = Array.isArray(root) ? firstPage(root) : undefined
  if (page) return page
  const [lists, another] = tablesIn(root, '$')
  if (lists && !another) return lists
  if (Array.isArray(root) && root.length > WRAPPER) return { path: '$', keys: undefined, values: root }
  const [first, ...others] = collectionsOf(root)
  if (first?.path !== '$')
    return wholeTree(best(first ? [first, ...others] : []), first ? [first, ...others] : [])
  const inner = wholeTree(best(others), others)
  if (!inner || inner.values.length <= WRAPPER) return first
  return first.values.length === 1 || isBesideOthers(inner, first) || isAmongWrappers(inner, first)
    ? inner
    : first
}

/** Objects on the way to the root of a tree, fields of each that are looked at, and nodes that make a tree. */
const WAY_TO_TREE = 3
const FEWEST_NODES = 8
const MOST_NODES = 1_000

/**
 * The root of a tree that the whole document is about, and that is no list: the plan in `[{"Plan": {…, "Plans": […]}}]`. Its nodes hold lists
 * of nodes with most of their fields.
 */
function treeIn(root: JsonValue): Collection | undefined {
  const start = Array.isArray(root) && root.length === 1 ? (root[0] ?? null) : root
  let level = [{ path: Array.isArray(root) ? '$[0]' : '$', value: start }]
  for (let depth = 0; depth < WAY_TO_TREE; depth++) {
    const below = level.flatMap(({ path, value }) =>
      isObject(value)
        ? Object.keys(value)
            .slice(0, MOST_NAMES)
            .flatMap((key) => {
              const child = own(value, key) ?? null
              return isObject(child) ? [{ path: path + pathStep(key), value: child }] : []
            })
        : [],
    )
    for (const { path, value } of below) if (isTree(value)) return { path, keys: undefined, values: [value] }
    level = below.slice(0, MOST_NAMES)
  }
  return undefined
}

/** True for an object with lists of objects of its own kind, in which the same field has such lists again. */
function isTree(root: JsonObject): boolean {
  const names = new Set(Object.keys(root).slice(0, MOST_NAMES))
  return [...names].some((field) => {
    const nodes: JsonValue[] = []
    for (const open: JsonValue[] = [root]; open.length > 0 && nodes.length < MOST_NODES; ) {
      const node = open.pop() ?? null
      const held = isObject(node) ? own(node, field) : undefined
      if (!Array.isArray(held)) continue
      for (const one of held) nodes.push(one)
      for (const one of held) open.push(one)
    }
    const again = nodes.filter((node) => isObject(node) && Array.isArray(own(node, field))).length
    return (
      nodes.length >= FEWEST_NODES && again > 1 && nodes.every(isObject) && haveMost(names, fieldNames(nodes))
    )
  })
}

/** Names of the list that a result is about: lists beside it have something else, such as `included` of JSON:API. */
export const OF_ALL =
  /^(?:data|items?|results?|records?|rows|entries|values?|hits|list|nodes|objects|elements)$/i
/** Fields in which a page tells of itself, and fields that nothing else has. */
const OF_PAGE =
  /page|cursor|token|offset|mask|request|next|prev|^(?:total\w*|limit|count|size|kind|took)$|more$/i
const OF_PAGES_ALONE = /page|cursor|token|offset|mask|request|next|prev|more$/i
const MOST_PAGES = 200

/** The list that each of several pages holds beside what it says of itself: `[{"results": […], "nextPageToken": "a"}, {"results": […]}]`. */
export function listOfPages(pages: readonly JsonValue[]): string | undefined {
  const [first] = pages
  if (pages.length < 2 || pages.length > MOST_PAGES || !isObject(first ?? null)) return undefined
  const [name, another] = Object.keys(first as JsonObject).filter((key) =>
    Array.isArray(own(first as JsonObject, key)),
  )
  if (name === undefined || another !== undefined || !OF_ALL.test(name)) return undefined
  const isPage = (page: JsonValue): boolean => {
    const held = isObject(page) ? own(page, name) : undefined
    return (
      Array.isArray(held) &&
      held.slice(0, MOST_LOOKED).every(isObject) &&
      Object.keys(page as JsonObject).every((key) => key === name || OF_PAGE.test(key))
    )
  }
  const others = Object.keys(first as JsonObject).filter((key) => key !== name)
  const isPaged = others.length === 0 || others.some((key) => OF_PAGES_ALONE.test(key))
  return isPaged && pages.every(isPage) ? name : undefined
}

/** The records of the first page that has some. */
function firstPage(pages: readonly JsonValue[]): Collection | undefined {
  const name = listOfPages(pages)
  if (name === undefined) return undefined
  const lists = pages.map((page) => own(page as JsonObject, name) as JsonValue[])
  const at = lists.findIndex(({ length }) => length > 0)
  return at < 0 ? undefined : { path: `$[${at}]${pathStep(name)}`, keys: undefined, values: lists[at] ?? [] }
}

/** True where the others of a few wrappers hold next to nothing at the same place: `[{"data": {"children": [post]}}, {"data": {"children": [comments]}}]`. */
function isAmongWrappers({ path, keys }: Collection, { values }: Collection): boolean {
  const [which = '', ...steps] = stepsIn(path.slice(1))
  if (keys || steps.length < 2) return false
  return values.every((value, at) => {
    const [only, another] = isObject(value)
      ? Object.values(value).filter((one) => typeof one === 'object')
      : []
    if (another !== undefined || !isObject(only ?? null)) return false
    if (which === `[${at}]`) return true
    const held = steps.reduce<JsonValue | undefined>(childAt, value)
    return Array.isArray(held) && held.length < WRAPPER
  })
}

/** `[{page, total}, [records]]`: the only list in a short one, with records in it. */
function isBesideOthers({ path, values }: Collection, root: Collection): boolean {
  const [list, another] = root.values.flatMap((value, at) => (Array.isArray(value) ? [`$[${at}]`] : []))
  return another === undefined && path === list && values.every(isObject)
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
      const tables = path === '$' ? [] : tablesIn(value, path)
      found.push(...tables)
      const collection = tables.length > 0 ? undefined : asCollection(value, path)
      if (collection && (collection.values.length > 1 || path === '$')) found.push(collection)
      if (Array.isArray(value) && tables.length === 0 && value.length <= WRAPPER) {
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

/** Tables of one page that are looked at. */
const MOST_TABLES = 50
/** Lists in a list that is the whole document: the traces of several requests, say. */
const MOST_LISTS = 5_000

/**
 * The tables in a list of several, as pages have them. Tables of one kind are one collection: `$.tables[*]` of all those at `$.tables`,
 * `$.tables[0,2]` of some. Nothing where the value is no list of lists of objects, or nothing in it repeats.
 */
export function tablesIn(value: JsonValue, path: string): Collection[] {
  if (!Array.isArray(value) || value.length < 2 || value.length > (path === '$' ? MOST_LISTS : MOST_TABLES))
    return []
  if (!value.every((one) => Array.isArray(one) && one.every(isObject))) return []
  const kinds: { places: number[]; values: JsonValue[] }[] = []
  for (const [at, table] of (value as JsonValue[][]).entries()) {
    if (table.length === 0) continue
    const kind = kinds.find(({ values }) => areOfOneKind(values, table))
    if (!kind) kinds.push({ places: [at], values: [...table] })
    else {
      kind.places.push(at)
      for (const row of table) kind.values.push(row)
    }
  }
  if (!kinds.some(({ values }) => values.length > 1)) return []
  return kinds.map(({ places, values }) => ({
    path: `${path}[${kinds.length === 1 ? '*' : places.join(',')}]`,
    keys: undefined,
    values,
  }))
}

/** The value as a collection: an array's elements, a map's values with their keys. Undefined for anything else. */
export function asCollection(value: JsonValue, path: string): Collection | undefined {
  if (Array.isArray(value)) return { path, keys: undefined, values: value }
  if (!isObject(value) || !isMap(value)) return undefined
  const keys = Object.keys(value)
  const values = keys.map((key) => own(value, key) ?? null)
  const odd = values.filter((one) => !isObject(one)).length
  if (odd === 0 || odd > values.length * MOST_ODD) return { path, keys, values }
  // A member that tells of all others, such as `uids` or `count`, is no record.
  const isOne = (key: string): boolean => {
    const one = own(value, key) ?? null
    return one === null || isObject(one)
  }
  const records = keys.filter(isOne)
  return { path, keys: records, values: records.map((key) => own(value, key) ?? null) }
}

/** The part of the members of a map of objects that may be something else. */
const MOST_ODD = 0.1

/** The members of a map of objects that are none of its records. */
export function oddMembers(map: JsonObject, { keys }: Collection): string[] {
  const known = new Set(keys)
  return Object.keys(map).filter((key) => !known.has(key))
}

/**
 * Records as rows: those of a map carry their key as `_key`, before their own fields; scalars of a map become
 * `{_key, _value}`. Elements of arrays are as they are. The same rows each time it is asked for a collection.
 */
export function keyedRecords(collection: Collection): readonly JsonValue[] {
  const { keys, values } = collection
  if (!keys) return values
  return columnsOf(values).derived(KEYED, () =>
    values.map((value, index) => withField('_key', keys[index] ?? '', value)),
  )
}

const KEYED = 'with keys'

/** The rows of a map, where `keyedRecords` made them before. */
export function keyedBefore({ keys, values }: Collection): readonly JsonValue[] | undefined {
  return keys && columnsOf(values).found(KEYED)
}

/** `value` with one field before its own; a value that has no fields goes to `_value`. */
export function withField(name: string, field: string, value: JsonValue): JsonObject {
  if (!isObject(value)) return { [name]: field, _value: value }
  const record: JsonObject = { [name]: field }
  for (const key of Object.keys(value))
    setOwn(record, key === name ? `${name}_` : key, own(value, key) ?? null)
  return record
}

/** The steps of a path that names and positions make: `.name`, `["any name"]`, `[0]`. */
export function stepsIn(path: string): string[] {
  return path.match(/\.\w+|\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g) ?? []
}

/** The value behind such a step; undefined where there is none. */
export function childAt(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (value === undefined) return undefined
  if (/^\[\d/.test(step)) return Array.isArray(value) ? value[Number(step.slice(1, -1))] : undefined
  const key: string = step.startsWith('.') ? step.slice(1) : JSON.parse(step.slice(1, -1))
  return isObject(value) ? own(value, key) : undefined
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
 * The outermost list of a tree: `$.children` in place of the largest `$.children[0].children`. It applies where records hold lists of
 * their own kind, and the list is one of several such records.
 */
function wholeTree(inner: Collection | undefined, all: readonly Collection[]): Collection | undefined {
  const name = inner && /\.\w+$|\["(?:[^"\\]|\\.)*"\]$/.exec(inner.path)?.[0]
  if (!inner || inner.keys || name === undefined) return inner
  const outer = all.find(
    ({ path, keys, values }) =>
      !keys &&
      path.endsWith(name) &&
      inner.path.startsWith(`${path}[`) &&
      haveMost(fieldNames(values), fieldNames(inner.values)),
  )
  return outer ?? inner
}

/** Records that are looked at for their fields, and fields of each. */
const MOST_LOOKED = 20
const MOST_NAMES = 100
/** The part of their fields that things of one kind share. */
const KIND = 0.6

/** The fields of a few records. */
export function fieldNames(values: readonly JsonValue[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const value of values.slice(0, MOST_LOOKED))
    if (isObject(value)) for (const name of Object.keys(value).slice(0, MOST_NAMES)) names.add(name)
  return names
}

/** True where most of the wanted fields are among the names. */
export function haveMost(names: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  const shared = [...wanted].filter((name) => names.has(name)).length
  return shared > 0 && shared >= wanted.size * KIND
}

/** True where two collections of objects are of one kind: they share most of all their fields. */
export function areOfOneKind(values: readonly JsonValue[], others: readonly JsonValue[]): boolean {
  if (![...values.slice(0, MOST_LOOKED), ...others.slice(0, MOST_LOOKED)].every(isObject)) return false
  const [names, more] = [fieldNames(values), fieldNames(others)]
  const shared = [...names].filter((name) => more.has(name)).length
  return shared > 0 && shared >= KIND * (names.size + more.size - shared)
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
  const children = Array.isArray(value) ? value.slice(0, 32) : Object.values(value).slice(0, 64)
  return children.reduce<number>((sum, child) => sum + countLeaves(child, depth - 1), 1)
}

/** Fewer keys than this are a map only when they look like identifiers. */
const MANY = 10
const FEW = 3
/** So many scalars of one kind are no record. */
const VERY_MANY = 40
const SAMPLE = 24

/**
 * True when the keys are data rather than field names. There are many of them, over objects (or arrays) of similar shape. Or they lead to
 * scalars of one type, and look like identifiers or are very many.
 */
export function isMap(object: JsonObject): boolean {
  const keys = Object.keys(object)
  if (keys.length < FEW) return false
  if (keys.length < MANY && !mostlyIdentifiers(keys)) return false
  const values = sample(keys).map((key) => own(object, key) ?? null)
  if (values.every(Array.isArray)) return mostlyIdentifiers(keys) || !areTables(values)
  return (
    alike(values) ||
    (keys.length >= MANY && akin(values)) ||
    (keys.length >= VERY_MANY && sameScalars(values)) ||
    (keys.length >= MANY && mostlyIdentifiers(keys) && sameScalars(values))
  )
}

/** True for lists of records of several kinds, as a dump of a database has them: each is a collection of its own. */
function areTables(lists: readonly JsonValue[][]): boolean {
  const filled = lists.filter((list) => list.length > 0)
  const kinds: JsonValue[][] = []
  for (const list of filled) if (!kinds.some((kind) => areOfOneKind(kind, list))) kinds.push(list)
  return kinds.length > 1 && kinds.length >= filled.length / 2 && filled.every((list) => list.every(isObject))
}

/** Keys that are looked at to tell whether several objects are maps. */
const MOST_POOLED = 2_000
/** True when the entries of all these objects, found at one place, make a map of objects, though each alone may have too few. */
export function areMaps(objects: readonly JsonObject[]): boolean {
  const pooled = new Map<string, JsonValue>()
  for (const object of objects) {
    for (const key of Object.keys(object)) {
      if (!pooled.has(key) && pooled.size < MOST_POOLED) pooled.set(key, own(object, key) ?? null)
    }
  }
  return pooled.size >= MANY && [...pooled.values()].every(isObject) && isMap(Object.fromEntries(pooled))
}

/** Objects of which a key in most is more than chance. */
const FEWEST_ALIKE = 5

/** True when most of the objects have some key in common, which then is the name of a field. */
export function shareKey(objects: readonly JsonObject[]): boolean {
  const presence = tally(objects.flatMap((object) => Object.keys(object)))
  const least = objects.length * 0.6
  return objects.length >= FEWEST_ALIKE && [...presence.values()].some((count) => count >= least)
}

/** True when all values are texts, all numbers, or all booleans. */
function sameScalars(values: readonly JsonValue[]): boolean {
  const kind = typeof values[0]
  return kind !== 'object' && values.every((value) => typeof value === kind)
}

/** True when all values are objects and share most of their fields. */
function alike(values: readonly JsonValue[]): boolean {
  const presence = new Map<string, number>()
  let objects = 0
  for (const value of values) {
    if (!isObject(value)) continue
    objects += 1
    for (const key of Object.keys(value).slice(0, 100)) presence.set(key, (presence.get(key) ?? 0) + 1)
  }
  if (objects < values.length * 0.9 || objects === 0) return false
  let common = 0
  let all = 0
  for (const count of presence.values()) {
    all += count
    if (count >= objects * 0.4) common += count
  }
  return all > 0 && common >= all * 0.6
}

/** True when all values are objects that have at least one field in common: variants of one thing. */
function akin(values: readonly JsonValue[]): boolean {
  const [first] = values
  if (!isObject(first) || !values.every(isObject)) return false
  return Object.keys(first)
    .slice(0, 100)
    .some((key) => values.every((value) => Object.hasOwn(value, key)))
}

/** Keys that name things (`#W26`, `t3.micro`, `node_modules/x`, `9523456873`) rather than fields. */
function mostlyIdentifiers(keys: readonly string[]): boolean {
  return keys.filter((key) => /^\d|\d{3}|\W/.test(key)).length >= keys.length * 0.7
}

function sample(keys: readonly string[]): string[] {
  const step = Math.max(1, Math.floor(keys.length / SAMPLE))
  const picked: string[] = []
  for (let index = 0; index < keys.length && picked.length < SAMPLE; index += step)
    picked.push(keys[index] ?? '')
  return picked
}

/** Objects, and keys of each, that are looked at to tell whether they are maps of what has a field. */
const MOST_OF_MAPS = 200

/** True where the objects are maps and their values have this field. */
export function areMapsOf(values: readonly JsonValue[], field: string): boolean {
  const objects = values.filter(isObject).slice(0, MOST_OF_MAPS)
  const inside = objects.flatMap((object) => Object.values(object).slice(0, MOST_OF_MAPS))
  const having = inside.filter((value) => {
    const [element = null] = Array.isArray(value) ? value : [value]
    return isObject(element) && own(element, field) !== undefined
  })
  // Scalars beside them would be fields: then it is a record.
  return (
    having.length > 0 &&
    (having.length >= inside.length / 2 || objects.every(isMap) || areMaps(objects)) &&
    inside.every((value) => typeof value === 'object')
  )
}

/** Many values that are nearly all objects, or very many of one plain type. */
export function isLargeMap(object: JsonObject): boolean {
  const keys = Object.keys(object)
  const objects = keys.filter((key) => isObject(own(object, key))).length
  if (keys.length >= MANY && objects >= keys.length * 0.9) return true
  const kind = typeof own(object, keys[0] ?? '')
  return (
    keys.length >= VERY_MANY && kind !== 'object' && keys.every((key) => typeof own(object, key) === kind)
  )
}

/** True for two objects or more, and nothing else, that share at least half of their fields. */
export function holdsKin(object: JsonObject): boolean {
  const values = Object.values(object)
  if (values.length < 2 || !values.every(isObject)) return false
  const counts = [...tally(values.flatMap((value) => Object.keys(value))).values()]
  const shared = counts.filter((count) => count === values.length).length
  return shared > 0 && shared >= counts.length * 0.5
}

/** Objects of a few values of one kind, such as `{web: {port, host}, db: {port, host}}`, outer ones first. */
export function smallMapsOf(root: JsonValue): { path: string; value: JsonObject }[] {
  const found: { path: string; value: JsonObject }[] = []
  const open: { path: string; value: JsonValue }[] = [{ path: '$', value: root }]
  for (let at = 0; at < Math.min(open.length, MAX_VISITS); at++) {
    const { path, value } = open[at] ?? { path: '', value: null }
    if (!isObject(value)) continue
    if (holdsKin(value)) found.push({ path, value })
    for (const key of Object.keys(value).slice(0, Math.max(0, MAX_VISITS - open.length)))
      open.push({ path: path + pathStep(key), value: own(value, key) ?? null })
  }
  return found
}

/** True where each alone is too small to tell: what they hold is of one kind, and no key is in more than half of them. */
export function areSmallMaps(objects: readonly JsonObject[]): boolean {
  const holders = tally(objects.flatMap((object) => Object.keys(object)))
  if (holders.size < FEW || [...holders.values()].some((count) => count > objects.length / 2)) return false
  const pooled = new Map(objects.flatMap((object) => Object.entries(object)))
  return holdsKin(Object.fromEntries(pooled))
}

// Maps among the shapes of a profile.

/** Fields beyond which objects are maps, and beyond which they are looked at whether they are. */
export const MOST_FIELDS = 400
export const SOME_FIELDS = 40
/** The part of the objects that have a field, below which the fields come and go. */
const RARE = 0.25

/**
 * True where so many fields come and go that they are the keys of maps. `present`: how often one of the fields was there, in all
 * objects.
 */
export function areKeys(fields: number, objects: number, present: number): boolean {
  return fields > MOST_FIELDS || isRare(fields, objects, present)
}

function isRare(fields: number, objects: number, present: number): boolean {
  return objects > 1 && present < fields * objects * RARE
}

/** True for a shape with so many fields that come and go that they are the keys of maps. */
export function comeAndGo({ fields, objects }: Shape): boolean {
  return areKeys(fields.size, objects, presentIn(fields)) && !haveCore(fields, objects)
}

/** True for a shape of records with many fields that come and go beside a few that nearly all have. */
export function isRagged({ fields, objects }: Shape): boolean {
  return (
    fields.size > SOME_FIELDS && areKeys(fields.size, objects, presentIn(fields)) && haveCore(fields, objects)
  )
}

/** Fields that make records of objects, where most have them: the entries of a log with pairs of their own are no maps. */
const CORE = 3
const MOST = 0.75
/** Of so many objects, two fields that all of them have are enough: a metric has a name and a value, beside its labels. */
const MANY_OBJECTS = 20

function haveCore(fields: ReadonlyMap<string, Shape>, objects: number): boolean {
  if (objects < CORE) return false
  let [core, inAll] = [0, 0]
  for (const { count } of fields.values()) {
    if (count >= objects * MOST) core += 1
    if (count === objects) inAll += 1
  }
  return core >= CORE || (objects >= MANY_OBJECTS && inAll > 1)
}

function presentIn(fields: ReadonlyMap<string, Shape>): number {
  let present = 0
  for (const field of fields.values()) present += field.count
  return present
}

/** True for objects that turn out to be maps when all of them were seen: by their keys, or by what they hold. */
export function isMapShape(shape: Shape): boolean {
  const { fields, objects } = shape
  if (fields.size >= 2 && [...fields.keys()].every((key) => /^\d+$/.test(key))) return true
  if (
    fields.size >= 8 &&
    objects >= 4 &&
    isRare(fields.size, objects, presentIn(fields)) &&
    !haveCore(fields, objects) &&
    alikeShapes(shape)
  )
    return true
  return fields.size >= 4 && objects === 1 && allObjects(shape) && alikeFields(shape)
}

function allObjects(shape: Shape): boolean {
  return [...shape.fields.values()].every((field) => field.objects === field.count && field.fields.size > 0)
}

function alikeFields(shape: Shape): boolean {
  const all = [...shape.fields.values()].map((field) => [...field.fields.keys()].sort().join())
  const same = all.filter((names) => names === all[0]).length
  return (
    same >= all.length * 0.8 &&
    (all.length >= 8 || [...shape.fields.keys()].every((key) => /\d|\W/.test(key)))
  )
}

/** Values of one type throughout, as those of a map are. */
function alikeShapes(shape: Shape): boolean {
  const fields = [...shape.fields.values()]
  const of = (test: (field: Shape) => boolean) => fields.filter(test).length >= fields.length * 0.9
  return (
    of((field) => field.objects > 0) ||
    of((field) => field.strings !== undefined) ||
    of((field) => field.numbers !== undefined)
  )
}
