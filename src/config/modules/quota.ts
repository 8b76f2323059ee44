import * as z from 'zod'
import { integer, number, oneOf } from '../option.ts'

/** Options of the module `quota`. */
export const quotaOptions = z.object({
  rps: number('Calls in a second.', { unit: 'calls', min: 0.001, max: 1_000_000 }),
  burst: integer('Calls that may be made at once after a pause. Not set: those of a second, one at least.', {
    unit: 'calls',
    min: 1,
    max: 1_000_000,
  }).optional(),
  per: oneOf(
    ['agent', 'server', 'tool', 'all'],
    'Who has so many: each client, each server, each tool, or all together.',
  ).default('agent'),
  tools: z
    .array(z.string().min(1))
    .meta({
      description: 'Only for these tools, by name or as `server/name`; * for any characters. Not set: all.',
    })
    .optional(),
})
