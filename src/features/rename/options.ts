import * as z from 'zod'
import { text } from '../../config/option.ts'

/** The new name of an item. */
const change = z.union([
  z.string().min(1),
  z.object({
    name: text('Its new name.').optional(),
    title: text('Its new title.').optional(),
    description: text('Its new description.').optional(),
  }),
])

const changes = (what: string) =>
  z
    .record(z.string().min(1), change)
    .meta({
      description: what,
      allowed: 'an object with a new name, or { name, title, description }, for each old one',
    })
    .default({})

/** Options of the module `rename`. */
export const renameOptions = z.object({
  tools: changes('`server/name`, or the name, to the new name.'),
  prompts: changes('The same for prompts.'),
  resources: changes('URIs of resources to new ones. Only exact URIs.'),
})
