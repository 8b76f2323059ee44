import * as z from 'zod'
import { isObject, type JsonObject } from '../protocol/json.ts'

const HANDLE = 'must be a cache_id from an earlier reply, or several'

/** The most handles one question may name. */
const MAX_HANDLES = 16

/** Handles as models write them: one (a number, when it has no letters), a list, a JSON list in a string, or several with commas between. */
function handles(value: unknown): unknown {
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      return [text]
    }
  }
  return text.split(',').map((part) => part.trim())
}

/** Arguments are an object; some models send it as a JSON string. */
function argumentsObject(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    const parsed: unknown = JSON.parse(value)
    return isObject(parsed) ? parsed : value
  } catch {
    return value
  }
}

/** The parameters all query tools share. */
export const sourceParams = {
  cache_id: z
    .preprocess(
      handles,
      z
        .array(z.string(HANDLE).max(200, HANDLE), HANDLE)
        .min(1, HANDLE)
        .max(MAX_HANDLES, `must be at most ${MAX_HANDLES}`),
    )
    .optional()
    .meta({
      type: 'string',
      description: 'From an earlier reply; several: "a, b".',
    }),
  tool: z.string().max(500).optional().describe('Instead of cache_id: tool to call now.'),
  arguments: z
    .preprocess(argumentsObject, z.custom<JsonObject>(isObject, 'must be an object'))
    .optional()
    .meta({ type: 'object', description: '' }),
}

/** Their names. */
export const sourceNames: readonly string[] = Object.keys(sourceParams)
