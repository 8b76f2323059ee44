/** A value too large for the place it must fit, with marks where something is missing. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import { formatCount, formatPlural } from '../text/format.ts'
import { cut, densestPlace, excerpt, head } from '../text/shorten.ts'
import { toJson } from './json/stringify.ts'

/** How much of a value is shown. */
interface Limits {
  /** Characters of a string, elements of an array, fields of an object, levels. */
  string: number
  items: number
  fields: number
  depth: number
  /** Names of objects already met: listing those of a huge one is the costly part. */
  known?: Map<JsonObject, string[]>
}

/** From hardly shortened to a mere hint. The first that fits is taken. */
const STEPS: readonly Limits[] = [
  { string: 2000, items: 40, fields: 100, depth: 8 },
  { string: 600, items: 20, fields: 100, depth: 6 },
  { string: 240, items: 10, fields: 60, depth: 6 },
  { string: 120, items: 5, fields: 60, depth: 4 },
  { string: 80, items: 3, fields: 40, depth: 3 },
  { string: 60, items: 2, fields: 24, depth: 2 },
  { string: 40, items: 1, fields: 12, depth: 1 },
  { string: 24, items: 0, fields: 6, depth: 1 },
]

/**
 * The value as at most `max` characters: JSON, or a string as it is. Long strings and the tails of arrays and objects
 * are cut, each with a mark that says how much there is. `words`: what a string is read for; its first line and the part with most of
 * them stay.
 */
export function abridge(value: JsonValue, max: number, words?: RegExp): string {
  if (typeof value === 'string') return (words && around(value, max, words)) ?? cut(value, max)
  const known = new Map<JsonObject, string[]>()
  for (const limits of STEPS) {
    const text = toJson(part(value, { ...limits, known }, limits.depth))
    if (text.length <= max) return text
  }
  return cut(toJson(part(value, { string: 16, items: 0, fields: 3, depth: 1, known }, 1)), max)
}

/** The longest first line that is kept before what is around the words. */
const LONGEST_TITLE = 160

/** Undefined where the words are not in the text, or there is no room for more than a mark. */
function around(text: string, max: number, words: RegExp): string | undefined {
  if (text.length <= max) return text
  const breaks = text.indexOf('\n')
  const title = breaks >= 0 && breaks <= Math.min(LONGEST_TITLE, max / 3) ? text.slice(0, breaks + 1) : ''
  const body = text.slice(title.length)
  // Two characters say that something is left out.
  const room = max - title.length - 2
  if (room < SMALLEST_PART) return undefined
  const place = densestPlace(body, words, room * 0.8)
  return place.different === 0 ? undefined : title + excerpt(body, place, room)
}

const SMALLEST_PART = 24

function part(value: JsonValue, limits: Limits, depth: number): JsonValue {
  if (typeof value === 'string') return stringPart(value, limits.string)
  if (Array.isArray(value)) {
    if (depth <= 0) return value.length === 0 ? value : `[${formatPlural(value.length, 'item')}]`
    const items = value.slice(0, limits.items).map((item) => part(item, limits, depth - 1))
    if (value.length > items.length) items.push(`… ${formatCount(value.length - items.length)} more`)
    return items
  }
  return isObject(value) ? objectPart(value, limits, depth) : value
}

function objectPart(object: JsonObject, limits: Limits, depth: number): JsonValue {
  const keys = limits.known?.get(object) ?? Object.keys(object)
  limits.known?.set(object, keys)
  if (depth <= 0) return keys.length === 0 ? object : `{${formatPlural(keys.length, 'field')}}`
  const short: JsonObject = {}
  for (const key of keys.slice(0, limits.fields)) {
    setOwn(short, stringPart(key, 80), part(own(object, key) ?? null, limits, depth - 1))
  }
  if (keys.length > limits.fields) short['…'] = `${formatCount(keys.length - limits.fields)} more fields`
  return short
}

function stringPart(text: string, max: number): string {
  return text.length <= max + 32 ? text : `${head(text, max)}… [${formatCount(text.length)} characters]`
}
