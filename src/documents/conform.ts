/** Shortened `structuredContent` that still is what the tool's outputSchema promises (MCP, server/tools, "Output Schema"). */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'
import { cut } from '../text/cut.ts'
import { Place } from './schema-place.ts'
import { toJson } from './stringify.ts'
import { validates } from './validate.ts'

/** Required within required, as deep as a schema may go. */
const MAX_DEPTH = 32

/**
 * True when large values of this schema can be made small and stay valid: wherever data can grow, something may be
 * left out. Looks at the schema alone; what it does not understand it takes for impossible.
 */
export function canConform(schema: JsonObject): boolean {
  return canShrink(Place.of(schema), 0)
}

function canShrink(place: Place, depth: number): boolean {
  if (place.rigid || depth > MAX_DEPTH) return false
  if (place.admits('string') && !place.cuttable && !place.short) return false
  if (place.admits('array')) {
    for (let index = 0; index < Math.min(place.minItems, MAX_DEPTH); index++) {
      if (!canShrink(place.item(index), depth + 1)) return false
    }
    if (place.minItems > MAX_DEPTH) return false
  }
  if (!place.admits('object')) return true
  const required = [...place.required]
  return (
    place.minProperties <= required.length &&
    required.every((key) => canShrink(place.property(key), depth + 1))
  )
}

/** How much may stay: items of a list or map, characters of a string, and which optional keys. */
interface Allowance {
  items: number
  characters: number
  optional: 'all' | 'scalars' | 'none'
}

/** From generous to bare; the first that fits is taken. */
const ALLOWANCES: readonly Allowance[] = [
  ...[50, 20, 10, 5, 3].map((items): Allowance => ({ items, characters: 400, optional: 'all' })),
  ...[5, 3, 2, 1].map((items): Allowance => ({ items, characters: 120, optional: 'all' })),
  { items: 1, characters: 60, optional: 'scalars' },
  { items: 0, characters: 60, optional: 'scalars' },
  { items: 0, characters: 20, optional: 'none' },
]

/**
 * At most `budget` characters of JSON that validate against `schema`: tails of lists and maps left out, long strings
 * shortened with a mark that names what is missing, optional keys left out last. Undefined when there is no such value.
 */
export function conform(value: JsonValue, schema: JsonObject, budget: number): JsonValue | undefined {
  try {
    const place = Place.of(schema)
    for (const allowance of ALLOWANCES) {
      const shrunk = new Shrinking(allowance, budget).shrink(value, place)
      if (shrunk !== TOO_LARGE && toJson(shrunk).length <= budget && validates(shrunk, schema)) return shrunk
    }
  } catch (error) {
    // Deeper than the stack.
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

const TOO_LARGE = Symbol('too large')

/** One attempt. It gives up as soon as the budget is spent, so that width to the power of depth is never built. */
class Shrinking {
  readonly #allowance: Allowance
  #left: number

  constructor(allowance: Allowance, budget: number) {
    this.#allowance = allowance
    this.#left = budget
  }

  shrink(value: JsonValue, place: Place): JsonValue | typeof TOO_LARGE {
    if (typeof value === 'string')
      return this.#spend(place.cuttable ? cut(value, this.#allowance.characters) : value)
    if (typeof value !== 'object' || value === null) return this.#spend(value)
    if (place.rigid) return this.#spend(value)
    return Array.isArray(value) ? this.#array(value, place) : this.#object(value, place)
  }

  #spend<T extends JsonValue>(value: T): T | typeof TOO_LARGE {
    this.#left -= toJson(value).length + 1
    return this.#left < -1 ? TOO_LARGE : value
  }

  #array(values: readonly JsonValue[], place: Place): JsonValue[] | typeof TOO_LARGE {
    const kept: JsonValue[] = []
    const count = Math.min(values.length, Math.max(place.minItems, this.#allowance.items))
    for (const [index, value] of values.slice(0, count).entries()) {
      const item = this.shrink(value, place.item(index))
      if (item === TOO_LARGE) return TOO_LARGE
      kept.push(item)
    }
    this.#left -= 2
    return kept
  }

  #object(object: JsonObject, place: Place): JsonObject | typeof TOO_LARGE {
    const kept: JsonObject = {}
    const required = place.required
    let extra = Math.max(this.#allowance.items, place.minProperties)
    for (const key of Object.keys(object)) {
      const value = object[key]
      if (value === undefined) continue
      if (!required.has(key)) {
        if (!this.#keepsOptional(value)) continue
        if (!place.declares(key) && extra-- <= 0) continue
      }
      const shrunk = this.shrink(value, place.property(key))
      if (shrunk === TOO_LARGE) return TOO_LARGE
      setOwn(kept, key, shrunk)
      this.#left -= key.length + 3
    }
    this.#left -= 2
    return kept
  }

  #keepsOptional(value: JsonValue): boolean {
    const { optional } = this.#allowance
    if (optional !== 'scalars') return optional === 'all'
    return !Array.isArray(value) && !isObject(value)
  }
}
