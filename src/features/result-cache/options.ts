/** `proxySettings.toolCache`: results of tools that only read, remembered for a moment. */

import * as z from 'zod'
import { integer } from '../../config/option.ts'

export const toolCacheSchema = z.object({
  ttlMs: integer(
    'How long the proxy answers a repeated call of a reading tool with the earlier result, for each client separately. 0: it makes every call.',
    { unit: 'milliseconds', min: 0, max: 86_400_000 },
  ).default(0),
  tools: z
    .array(z.string().min(1))
    .meta({
      description:
        'Names of tools with remembered results, also as `server/tool`; `*` stands for any characters. A tool must declare that it only reads or is idempotent. Empty: all tools that declare that they only read.',
    })
    .default([]),
})
