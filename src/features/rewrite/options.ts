import * as z from 'zod'
import { flag, oneOf, text } from '../../config/option.ts'

const globs = (description: string) => z.array(z.string().min(1)).meta({ description }).optional()

/** One change of text. */
export const rewriteRule = z.object({
  pattern: text('A regular expression (RE2: no lookaround, no backreferences).').optional(),
  text: text('An exact text, in place of a pattern.').optional(),
  with: z
    .string()
    .meta({
      description:
        'What stands in its place; of a pattern, $1 and $<name> are groups, $& is all that matched, $$ a dollar sign.',
    })
    .optional(),
  before: z.string().meta({ description: 'Added at the beginning of every text.' }).optional(),
  after: z.string().meta({ description: 'Added at the end of every text.' }).optional(),
  ignoreCase: flag('Upper and lower case are the same.').default(false),
  in: z
    .array(oneOf(['results', 'descriptions', 'prompts', 'resources', 'arguments'], 'A place of texts.'))
    .min(1)
    .meta({
      description:
        'Where: results of tools, descriptions and titles of what is listed, prompts, resources, arguments of calls.',
      allowed: 'a list of: results, descriptions, prompts, resources, arguments',
    })
    .default(['results']),
  only: globs('Only for these tools, prompts and URIs, by name or as `server/name`; * for any characters.'),
})

/** Options of the module `rewrite`. */
export const rewriteOptions = z.object({
  rules: z
    .array(rewriteRule)
    .meta({
      description: 'Changes, one after the other.',
      allowed: 'a list of rules { "pattern": "…", "with": "…" }',
    })
    .default([]),
})
