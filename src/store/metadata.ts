/** The metadata that stores write of an entry beside its content, and read again: it may have been changed meanwhile. */
import * as z from 'zod'
import { isObject, type JsonObject } from '../protocol/json.ts'

export const metadataSchema = z.object({
  handle: z.string(),
  owner: z.string(),
  hash: z.string(),
  tool: z.string(),
  arguments: z.custom<JsonObject>(isObject),
  size: z.number().int().nonnegative(),
  created: z.number(),
  lastAccessed: z.number(),
  accessCount: z.number().int(),
  ttl: z.number(),
  shape: z.string().optional(),
  standing: z.string().optional(),
  tokens: z.number().optional(),
  label: z.string().optional(),
  pinned: z.boolean().optional(),
  marked: z.number().optional(),
})
