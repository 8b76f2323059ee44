/** `mcp.schema.json`, for editors: completion, hints and red lines while a configuration is written. */

import * as z from 'zod'
import { BUILT_IN, type BuiltInModule } from '../features/modules.ts'
import { resultOptions } from '../features/shape/options.ts'
import { CONTENT_KINDS, type ContentKind, UNKNOWN_KIND } from '../protocol/content.ts'
import { ERROR_CODES, RPC_ERRORS } from '../protocol/errors.ts'
import { sharedStoreSchema } from '../store/stores.ts'
import { flagName } from './aliases.ts'
import { oauthSchema } from './auth-options.ts'
import { externalSchema, useSchema } from './modules.ts'
import { type OptionRow, rowsIn, serverRows, settingRows } from './options.ts'
import { fileSchema } from './schema.ts'
import { serverSchema } from './servers.ts'

/** Deterministic: the same schema gives the same text. */
export function jsonSchemaText(): string {
  const schema = z.toJSONSchema(fileSchema.extend({ modules: modulesSchema() }), {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === serverSchema) jsonSchema.anyOf = [{ required: ['command'] }, { required: ['url'] }]
      const { unit, spellings, allowed, ...rest } = jsonSchema
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, rest)
      if (typeof unit === 'string' && typeof rest.description === 'string') {
        jsonSchema.description = `${rest.description} In ${unit}.`
      }
      if (zodSchema === oauthSchema) orBoolean(jsonSchema)
      if (jsonSchema.type === 'string') orVariable(jsonSchema)
    },
  })
  const { $schema, ...rest } = schema
  return `${JSON.stringify({ $schema, title: 'mcp-rlm-proxy configuration', ...rest }, null, 2)}\n`
}

function modulesSchema() {
  const names = Object.keys(BUILT_IN)
  const used = Object.entries(BUILT_IN).map(([name, { options }]) => usedSchema(name, options))
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

/** The short form of an option: `"oauth": true`. */
function orBoolean(schema: z.core.JSONSchema.BaseSchema): void {
  const { description, ...object } = schema
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, { description, anyOf: [{ type: 'boolean' }, object] })
}

/** A text that has a form may also be written with a variable: `"key": "${STORE_KEY}"`. */
function orVariable(schema: z.core.JSONSchema.BaseSchema): void {
  const { minLength = 0, pattern, format } = schema
  // The shortest variable has four characters.
  if (minLength <= 4 && pattern === undefined && format === undefined) return
  const form = { minLength, pattern, format }
  for (const key of Object.keys(form)) delete schema[key]
  schema.anyOf = [
    Object.fromEntries(Object.entries(form).filter(([, value]) => Boolean(value))),
    { pattern: '\\$\\{[^}]+\\}' },
  ]
}

// The tables of options in the documentation, made from the schema.

/** Markdown: one row an option of `proxySettings`. */
export function settingsTable(): string {
  return table(
    ['`proxySettings.`', 'default', 'values', 'what it is', 'environment, command line'],
    settingRows().map((row) => [
      `\`${row.path}\``,
      fallback(row),
      row.range,
      row.description,
      otherNames(row),
    ]),
  )
}

/** Markdown: one row a key of a server's entry. */
export function serversTable(): string {
  return table(
    ['`mcpServers.<name>.`', 'default', 'values', 'what it is'],
    serverRows().map((row) => [`\`${row.path}\``, fallback(row), row.range, row.description]),
  )
}

/** Markdown: one row a module that comes with the proxy, with a link to its page. */
export function modulesTable(): string {
  return table(
    ['module', 'what it does'],
    Object.entries(BUILT_IN).map(([name, { what }]) => [`[\`${name}\`](modules/${name}.md)`, what]),
  )
}

/** Markdown: what a module does, and its options. */
export function moduleText(name: string): string {
  const { what, options } = BUILT_IN[name] as BuiltInModule
  const rows = rowsIn(options)
  return rows.length === 0 ? what : `${what}\n\n${optionsTable(rows)}`
}

/** Markdown: what can be said for the results of single tools. */
export function resultsTable(): string {
  return optionsTable(rowsIn(resultOptions))
}

/** Markdown: the keys of `store` where it has an address. */
export function sharedStoreTable(): string {
  return optionsTable(rowsIn(sharedStoreSchema))
}

/** Markdown: the keys of an entry that names an external module. */
export function externalTable(): string {
  return optionsTable(rowsIn(externalSchema))
}

const EXITS = { local: 'local', rpc: 'JSON-RPC', result: '`isError`' } as const

/** Markdown: one row an error code, with the exits that its errors take. */
export function errorsTable(): string {
  return table(
    ['code', 'what happened', 'what to do next', 'thrown in', 'exits', 'JSON-RPC code'],
    Object.entries(ERROR_CODES).map(([code, { meaning, next, from, exits, rpc }]) => [
      `\`${code}\``,
      meaning,
      next,
      from.map((folder) => `\`src/${folder}\``).join(' '),
      exits.map((exit) => EXITS[exit]).join(', '),
      (exits as readonly string[]).includes('rpc') ? `${rpc}` : '–',
    ]),
  )
}

/** Markdown: one row a code of JSON-RPC errors. */
export function rpcTable(): string {
  return table(
    ['JSON-RPC code', 'name', 'what it means'],
    Object.entries(RPC_ERRORS).map(([name, { code, meaning }]) => [`${code}`, `\`${name}\``, meaning]),
  )
}

/** Markdown: one row a kind of content block. */
export function contentTable(): string {
  const path = (names?: readonly string[]): string => (names === undefined ? '–' : `\`${names.join('.')}\``)
  const row = (type: string, { what, text, keptText, uri, data }: ContentKind): string[] => [
    type,
    what,
    path(text),
    keptText < 0 ? 'always' : `from ${keptText + 1} characters on`,
    path(uri),
    path(data),
  ]
  return table(
    ['`type`', 'what it is', 'text', 'replaced by a preview', 'URI', 'data (base64)'],
    [
      ...Object.entries(CONTENT_KINDS).map(([type, kind]) => row(`\`${type}\``, kind)),
      row('others', UNKNOWN_KIND),
    ],
  )
}

function optionsTable(rows: readonly OptionRow[]): string {
  return table(
    ['option', 'default', 'values', 'what it is'],
    rows.map((row) => [`\`${row.path}\``, fallback(row), row.range, row.description]),
  )
}

function fallback({ default: value }: OptionRow): string {
  if (value === undefined) return '–'
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function otherNames({ env, flag }: OptionRow): string {
  const names = flag === undefined ? env : [...env, `--${flagName(flag)}`]
  return names.map((name) => `\`${name}\``).join(' ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
