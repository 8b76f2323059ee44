import * as z from 'zod'
import { oneOf, rate } from '../../config/option.ts'

/** Options of the module `quota`. */
export const quotaOptions = z.object({
  ...rate('The most calls in a second.'),
  per: oneOf(
    ['agent', 'server', 'tool', 'all'],
    'The limit is for each client, each server, each tool, or all together. Over HTTP all clients of 2026-07-28 without a token are one client.',
  ).default('agent'),
  tools: z
    .array(z.string().min(1))
    .meta({
      description: 'Only for these tools, by name or as `server/name`; * for any characters. Not set: all.',
    })
    .optional(),
})
