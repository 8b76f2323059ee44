/**
 * The `structuredContent` of a shaped result where a client was promised an `outputSchema` (MCP, server/tools, "Output Schema"). It says
 * that it was cut and names the handle: some clients show their model nothing else.
 */
import { createRequire } from 'node:module'
import { LRUCache } from 'lru-cache'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { cut } from '../../text/shorten.ts'
import { toJson } from '../json/stringify.ts'
import { SchemaView } from './schema-place.ts'

/** How a shaped result keeps a promise. */
export interface Form {
  /** The schema of the server. */
  readonly schema: JsonObject
  /**
   * Keys from the top to the text that holds the preview; what else the schema wants stands beside it, in short. Absent: the value is
   * an envelope, `{cache_id, preview}`.
   */
  readonly at?: readonly string[]
}

/** The form that fits a schema. It depends on the schema alone, so that a list and a call agree. */
export function formFor(schema: JsonObject): Form {
  const at = canConform(schema) ? textIn(schema) : undefined
  return at === undefined ? { schema } : { schema, at }
}

const ENVELOPE: JsonObject = {
  type: 'object',
  description:
    'In place of a result that is too large: a preview, and the cache_id under which all of it is kept.',
  properties: { cache_id: { type: 'string' }, preview: { type: 'string' } },
  required: ['cache_id', 'preview'],
  additionalProperties: false,
}

/** The schema that a client is told: the server's, or that and the envelope. */
export function promisedBy({ schema, at }: Form): JsonObject {
  if (at !== undefined) return schema
  const { $schema, $id: _, type, ...rest } = schema
  const inner = type === undefined ? rest : { type, ...rest }
  return {
    ...($schema !== undefined && { $schema }),
    ...(type === 'object' && { type }),
    anyOf: [moved(inner, 0), ENVELOPE],
  }
}

/** Where a schema stands that was at the top. */
const BELOW = '#/anyOf/0'
/** Members of a schema that hold data, which may look like a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])
/** Deeper ones are taken for data. */
const DEEPEST = 100

/** The schema with its own references pointing to where it stands now. A schema with an `$id` of its own refers to itself. */
function moved(value: JsonValue, depth: number): JsonValue {
  if (depth > DEEPEST) return value
  if (Array.isArray(value)) return value.map((item) => moved(item, depth + 1))
  if (!isObject(value) || typeof own(value, '$id') === 'string') return value
  const copy: JsonObject = {}
  for (const [key, inner] of Object.entries(value)) {
    const refers = (key === '$ref' || key === '$dynamicRef') && typeof inner === 'string'
    if (refers && (inner === '#' || inner.startsWith('#/'))) setOwn(copy, key, BELOW + inner.slice(1))
    else setOwn(copy, key, DATA.has(key) ? inner : moved(inner, depth + 1))
  }
  return copy
}

/** Fields that are there for a text a model reads. Another would say something else than it is there for. */
const TEXTS = [
  'content',
  'text',
  'result',
  'output',
  'message',
  'summary',
  'body',
  'markdown',
  'response',
  'answer',
]

/** A field at the top that may hold any text: one of such a name, or the only one. */
function textIn(schema: JsonObject): readonly string[] | undefined {
  const place = SchemaView.of(schema)
  const fields = place.fields
  const candidates = fields.length === 1 ? fields : TEXTS.filter((name) => fields.includes(name))
  const name = candidates.find((field) => place.property(field).takesAnyText)
  return name === undefined ? undefined : [name]
}

/** The value with a text at the place that the form has for it. */
export function withText(value: JsonObject, [first, ...rest]: readonly string[], text: string): JsonObject {
  if (first === undefined) return value
  const inner = own(value, first)
  const filled = rest.length === 0 ? text : withText(isObject(inner) ? inner : {}, rest, text)
  return { ...value, [first]: filled }
}

/** Required within required, as deep as a schema may go. */
const MAX_DEPTH = 32

/**
 * True when large values of this schema can be made small and stay valid: wherever data can grow, something may be
 * left out. Looks at the schema alone; what it does not understand it takes for impossible.
 */
function canConform(schema: JsonObject): boolean {
  return canShrink(SchemaView.of(schema), 0)
}

function canShrink(place: SchemaView, depth: number): boolean {
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

/** Lists are as short as they may be: a few of many records would look like all of them. */
const ALLOWANCES: readonly Allowance[] = [
  { items: 0, characters: 400, optional: 'scalars' },
  { items: 0, characters: 60, optional: 'scalars' },
  { items: 0, characters: 20, optional: 'none' },
]

/**
 * The JSON that stands beside a preview, with at most `budget` characters. It validates against the schema of the form once any `text` is
 * put in its place. Long strings have a mark that names what is missing. Undefined when there is no such value.
 */
export function frameFor(
  value: JsonValue | undefined,
  { schema, at = [] }: Form,
  text: string,
  budget: number,
): JsonObject | undefined {
  try {
    // The text that the preview stands for costs nothing.
    const given = withText(isObject(value) ? value : {}, at, '')
    const place = SchemaView.of(schema)
    for (const allowance of ALLOWANCES) {
      const shrunk = new Shrinking(allowance, budget).shrink(given, place)
      if (
        isObject(shrunk) &&
        toJson(shrunk).length <= budget &&
        validates(withText(shrunk, at, text), schema)
      )
        return shrunk
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

  shrink(value: JsonValue, place: SchemaView): JsonValue | typeof TOO_LARGE {
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

  #array(values: readonly JsonValue[], place: SchemaView): JsonValue[] | typeof TOO_LARGE {
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

  #object(object: JsonObject, place: SchemaView): JsonObject | typeof TOO_LARGE {
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

// Whether a value is valid by a server's JSON Schema.

type Validate = (value: JsonValue) => boolean

/** Compiling takes milliseconds, and a session asks the same few tools. */
const compiled = new LRUCache<string, Validate>({ max: 64 })

/** True when the value is valid by JSON Schema 2020-12; a schema that cannot be read validates nothing. Formats pass. */
function validates(value: JsonValue, schema: JsonObject): boolean {
  // `$schema` would ask for a meta-schema of an older draft, which is not loaded; what we read is common to all.
  const { $schema: _, ...rest } = schema
  const text = toJson(rest)
  const known = compiled.get(text) ?? compile(rest)
  compiled.set(text, known)
  return known(value)
}

function compile(schema: JsonObject): Validate {
  // A require, so that Ajv (30 ms) is loaded by the first shortened answer and not at start.
  const require = createRequire(import.meta.url)
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js')
  try {
    const validate = new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema)
    // `$async`, an extension of Ajv, answers with a promise: an unhandled rejection.
    return '$async' in validate ? () => false : (value) => validate(value)
  } catch {
    return () => false
  }
}
