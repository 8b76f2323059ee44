/** `proxySettings.outputTypes`: what results of tools have looked like. */

import * as z from 'zod'
import { flag, oneOf } from '../../config/option.ts'

export const outputTypesSchema = z.object({
  learn: oneOf(
    ['off', 'memory', 'file'],
    'Whether the type of large results is remembered for each tool and agent, and told by `describe_tool` and in programs by `tools.describe`: not at all, until the proxy ends, or also in a file in `dataDir`.',
  ).default('off'),
  inDescriptions: flag(
    'The listed description of a tool ends with the remembered type in one line, so that a model can ask its question with its first call. Lists get longer, and change as results come.',
  ).default(false),
})
