/** Fields that hold objects, where one of the fields within is meant: `user = ann` for `user.login = ann`. */
import { pathStep } from '../../documents/shape/collections.ts'
import { identifying, isNaming } from '../../documents/shape/identity.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { AMOUNTS, looseNumber } from '../../text/values/quantities.ts'
import { newWork } from '../work.ts'
import { firstName, formatPath, type Path, parsePath } from './path.ts'
import type { Field, Records } from './records.ts'
import { readValues, valuesAt } from './walk.ts'

const MOST_SAMPLED = 200
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]|$)/

/** The values that the first records have at a path, read as far as they are looked at. */
function* firstValues(records: Records, path: Path): Generator<JsonValue> {
  const work = newWork()
  for (let at = 0; at < Math.min(records.values.length, MOST_SAMPLED); at++)
    yield* valuesAt(records.values[at] ?? null, path, work)
}

/** The part of the objects of a field, with the step to it as it is written. The name of an entry of a list of tags is not its path. */
function partOf({ name, path }: Field, step: string): Field {
  const inner = `${name}${step}`
  return {
    name: inner,
    path: [...path, ...parsePath(`x${step}`).slice(1)],
    note: `\`${name}\` holds objects and was read as \`${inner}\`.`,
  }
}

/** True when what the field holds are objects, alone or in lists, or nothing. */
export function holdsObjects(records: Records, { path }: Field): boolean {
  let found = false
  for (const value of firstValues(records, path))
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === null) continue
      if (!isObject(one)) return false
      found = true
    }
  return found
}

/** The names of fields deeper down that end so, with some of their values. */
export function calledSo(records: Records, name: string): [string, readonly JsonValue[]][] {
  return [...records.names()].filter(
    ([other, samples]) =>
      lastOf(other) === name &&
      parsePath(other).length > 1 &&
      samples.some((value) => value !== null && typeof value !== 'object'),
  )
}

function lastOf(name: string): string {
  return name.endsWith(']') || name.includes('.') ? formatPath(parsePath(name).slice(-1)) : name
}

/** The fields within, outer ones first. */
export function innerFields(records: Records, { name }: Field): Field[] {
  const start = `${name.replaceAll('[*]', '')}.`
  const bracket = `${start.slice(0, -1)}[`
  return (
    [...records.names().keys()]
      .map((written) => ({ written, path: parsePath(written) }))
      // Names with signs are written in brackets there: `["a:b"].c`.
      .map(({ written, path }) => ({ inner: name.startsWith('[') ? written : formatPath(path), path }))
      .filter(({ inner }) => inner.startsWith(start) || inner.startsWith(bracket))
      .sort((one, other) => one.path.length - other.path.length)
      .map(({ inner, path }) => ({
        name: inner,
        path,
        note: `\`${name}\` holds objects and was read as \`${inner}\`.`,
      }))
  )
}

/**
 * `properties.*.type` where `properties.type` is a key of a map and holds an object. The fields of all values of a map are asked for more
 * often than one value. Undefined where the place is no map, or its values have no such field.
 */
export function acrossMap(records: Records, { name, path }: Field): Field | undefined {
  const last = firstName(path.at(-1))
  if (path.length < 2 || last === undefined) return undefined
  const across = `${formatPath(path.slice(0, -1)).replaceAll('[*]', '')}.*${pathStep(last)}`
  const samples = records.names().get(across)
  if (!samples?.some((value) => value !== null && typeof value !== 'object')) return undefined
  return {
    name: across,
    path: parsePath(across),
    note: `\`${name}\` read as \`${across}\`, of all values of the map.`,
  }
}

/** The text of elements that have attributes as well, as readers of XML call it. */
const TEXTS = ['_text', '#text', '$t']

/** The field right within that holds the text of an element with attributes. */
export function textWithin(records: Records, field: Field): Field | undefined {
  return innerFields(records, field).find(
    ({ path }) => path.length === field.path.length + 1 && TEXTS.includes(firstName(path.at(-1)) ?? ''),
  )
}

/** The field right within by which the objects are known. */
export function nameWithin(records: Records, field: Field): Field | undefined {
  const text = textWithin(records, field)
  if (text) return text
  const depth = field.path.length + 1
  const inner = innerFields(records, field).filter(({ path }) => path.length <= depth + 1)
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
  const named = (fields: readonly Field[]): Field | undefined => {
    const [best] = identifying(fields.map(({ name }) => last(name)).filter(isNaming))
    return fields.find(({ name }) => last(name) === best)
  }
  // A field that is the same in all, as the id of a property, tells nothing apart.
  const telling = inner.filter(({ path }) => differs(records, path))
  return (
    named(telling) ??
    telling.find(({ name, path }) => path.length === depth && last(name) === 'value') ??
    (telling.length === 1 ? telling[0] : undefined) ??
    eitherWithin(records, field) ??
    named(inner)
  )
}

/** The list in objects that hold nothing else, `{"tag": ["a", "b"]}`, as documents of XML have them. Undefined where they hold more. */
export function listWithin(records: Records, field: Field): Field | undefined {
  const keys = new Set<string>()
  let areLists = false
  for (const value of firstValues(records, field.path)) {
    if (value === null || value === '') continue
    const [key, another] = isObject(value) ? Object.keys(value) : []
    if (key === undefined || another !== undefined || keys.add(key).size > 1) return undefined
    const list = own(value as JsonObject, key)
    // A date may be spelled so: `{"date-parts": [[2024, 5, 1]]}`.
    if (Array.isArray(list) && list.some(Array.isArray)) return undefined
    areLists ||= Array.isArray(list)
  }
  const [key] = keys
  if (key === undefined || !areLists) return undefined
  return partOf(field, pathStep(key))
}

/**
 * The parts right within of which each object has one: `start["date","dateTime"]` of a calendar, for days and hours, and
 * `value["stringValue","intValue"]` of values that say their type. Undefined where some object has several, or none.
 */
export function eitherWithin(records: Records, field: Field): Field | undefined {
  const names = new Set<string>()
  let alone = 0
  for (const value of firstValues(records, field.path)) {
    if (value === null) continue
    const part = isObject(value) ? onlyPart(value) : undefined
    if (part === undefined || names.size > MOST_PARTS) return undefined
    if (Object.keys(value as JsonObject).length === 1) alone++
    names.add(part)
  }
  // Where it is always the same one it is a field like any other. A value that says its type may be reached by a key beside it alone.
  const isTyped = alone > 0 && [...names].every((part) => TYPED.test(part))
  if (names.size < 2 && !isTyped) return undefined
  return partOf(field, `[${[...names].map((one) => JSON.stringify(one)).join(',')}]`)
}

/**
 * The value of objects that say which of their parts it is, as the properties of Notion (`{"type": "date", "date": null}`). A boolean of
 * DynamoDB (`{"BOOL": false}`) is their only part. Undefined where one of them has no such part.
 */
export function typedWithin(records: Records, field: Field): Field | undefined {
  let part: string | undefined
  for (const value of firstValues(records, field.path)) {
    if (value === null) continue
    if (!isObject(value)) return undefined
    const type = own(value, 'type')
    const [only, another] = Object.keys(value)
    const told =
      typeof type === 'string' && Object.hasOwn(value, type)
        ? type
        : another === undefined && only !== undefined && typeof own(value, only) === 'boolean'
          ? only
          : undefined
    if (told === undefined || (part !== undefined && part !== told)) return undefined
    part = told
  }
  return part === undefined ? undefined : partOf(field, pathStep(part))
}

const MOST_PARTS = 8
/** As OpenTelemetry, Firestore and DynamoDB name them. */
const TYPED = /^(?:[a-z]+Value|[SNB]|BOOL)$/

/** The only time, or the only part at all, where that holds no parts of its own. */
function onlyPart(value: JsonObject): string | undefined {
  const keys = Object.keys(value)
  const times = keys.filter((key) => TIME.test(String(own(value, key) ?? '')))
  if (times.length === 1) return times[0]
  const [only = ''] = keys
  return keys.length === 1 && typeof own(value, only) !== 'object' ? only : undefined
}

/** True when records have different values there that have no parts. */
function differs(records: Records, path: Path): boolean {
  const found = new Set<JsonValue>()
  for (const value of firstValues(records, path)) {
    if (value !== null && typeof value !== 'object') found.add(value)
    if (found.size > 1) return true
  }
  return false
}

/**
 * The field within that holds the number of each object: the only one with numbers, as of `{"amount": 5, "currency": "EUR"}`, or the one
 * that is called so. Undefined where there are none, or several.
 */
export function numberWithin(records: Records, field: Field): Field | undefined {
  const depth = field.path.length + 2
  const numeric = innerFields(records, field).filter(
    ({ name, path }) =>
      path.length <= depth && !/(?:^|[._])id$|I[dD]$/.test(name) && holdsNumbers(records, path),
  )
  const nearest = numeric.filter(({ path }) => path.length === numeric[0]?.path.length)
  const [only, another] = nearest
  if (another === undefined) return only
  const called = nearest.filter(({ path }) => AMOUNTS.test(firstName(path.at(-1)) ?? ''))
  return called.length === 1 ? called[0] : undefined
}

/**
 * The values of what monitors send: lists of a time and a value each (`[[1772524800, "3.1"], …]`), or one such pair (`[1772524800, "3.1"]`).
 * Undefined where it is neither.
 */
export function valueOfPairs(records: Records, { name, path }: Field): Field | undefined {
  const work = newWork()
  const lists: JsonValue[] = []
  for (let at = 0; at < Math.min(records.values.length, MOST_SAMPLED); at++) {
    readValues(records.values[at] ?? null, path, lists, work)
    if (lists.length > 0 && !Array.isArray(lists[0])) return undefined
  }
  const series = lists.filter((list): list is JsonValue[] => Array.isArray(list) && list.length > 0)
  if (series.length === 0) return undefined
  if (series.every(isPoint)) return valueAt(`${name}[1]`, `\`${name}\` holds a time and a value`)
  const isPair = (pair: JsonValue): boolean => Array.isArray(pair) && pair.length === 2
  if (!series.every((list) => list.slice(0, MOST_SAMPLED).every(isPair))) return undefined
  const time = [0, 1].find((place) => series.every((list) => isTimeline(list, place)))
  return time === undefined
    ? undefined
    : valueAt(`${name}[*][${1 - time}]`, `\`${name}\` holds lists of a time and a value`)
}

function valueAt(name: string, what: string): Field {
  return { name, path: parsePath(name), note: `${what}: read as \`${name}\`.` }
}

/** A time and a number, which Prometheus writes as a text. Of two numbers the first is a time of this century, and the other none. */
function isPoint(list: JsonValue): boolean {
  if (!Array.isArray(list) || list.length !== 2) return false
  const [time, value] = list
  if (typeof time !== 'number') return false
  if (typeof value === 'number') return isOfCentury(time) && value < time / 100
  return time > 1e8 && time < 1e14 && typeof value === 'string' && /^[-+]?(?:\d|\.\d|NaN|Inf)/.test(value)
}

/** Seconds or milliseconds since 1970, from 2001 to 2036. */
function isOfCentury(time: number): boolean {
  const seconds = time > 1e11 ? time / 1_000 : time
  return seconds >= 1e9 && seconds < 2.1e9
}

/** True when what the pairs have at a place are times, none before the one ahead of it. */
function isTimeline(pairs: readonly JsonValue[], place: number): boolean {
  let last: string | number | undefined
  for (const pair of pairs.slice(0, MOST_SAMPLED)) {
    const time = (pair as readonly JsonValue[])[place]
    const isTime =
      typeof time === 'string' ? TIME.test(time) : typeof time === 'number' && time > 1e8 && time < 1e14
    if (!isTime || (last !== undefined && (typeof last !== typeof time || last > (time as typeof last))))
      return false
    last = time as string | number
  }
  return last !== undefined
}

function holdsNumbers(records: Records, path: Path): boolean {
  let found = 0
  for (const value of firstValues(records, path)) {
    if (value === null) continue
    if (typeof value !== 'number' && (typeof value !== 'string' || looseNumber(value) === undefined))
      return false
    found += 1
  }
  return found > 0
}
