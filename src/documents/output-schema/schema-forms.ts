/** JSON schemas that promise what kind of value there is, and nothing of what it looks like. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'

/** The keywords that no longer hold for a text or a number, once something else stands in its place. */
const FORMS: ReadonlySet<string> = new Set([
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'contentEncoding',
  'contentMediaType',
  'minimum',
  'exclusiveMinimum',
])

/** Where a schema has schemas: one, a list of them, or one for each name. */
const ONE = [
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'then',
  'else',
  'additionalItems',
]
const LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

/** Deeper schemas are promised nothing of. */
const DEEPEST = 100

/**
 * The same object where it promised no such thing. Keywords under `not` and `if` decide, and stay; of several schemas under
 * `oneOf` more than one may fit then, so that they stand under `anyOf`.
 */
export function withoutForms(schema: JsonObject): JsonObject {
  return loosened(schema, 0) as JsonObject
}

function loosened(schema: JsonValue, depth: number): JsonValue {
  if (!isObject(schema)) return schema
  if (depth > DEEPEST) return {}
  const copy: JsonObject = {}
  let isChanged = false
  for (const [key, value] of Object.entries(schema)) {
    if (FORMS.has(key)) {
      isChanged = true
      continue
    }
    const now = below(key, value, depth + 1)
    if (now === value) {
      setOwn(copy, key, value)
      continue
    }
    isChanged = true
    if (key === 'oneOf' && !Object.hasOwn(schema, 'anyOf')) copy.anyOf = now
    else if (key !== 'oneOf') setOwn(copy, key, now)
  }
  return isChanged ? copy : schema
}

function below(key: string, value: JsonValue, depth: number): JsonValue {
  if (Array.isArray(value)) {
    if (!LIST.includes(key)) return value
    const items = value.map((item) => loosened(item, depth))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (ONE.includes(key)) return loosened(value, depth)
  if (!NAMED.includes(key) || !isObject(value)) return value
  let isChanged = false
  const named: JsonObject = {}
  for (const [name, inner] of Object.entries(value)) {
    const now = loosened(inner, depth)
    if (now !== inner) isChanged = true
    setOwn(named, name, now)
  }
  return isChanged ? named : value
}
