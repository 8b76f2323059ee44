import * as z from 'zod'
import { text } from '../option.ts'

const globs = (what: string) => z.array(z.string().min(1)).meta({ description: what }).optional()

/** Options of the module `package`. */
export const packageOptions = z.object({
  title: text('What the whole is called towards clients, in place of the title of the proxy.').optional(),
  instructions: text(
    'What clients are told about the whole, in place of the instructions of its servers.',
  ).optional(),
  tools: globs(
    'The tools that belong to it, by name or as `server/name`; * for any characters. Not set: all.',
  ),
  prompts: globs('The prompts that belong to it. Not set: all.'),
  resources: globs('The resources that belong to it, by URI or as `server/URI`. Not set: all.'),
  templates: globs('The resource templates that belong to it. Not set: all.'),
})
