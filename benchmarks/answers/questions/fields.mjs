/** The fields of a collection's records: their ways, kinds and values, and which of them questions may use. */
import { areMaps, isObject } from '../payloads/collections.mjs'
import { dateOf } from './dates.mjs'
import { numberOf, valuesAt } from './evaluate.mjs'

const DEEPEST = 4
const MOST_FIELDS = 120
/** Fields of fewer records are oddities that no question is about. */
const LEAST_PRESENCE = 0.3

/**
 * @typedef {object} Field
 * @property {string[]} way
 * @property {boolean} many       a list or map on the way: a record may have several values
 * @property {'number'|'numeric'|'boolean'|'date'|'string'} kind   numeric: numbers in strings; date: all written alike
 * @property {unknown[][]} values of each record, in order; no nulls
 * @property {Map<unknown, number>} counts   in how many records each value occurs
 * @property {boolean} complete   every record has exactly one value
 * @property {boolean} unique     complete, and no two are the same
 * @property {boolean} plain      no two values differ by case or outer blanks alone, so that no question can mean the other
 */

/** A function of an object that works a thing out once. */
export function once(make) {
  const known = new WeakMap()
  return (key) => {
    if (!known.has(key)) known.set(key, make(key))
    return known.get(key)
  }
}

/** The fields of a collection, in document order. */
export const fieldsOf = once((collection) =>
  waysOf(collection.records)
    .map((way) => fieldAt(collection, way))
    .filter((field) => field !== undefined),
)

/** Ways to scalars, of records most have. */
function waysOf(records) {
  const ways = []
  const walk = (way, nodes, depth) => {
    if (ways.length >= MOST_FIELDS || nodes.length === 0) return
    const lists = nodes.filter(Array.isArray)
    if (lists.length > 0) {
      // A list in a list: it is open which is meant.
      if (lists.length === nodes.length && !way.includes('[]')) walk([...way, '[]'], lists.flat(1), depth)
      return
    }
    const objects = nodes.filter(isObject)
    if (objects.length === 0) {
      if (way.length > 0) ways.push(way)
      return
    }
    if (objects.length < nodes.filter((node) => node !== null).length || depth === DEEPEST) return
    if (way.length > 0 && !way.includes('[]') && areMaps(objects)) {
      walk(
        [...way, '[]'],
        objects.flatMap((object) => Object.values(object)),
        depth,
      )
      return
    }
    const children = new Map()
    for (const object of objects) {
      for (const [key, value] of Object.entries(object)) {
        if (key === '' || key === '[]' || value === undefined) continue
        if (!children.has(key)) children.set(key, [])
        children.get(key).push(value)
      }
    }
    for (const [key, values] of children) {
      if (values.length >= LEAST_PRESENCE * objects.length) walk([...way, key], values, depth + 1)
    }
  }
  walk([], records, 0)
  return ways
}

const isScalar = (value) => ['string', 'number', 'boolean'].includes(typeof value)

/** A number a reader sees as it is: whole ones JSON keeps exactly, fractions without endless digits. */
const isSafe = (number) =>
  Number.isInteger(number) ? Number.isSafeInteger(number) : String(number).length <= 17

function kindOf(values) {
  const types = new Set(values.map((value) => typeof value))
  if (types.size !== 1) return undefined
  const [type] = types
  if (type === 'number') return values.every(isSafe) ? 'number' : undefined
  if (type !== 'string') return type
  if (values.every((value) => value.length <= 15 && numberOf(value) !== undefined)) return 'numeric'
  const form = dateOf(values[0])?.form
  return form !== undefined && values.every((value) => dateOf(value)?.form === form) ? 'date' : 'string'
}

/** @returns {Field | undefined} undefined when the values are of several kinds */
function fieldAt({ records }, way) {
  const values = records.map((record) => valuesAt(record, way))
  const all = values.flat()
  const present = values.filter((own) => own.length > 0).length
  if (present < LEAST_PRESENCE * records.length || !all.every(isScalar)) return undefined
  const kind = kindOf(all)
  if (kind === undefined) return undefined
  const counts = new Map()
  for (const own of values) for (const value of new Set(own)) counts.set(value, (counts.get(value) ?? 0) + 1)
  const many = way.includes('[]')
  const complete = !many && present === records.length
  const folded = new Set([...counts.keys()].map((value) => String(value).trim().toLowerCase()))
  return {
    way,
    many,
    kind,
    values,
    counts,
    complete,
    unique: complete && counts.size === records.length,
    plain: folded.size === counts.size,
  }
}

/** Whether a value can stand in a question and in a list of answers: one short line that reads the same wherever it is written. */
export function sayable(value, longest = 80) {
  if (typeof value !== 'string') return true
  return (
    value !== '' &&
    value.length <= longest &&
    value === value.trim() &&
    !/[\p{Cc}\p{Cf}"\\]| {2}/u.test(value)
  )
}

const NAMES =
  /(^|[._-])(id|ids|key|name|title|number|uid|uuid|sha|slug|code|path|email|login|url|sku|ref)$|Id$|Name$|^_key$/

/** Fields that identify a record, the ones people would use first. */
export const identifiers = once((collection) => {
  const length = (field) =>
    field.values.reduce((sum, [value]) => sum + String(value).length, 0) / field.values.length
  const rank = (field) => {
    const last = field.way.at(-1)
    const named = NAMES.test(last) ? 0 : 3
    return named + (field.way.length - 1) + (/url|href|link/i.test(last) ? 2 : 0) + length(field) / 40
  }
  return fieldsOf(collection)
    .filter(
      (field) => field.unique && field.kind !== 'boolean' && field.kind !== 'date' && length(field) <= 70,
    )
    .filter(
      ({ kind, values }) => kind === 'string' || values.every(([value]) => Number.isInteger(Number(value))),
    )
    .filter((field) => field.values.every(([value]) => sayable(value)))
    .map((field) => ({ field, rank: rank(field) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ field }) => field)
})

const NUMBERS_THAT_NAME =
  /(^|[._\s-])(id|ids|no|number|index|zip|postcode|code|port|year|month|day|version|status|lat|lon|lng|latitude|longitude|phone|uid|pid|key)$/i
const CAMEL = /[a-z](Id|ID|Number|Code|Port|Version|Year)$/

/** Whether numbers of this field name something: one looks them up and does not add or compare them. */
export function isName(way) {
  const last = way.findLast((key) => key !== '[]') ?? ''
  return NUMBERS_THAT_NAME.test(last) || CAMEL.test(last)
}

/** Measures: numbers one would add up, unlike numbers that name something. */
export const measures = once((collection) => {
  return fieldsOf(collection).filter(({ way, kind, counts, values, unique }) => {
    if ((kind !== 'number' && kind !== 'numeric') || isName(way)) return false
    // Seconds or milliseconds since 1970.
    if (
      /(time|timestamp|date|_at|At|ts|created|updated)$/i.test(way.at(-1)) &&
      values.flat().some((value) => Number(value) >= 1e9)
    )
      return false
    // Whole numbers, all different and large: most likely ids.
    const whole = values.flat().every((value) => Number.isInteger(Number(value)))
    return counts.size >= 3 && !(unique && whole && values.every(([value]) => Number(value) >= 1e9))
  })
})
