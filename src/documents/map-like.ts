/** Telling an object that is a map (`{"t3.micro": {…}, "t3.small": {…}}`) from one that is a record. */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'

/** Fewer keys than this are a map only when they look like identifiers. */
const MANY = 10
const FEW = 3
/** So many scalars of one kind are no record. */
const VERY_MANY = 40
const SAMPLE = 24

/**
 * True when the keys are data rather than field names: many of them, over objects (or arrays) of similar shape, or
 * over scalars of one type when the keys look like identifiers or are very many.
 */
export function isMap(object: JsonObject): boolean {
  const keys = Object.keys(object)
  if (keys.length < FEW) return false
  if (keys.length < MANY && !mostlyIdentifiers(keys)) return false
  const values = sample(keys).map((key) => own(object, key) ?? null)
  return (
    values.every(Array.isArray) ||
    alike(values) ||
    (keys.length >= MANY && akin(values)) ||
    (keys.length >= VERY_MANY && sameScalars(values)) ||
    (keys.length >= MANY && mostlyIdentifiers(keys) && sameScalars(values))
  )
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
  const presence = new Map<string, number>()
  for (const key of objects.flatMap((object) => Object.keys(object)))
    presence.set(key, (presence.get(key) ?? 0) + 1)
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
