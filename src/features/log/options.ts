import * as z from 'zod'
import { flag, integer, oneOf, text } from '../../config/option.ts'

const patterns = (description: string) => z.array(z.string().min(1)).meta({ description })

/** Options of the module `log`. */
export const logOptions = z.object({
  methods: patterns(
    'Which messages, by method: `tools/call`, `tools/*`, `notifications/*`. Not set: all.',
  ).optional(),
  direction: oneOf(
    ['both', 'toServer', 'toClient'],
    'Messages to servers (with their answers), to clients (with their answers), or both.',
  ).default('both'),
  servers: patterns(
    'Which servers, if a message names its server; * stands for any characters. Not set: all.',
  ).optional(),
  tools: patterns(
    'Which tools, prompts and URIs, if a message names one: by name or as `server/name`; * stands for any characters. Not set: all.',
  ).optional(),
  content: oneOf(
    ['none', 'params', 'all'],
    'none: method, times and sizes. params: also the parameters. all: also the answers, cut to `maxLength`.',
  ).default('none'),
  maxLength: integer('The most characters of a logged text.', {
    unit: 'characters',
    min: 16,
    max: 1_000_000,
  }).default(500),
  file: text(
    'A file to append to, with one JSON object a line. Only your user can read it. Not set: the log of the proxy.',
  ).optional(),
  redact: flag('Strike out values of names such as password or token, and what looks like a secret.').default(
    true,
  ),
})
