import type { ZodObject } from 'zod'
import * as z from 'zod'
import { isObject, type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'
import { nearest } from '../text/edit-distance.ts'

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
  const [near] = nearest(key, known, 1)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return `${key.slice(0, 60)}: no such parameter.${hint} There are: ${known.join(', ')}.`
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

// Parameters as models write them: under like names, one where several may be, a list or a number as a text.

/** The arguments under the names they should have, by what else they are called. A name that is right wins. */
export function renamed(args: JsonObject, others: Readonly<Record<string, string>>): JsonObject {
  const named: JsonObject = {}
  for (const [key, value] of Object.entries(args)) {
    const right = Object.hasOwn(others, key) ? others[key] : undefined
    if (right === undefined) setOwn(named, key, value)
    else if (!Object.hasOwn(args, right) && !Object.hasOwn(named, right)) setOwn(named, right, value)
  }
  return named
}

/** One text is a list of one, unless it is a list written as JSON. */
export function listed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (!value.trimStart().startsWith('[')) return [value]
  try {
    const read = JSON.parse(value) as JsonValue
    return Array.isArray(read) ? read : [value]
  } catch {
    return [value]
  }
}

/** A whole number that was written as a text; a larger one than `most` means as many as there may be. */
export function counted(most: number): (value: unknown) => unknown {
  return (value) => {
    const number = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isInteger(number) ? Math.min(most, number) : number
  }
}

/** How callers that fill in every parameter say that they mean none. */
const NOTHING: ReadonlySet<unknown> = new Set(['', 'null', 'none'])

/** True for a value that stands for no value. */
export function saysNothing(value: unknown): boolean {
  if (typeof value === 'string') return NOTHING.has(value.trim().toLowerCase())
  return value === null || (Array.isArray(value) && value.every(saysNothing))
}
