/** Titles and descriptions of a listed item, those of its parameters and arguments included. */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'

const DEEPEST = 40

/** Members whose keys are names that somebody chose, so that one called `description` is none. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
])
const NO_PROSE: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', '_meta', 'required'])

/** The item with its texts changed; the item itself where none was. Members that are no text of its own stay what they are. */
export function described(item: JsonObject, apply: (text: string) => string): JsonObject {
  return changed(item, apply, 0, false) as JsonObject
}

function changed(
  value: JsonValue,
  apply: (text: string) => string,
  depth: number,
  isMap: boolean,
): JsonValue {
  if (depth > DEEPEST) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => changed(item, apply, depth + 1, false))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]): [string, JsonValue] => {
    if (isMap) return [key, changed(inner, apply, depth + 1, false)]
    if ((key === 'description' || key === 'title') && typeof inner === 'string') return [key, apply(inner)]
    return [key, NO_PROSE.has(key) ? inner : changed(inner, apply, depth + 1, MAPS.has(key))]
  })
  if (entries.every(([key, inner]) => own(value, key) === inner)) return value
  // Symbols tell whose an item is.
  return Object.assign({ ...value }, Object.fromEntries(entries))
}
