/** Validation of a value against a server's JSON Schema. */
import { createRequire } from 'node:module'
import { LRUCache } from 'lru-cache'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { toJson } from './stringify.ts'

type Validate = (value: JsonValue) => boolean

/** Compiling takes milliseconds, and a session asks the same few tools. */
const compiled = new LRUCache<string, Validate>({ max: 64 })

/** True when the value is valid by JSON Schema 2020-12; a schema that cannot be read validates nothing. Formats pass. */
export function validates(value: JsonValue, schema: JsonObject): boolean {
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
    // `$async`, an extension of Ajv, answers with a promise: a rejection that nobody would see coming.
    return '$async' in validate ? () => false : (value) => validate(value)
  } catch {
    return () => false
  }
}
