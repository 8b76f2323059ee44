import * as z from 'zod'
import { flag, text } from '../../config/option.ts'

const globs = (what: string) => z.array(z.string().min(1)).meta({ description: what }).optional()

/** The form of the name of a profile: it is a part of addresses, and of the command line. */
export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Options of the module `package`. */
export const packageOptions = z.object({
  profile: z
    .string()
    .regex(PROFILE_NAME)
    .meta({
      description:
        'The name by which clients choose it: by `--profile`, or over HTTP by the path (`/mcp/NAME`). It applies only to them. Not set: it applies to all clients.',
      allowed: 'one to 64 letters, digits, _ or -, the first no _ or -',
    })
    .optional(),
  default: flag('true: it also applies to clients that choose no profile. Only with `profile`.').default(
    false,
  ),
  title: text('The title that clients see, instead of the title of the proxy.').optional(),
  instructions: text('The instructions for clients, instead of the instructions of its servers.').optional(),
  servers: globs(
    'The servers of its items; * stands for any characters. Not set: the servers that `tools`, `prompts`, `resources` and `templates` name (`server/name`), or all servers if they name none.',
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
