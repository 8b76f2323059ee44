/** `proxySettings.outputTypes`: what results of tools have looked like. */

import * as z from 'zod'
import { flag, oneOf } from '../../config/option.ts'

export const outputTypesSchema = z.object({
  learn: oneOf(
    ['off', 'memory', 'file'],
    'Whether the proxy remembers the type of large results for each tool and agent. `describe_tool`, and `tools.describe` in programs, show it. off: no. memory: until the proxy ends. file: in a file in `dataDir`.',
  ).default('off'),
  inDescriptions: flag(
    'The listed description of a tool ends with the remembered type in one line, so that a model can ask its question with the first call. Lists get longer, and change with new results.',
  ).default(false),
})
