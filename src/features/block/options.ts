import * as z from 'zod'

const globs = (what: string) =>
  z
    .array(z.string().min(1))
    .meta({ description: `${what} * stands for any characters.` })
    .default([])

/** Options of the module `block`. */
export const blockOptions = z.object({
  tools: globs('Tools that no client sees or calls, by name or as `server/name`.'),
  prompts: globs('Prompts, by name or as `server/name`.'),
  resources: globs('Resources, by URI or as `server/URI`.'),
  templates: globs('Resource templates, exactly as listed. Clients cannot read URIs that match them either.'),
})
