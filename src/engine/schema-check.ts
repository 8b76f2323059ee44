/** Whether arguments are what a tool's input schema asks for, before a server is asked. */

import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { LRUCache } from 'lru-cache'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { re2 } from '../text/patterns/re2.ts'
import { nearest } from '../text/words/edit-distance.ts'

/** Faults that are told; a model mends them one after the other anyway. */
const mostFaults = 5
/** Errors that are looked at: one value may have one for each alternative. */
const mostErrors = 50
/** Characters of a schema that is still compiled: a longer one is left to its server. */
const longestSchema = 200_000

type Validator = ValidateFunction | 'unreadable'

/** Compiling takes milliseconds, and a session calls the same few tools: kept by schema, and by its text for the next client. */
const compiled = new WeakMap<JsonObject, Validator>()
const compiledTexts = new LRUCache<string, Validator>({ max: 64 })

/**
 * The faults of the arguments, a sentence each; empty when nothing is, or when the schema cannot be read: then the server decides.
 * Patterns of the schema are matched in linear time (RE2), formats pass. `quotes`: short values that are wrong are told.
 */
export function faultsOf(args: JsonObject, schema: JsonObject, quotes = true): string[] {
  const validate = validatorOf(schema)
  if (validate === 'unreadable') return []
  const errors: ErrorObject[] = []
  try {
    // The validator stops at the first fault. Each round leaves out the parameter that has it.
    let left = args
    const removed = new Set<string>()
    for (let round = 0; round < mostFaults && !validate(left); round++) {
      const found = (validate.errors ?? []).slice(0, mostErrors)
      errors.push(...found.filter((error) => !isMissing(error, removed)))
      const [, name] = found[0]?.instancePath.split('/').map(unescaped) ?? []
      if (name === undefined) break
      removed.add(name)
      left = Object.fromEntries(Object.entries(args).filter(([key]) => !removed.has(key)))
    }
  } catch {
    // Nested deeper than the stack.
    return []
  }
  if (errors.length === 0) return []
  const faults = errors.map((error) => faultText(error, schema, quotes ? args : undefined))
  return [...new Set([...faults, ...missing(args, schema), ...strangers(args, schema)])].slice(0, mostFaults)
}

/** Of a parameter that was left out to find the other faults. */
function isMissing({ keyword, instancePath, params }: ErrorObject, removed: ReadonlySet<string>): boolean {
  return keyword === 'required' && instancePath === '' && removed.has(String(params.missingProperty))
}

/** Names that the schema does not know, a sentence each, and names that are missing. */
export function strangersIn(args: JsonObject, schema: JsonObject): string[] {
  return [...strangers(args, schema), ...missing(args, schema)].slice(0, mostFaults)
}

function missing(args: JsonObject, { required }: JsonObject): string[] {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  return names.filter((name) => !Object.hasOwn(args, name)).map((name) => `${name} is missing`)
}

/** Names that the schema allows but does not know: a misspelt one is often why another is missing. */
function strangers(args: JsonObject, schema: JsonObject): string[] {
  const properties = own(schema, 'properties')
  if (!isObject(properties)) return []
  return Object.keys(args)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, mostFaults)
    .map((name) => strangerText(name, name, properties))
}

function strangerText(name: string, shown: string, properties: unknown): string {
  const [near] = isObject(properties) ? nearest(name, Object.keys(properties), 1) : []
  return `there is no ${shown}${near === undefined ? '' : ` (did you mean ${near}?)`}`
}

function validatorOf(schema: JsonObject): Validator {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = validatorFor(schema)
  compiled.set(schema, made)
  return made
}

function validatorFor(schema: JsonObject): Validator {
  // `$schema` would ask for a meta-schema of an older draft, which is not loaded.
  const { $schema: _, ...rest } = schema
  const text = textOf(rest)
  if (text === undefined || text.length > longestSchema) return 'unreadable'
  const known = compiledTexts.get(text)
  if (known !== undefined) return known
  const made = compile(rest)
  compiledTexts.set(text, made)
  return made
}

/** Undefined for what is nested deeper than the stack. */
function textOf(schema: JsonObject): string | undefined {
  try {
    return JSON.stringify(schema)
  } catch {
    return undefined
  }
}

function compile(schema: JsonObject): Validator {
  // A require, so that Ajv (30 ms) is loaded by the first call that needs it and not at start.
  const require = createRequire(import.meta.url)
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js')
  try {
    const ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      logger: false,
      // Without this, inherited members such as `constructor` would count as given.
      ownProperties: true,
      code: { regExp: linear },
    })
    const validate = ajv.compile(schema)
    // `$async`, an extension of Ajv, answers with a promise: its rejection would not be handled.
    return '$async' in validate ? 'unreadable' : validate
  } catch {
    return 'unreadable'
  }
}

/** A pattern of a server, which may be made to take for ever. Patterns that RE2 does not know (lookaround) pass. */
const linear = Object.assign(
  (pattern: string) => ({
    test: testerOf(pattern),
    // Ajv tells patterns apart by this.
    toString: () => pattern,
  }),
  { code: 'linear' },
)

function testerOf(pattern: string): (text: string) => boolean {
  try {
    const program = re2().compile(pattern)
    return (text) => program.matcher(text).find()
  } catch {
    return () => true
  }
}

function faultText(
  { keyword, instancePath, params, message = 'is wrong' }: ErrorObject,
  schema: JsonObject,
  args: JsonObject | undefined,
): string {
  const place = instancePath.split('/').slice(1).map(unescaped).join('.')
  const at = (name: string): string => (place === '' ? name : `${place}.${name}`).slice(0, 200)
  if (keyword === 'required') return `${at(String(params.missingProperty))} is missing`
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = String(params.additionalProperty ?? params.unevaluatedProperty)
    return strangerText(name, at(name), own(schema, 'properties'))
  }
  const words =
    keyword === 'enum' && Array.isArray(params.allowedValues)
      ? `must be one of ${params.allowedValues
          .slice(0, 10)
          .map((value) => JSON.stringify(value))
          .join(', ')}`
      : message
  return `${place === '' ? 'the arguments' : place.slice(0, 200)} ${words}${args === undefined ? '' : given(instancePath, args)}`
}

/** The value that is wrong, where it is short. */
function given(pointer: string, args: JsonObject): string {
  let value: unknown = args
  for (const key of pointer.split('/').slice(1).map(unescaped)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return ''
    value = (value as Record<string, unknown>)[key]
  }
  const text = JSON.stringify(value)
  return pointer === '' || text.length > 60 ? '' : ` (got ${text})`
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
