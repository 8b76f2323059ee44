/** `mcp.schema.json`, for editors: completion, hints and red lines while a configuration is written. */
import * as z from 'zod'
import { oauthSchema } from './oauth-settings.ts'
import { fileSchema } from './schema.ts'
import { serverSchema } from './servers.ts'

/** Deterministic: the same schema gives the same text. */
export function jsonSchemaText(): string {
  const schema = z.toJSONSchema(fileSchema, {
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

/** What may be written in short: `"oauth": true`. */
function orBoolean(schema: z.core.JSONSchema.BaseSchema): void {
  const { description, ...object } = schema
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, { description, anyOf: [{ type: 'boolean' }, object] })
}
