/** What scripts send, checked. */
import * as z from 'zod'
import { BridgeError } from '../../protocol/bridge.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import { readParams } from '../../tools/params.ts'

const name = z.string().min(1).max(500)

const list = z.strictObject({
  connection: name.optional(),
  includeTools: z.boolean().default(true),
  includeInputSchema: z.boolean().default(false),
})

const search = z.strictObject({
  query: z.string().trim().min(1).max(4_000),
  connection: name.optional(),
  limit: z.int().min(1).max(1_000).default(10),
  includeInputSchema: z.boolean().default(false),
})

const call = z.strictObject({
  tool: name,
  connection: name.optional(),
  arguments: z.custom<JsonObject>(isObject, 'must be an object').default({}),
})

/** Calls in a batch. */
export const LARGEST_BATCH = 10

const batch = z.strictObject({
  calls: z
    .array(z.custom<JsonObject>(isObject, 'must be an object'), 'must be a list of calls')
    .min(1)
    .max(LARGEST_BATCH, `a batch has at most ${LARGEST_BATCH} calls`),
})

const SCHEMAS = { list, search, call, batch } as const

export type ParamsOf<A extends keyof typeof SCHEMAS> = z.infer<(typeof SCHEMAS)[A]>

/** Throws BridgeError with what to write instead. */
export function paramsOf<A extends keyof typeof SCHEMAS>(action: A, given: JsonObject): ParamsOf<A> {
  const read = readParams(action, SCHEMAS[action], given)
  if ('failure' in read) throw new BridgeError('bad_request', read.failure)
  return read.params as ParamsOf<A>
}
