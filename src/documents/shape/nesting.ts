/** Trees: records that hold records of their own kind, where they begin, and what is called how in them. */

import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { placesOver } from '../../text/spread.ts'
import { columnsOf } from '../columns/column.ts'
import { pathStep, withField } from './collections.ts'

/** Where the records within a record are. */
export interface Nesting {
  field: string
  /** Names of objects on the way to the field: `data`, `replies` of a comment of Reddit. */
  through?: readonly string[]
  /** They are the values of an object. */
  map: boolean
}

/** Records looked at, elements of each of them, and fields that lists of records are looked for in. */
const MOST_RECORDS = 100
const MOST_ELEMENTS = 20
const MOST_NESTING_FIELDS = 60

/**
 * The field in which records hold records of the same kind. Its elements share the fields of the records. They also hold that field
 * again, or the records lie in a list of that name. Undefined: there is none.
 */
export function nestingOf(values: readonly JsonValue[], path: string): Nesting | undefined {
  return columnsOf(values).derived('nesting', () => findNesting(values, lastName(path)))
}

/** The records directly within a record. */
export function nestedIn(record: JsonValue, { field, map, through = [] }: Nesting): readonly JsonValue[] {
  const holder = through.reduce<JsonValue | undefined>(
    (held, name) => (held !== undefined && isObject(held) ? own(held, name) : undefined),
    record,
  )
  const held = holder !== undefined && isObject(holder) ? own(holder, field) : undefined
  if (Array.isArray(held)) return held
  return map && isObject(held) ? Object.keys(held).map((key) => own(held, key) ?? null) : []
}

/** The records at all depths, at most `most`; the outer ones among them where `outer` is true. */
export function allNested(
  values: readonly JsonValue[],
  nesting: Nesting,
  most: number,
  outer: boolean,
): JsonValue[] {
  const found: JsonValue[] = []
  const open = (outer ? [...values] : values.flatMap((value) => nestedIn(value, nesting))).reverse()
  for (let next = open.pop(); next !== undefined && found.length < most; next = open.pop()) {
    found.push(next)
    const within = nestedIn(next, nesting)
    for (let at = within.length - 1; at >= 0; at--) open.push(within[at] ?? null)
  }
  return found
}

/** Values that are looked at on the way to all records of a tree. */
const MOST_VISITED = 200_000

/**
 * The records that the path of `nestedPath` reaches from a value, in lists in other fields as well. `all` is false where there are more
 * than `most`, or they are too far apart.
 */
export function everyNested(
  value: JsonValue,
  nesting: Nesting,
  most: number,
): { records: JsonValue[]; all: boolean } {
  const records: JsonValue[] = []
  const open: JsonValue[] = [value]
  let visited = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const record of nestedIn(next, nesting)) {
      if (records.length >= most) return { records, all: false }
      records.push(record)
    }
    for (const below of Array.isArray(next) ? next : isObject(next) ? Object.values(next) : []) {
      if (++visited > MOST_VISITED) return { records, all: false }
      if (typeof below === 'object' && below !== null) open.push(below)
    }
  }
  return { records, all: true }
}

/**
 * The path that reaches such records at all depths from where they begin. For `$.children` it is `$..children[*]`, which reaches its
 * records and the nested ones, with `whole` true. For `$.items` it reaches only the nested ones, because their list has another name.
 */
export function nestedPath(
  path: string,
  { field, map }: Nesting,
): { path: string; whole: boolean; start: string } {
  const step = pathStep(field)
  const root = fromRoot(path)
  let start = root
  for (;;) {
    const shorter = start.replace(/\[(?:\d+|\*)\]$/, '')
    if (!shorter.endsWith(step)) break
    start = shorter.slice(0, -step.length)
  }
  const deep = `..${step.replace(/^\./, '')}${map ? '.*' : '[*]'}`
  return { path: start + deep, whole: start !== root && !/\]$/.test(root), start }
}

/** A path as one from the root: `$.items` for `items`, `$[*].children` for `[*].children`. */
export function fromRoot(path: string): string {
  return path.startsWith('$') ? path : path.startsWith('[') ? `$${path}` : `$.${path}`
}

function findNesting(values: readonly JsonValue[], name: string | undefined): Nesting | undefined {
  const sampled: JsonObject[] = []
  for (const at of placesOver(values.length, MOST_RECORDS)) {
    const value = values[at] ?? null
    if (isObject(value)) sampled.push(value)
  }
  const names = fieldNamesOf(sampled)
  // Suites hold suites, and specs as well.
  const likeTheList = name !== undefined && names.has(name) ? [name] : []
  for (const field of [...likeTheList, ...[...names].slice(0, MOST_NESTING_FIELDS)]) {
    const nesting = asNesting(sampled, field)
    const inner = nesting && sampled.flatMap((record) => nestedIn(record, nesting).slice(0, MOST_ELEMENTS))
    if (nesting && inner && isNestedKin(names, inner, field, name)) return nesting
  }
  return name === undefined ? undefined : furtherDown(sampled, name)
}

/** Objects between a record and a list of such records that are looked through. */
const MOST_BETWEEN = 3
const MOST_LOOKED_INTO = 2000

/** A list of the name that the records lie in themselves, below other objects of a record. */
function furtherDown(records: readonly JsonObject[], field: string): Nesting | undefined {
  let looked = 0
  const wayTo = (value: JsonObject, way: readonly string[]): string[] | undefined => {
    if (looked++ > MOST_LOOKED_INTO) return undefined
    if (way.length > 0 && Array.isArray(own(value, field))) return [...way]
    if (way.length === MOST_BETWEEN) return undefined
    for (const key of Object.keys(value).slice(0, MOST_NESTING_FIELDS)) {
      const below = own(value, key)
      const found = below !== undefined && isObject(below) ? wayTo(below, [...way, key]) : undefined
      if (found) return found
    }
    return undefined
  }
  for (const record of records) {
    const through = wayTo(record, [])
    const nesting = through && { field, map: false, through }
    const inner = nesting && records.flatMap((one) => nestedIn(one, nesting).slice(0, MOST_ELEMENTS))
    if (inner && shareFields(records, inner)) return nesting
  }
  return undefined
}

/** Lists of objects, or objects of objects, in every record that has something there. */
function asNesting(records: readonly JsonObject[], field: string): Nesting | undefined {
  const held = records.flatMap((record) => own(record, field) ?? [])
  const lists = records.map((record) => own(record, field)).filter(Array.isArray)
  if (lists.length > 0 && lists.every((list) => list.slice(0, MOST_ELEMENTS).every(isObject)))
    return { field, map: false }
  const maps = held.filter(isObject)
  return maps.length > 0 &&
    maps.length === held.length &&
    maps.every((map) => Object.values(map).every(isObject))
    ? { field, map: true }
    : undefined
}

/** True where they share most of their fields, with those of the objects in them: an edge of any kind has a `node`. */
function shareFields(records: readonly JsonObject[], inner: readonly JsonValue[]): boolean {
  const namesWithin = (values: readonly JsonObject[]): ReadonlySet<string> =>
    new Set(
      values.flatMap((value) =>
        Object.keys(value).flatMap((key) => {
          const held = own(value, key)
          const below = held !== undefined && isObject(held) ? Object.keys(held) : []
          return [key, ...below.map((name) => `${key}.${name}`)].slice(0, MOST_NESTING_FIELDS)
        }),
      ),
    )
  const [names, below] = [namesWithin(records), namesWithin(inner.filter(isObject))]
  const shared = [...below].filter((name) => names.has(name))
  return shared.length > 0 && shared.length >= below.size * 0.6 && shared.length >= names.size * 0.4
}

/** True when what is inside has half of its fields in common with the records, and the field or the place as well. */
function isNestedKin(
  names: ReadonlySet<string>,
  inner: readonly JsonValue[],
  field: string,
  list: string | undefined,
): boolean {
  const objects = inner.filter(isObject)
  if (objects.length === 0 || objects.length < inner.length) return false
  const below = fieldNamesOf(objects)
  const shared = [...below].filter((name) => names.has(name))
  if (shared.length < Math.max(1, below.size * 0.5) || shared.every((name) => name === field)) return false
  return below.has(field) || list === field || shared.length >= Math.max(2, (names.size - 1) * 0.7)
}

function fieldNamesOf(records: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(records.flatMap((record) => Object.keys(record).slice(0, MOST_NESTING_FIELDS)))
}

function lastName(path: string): string | undefined {
  return /(?:^|[.$])([A-Za-z_]\w*)(?:\[(?:\d+|\*)\])*$/.exec(path)?.[1]
}

/** Nodes that are looked at. */
const MOST_NODES = 200_000

/** The fields by which a node is called. */
const CALLED = ['name', 'title', 'label']

/**
 * Nodes of the trees that begin with `roots`, each with the names on its way in `_path`. The nodes stay unchanged where a node on the way
 * has no name.
 */
export function withPaths(
  roots: readonly JsonValue[],
  nodes: readonly JsonValue[],
  nesting: Nesting,
): readonly JsonValue[] {
  const field = CALLED.find((name) =>
    roots.every((root) => isObject(root) && typeof own(root, name) === 'string'),
  )
  if (field === undefined) return nodes
  const paths = new Map<JsonValue, string>()
  const open: { node: JsonValue; above: string }[] = roots.map((node) => ({ node, above: '' }))
  for (let next = open.pop(); next !== undefined && paths.size < MOST_NODES; next = open.pop()) {
    const { node, above } = next
    const name = isObject(node) ? own(node, field) : undefined
    if (typeof name !== 'string') continue
    const path = above === '' ? name : `${above}/${name}`
    paths.set(node, path)
    for (const below of nestedIn(node, nesting)) open.push({ node: below, above: path })
  }
  return nodes.map((node) => {
    const path = paths.get(node)
    return path === undefined ? node : withField('_path', path, node)
  })
}
