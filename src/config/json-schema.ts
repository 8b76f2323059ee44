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
  const names = Object.keys(BUILT_IN_OPTIONS)
  const used = Object.entries(BUILT_IN_OPTIONS).map(([name, options]) => usedSchema(name, options))
  const embedded = z
    .object({
      ...useSchema.shape,
      use: z
        .string()
        .meta({ description: 'A module of the program that runs the proxy.', not: { enum: names } }),
      config: z.unknown().optional(),
    })
    .meta({ additionalProperties: true })
  const external = externalSchema.meta({
    not: { required: ['use'] },
    anyOf: ['path', 'command', 'url'].map((way) => ({ required: [way] })),
  })
  return z
    .array(z.union([...used, embedded, external]))
    .optional()
    .meta({
      description:
        'What is done to messages on their way, the first nearest to the client. See docs/modules.md.',
    })
}

/** Options stand in the entry itself, or in its `config`. */
function usedSchema(name: string, options: z.ZodObject): z.ZodObject {
  const { required = [] } = z.toJSONSchema(options, { io: 'input' })
  const config = options.partial().optional().meta({ description: 'The same options.' })
  const entry = z.object({ ...useSchema.shape, use: z.literal(name), ...options.partial().shape, config })
  return required.length === 0 ? entry : entry.meta({ anyOf: [{ required }, { required: ['config'] }] })
}

/** What may be written in short: `"oauth": true`. */
function orBoolean(schema: z.core.JSONSchema.BaseSchema): void {
  const { description, ...object } = schema
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, { description, anyOf: [{ type: 'boolean' }, object] })
}
