/** The admin interface as a table: each row is a route with what it takes, what it gives, and who may use it. */
import * as z from 'zod'
import { isTokenName } from '../../data/tokens.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { PROXY_CODE } from '../../proxy/own-tools.ts'
import type { Download, Scope } from './api.ts'
import * as api from './api.ts'
import type { Desk } from './desk.ts'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `/results/{id}`: under `/admin/api`, with members of the input in braces. */
  readonly path: string
  readonly scope: Scope
  /** Its work, for the OpenAPI document and the documentation. */
  readonly what: string
  /** The parameters of the path, the query and the body together. */
  readonly input: z.ZodObject
  /** Absent: a file. */
  readonly output: z.ZodType | undefined
  handle(input: never, desk: Desk, asked: Asked): unknown
}

/** Who asks. */
export interface Asked {
  readonly scope: Scope
  readonly signal: AbortSignal
}

interface Declared<I extends z.ZodObject, O> extends Omit<Route, 'input' | 'output' | 'handle'> {
  readonly input: I
  readonly output: O
  handle(
    input: z.output<I>,
    desk: Desk,
    asked: Asked,
  ): O extends z.ZodType ? z.output<O> | Promise<z.output<O>> : Promise<Download>
}

/** Ties the types of a row together. */
function route<I extends z.ZodObject, O extends z.ZodType | undefined>(row: Declared<I, O>): Route {
  return row as Route
}

const nothing = z.strictObject({})
const handle = z.string().regex(/^[0-9a-z]{12,25}$/, 'must be a cache_id')
const name = z.string().min(1).max(200)
const clientId = z.string().regex(/^[\w-]{1,40}$/)
/** A number in an address. */
const whole = (max: number, fallback: number) => z.coerce.number().int().min(0).max(max).default(fallback)
const DONE = { done: true } as const

export const ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/status',
    scope: 'read',
    what: 'Tells what runs, since when, and what the token may do.',
    input: nothing,
    output: api.status,
    handle: (_, desk, { scope }) => desk.status(scope),
  }),
  route({
    method: 'GET',
    path: '/savings',
    scope: 'read',
    what: 'Sums of tokens by day and tool, past runs included, and by client of this run.',
    input: z.strictObject({ days: whole(400, 30) }),
    output: api.savings,
    handle: ({ days }, desk) => desk.savings(days),
  }),
  route({
    method: 'GET',
    path: '/calls',
    scope: 'read',
    what: 'The calls of this run that are remembered, the newest last.',
    input: z.strictObject({ after: whole(Number.MAX_SAFE_INTEGER, 0), limit: whole(100_000, 10_000) }),
    output: api.calls,
    handle: ({ after, limit }, desk) => desk.calls(after, limit),
  }),
  route({
    method: 'GET',
    path: '/calls/{id}',
    scope: 'read',
    what: 'One call: its arguments without secrets, its reply as the model of each client reads it, its timing.',
    input: z.strictObject({ id: z.coerce.number().int().positive() }),
    output: api.callDetail,
    handle: ({ id }, desk) => desk.call(id),
  }),
  route({
    method: 'GET',
    path: '/results',
    scope: 'read',
    what: 'Kept results of all known clients, the newest first.',
    input: nothing,
    output: api.results,
    handle: (_, desk) => desk.results(),
  }),
  route({
    method: 'POST',
    path: '/results/{id}/ask',
    scope: 'read',
    what: 'Asks a kept result as proxy_filter, proxy_search or proxy_explore do, or with the admin token by a program, as proxy_code does without tools.',
    input: z.strictObject({
      id: handle,
      tool: z.enum(['proxy_filter', 'proxy_search', 'proxy_explore', PROXY_CODE]),
      arguments: z.record(z.string().max(100), z.unknown()).default({}),
    }),
    output: api.answer,
    handle({ id, tool, arguments: args }, desk, { scope, signal }) {
      if (tool === PROXY_CODE && scope !== 'admin')
        throw new api.Refused(403, 'The token may only read.', 'Open the console with the admin token.')
      return desk.ask(id, tool, args as JsonObject, signal)
    },
  }),
  route({
    method: 'GET',
    path: '/results/{id}/export',
    scope: 'read',
    what: 'A kept result as a file: whole as JSON, its records as CSV or NDJSON.',
    input: z.strictObject({ id: handle, format: z.enum(['json', 'csv', 'ndjson']).default('json') }),
    output: undefined,
    handle: ({ id, format }, desk, { signal }) => desk.export(id, format, signal),
  }),
  route({
    method: 'PUT',
    path: '/results/{id}',
    scope: 'admin',
    what: 'Pins a kept result, so that it has no end of life, or names it. An empty `label` takes the name away.',
    input: z.strictObject({
      id: handle,
      pinned: z.boolean().optional(),
      label: z
        .string()
        .max(100)
        .refine((text) => !/\p{C}/u.test(text), 'must be one line of text')
        .optional(),
    }),
    output: api.done,
    async handle({ id, ...mark }, desk) {
      await desk.mark(id, mark)
      return DONE
    },
  }),
  route({
    method: 'DELETE',
    path: '/results/{id}',
    scope: 'admin',
    what: 'Removes a kept result, from disk too.',
    input: z.strictObject({ id: handle }),
    output: api.done,
    async handle({ id }, desk) {
      await desk.remove(id)
      return DONE
    },
  }),
  route({
    method: 'GET',
    path: '/servers',
    scope: 'read',
    what: 'The servers: state, version, calls of this run, and what to do about errors.',
    input: nothing,
    output: api.servers,
    handle: (_, desk) => desk.servers(),
  }),
  route({
    method: 'POST',
    path: '/servers/{name}/restart',
    scope: 'admin',
    what: 'Connects a server again. Calls under way end on the old connection.',
    input: z.strictObject({ name }),
    output: api.done,
    handle({ name }, desk) {
      desk.restart(name)
      return DONE
    },
  }),
  route({
    method: 'GET',
    path: '/servers/{name}/log',
    scope: 'admin',
    what: 'The last lines of the log about a server, with the text that it wrote to its standard error.',
    input: z.strictObject({ name }),
    output: api.serverLog,
    handle: ({ name }, desk) => desk.serverLog(name),
  }),
  route({
    method: 'GET',
    path: '/log',
    scope: 'admin',
    what: 'The last lines of the log of this run, the newest last.',
    input: z.strictObject({ after: whole(Number.MAX_SAFE_INTEGER, 0), limit: whole(1_000, 50) }),
    output: api.log,
    handle: ({ after, limit }, desk) => desk.log(after, limit),
  }),
  route({
    method: 'POST',
    path: '/servers/{name}/sign-out',
    scope: 'admin',
    what: 'Removes the tokens with which the proxy signs in at a server.',
    input: z.strictObject({ name }),
    output: api.done,
    async handle({ name }, desk) {
      await desk.signOut(name)
      return DONE
    },
  }),
  route({
    method: 'GET',
    path: '/tools',
    scope: 'read',
    what: 'The tools of all servers. With `query` only tools that fit it, the best first, with the scores of retrieve_tools by words and the table of word vectors.',
    input: z.strictObject({ query: z.string().max(2_000).default('') }),
    output: api.tools,
    handle: ({ query }, desk) => desk.tools(query),
  }),
  route({
    method: 'PUT',
    path: '/tools/{server}/{name}',
    scope: 'admin',
    what: 'Switches a tool on or off in the configuration file.',
    input: z.strictObject({ server: name, name, enabled: z.boolean() }),
    output: api.saved,
    handle: ({ server, name, enabled }, desk) => desk.enable(server, name, enabled),
  }),
  route({
    method: 'GET',
    path: '/pins',
    scope: 'read',
    what: 'Tools that the module pin holds back, with their accepted and their present definition.',
    input: nothing,
    output: api.pins,
    handle: (_, desk) => desk.pins(),
  }),
  route({
    method: 'POST',
    path: '/pins/approve',
    scope: 'admin',
    what: 'Accepts the present definition of a tool that is held back. The hash names the definition that was looked at.',
    input: z.strictObject({ tool: z.string().min(1).max(500), hash: z.string().regex(/^[0-9a-f]{8,64}$/) }),
    output: api.done,
    handle({ tool, hash }, desk) {
      desk.approve(tool, hash)
      return DONE
    },
  }),
  route({
    method: 'GET',
    path: '/modules',
    scope: 'read',
    what: 'The layers around a call as `status` shows them, and how the modules are.',
    input: nothing,
    output: api.modules,
    handle: (_, desk) => desk.modules(),
  }),
  route({
    method: 'GET',
    path: '/clients',
    scope: 'read',
    what: 'The clients that are connected, and the tokens with which clients connect over HTTP.',
    input: nothing,
    output: api.clients,
    handle: (_, desk) => desk.clients(),
  }),
  route({
    method: 'POST',
    path: '/tokens',
    scope: 'admin',
    what: 'Makes a token for a client. The answer is the only place that shows it.',
    input: z.strictObject({
      name: z.string().refine(isTokenName, 'must be one line of up to 64 characters'),
      days: z.int().min(1).max(3_650).optional(),
      profiles: z.array(name).max(100).optional(),
    }),
    output: api.token,
    handle: (input, desk) => desk.addToken(input),
  }),
  route({
    method: 'DELETE',
    path: '/tokens/{id}',
    scope: 'admin',
    what: 'Ends a token of a client.',
    input: z.strictObject({ id: z.string().regex(/^[\w-]{1,64}$/) }),
    output: api.done,
    handle({ id }, desk) {
      desk.removeToken(id)
      return DONE
    },
  }),
  route({
    method: 'GET',
    path: '/configuration',
    scope: 'admin',
    what: 'The configuration file, which may hold secrets, and its backups.',
    input: nothing,
    output: api.configuration,
    handle: (_, desk) => desk.configuration.read(),
  }),
  route({
    method: 'GET',
    path: '/configuration/schema',
    scope: 'read',
    what: 'The JSON Schema of the configuration file, for completion in editors.',
    input: nothing,
    output: undefined,
    handle: (_, desk) => desk.configuration.schema(),
  }),
  route({
    method: 'POST',
    path: '/configuration/check',
    scope: 'admin',
    what: 'Checks a text as if it stood in the file.',
    input: z.strictObject({ text: z.string().max(1_000_000) }),
    output: api.checked,
    handle: async ({ text }, desk) => ({ problems: await desk.configuration.check(text) }),
  }),
  route({
    method: 'PUT',
    path: '/configuration',
    scope: 'admin',
    what: 'Keeps a backup of the file, then writes it; a running proxy takes it over. A text with errors is not written.',
    input: z.strictObject({ text: z.string().max(1_000_000), hash: z.string().max(64) }),
    output: api.saved,
    handle: ({ text, hash }, desk) => desk.configuration.save(text, hash),
  }),
  route({
    method: 'POST',
    path: '/configuration/rollback',
    scope: 'admin',
    what: 'Restores a backup. The present file becomes a backup itself.',
    input: z.strictObject({ name: z.string().max(300) }),
    output: api.saved,
    handle: ({ name }, desk) => desk.configuration.rollBack(name),
  }),
  route({
    method: 'GET',
    path: '/connect',
    scope: 'read',
    what: 'How each client is connected: the entry, and the file that it goes into.',
    input: nothing,
    output: api.cards,
    handle: (_, desk) => desk.cards(),
  }),
  route({
    method: 'POST',
    path: '/connect/{client}',
    scope: 'admin',
    what: 'Writes the entry of the proxy into the file of a client, and keeps a copy of the file.',
    input: z.strictObject({ client: clientId }),
    output: api.changedFile,
    handle: ({ client }, desk) => desk.connect(client),
  }),
  route({
    method: 'DELETE',
    path: '/connect/{client}',
    scope: 'admin',
    what: 'Puts the file of a client back as it was before it was connected.',
    input: z.strictObject({ client: clientId }),
    output: api.changedFile,
    handle: ({ client }, desk) => desk.disconnect(client),
  }),
]

/** The OpenAPI document, made of the table. */
export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const { method, path, scope, what, input, output } of ROUTES) {
    const schema = z.toJSONSchema(input, { io: 'input' })
    const properties = (schema.properties ?? {}) as Record<string, object>
    const required = new Set(schema.required ?? [])
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key)
    const others = Object.keys(properties).filter((key) => !inPath.includes(key))
    const parameters = [
      ...inPath.map((key) => ({ name: key, in: 'path', required: true, schema: properties[key] })),
      ...(method === 'GET'
        ? others.map((key) => ({
            name: key,
            in: 'query',
            required: required.has(key),
            schema: properties[key],
          }))
        : []),
    ]
    const body = {
      type: 'object',
      properties: Object.fromEntries(others.map((key) => [key, properties[key]])),
      required: others.filter((key) => required.has(key)),
      additionalProperties: false,
    }
    const content =
      output === undefined
        ? { 'application/octet-stream': {} }
        : { 'application/json': { schema: z.toJSONSchema(output, { unrepresentable: 'any' }) } }
    const operations = paths[path] ?? {}
    paths[path] = operations
    operations[method.toLowerCase()] = {
      summary: what,
      security: [{ [scope]: [] }],
      ...(parameters.length > 0 && { parameters }),
      ...(method !== 'GET' &&
        others.length > 0 && {
          requestBody: { required: true, content: { 'application/json': { schema: body } } },
        }),
      responses: {
        200: { description: 'Done.', content },
        default: { description: 'Refused: `error`, and `remedy`.' },
      },
    }
  }
  const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description })
  return {
    openapi: '3.1.0',
    info: { title: 'mcp-rlm-proxy admin interface', version },
    servers: [{ url: '/admin/api' }],
    components: {
      securitySchemes: {
        read: bearer('The token in console-read-token of the data directory, or the one of admins.'),
        admin: bearer('The token in console-token of the data directory.'),
      },
    },
    paths: {
      ...paths,
      ...Object.fromEntries(
        SPOKEN.map(({ method, path, scope, what, content }) => [
          path,
          {
            [method.toLowerCase()]: {
              summary: what,
              security: [{ [scope]: [] }],
              ...(method === 'POST' && {
                requestBody: { required: true, content: { 'application/json': {} } },
              }),
              responses: { 200: { description: 'Done.', content } },
            },
          },
        ]),
      ),
    },
  }
}

/** Places where no row answers: the endpoint and MCP speak for themselves there. */
const SPOKEN = [
  {
    method: 'GET',
    path: '/events',
    scope: 'read',
    what: 'A stream of server-sent events: calls as they end, and the names of lists that changed.',
    content: { 'text/event-stream': {} },
  },
  {
    method: 'POST',
    path: '/mcp',
    scope: 'admin',
    what: 'Streamable HTTP of MCP for a client of this machine, with the tools that other clients have. Commands call tools here.',
    content: { 'application/json': {}, 'text/event-stream': {} },
  },
] as const

/** Markdown: one row a route, for the documentation. */
export function routesTable(): string {
  return [
    '| route | scope | what it does |',
    '| --- | --- | --- |',
    ...[...ROUTES, ...SPOKEN].map(
      ({ method, path, scope, what }) => `| \`${method} ${path}\` | ${scope} | ${what} |`,
    ),
  ].join('\n')
}
