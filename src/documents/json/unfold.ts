/** JSON inside strings of JSON: `{"result": "[{\"id\":1}]"}`. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { parseJson } from './stringify.ts'

/** How far wrappers are opened, and how wide one may be. */
const MAX_DEPTH = 4
const MAX_KEYS = 32
const MAX_ITEMS = 3

/**
 * The value with its strings of JSON objects or arrays replaced by the parsed content. This happens in wrappers only: small objects and
 * short arrays near the root. Records keep their strings. Never mutates; the same value when nothing was folded.
 */
export function unfold(value: JsonValue, depth = 0): JsonValue {
  if (depth > MAX_DEPTH) return value
  if (typeof value === 'string') return depth > 0 || looksLikeData(value) ? unfoldString(value, depth) : value
  if (Array.isArray(value)) return value.length > MAX_ITEMS ? value : unfoldArray(value, depth)
  return isObject(value) ? unfoldObject(value, depth) : value
}

/** The content of a string that is the JSON of an object or an array. Undefined otherwise. */
function heldJson(text: string): JsonValue | undefined {
  const parsed = looksLikeData(text) ? parseJson(text) : undefined
  return typeof parsed?.value === 'object' && parsed.value !== null ? parsed.value : undefined
}

function looksLikeData(text: string): boolean {
  return /^\s{0,64}[[{]/.test(text) && /[\]}]\s{0,64}$/.test(text.slice(-80))
}

function unfoldString(text: string, depth: number): JsonValue {
  const held = heldJson(text)
  return held === undefined ? text : unfold(held, depth + 1)
}

function unfoldArray(items: readonly JsonValue[], depth: number): JsonValue[] {
  const unfolded = items.map((item) => unfold(item, depth + 1))
  return unfolded.some((item, index) => item !== items[index]) ? unfolded : (items as JsonValue[])
}

function unfoldObject(object: JsonObject, depth: number): JsonObject {
  const keys = Object.keys(object)
  if (keys.length > MAX_KEYS) return object
  let copy: JsonObject | undefined
  for (const key of keys) {
    const before = own(object, key) ?? null
    const after = unfold(before, depth + 1)
    if (after === before) continue
    copy ??= { ...object }
    setOwn(copy, key, after)
  }
  return copy ?? object
}
