/** What a path reached, as records: the elements of lists and maps, or the values themselves. */
import { fromRows, fromValue } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import { areMaps } from '../documents/map-like.ts'
import { withField } from '../documents/records.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { formatCount } from '../text/format.ts'
import { entriesOf } from './map-entries.ts'
import type { Reached } from './path/locate.ts'
import { formatPath, isDefinite, type Path } from './path/path.ts'

/** The document that later steps work on, and what to say of how the path was taken. */
export interface Part {
  content: Document
  note?: string
}

/**
 * One value that is a list or map is its elements; so are several where the path ends at a name and all that have it are lists, or
 * maps with values of one kind. Otherwise each value is a record, with its key as `_key` where it is the value of a map.
 */
export function recordsReached(reached: readonly Reached[], path: Path): Part {
  const [first, second] = reached
  if (first && second === undefined) return only(first, path)
  const name = lastName(path)
  const inner = name === undefined ? undefined : elementsOf(reached)
  if (!inner)
    return { content: fromRows({ noun: 'record', items: reached.map((one) => recordOf(one, name)) }) }
  const what = reached.some(({ value }) => Array.isArray(value)) ? 'lists' : 'maps'
  return {
    content: fromRows({ noun: 'record', items: inner }),
    note: `\`${formatPath(path)}\` reaches ${formatCount(reached.length)} ${what}: their ${formatCount(inner.length)} elements are the records.`,
  }
}

/** Fewer keys than this name fields, unless they look like data. */
const MANY = 10
const MANY_SCALARS = 40
/** Fewer keys in all are no maps. */
const FEW = 3

function only(reached: Reached, path: Path): Part {
  const { value } = reached
  if (Array.isArray(value) || !isObject(value)) {
    if (isDefinite(path) || Array.isArray(value)) return { content: fromValue(value, { noun: 'record' }) }
    return { content: fromRows({ noun: 'record', items: [recordOf(reached, lastName(path))] }) }
  }
  const whole = fromValue(value, { noun: 'record' })
  const records = whole.records()
  if (records?.path === '$') return { content: whole }
  if (path.length > 0 && (isLargeMap(value) || (isDefinite(path) && holdsKin(value)))) {
    const items = entriesOf(value)
    const note = `\`${formatPath(path)}\` was read as a map: its ${formatCount(items.length)} values are the records, with their key in \`_key\`.`
    return { content: fromRows({ noun: 'record', items }), note }
  }
  if (!isDefinite(path))
    return { content: fromRows({ noun: 'record', items: [recordOf(reached, lastName(path))] }) }
  return { content: records && isWrapper(whole) ? whole : fromRows({ noun: 'record', items: [value] }) }
}

/** The part of an object's text from which on a list in it is what the object is there for. */
const mostOfIt = 0.7

function isWrapper(whole: Document): boolean {
  return JSON.stringify(whole.records()?.values ?? []).length >= whole.characters * mostOfIt
}

/** Many values that are nearly all objects, or very many of one plain type. */
function isLargeMap(object: JsonObject): boolean {
  const keys = Object.keys(object)
  const objects = keys.filter((key) => isObject(own(object, key))).length
  if (keys.length >= MANY && objects >= keys.length * 0.9) return true
  const kind = typeof own(object, keys[0] ?? '')
  return (
    keys.length >= MANY_SCALARS && kind !== 'object' && keys.every((key) => typeof own(object, key) === kind)
  )
}

/** Two objects or more and nothing else, most of whose fields are in all of them. */
function holdsKin(object: JsonObject): boolean {
  const values = Object.keys(object).map((key) => own(object, key) ?? null)
  if (values.length < 2 || !values.every(isObject)) return false
  const presence = new Map<string, number>()
  for (const value of values)
    for (const key of Object.keys(value)) presence.set(key, (presence.get(key) ?? 0) + 1)
  const counts = [...presence.values()]
  const shared = counts.filter((count) => count === values.length).length
  return shared > 0 && shared >= counts.length * 0.5
}

/** Undefined where not all values are lists, or all maps of one kind. */
function elementsOf(reached: readonly Reached[]): JsonValue[] | undefined {
  const held = reached.filter(({ value }) => value !== null)
  if (held.length === 0) return undefined
  if (held.every(({ value }) => Array.isArray(value)))
    return held.flatMap(({ value, key }) =>
      Array.isArray(value) ? value.map((element) => recordOf({ value: element, key }, undefined)) : [],
    )
  const objects = held.flatMap(({ value }) => (isObject(value) ? [value] : []))
  if (objects.length < held.length || !(areMaps(objects) || areSmallMaps(objects))) return undefined
  return objects.flatMap(entriesOf)
}

/** True where each alone is too small to tell: what they hold is of one kind, and no key is in more than half of them. */
function areSmallMaps(objects: readonly JsonObject[]): boolean {
  const holders = new Map<string, number>()
  for (const key of objects.flatMap((object) => Object.keys(object)))
    holders.set(key, (holders.get(key) ?? 0) + 1)
  if (holders.size < FEW || [...holders.values()].some((count) => count > objects.length / 2)) return false
  const pooled = new Map(objects.flatMap((object) => Object.entries(object)))
  return holdsKin(Object.fromEntries(pooled))
}

function recordOf({ value, key }: Reached, name: string | undefined): JsonValue {
  if (key === undefined) return value
  return isObject(value) ? withField('_key', key, value) : { _key: key, [name ?? '_value']: value }
}

/** What a scalar of a map is called beside its key: the last name of the path. Undefined where the path ends otherwise. */
function lastName(path: Path): string | undefined {
  const [only] = path.at(-1)?.selectors ?? []
  return only?.kind === 'name' && only.name !== '__proto__' ? only.name : undefined
}
