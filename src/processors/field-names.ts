/** The names of fields in data, each told once however many records have it. */
import type { Collection } from '../documents/document.ts'
import { pathStep } from '../documents/records.ts'
import { type JsonValue, own } from '../protocol/json.ts'

export interface FieldName {
  name: string
  /** `$.items[*].labels[*].name`. */
  path: string
  /** How often it occurs. */
  count: number
}

/** Distinct names that are told apart; beyond this they are data, not names. */
const mostNames = 20_000

/** Fields under the same names; `[*]` is an array element or a value of the main collection when that is a map. */
class Place {
  count = 0
  readonly below = new Map<string, Place>()
}

/** Names below this many levels are not listed: their paths would be longer than what is in them. */
const deepest = 100

const anyElement = '[*]'

/** All names of fields, in order of appearance. The keys of the main collection are data and not among them. */
export function listFieldNames(root: JsonValue, records: Collection | undefined): FieldName[] {
  const top = new Place()
  let left = mostNames
  const below = (place: Place, name: string): Place | undefined => {
    let found = place.below.get(name)
    if (found === undefined && left > 0) {
      left--
      found = new Place()
      place.below.set(name, found)
    }
    return found
  }
  const map = records?.keys === undefined ? undefined : records.keys
  const visit = (value: JsonValue, place: Place, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > deepest) return
    if (Array.isArray(value)) {
      const element = value.length > 0 ? below(place, anyElement) : undefined
      if (element !== undefined) for (const item of value) visit(item, element, depth + 1)
      return
    }
    const keys = Object.keys(value)
    const isMap =
      map !== undefined && keys.length === map.length && keys[0] === map[0] && keys.at(-1) === map.at(-1)
    for (const key of keys) {
      const next = below(place, isMap ? anyElement : `.${key}`)
      if (next === undefined) continue
      next.count++
      visit(own(value, key) ?? null, next, depth + 1)
    }
  }
  visit(root, top, 0)
  return [...named(top, '$')]
}

function* named(place: Place, path: string): Generator<FieldName> {
  for (const [step, below] of place.below) {
    const name = step.slice(1)
    const own = step === anyElement ? path + step : path + pathStep(name)
    if (step !== anyElement) yield { name, path: own, count: below.count }
    yield* named(below, own)
  }
}
