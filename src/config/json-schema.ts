/** `mcp.schema.json`, for editors: completion, hints and red lines while a configuration is written. */
import * as z from 'zod'
import { externalSchema, useSchema } from './modules/entry.ts'
import { BUILT_IN_OPTIONS } from './modules/index.ts'
import { oauthSchema } from './oauth-settings.ts'
import { fileSchema } from './schema.ts'
import { serverSchema } from './servers.ts'

/** Deterministic: the same schema gives the same text. */
export function jsonSchemaText(): string {
  const schema = z.toJSONSchema(fileSchema.extend({ modules: modulesSchema() }), {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === serverSchema) jsonSchema.anyOf = [{ required: ['command'] }, { required: ['url'] }]
      const { unit, spellings, later, allowed, ...rest } = jsonSchema
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, rest)
      if (typeof unit === 'string' && typeof rest.description === 'string') {
        jsonSchema.description = `${rest.description} In ${unit}.`
      }
      if (zodSchema === oauthSchema) orBoolean(jsonSchema)
    },
  })
  const { $schema, ...rest } = schema
  return `${JSON.stringify({ $schema, title: 'mcp-rlm-proxy configuration', ...rest }, null, 2)}\n`
}

function modulesSchema() {
  const used = Object.entries(BUILT_IN_OPTIONS).map(([name, options]) =>
    z.object({ ...useSchema.shape, use: z.literal(name), ...options.shape }),
  )
  return z
    .array(z.union([...used, externalSchema]))
    .optional()
    .meta({
      description:
        'What is done to messages on their way, the first nearest to the client. See docs/modules.md.',
    })
}

/** What may be written in short: `"oauth": true`. */
function orBoolean(schema: z.core.JSONSchema.BaseSchema): void {
  const { description, ...object } = schema
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, { description, anyOf: [{ type: 'boolean' }, object] })
}
