/** The whole configuration: the file as people write it, and the complete, frozen form the proxy runs on. */

import * as z from 'zod'
import { codeSchema } from '../features/code/options.ts'
import { collectSchema } from '../features/collect/options.ts'
import { consoleSchema } from '../features/console/options.ts'
import { dispatchSchema, readbackSchema, spillSchema, utilsSchema } from '../features/dispatch/options.ts'
import { outputTypesSchema } from '../features/output-types/options.ts'
import { queryToolSettings } from '../features/query-tools/options.ts'
import { toolCacheSchema } from '../features/result-cache/options.ts'
import { indexSchema, retrieveSchema } from '../features/retrieve/options.ts'
import { savingsSettings } from '../features/savings/options.ts'
import { bridgeSchema } from '../features/scripts/options.ts'
import { shapeSettings } from '../features/shape/options.ts'
import { telemetrySchema } from '../features/telemetry/options.ts'
import { truncateSettings } from '../features/truncate/options.ts'
import { LIMITS, type LimitName } from '../protocol/limits.ts'
import { storeSchema } from '../store/stores.ts'
import { authSchema, signInSchema } from './auth-options.ts'
import type { ModuleConfig } from './modules.ts'
import { type DeepReadonly, flag, integer, oneOf, text } from './option.ts'
import { type ServerConfig, serverSchema } from './servers.ts'

// A schema reads a configuration once or twice in a run: to compile a function for each takes longer than it saves.
z.config({ jitless: true })

// `proxySettings`: how the proxy itself works. Types, defaults, ranges and descriptions of every option.

const MEBIBYTE = 1024 * 1024

const naming = z.object({
  prefix: oneOf(
    ['always', 'onConflict', 'never'],
    'Whether a tool is listed as {server}_{tool}. onConflict: only if two servers use the same name.',
  ).default('always'),
  separator: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,4}$/)
    .meta({
      description: 'The text between server and tool.',
      allowed: 'one to four letters, digits, _ or -',
    })
    .default('_'),
  maxLength: integer(
    'The most characters of a tool name. The proxy shortens longer names, and keeps them unique.',
    {
      unit: 'characters',
      min: 10,
      max: 200,
    },
  ).default(60),
  charset: oneOf(
    ['default', 'gemini'],
    'Characters a tool name may have: letters, digits, _ and - (default), or lower case, digits and _ (gemini).',
  ).default('default'),
  rename: z
    .record(z.string().min(1), z.string().min(1))
    .meta({ description: 'New names for single tools: { "server/tool": "new_name" }.' })
    .default({}),
})

const connect = z.object({
  lazy: flag('Start a server when it is first needed, not when the proxy starts.').default(false),
  timeoutMs: integer('How long a server may take to start and answer the handshake.', {
    unit: 'milliseconds',
    min: 100,
    max: 600_000,
  }).default(30_000),
  listWaitMs: integer(
    'How long the first list waits for servers without a remembered list, if there are several servers. Later lists wait for no server; the proxy notifies clients of tools that come late.',
    {
      unit: 'milliseconds',
      min: 100,
      max: 600_000,
    },
  ).default(8_000),
  callTimeoutMs: integer('How long a tool call may take. A server can have its own `timeout`.', {
    unit: 'milliseconds',
    min: 100,
    max: 86_400_000,
  }).default(120_000),
  idleMs: integer('How long a connection without a client stays open after the proxy fetched its lists.', {
    unit: 'milliseconds',
    min: 1_000,
    max: 86_400_000,
  }).default(60_000),
})

/** How servers are connected when a configuration says nothing. */
export const CONNECT_DEFAULTS = connect.parse({})

const SESSION_KEY = z.string().min(16)

const sessions = z.object({
  key: z
    .union([SESSION_KEY, z.array(SESSION_KEY).min(1).max(10)])
    .meta({
      description:
        'A secret that all replicas have, or a list: the first one seals, each of them opens. With it, any replica can continue a session of streamable-http, and replicas of one store share sign-ins to servers (docs/replicas.md). Not set: a session belongs to one process.',
      allowed: 'a text of at least 16 characters, or a list of one to ten',
    })
    .optional(),
  maxAgeSeconds: integer('How long a session id is valid that was made with `sessions.key`.', {
    unit: 'seconds',
    min: 60,
    max: 31_536_000,
  }).default(7 * 86_400),
})

const drain = z.object({
  noticeSeconds: integer(
    'How long the proxy still takes connections after SIGTERM while `/readyz` says 503, so that a balancer sees it.',
    { unit: 'seconds', min: 0, max: 3_600 },
  ).default(0),
  callSeconds: integer('How long running calls may take after that, before the proxy ends them.', {
    unit: 'seconds',
    min: 0,
    max: 3_600,
  }).default(1),
})

const log = z.object({
  level: oneOf(['debug', 'info', 'warning', 'error'], 'The least important messages that are still logged.', {
    spellings: { warn: 'warning' },
  }).default('info'),
  file: text('A file for the log, readable by you alone. Not set: standard error.').optional(),
})

/** Of the table of limits. */
const limits = z.object(
  Object.fromEntries(
    Object.entries(LIMITS).map(([name, { description, default: value, ...facts }]) => [
      name,
      integer(description, facts).default(value),
    ]),
  ) as Record<LimitName, z.ZodDefault<z.ZodInt>>,
)

/** Options in the order in which the documentation lists them. */
export const settingsSchema = z.object({
  exposure: oneOf(
    ['passthrough', 'retrieve', 'dispatch'],
    'Which tools clients see. passthrough: all tools of all servers. retrieve: a tool that finds tools. dispatch: one tool that calls all others.',
  ).default('passthrough'),
  transport: oneOf(
    ['stdio', 'streamable-http', 'sse', 'socket'],
    'How clients reach the proxy. stdio: one local client. streamable-http or sse: several clients. socket: clients of this user that come by `mcp-rlm-proxy connect`, which starts such a proxy itself.',
    {
      spellings: {
        http: 'streamable-http',
        streamableHttp: 'streamable-http',
        streamable_http: 'streamable-http',
      },
    },
  ).default('stdio'),
  profile: text(
    'Serve only this profile: the name of a `package` in `modules`. Not set: over HTTP, clients choose a profile by the path.',
  ).optional(),
  host: text('The address to listen on with streamable-http and sse. 127.0.0.1: only this machine.').default(
    '127.0.0.1',
  ),
  port: integer('The port to listen on with streamable-http and sse. 0: any free one.', {
    min: 0,
    max: 65_535,
  }).default(8000),
  allowUnauthenticated: flag('Serve clients on other machines without authentication.').default(false),
  lingerSeconds: integer(
    'With the transport socket: how long the proxy waits for another client after the last one has left. 0: for ever.',
    { unit: 'seconds', min: 0, max: 2_000_000 },
  ).default(300),
  dataDir: text('The directory for kept results, remembered tool lists and the savings ledger.').default(
    '~/.mcpproxy',
  ),
  resetData: flag('Delete kept results and remembered tool lists of earlier runs at the start.').default(
    false,
  ),

  ...shapeSettings,
  ...savingsSettings,
  ...truncateSettings,
  ...queryToolSettings,

  cacheTTLSeconds: integer('How long a kept result stays in memory after its last use.', {
    unit: 'seconds',
    min: 1,
    max: 31_536_000,
  }).default(300),
  cacheMaxEntries: integer('The most kept results in memory if `enableAgentIsolation` is false.', {
    unit: 'results',
    min: 1,
    max: 1_000_000,
  }).default(50),
  enableAgentIsolation: flag(
    'Keep the results of each client to itself (over HTTP: of each session or token; clients of 2026-07-28 without a token are one client). false: all share one cache.',
  ).default(true),
  maxEntriesPerAgent: integer('The most results kept in memory for one client.', {
    unit: 'results',
    min: 1,
    max: 1_000_000,
  }).default(20),
  maxMemoryPerAgent: integer(
    'The most memory for the kept results of one client. All clients together have 1 GiB, or less if `memoryMb` is small.',
    {
      unit: 'bytes',
      min: 1024,
      max: 1024 * 1024 * MEBIBYTE,
    },
  ).default(100 * MEBIBYTE),
  memoryMb: integer(
    'The memory that the proxy and its query workers share, without servers. The proxy derives heaps, kept results in memory and the longest message from it; it is not a hard limit. Below 1024 there is one worker instead of two. Default: the limit of the container, or half of the memory of the machine.',
    { unit: 'MB', min: 512, max: 1_000_000 },
  ).optional(),
  maxTotalAgents: integer(
    'The most clients that have kept results. The proxy first removes the results of the client that was idle longest.',
    {
      unit: 'clients',
      min: 1,
      max: 1_000_000,
    },
  ).default(1_000),
  store: storeSchema.default('disk'),
  sessions: sessions
    .prefault({})
    .meta({ description: 'Sessions of clients over HTTP, where several replicas serve them.' }),
  drain: drain.prefault({}).meta({ description: 'How a proxy over HTTP ends after SIGTERM.' }),
  cacheDiskMaxBytes: integer(
    'The most disk space for results that left memory. 0: the proxy keeps nothing on disk.',
    {
      unit: 'bytes',
      min: 0,
      max: 1024 * 1024 * MEBIBYTE,
    },
  ).default(1024 * MEBIBYTE),
  cacheDiskMaxAgeSeconds: integer(
    'How long a result stays on disk, or in a shared store, after its last use.',
    {
      unit: 'seconds',
      min: 1,
      max: 31_536_000,
    },
  ).default(86_400),

  auth: authSchema.prefault({}).meta({
    description:
      'Which clients may connect with streamable-http and sse. Not set: every program on this machine.',
  }),
  naming: naming.prefault({}).meta({ description: 'How tools are called.' }),
  connect: connect.prefault({}).meta({ description: 'How servers are connected.' }),
  oauth: signInSchema.prefault({}).meta({ description: 'How the proxy signs in to servers.' }),
  retrieve: retrieveSchema
    .prefault({})
    .meta({ description: 'How tools are offered with the exposure `retrieve`.' }),
  index: indexSchema.prefault({}).meta({ description: 'How tools are found there.' }),
  dispatch: dispatchSchema.prefault({}).meta({ description: 'The exposure `dispatch`.' }),
  spill: spillSchema.prefault({}).meta({ description: 'Results in files, in the exposure `dispatch`.' }),
  readback: readbackSchema.prefault({}).meta({ description: 'How such files are read.' }),
  outputTypes: outputTypesSchema
    .prefault({})
    .meta({ description: 'What results of tools have looked like, for who calls them next.' }),
  code: codeSchema
    .prefault({})
    .meta({ description: 'Programs of models over what is kept and what may be called: `proxy_code`.' }),
  utils: utilsSchema
    .prefault({})
    .meta({ description: 'A built-in server for files, for chains of tools and in place of a shell.' }),
  bridge: bridgeSchema.prefault({}).meta({ description: 'Tools for scripts of this machine, over HTTP.' }),
  console: consoleSchema
    .prefault({})
    .meta({ description: 'A page for people who run the proxy, and its interface for programs.' }),
  telemetry: telemetrySchema.prefault({}).meta({ description: 'Traces and metrics by OpenTelemetry.' }),
  collect: collectSchema.prefault({}).meta({ description: 'How pages of a collection are followed.' }),
  toolCache: toolCacheSchema
    .prefault({})
    .meta({ description: 'Results of tools that only read, for the same call again.' }),
  limits: limits.prefault({}).meta({ description: 'What one server or one client may ask of the proxy.' }),
  log: log.prefault({}).meta({ description: 'What is logged, and where.' }),
})

/** Complete: every option has its value. */
export type Settings = z.output<typeof settingsSchema>

/** `mcp.json`. Keys of other programs beside these are allowed and ignored. */
export const fileSchema = z.object({
  mcpServers: z.record(z.string().min(1), serverSchema).meta({
    description:
      'The servers behind the proxy, by name. A file of Claude Desktop or Cursor can be used as it is.',
  }),
  proxySettings: settingsSchema.prefault({}).meta({ description: 'How the proxy itself works.' }),
})

/** Everything the proxy was told, checked and complete. Frozen through and through. */
export interface Config {
  /** The file it came from. Undefined: a wrapped command or an object in memory. */
  readonly file: string | undefined
  /** Servers to connect, in the order of the file. */
  readonly servers: readonly ServerConfig[]
  /** Names of servers that the file leaves out. */
  readonly disabled: readonly string[]
  readonly settings: DeepReadonly<Settings>
  /** The modules around an exchange, the one nearest to the client first. */
  readonly modules: readonly ModuleConfig[]
  /** Paths of the settings that somebody chose: `['transport', 'log.level']`. The others are defaults. */
  readonly chosen: readonly string[]
}

/** The settings that modules are made of. */
export type ModulesConfig = Pick<Config, 'modules' | 'settings' | 'file'>
