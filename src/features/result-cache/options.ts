/** `proxySettings.toolCache`: results of tools that only read, remembered for a moment. */

import * as z from 'zod'
import { integer } from '../../config/option.ts'

export const toolCacheSchema = z.object({
  ttlMs: integer(
    'How long the same call of a tool that only reads is answered with the same result, for each client alone. 0: every call is made.',
    { unit: 'milliseconds', min: 0, max: 86_400_000 },
  ).default(0),
  tools: z
    .array(z.string().min(1))
    .meta({
      description:
        'Names of tools that are answered so, `*` for any characters, also `server/tool`. A tool must declare that it only reads or is idempotent. Empty: all tools that declare that they only read.',
    })
    .default([]),
})
