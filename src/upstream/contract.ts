/** The servers as the router sees them. Contract; `pool.ts` implements it. */
import { CONNECT_DEFAULTS } from '../config/schema.ts'
import type { Logger } from '../observe/log.ts'
import type { Result } from '../protocol/content.ts'
import type { Client, Exchange, Reach } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { LIMIT_DEFAULTS, type Limits } from '../protocol/limits.ts'
import type { Notification, Request, Signal } from '../protocol/message.ts'
import { type BackoffOptions, DEFAULT_BACKOFF, type Later, later } from './backoff.ts'
import type { ServerOptions } from './dial.ts'
import type { Arriving } from './incoming.ts'
import { noting, processFolder } from './left-behind.ts'
import type { Spawn } from './processes.ts'
import type { SharedSessions } from './shared-session.ts'
import type { Reconfigured, ServerStatus } from './status.ts'
import type { Authorizer, Instance } from './transport.ts'

export type { ConnectionState, Reconfigured, ServerStatus } from './status.ts'

/** The lists a server offers, by the method that fetches them and the member that holds them. */
export const LISTS = {
  tools: { method: 'tools/list', member: 'tools', capability: 'tools' },
  prompts: { method: 'prompts/list', member: 'prompts', capability: 'prompts' },
  resources: { method: 'resources/list', member: 'resources', capability: 'resources' },
  resourceTemplates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    capability: 'resources',
  },
} as const

/** The kinds of items in lists. */
export type ListKind = keyof typeof LISTS

/** All of them. */
export const LIST_KINDS = Object.keys(LISTS) as readonly ListKind[]

/** One server's list, every page of it, items as the server sent them. */
export interface ServerList {
  server: string
  items: readonly JsonObject[]
  /** How long and by whom the list may be kept, where the server said so (MCP 2026-07-28, server/utilities/caching). */
  hints?: CacheHints
}

/** The hints of a server about how long its answer is good. */
export interface CacheHints {
  /** Milliseconds for which the answer is fresh. */
  ttlMs: number
  /** `public`: it is the same for every client. */
  cacheScope: 'public' | 'private'
}

/** The messages that servers send unasked. */
export interface UpstreamEvents {
  /** A list of this server is no longer what it was, for the clients that `concerns` says. */
  changed(server: string, kind: ListKind, concerns: (client: Client) => boolean): void
  /** A notification of a server that belongs to no request: logging, resources/updated. `client` absent: to all. */
  notification(server: string, notification: Notification, client: Client | undefined): void
  /** A request of a server that belongs to no request of the client's. Absent: the client is asked. */
  ask?(server: string, client: Client, request: Request, signal: Signal): Promise<Result>
}

/** Whether a tool of a server, by the server's own name for it, may be used. */
export type Permits = (server: string, tool: string) => boolean

/** All configured servers. Names that are none reject with ProxyError. */
export interface Upstreams {
  /** Names, in the order of the configuration now. */
  readonly servers: readonly string[]
  /** The servers that this client has; no other is connected, listed or asked for it. */
  serversFor(client: Client | undefined): readonly string[]
  status(): ServerStatus[]
  /** Connects what is configured to connect at start, in parallel, for this client or (to see whether they can be) for none. Never rejects. */
  open(client?: Client): Promise<void>
  /** The facts that are known now without asking anybody: remembered from the last run or fetched in this one. */
  known(server: string): JsonObject | undefined
  /**
   * One list of every server, in parallel, from memory where it is still true. A server that fails is left out (status says why).
   * `hidden`: with the tools that may not be used.
   */
  list(
    kind: ListKind,
    client: Client | undefined,
    signal: Signal,
    options?: { hidden?: boolean },
  ): Promise<ServerList[]>
  /**
   * One list of one server as the session at work has told it: not one of an earlier session or of the last run. Rejects with
   * ProxyError when the server cannot be asked.
   */
  surely(kind: ListKind, server: string, client: Client, signal: Signal): Promise<readonly JsonObject[]>
  /** The next list of this kind for this client is what the servers (these, or all) say then, not what is remembered. */
  refresh(kind: ListKind, client: Client, servers?: readonly string[]): void
  /** One request to one server on behalf of an exchange: progress, cancellation and server→client requests belong to it. */
  request(server: string, request: Request, exchange: Exchange): Promise<Result>
  /**
   * Sets something up on every server that has the capability, now where it is connected, else as soon as it is. Rejects
   * when all that were asked refuse.
   */
  everywhere(request: Request, capability: string, exchange: Exchange): Promise<void>
  /** A notification of the client for every server it has a connection to (roots/list_changed). */
  broadcast(notification: Notification, client: Client): void
  /**
   * Takes other servers from now on, and connects what is new for the clients that are there. A server that is the same keeps its
   * connections; what is under way at one that is not ends where it began. From now on `permits` says which tools may be used.
   */
  configure(servers: Readonly<Record<string, ServerOptions>>, permits?: Permits): Reconfigured
  /** Connects this server again: what is under way ends where it began. Throws ProxyError where there is none of this name. */
  restart(server: string): void
  /** Closes the connections that only this client used. */
  release(client: Client): Promise<void>
  close(): Promise<void>
}

// Everything the upstream side is handed. Complete types: defaults are filled in here, once.

interface UpstreamDefaults {
  timeoutMs: number
  connectTimeoutMs: number
  /** Milliseconds that the lists of other servers wait for one that is late. */
  listWaitMs: number
  lazy: boolean
  instance: Instance
  /** Milliseconds after which a connection that serves no client is closed. */
  idleMs: number
  /** Milliseconds between closing a server's input, SIGTERM and SIGKILL. */
  closeGraceMs: number
  /** A response over stdio longer than this many bytes is handed on unparsed. */
  largeBytes: number
  /** A message over stdio longer than this many bytes is thrown away. */
  maxMessageBytes: number
  /** The limits of one server. */
  limits: Limits
  backoff: BackoffOptions
}

const UPSTREAM_DEFAULTS: UpstreamDefaults = {
  timeoutMs: CONNECT_DEFAULTS.callTimeoutMs,
  connectTimeoutMs: CONNECT_DEFAULTS.timeoutMs,
  listWaitMs: CONNECT_DEFAULTS.listWaitMs,
  lazy: CONNECT_DEFAULTS.lazy,
  instance: 'session',
  idleMs: CONNECT_DEFAULTS.idleMs,
  closeGraceMs: 400,
  largeBytes: 256 * 1024,
  maxMessageBytes: 256 * 1024 * 1024,
  limits: LIMIT_DEFAULTS,
  backoff: DEFAULT_BACKOFF,
}

/** The parts that are handed in; the clock, timers and processes too, for tests. */
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
  /** Which servers are there for a client. Absent: all. */
  reach?: Reach
  /** Which tools may be used: others are neither listed nor called. Absent: all. */
  permits?: Permits | undefined
  /** The sessions at HTTP servers that other processes know. Absent: there are none. */
  sessions?: SharedSessions | undefined
  /** The part that signs in at a server over HTTP. Absent: the proxy signs in nowhere. */
  authorizer?: (server: string) => Authorizer | undefined
}

/** Options with nothing left to default. */
export interface CompleteOptions
  extends Omit<
    Required<UpstreamsOptions>,
    'defaults' | 'dataDir' | 'spawn' | 'arriving' | 'permits' | 'sessions' | 'authorizer'
  > {
  defaults: UpstreamDefaults
  dataDir: string | undefined
  spawn: Spawn | undefined
  arriving: Arriving | undefined
  permits: Permits | undefined
  sessions: SharedSessions | undefined
  authorizer: (server: string) => Authorizer | undefined
}

/** The options with all defaults filled in. */
export function complete(options: UpstreamsOptions): CompleteOptions {
  return {
    environment: process.env,
    now: Date.now,
    random: Math.random,
    later,
    reach: { limits: [] },
    ...options,
    dataDir: options.dataDir,
    spawn:
      options.spawn ?? (options.dataDir === undefined ? undefined : noting(processFolder(options.dataDir))),
    arriving: options.arriving,
    permits: options.permits,
    sessions: options.sessions,
    authorizer: options.authorizer ?? (() => undefined),
    defaults: { ...UPSTREAM_DEFAULTS, ...options.defaults },
  }
}
