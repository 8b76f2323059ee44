/** Everything the upstream side is handed. Complete types: defaults are filled in here, once. */
import type { Client } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Authorizer } from './authorizer.ts'
import { type BackoffOptions, DEFAULT_BACKOFF, type Later, later } from './backoff.ts'
import type { Arriving } from './envelope.ts'
import type { Serve } from './in-process.ts'
import type { Spawn } from './spawn.ts'
import type { UpstreamEvents } from './upstreams.ts'

/** Settings of any server; what is absent comes from `defaults`. */
interface ServerSettings {
  /** Milliseconds a call may go without an answer or progress. */
  timeoutMs?: number | undefined
  /** Milliseconds from start to the end of the handshake; also the longest that a list may take. */
  connectTimeoutMs?: number | undefined
  /** Connect on first use. */
  lazy?: boolean | undefined
  /** `session`: a connection for each client. `shared`: one for all, which promises no client's capabilities. */
  instance?: 'session' | 'shared' | undefined
}

/** A process that is started for it. */
export interface StdioServer extends ServerSettings {
  command: string
  args?: readonly string[] | undefined
  /** Merged over a safe part of the proxy's own environment. */
  env?: Readonly<Record<string, string>> | undefined
  cwd?: string | undefined
}

/** One that is there already, at an address. */
export interface HttpServer extends ServerSettings {
  url: string
  headers?: Readonly<Record<string, string>> | undefined
  /** Absent: SSE when the path ends in `/sse`, else streamable HTTP with a fall-back to SSE. */
  type?: 'sse' | 'http' | 'streamable-http' | undefined
  /** How its tokens are had. Only looked at to see whether it changed. */
  oauth?: object | undefined
}

/** A function of this process. */
export interface InProcessServer extends ServerSettings {
  /** Tells it from others, in every run. */
  id: string
  serve: Serve
}

/** How a server is reached. */
export type ServerOptions = StdioServer | HttpServer | InProcessServer

interface UpstreamDefaults {
  timeoutMs: number
  connectTimeoutMs: number
  /** Milliseconds that the lists of other servers wait for one that is late. */
  listWaitMs: number
  lazy: boolean
  instance: 'session' | 'shared'
  /** Milliseconds after which a connection that serves no client is closed. */
  idleMs: number
  /** Milliseconds between closing a server's input, SIGTERM and SIGKILL. */
  closeGraceMs: number
  /** A response over stdio longer than this many bytes is handed on unparsed. */
  largeBytes: number
  /** A message over stdio longer than this many bytes is thrown away. */
  maxMessageBytes: number
  backoff: BackoffOptions
}

const UPSTREAM_DEFAULTS: UpstreamDefaults = {
  timeoutMs: 120_000,
  connectTimeoutMs: 30_000,
  listWaitMs: 8_000,
  lazy: false,
  instance: 'session',
  idleMs: 60_000,
  closeGraceMs: 400,
  largeBytes: 256 * 1024,
  maxMessageBytes: 256 * 1024 * 1024,
  backoff: DEFAULT_BACKOFF,
}

/** What is handed in; the clock, timers and processes too, for tests. */
export interface UpstreamsOptions {
  /** By name, in the order in which lists are given. */
  servers: Readonly<Record<string, ServerOptions>>
  defaults?: Partial<UpstreamDefaults>
  /** Tells this proxy from others when proxies stand behind one another. */
  identity: string
  /** `clientInfo` towards servers: name and version of the proxy. */
  clientInfo: JsonObject
  events: UpstreamEvents
  logger: Logger
  /** Where to remember servers between runs. Absent: they are not. */
  dataDir?: string | undefined
  /** The proxy's own environment. Default: `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>
  now?: () => number
  random?: () => number
  later?: Later
  spawn?: Spawn
  /** Told of long responses while they come. */
  arriving?: Arriving | undefined
  /** Those of the servers that are there for this client. Absent: all. */
  reached?: (servers: readonly string[], client: Client) => readonly string[]
  /** Who signs in at a server over HTTP. Absent: nobody. */
  authorizer?: (server: string) => Authorizer | undefined
}

/** Options with nothing left to default. */
export interface CompleteOptions
  extends Omit<Required<UpstreamsOptions>, 'defaults' | 'dataDir' | 'spawn' | 'arriving' | 'authorizer'> {
  defaults: UpstreamDefaults
  dataDir: string | undefined
  spawn: Spawn | undefined
  arriving: Arriving | undefined
  authorizer: (server: string) => Authorizer | undefined
}

/** The options with all defaults filled in. */
export function complete(options: UpstreamsOptions): CompleteOptions {
  return {
    environment: process.env,
    now: Date.now,
    random: Math.random,
    later,
    reached: (servers) => servers,
    ...options,
    dataDir: options.dataDir,
    spawn: options.spawn,
    arriving: options.arriving,
    authorizer: options.authorizer ?? (() => undefined),
    defaults: { ...UPSTREAM_DEFAULTS, ...options.defaults },
  }
}
