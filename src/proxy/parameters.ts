import type { ZodObject } from 'zod'
import * as z from 'zod'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { didYouMean } from '../text/words/edit-distance.ts'

/** Reads a proxy tool's arguments; a mistake becomes a text that says what to write instead. */
export function readParams<S extends ZodObject>(
  tool: string,
  schema: S,
  args: JsonObject,
): { params: z.infer<S> } | { failure: string } {
  const known = Object.keys(schema.shape)
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
  const parsed = schema.safeParse(given)
  if (parsed.success) return { params: parsed.data }
  const lines = parsed.error.issues.slice(0, 5).map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys
        .slice(0, 5)
        .map((key) => unknownParam(key, known))
        .join('\n')
    const path = issue.path.join('.')
    return `${path}: ${issue.message}${got(issue.path[0], args)}`
  })
  return { failure: `${tool} cannot read its parameters.\n${lines.join('\n')}` }
}

function unknownParam(key: string, known: readonly string[]): string {
  return noParam(key, known, `There are: ${known.join(', ')}.`)
}

/** The remark on a name that is no parameter: the nearest that is, and `next`. */
export function noParam(key: string, known: readonly string[], next: string): string {
  return `${key.slice(0, 60)}: no such parameter.${didYouMean(key, known)} ${next}`
}

function got(key: PropertyKey | undefined, args: JsonObject): string {
  if (typeof key !== 'string' || !Object.hasOwn(args, key)) return ''
  const shown = JSON.stringify(args[key])
  return ` (got ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown})`
}

/**
 * The JSON Schema of a tool's parameters as models read it: types and descriptions. Limits are enforced, and told when one is
 * broken; in every client's list they would only cost tokens. So would saying the same twice: what is `explained` elsewhere, and what
 * has an empty description, is listed with its type alone.
 */
export function publicSchema(params: ZodObject, explained: readonly string[] = []): JsonObject {
  const { properties } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' })
  const entries = Object.entries((properties ?? {}) as Record<string, JsonValue>)
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, schema]) => [name, bare(schema, !explained.includes(name))]),
    ),
  }
}

function bare(schema: JsonValue, described = true): JsonValue {
  if (!isObject(schema)) return schema
  const { type, description, enum: values, items, additionalProperties } = schema
  return {
    ...(type !== undefined && { type }),
    ...(values !== undefined && { enum: values }),
    ...(type === 'array' && items !== undefined && { items: bare(items) }),
    // Without it some clients tell their model that an object has no members.
    ...(additionalProperties === true && { additionalProperties }),
    ...(described && description ? { description } : {}),
  }
}

// Parameters as models write them: under other names, one where several may be, JSON, numbers and truth values as texts, and words for
// no value.

/** The names that models write for the tool to call. */
export const TOOL_NAMES: readonly string[] = ['name', 'tool', 'tool_name', 'toolName', 'function']

/** The names that models write for the object of a tool's inputs. */
export const ARGUMENT_NAMES: readonly string[] = [
  'arguments',
  'args',
  'params',
  'parameters',
  'input',
  'inputs',
  'kwargs',
  'tool_input',
]

/** One text is a list of one, unless it is a list written as JSON. */
export function listed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const read = value.trimStart().startsWith('[') ? jsonIn(value) : undefined
  return Array.isArray(read) ? read : [value]
}

/** The same for names, which may also be several with commas between, or a number. */
export function listedByCommas(value: unknown): unknown {
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'string') return value
  const text = value.trim()
  return text.startsWith('[') ? listed(text) : text.split(',').map((part) => part.trim())
}

/** An object, or one that was sent as a text of JSON. Undefined: it is none. */
export function objectIn(value: unknown): JsonObject | undefined {
  const read = typeof value === 'string' ? jsonIn(value) : value
  return isObject(read) ? read : undefined
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A parameter that is an object; some models send it as a JSON string. */
export const objectParam = z.preprocess(
  (value) => objectIn(value) ?? value,
  z.custom<JsonObject>(isObject, 'must be an object'),
)

/** The inputs for the tool that a call names: under one of these names, or what stands beside. Undefined: they are no object. */
export function inputsIn({
  arguments: plain,
  args,
  parameters,
  ...beside
}: JsonObject): JsonObject | undefined {
  const value = plain ?? args ?? parameters ?? beside
  return typeof value === 'string' && value.trim() === '' ? {} : objectIn(value)
}

/** A whole number that was written as a text; a larger one than `most` means as many as there may be. */
export function counted(most: number): (value: unknown) => unknown {
  return (value) => {
    const number = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) ? Math.min(most, number) : number
  }
}

/** A whole number that was written as a text. */
export function numberIn(value: JsonValue): JsonValue {
  return typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : value
}

/** A truth value that was written as a text. */
export function flagIn(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !/^\s*(?:true|false)\s*$/i.test(value)) return value
  return value.trim().toLowerCase() === 'true'
}

/** How callers that fill in every parameter say that they mean none. */
const NOTHING: ReadonlySet<unknown> = new Set(['', 'null', 'none'])

/** True for a value that stands for no value. */
export function saysNothing(value: unknown): boolean {
  if (typeof value === 'string') return NOTHING.has(value.trim().toLowerCase())
  return value === null || (Array.isArray(value) && value.every(saysNothing))
}

/** True for a value without content, where words for nothing may be content. */
export function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0)
}

/** A parameter that may be left out, also by a value that stands for none. */
export function unlessNothing<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (saysNothing(value) ? undefined : value), schema.optional()).optional()
}
