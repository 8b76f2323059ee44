/** Values put in the place of references. Pure; the arguments as received stay what they are. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import { literal } from '../text/literal.ts'
import type { Place, Template } from './reference.ts'

/** The arguments with these values at these places: copies along the way, everything else the same object. */
export function withValues(
  args: JsonObject,
  values: readonly { place: Place; value: JsonValue }[],
): JsonObject {
  let expanded: JsonValue = args
  for (const { place, value } of values) expanded = put(expanded, place, value)
  return isObject(expanded) ? expanded : args
}

function put(into: JsonValue, [key, ...rest]: Place, value: JsonValue): JsonValue {
  if (key === undefined) return value
  if (Array.isArray(into)) {
    const at = Number(key)
    return into.with(at, put(into[at] ?? null, rest, value))
  }
  if (!isObject(into)) return into
  const copy: JsonObject = {}
  for (const name of Object.keys(into))
    setOwn(copy, name, name === key ? put(own(into, name) ?? null, rest, value) : (own(into, name) ?? null))
  return copy
}

/** The template with texts for its names, in one brace or in two. In one pass: what a value brings along in braces stays as it is. */
export function filled({ text }: Template, values: ReadonlyMap<string, string>): string {
  const names = [...values.keys()].map(literal)
  if (names.length === 0) return text
  return text.replaceAll(
    new RegExp(`\\{\\{(${names.join('|')})\\}\\}|\\{(${names.join('|')})\\}`, 'g'),
    (whole, twice?: string, once?: string) => values.get(twice ?? once ?? '') ?? whole,
  )
}

/** What a schema wants at a place: a text, something else, or it does not say. */
export type Wanted = 'text' | 'data' | 'any'

const deepest = 64

/** Follows `properties`, `items` and local `$ref`s, as far as that leads to a `type`. */
export function wantedAt(schema: JsonObject, place: Place): Wanted {
  let here: JsonObject | undefined = resolved(schema, schema)
  for (const key of place) {
    if (here === undefined) return 'any'
    const properties: JsonValue | undefined = typeof key === 'string' ? own(here, 'properties') : undefined
    const next: JsonValue | undefined =
      typeof key === 'number'
        ? own(here, 'items')
        : ((isObject(properties) ? own(properties, key) : undefined) ?? own(here, 'additionalProperties'))
    here = isObject(next) ? resolved(next, schema) : undefined
  }
  return here === undefined ? 'any' : wantedBy(here)
}

function wantedBy(schema: JsonObject): Wanted {
  const { type } = schema
  const types = Array.isArray(type) ? type : type === undefined ? alternatives(schema) : [type]
  const known = types.filter((one) => one !== 'null')
  if (known.length === 0) return 'any'
  if (known.every((one) => one === 'string')) return 'text'
  return known.includes('string') ? 'any' : 'data'
}

function alternatives(schema: JsonObject): JsonValue[] {
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf')
  if (!Array.isArray(branches)) return []
  return branches.flatMap((branch) => (isObject(branch) ? [own(branch, 'type') ?? 'unknown'].flat() : []))
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  let here: JsonObject | undefined = schema
  for (let steps = 0; steps < deepest && here; steps++) {
    const ref: JsonValue | undefined = own(here, '$ref')
    if (typeof ref !== 'string') return here
    here = ref.startsWith('#/') ? pointed(root, ref.slice(2)) : undefined
  }
  return undefined
}

function pointed(root: JsonObject, pointer: string): JsonObject | undefined {
  let here: JsonValue | undefined = root
  for (const part of pointer.split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    here = isObject(here) ? own(here, key) : undefined
  }
  return isObject(here) ? here : undefined
}
