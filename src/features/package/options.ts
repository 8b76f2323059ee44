import * as z from 'zod'
import { flag, text } from '../../config/option.ts'

const globs = (what: string) => z.array(z.string().min(1)).meta({ description: what }).optional()

/** What a profile may be called: it is a part of addresses, and of the command line. */
export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Options of the module `package`. */
export const packageOptions = z.object({
  profile: z
    .string()
    .regex(PROFILE_NAME)
    .meta({
      description:
        'A name under which it is chosen: by `--profile`, or over HTTP by the path (`/mcp/NAME`). It counts for those alone who chose it. Not set: for everybody.',
      allowed: 'one to 64 letters, digits, _ or -, the first no _ or -',
    })
    .optional(),
  default: flag('Counts for clients that choose no profile, too. Only with `profile`.').default(false),
  title: text('What the whole is called towards clients, in place of the title of the proxy.').optional(),
  instructions: text(
    'What clients are told about the whole, in place of the instructions of its servers.',
  ).optional(),
  servers: globs(
    'The servers of its items; * for any characters. Not set: the servers that `tools`, `prompts`, `resources` and `templates` name (`server/name`), or all where none of them names one.',
  ),
  tools: globs(
    'The tools that belong to it, by name or as `server/name`; * for any characters. Not set: all of its servers.',
  ),
  prompts: globs('The prompts that belong to it. Not set: all of its servers.'),
  resources: globs(
    'The resources that belong to it, by URI or as `server/URI`. Not set: all of its servers.',
  ),
  templates: globs('The resource templates that belong to it. Not set: all of its servers.'),
})
