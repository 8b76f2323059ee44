/** What a name in a condition reaches: a key as models write it, a pair of a list that is called so. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { halvesOf } from '../fields/pairs.ts'

/** The value of the pair in a list that is called `name`. */
export function pairNamed(element: JsonValue, name: string): JsonValue | undefined {
  const halves = halvesOf(element)
  if (!halves || !isObject(element) || own(element, halves.key) !== name) return undefined
  return own(element, halves.value)
}

/** Keys looked at for another spelling. */
const mostKeys = 200

/** The value of a key; failing that, of the one key that differs in case, `_` and `-` only. */
export function loosely(object: JsonObject, key: string): JsonValue | undefined {
  const exact = own(object, key)
  if (exact !== undefined) return exact
  const keys = Object.keys(object)
  if (keys.length > mostKeys) return undefined
  const wanted = spelling(key)
  const [only, another] = keys.filter((name) => name.length < key.length + 5 && spelling(name) === wanted)
  return only === undefined || another !== undefined ? undefined : own(object, only)
}

function spelling(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}
