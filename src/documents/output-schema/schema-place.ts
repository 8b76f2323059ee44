/** A place in a JSON Schema (2020-12) and what may be left out of the values there. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'

/** Keywords that say nothing about validity. */
const ANNOTATIONS = new Set(
  '$schema $comment $defs definitions title description default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
)

/** Keywords that stay true when items, optional keys and the middle of strings are left out, or that are read below. */
const UNDERSTOOD = new Set(
  (
    'type properties required additionalProperties patternProperties propertyNames maxProperties minProperties ' +
    'items prefixItems minItems maxItems uniqueItems unevaluatedProperties unevaluatedItems ' +
    'enum const pattern format minLength maxLength contentEncoding contentMediaType ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
  ).split(' '),
)

/** Keywords that fix a string as it is. */
const FIXED = [
  'enum',
  'const',
  'pattern',
  'format',
  'minLength',
  'contentEncoding',
  'contentMediaType',
] as const

/** Formats with short values. */
const SHORT_FORMATS = new Set(['date-time', 'date', 'time', 'duration', 'uuid', 'ipv4', 'ipv6'])

/** A string that may be no longer than this is as good as cut. */
const SHORT = 256

/** References followed at one place; more is a riddle, not a schema. */
const MAX_PARTS = 64

/**
 * All schemas that speak about one place: through references and every branch of `allOf`, `anyOf` and `oneOf`. Taking
 * all branches together is stricter than each of them, so what is cut by all is valid by the one that was.
 */
export class SchemaView {
  readonly #root: JsonObject
  readonly #parts: readonly JsonObject[]
  /** Holds a keyword that this code does not know: values here are kept whole or not at all. */
  readonly rigid: boolean

  private constructor(root: JsonObject, parts: readonly JsonObject[], rigid: boolean) {
    this.#root = root
    this.#parts = parts
    this.rigid = rigid
  }

  static of(root: JsonObject): SchemaView {
    return SchemaView.#at(root, [root])
  }

  static #at(root: JsonObject, schemas: readonly (JsonValue | undefined)[]): SchemaView {
    const parts: JsonObject[] = []
    let rigid = false
    const queue = [...schemas]
    const seen = new Set<JsonObject>()
    while (queue.length > 0) {
      const schema = queue.pop()
      if (typeof schema === 'boolean' || schema === undefined) continue
      if (!isObject(schema) || seen.size > MAX_PARTS) rigid = true
      else if (!seen.has(schema)) {
        seen.add(schema)
        parts.push(schema)
        rigid ||= Object.keys(schema).some(
          (keyword) => !isKnown(keyword) || (keyword === '$id' && schema !== root),
        )
        const ref = own(schema, '$ref')
        if (ref !== undefined) queue.push(resolve(root, ref) ?? null)
        for (const union of ['allOf', 'anyOf', 'oneOf']) {
          const branches = own(schema, union)
          if (Array.isArray(branches)) queue.push(...branches)
          else if (branches !== undefined) rigid = true
        }
      }
    }
    return new SchemaView(root, parts, rigid)
  }

  get required(): ReadonlySet<string> {
    const names = this.#all('required').flatMap((value) => (Array.isArray(value) ? value : []))
    return new Set(names.filter((name) => typeof name === 'string'))
  }

  get minItems(): number {
    return this.#most('minItems')
  }

  get minProperties(): number {
    return this.#most('minProperties')
  }

  /** A string may lose its middle. */
  get cuttable(): boolean {
    return this.#parts.every((part) => FIXED.every((keyword) => own(part, keyword) === undefined))
  }

  /** True where a string of any length and content is valid, and where it says so: not where anything is. */
  get takesAnyText(): boolean {
    const isText = this.#all('type').some(
      (type) => type === 'string' || (Array.isArray(type) && type.includes('string')),
    )
    return isText && !this.rigid && this.cuttable && this.#all('maxLength').length === 0
  }

  /** The keys that the schema knows by name. */
  get fields(): readonly string[] {
    const names = this.#all('properties').flatMap((properties) =>
      isObject(properties) ? Object.keys(properties) : [],
    )
    return [...new Set(names)]
  }

  /** A string cannot be long. */
  get short(): boolean {
    return this.#parts.some((part) => {
      const format = own(part, 'format')
      return (
        own(part, 'enum') !== undefined ||
        own(part, 'const') !== undefined ||
        (typeof format === 'string' && SHORT_FORMATS.has(format)) ||
        Number(own(part, 'maxLength') ?? Number.POSITIVE_INFINITY) <= SHORT
      )
    })
  }

  /** True when a value of this type may stand here. */
  admits(type: 'string' | 'array' | 'object'): boolean {
    const types = this.#all('type')
    return (
      types.length === 0 ||
      types.some((value) => (Array.isArray(value) ? value.includes(type) : value === type))
    )
  }

  /** True when the schema knows this key by name. */
  declares(key: string): boolean {
    return this.#all('properties').some(
      (properties) => isObject(properties) && Object.hasOwn(properties, key),
    )
  }

  property(key: string): SchemaView {
    const schemas = this.#parts.flatMap((part): (JsonValue | undefined)[] => {
      const properties = own(part, 'properties')
      const named = isObject(properties) ? own(properties, key) : undefined
      // Which patterns a key matches is not worth finding out: null makes the place rigid.
      const patterned = own(part, 'patternProperties') === undefined ? [] : [null]
      return [...patterned, named ?? own(part, 'additionalProperties') ?? own(part, 'unevaluatedProperties')]
    })
    return SchemaView.#at(this.#root, schemas)
  }

  item(index: number): SchemaView {
    const schemas = this.#parts.flatMap((part): (JsonValue | undefined)[] => {
      const prefix = own(part, 'prefixItems')
      const fixed = Array.isArray(prefix) ? prefix[index] : undefined
      // Two items may be equal once they are cut.
      const unique = own(part, 'uniqueItems') === true ? [null] : []
      return [...unique, fixed ?? own(part, 'items') ?? own(part, 'unevaluatedItems')]
    })
    return SchemaView.#at(this.#root, schemas)
  }

  #all(keyword: string): JsonValue[] {
    return this.#parts.flatMap((part) => {
      const value = own(part, keyword)
      return value === undefined ? [] : [value]
    })
  }

  #most(keyword: string): number {
    return Math.max(0, ...this.#all(keyword).map((value) => (typeof value === 'number' ? value : 0)))
  }
}

function isKnown(keyword: string): boolean {
  return (
    ANNOTATIONS.has(keyword) ||
    UNDERSTOOD.has(keyword) ||
    ['$ref', '$id', 'allOf', 'anyOf', 'oneOf'].includes(keyword) ||
    keyword.startsWith('x-')
  )
}

/** Follows a JSON Pointer into the schema itself (RFC 6901); other documents and anchors are not followed. */
function resolve(root: JsonObject, ref: JsonValue): JsonValue | undefined {
  if (typeof ref !== 'string' || (ref !== '#' && !ref.startsWith('#/'))) return undefined
  let at: JsonValue | undefined = root
  for (const step of ref.split('/').slice(1)) {
    const key = decode(step)
    at = isObject(at) ? own(at, key) : Array.isArray(at) ? at[Number(key)] : undefined
  }
  return at
}

function decode(step: string): string {
  let text = step
  try {
    text = decodeURIComponent(step)
  } catch {
    // A stray percent sign stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
