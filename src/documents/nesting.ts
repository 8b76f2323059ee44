/** Records that hold others of their kind, as folders hold files, comments replies, packages the packages they need. */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { pathStep } from './records.ts'

/** Where the records within a record are. */
export interface Nesting {
  field: string
  /** They are the values of an object. */
  map: boolean
}

/** Records looked at, elements of each of them, and fields that lists of records are looked for in. */
const mostSampled = 100
const mostElements = 20
const mostFields = 60

const known = new WeakMap<readonly JsonValue[], Nesting | undefined>()

/**
 * The field of records in which records of the same kind are: its elements share their fields, and hold that field again, or lie
 * in a list of that name. Undefined: there is none.
 */
export function nestingOf(values: readonly JsonValue[], path: string): Nesting | undefined {
  if (!known.has(values)) known.set(values, search(values, lastName(path)))
  return known.get(values)
}

/** The records directly within a record. */
export function nestedIn(record: JsonValue, { field, map }: Nesting): readonly JsonValue[] {
  const held = isObject(record) ? own(record, field) : undefined
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
  const open: JsonValue[] = outer ? [...values] : values.flatMap((value) => nestedIn(value, nesting))
  for (let next = open.pop(); next !== undefined && found.length < most; next = open.pop()) {
    found.push(next)
    for (const record of nestedIn(next, nesting)) open.push(record)
  }
  return found
}

/** Values that are looked at on the way to all records of a tree. */
const mostVisited = 200_000

/**
 * The records that the path of `nestedPath` reaches from a value, in lists in other fields as well; `all` is false where there are
 * more than `most`, or they are too far apart.
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
      if (++visited > mostVisited) return { records, all: false }
      if (typeof below === 'object' && below !== null) open.push(below)
    }
  }
  return { records, all: true }
}

/**
 * The path that reaches such records at all depths from where they begin: `$..children[*]` for those of `$.children` and those in
 * it, with `whole` true; for those of `$.items` only what is nested in them, because their list is called otherwise.
 */
export function nestedPath(
  path: string,
  { field, map }: Nesting,
): { path: string; whole: boolean; start: string } {
  const step = pathStep(field)
  const root = path.startsWith('$') ? path : `$.${path}`
  let start = root
  for (;;) {
    const shorter = start.replace(/\[(?:\d+|\*)\]$/, '')
    if (!shorter.endsWith(step)) break
    start = shorter.slice(0, -step.length)
  }
  const deep = `..${step.replace(/^\./, '')}${map ? '.*' : '[*]'}`
  return { path: start + deep, whole: start !== root && !/\]$/.test(root), start }
}

function search(values: readonly JsonValue[], name: string | undefined): Nesting | undefined {
  const step = Math.max(1, Math.floor(values.length / mostSampled))
  const sampled: JsonObject[] = []
  for (let at = 0; at < values.length; at += step) {
    const value = values[at] ?? null
    if (isObject(value)) sampled.push(value)
  }
  const names = namesOf(sampled)
  for (const field of [...names].slice(0, mostFields)) {
    const nesting = asNesting(sampled, field)
    const inner = nesting && sampled.flatMap((record) => nestedIn(record, nesting).slice(0, mostElements))
    if (nesting && inner && isKin(names, inner, field, name)) return nesting
  }
  return undefined
}

/** Lists of objects, or objects of objects, in every record that has something there. */
function asNesting(records: readonly JsonObject[], field: string): Nesting | undefined {
  const held = records.flatMap((record) => own(record, field) ?? [])
  const lists = records.map((record) => own(record, field)).filter(Array.isArray)
  if (lists.length > 0 && lists.every((list) => list.slice(0, mostElements).every(isObject)))
    return { field, map: false }
  const maps = held.filter(isObject)
  return maps.length > 0 &&
    maps.length === held.length &&
    maps.every((map) => Object.values(map).every(isObject))
    ? { field, map: true }
    : undefined
}

/** True when what is inside has half of its fields in common with the records, and the field or the place as well. */
function isKin(
  names: ReadonlySet<string>,
  inner: readonly JsonValue[],
  field: string,
  list: string | undefined,
): boolean {
  const objects = inner.filter(isObject)
  if (objects.length === 0 || objects.length < inner.length) return false
  const below = namesOf(objects)
  const shared = [...below].filter((name) => names.has(name))
  if (shared.length < Math.max(1, below.size * 0.5) || shared.every((name) => name === field)) return false
  return below.has(field) || list === field || shared.length >= Math.max(2, (names.size - 1) * 0.7)
}

function namesOf(records: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(records.flatMap((record) => Object.keys(record).slice(0, mostFields)))
}

function lastName(path: string): string | undefined {
  return /(?:^|[.$])([A-Za-z_]\w*)(?:\[(?:\d+|\*)\])*$/.exec(path)?.[1]
}
