import type { ZodObject } from 'zod'
import * as z from 'zod'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'

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
  const { type, description, enum: values, items } = schema
  return {
    ...(type !== undefined && { type }),
    ...(values !== undefined && { enum: values }),
    ...(type === 'array' && items !== undefined && { items: bare(items) }),
    ...(described && description ? { description } : {}),
  }
}
