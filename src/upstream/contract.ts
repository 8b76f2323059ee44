/** What the router sees of the servers. Contract; `pool.ts` implements it. */
import { CONNECT_DEFAULTS } from '../config/schema.ts'
import { serverSchema } from '../config/servers.ts'
import type { Logger } from '../observe/log.ts'
import { LargeResult, plain, type Result } from '../protocol/content.ts'
import { type ErrorCode, RPC, type RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type {
  JsonRpcFailure,
  JsonRpcMessage,
  Notification,
  Request,
  RequestId,
  Transport,
} from '../protocol/message.ts'
import { type BackoffOptions, DEFAULT_BACKOFF, type Later, later } from './backoff.ts'
import type { Serve } from './in-process.ts'
import type { Arriving } from './incoming.ts'
import type { Spawn } from './processes.ts'

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

/** What a list holds. */
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

/** What a server says of how long its answer is good. */
export interface CacheHints {
  /** Milliseconds for which the answer is fresh. */
  ttlMs: number
  /** `public`: it is the same for every client. */
  cacheScope: 'public' | 'private'
}

/** `waiting`: lost, and connecting again after a pause. */
export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'waiting' | 'closed'

/** What `status` and `doctor` show of a server. */
export interface ServerStatus {
  server: string
  state: ConnectionState
  transport: 'stdio' | 'streamable-http' | 'sse' | 'in-process'
  /** `serverInfo`, `capabilities`, `instructions`, `protocolVersion` of its last initialize result. */
  initialize?: JsonObject
  tools?: number
  /** When its tools were last fetched, by the clock that was handed in. Absent: not in this run. */
  listed?: number
  lastError?: string
}

/** What servers say unasked. */
export interface UpstreamEvents {
  /** A list of this server is no longer what it was, for the clients that `concerns` says. */
  changed(server: string, kind: ListKind, concerns: (client: Client) => boolean): void
  /** A notification of a server that belongs to no request: logging, resources/updated. `client` absent: to all. */
  notification(server: string, notification: Notification, client: Client | undefined): void
  /** A request of a server that belongs to no request of the client's. Absent: the client is asked. */
  ask?(server: string, client: Client, request: Request, signal: AbortSignal): Promise<Result>
}

/** What became of the servers, by name. */
export interface Reconfigured {
  readonly added: readonly string[]
  /** Under a name that there was before, but reached in another way. */
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/** All configured servers. Names that are none reject with ProxyError. */
export interface Upstreams {
  /** Names, in the order of the configuration now. */
  readonly servers: readonly string[]
  /** Those of them that are there for this client; no other is connected, listed or asked for it. */
  serversFor(client: Client | undefined): readonly string[]
  status(): ServerStatus[]
  /** Connects what is configured to connect at start, in parallel, for this client or (to see whether they can be) for none. Never rejects. */
  open(client?: Client): Promise<void>
  /** What is known now without asking anybody: remembered from the last run or fetched in this one. */
  known(server: string): JsonObject | undefined
  /** One list of every server, in parallel, from memory where it is still true. A server that fails is left out (status says why). */
  list(kind: ListKind, client: Client | undefined, signal: AbortSignal): Promise<ServerList[]>
  /**
   * One list of one server as the session at work has told it: not one of an earlier session or of the last run. Rejects with
   * ProxyError when the server cannot be asked.
   */
  surely(kind: ListKind, server: string, client: Client, signal: AbortSignal): Promise<readonly JsonObject[]>
  /** Whoever lists these of this client next gets what the servers (these, or all) say then, not what is remembered. */
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
   * connections; what is under way at one that is not ends where it began.
   */
  configure(servers: Readonly<Record<string, ServerOptions>>): Reconfigured
  /** Closes the connections that only this client used. */
  release(client: Client): Promise<void>
  close(): Promise<void>
}

// Everything the upstream side is handed. Complete types: defaults are filled in here, once.

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
  timeoutMs: CONNECT_DEFAULTS.callTimeoutMs,
  connectTimeoutMs: CONNECT_DEFAULTS.timeoutMs,
  listWaitMs: CONNECT_DEFAULTS.listWaitMs,
  lazy: CONNECT_DEFAULTS.lazy,
  instance: serverSchema.shape.instance.parse(undefined),
  idleMs: CONNECT_DEFAULTS.idleMs,
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

// What a connection asks of a transport beyond carrying messages. Contract; stdio.ts and http/ implement it.

export interface UpstreamTransport extends Transport {
  readonly kind: ServerStatus['transport']
  /** Why it ended, or could not start, in words that follow "server `x`": "exited with code 1: no such file". */
  readonly failure: string | undefined
  /** Milliseconds of silence that this transport does not survive, less a margin: the server is pinged that often. */
  readonly keepAliveMs?: number | undefined
  /** Told once the handshake is done (HTTP sends it as a header). */
  setProtocolVersion?(version: string): void
}

/** True for a process of ours, or a part of this one: it is there for as long as we want it. */
export function isLocal({ kind }: UpstreamTransport): boolean {
  return kind === 'stdio' || kind === 'in-process'
}

/** Rejects `send` when the server forgot the session: the message was not delivered and may be sent again. */
export class SessionExpired extends Error {
  override readonly name = 'SessionExpired'
}

/** Rejects `send` when the server leaves too much unread: the message was not delivered, and nothing else is lost. */
export class NotRead extends Error {
  override readonly name = 'NotRead'
}

const LOCAL = 'mcp-rlm-proxy/local'

/**
 * A failure that the transport found and that concerns one request, dressed as the server's answer to it: this request
 * fails, the connection lives.
 */
export function localFailure(id: RequestId, code: ErrorCode, message: string): JsonRpcFailure {
  return { jsonrpc: '2.0', id, error: { code: RPC.internalError, message, data: { [LOCAL]: code } } }
}

/** The code given to `localFailure`, when that is where the error comes from. */
export function localCode(error: RpcError): ErrorCode | undefined {
  const code = isObject(error.data) ? own(error.data, LOCAL) : undefined
  return code === 'UPSTREAM_PROTOCOL' || code === 'UPSTREAM_CLOSED' ? code : undefined
}

/** The message as JSON can carry it: a large result is parsed. */
export function wireMessage(message: JsonRpcMessage): JsonRpcMessage {
  return 'result' in message && message.result instanceof LargeResult
    ? { ...message, result: plain(message.result) }
    : message
}

// Who answers for the proxy at an HTTP server. Contract; `oauth/` implements it, the HTTP transport asks it.

/** A refusal as the server gave it. */
export interface Refusal {
  /** 401, or 403 when the token lacks a scope. */
  status: number
  /** `WWW-Authenticate`, when there was one (RFC 9110, 11.6.1; RFC 9728, 5.1). */
  challenge: string | undefined
  /** The `Authorization` header that was refused. */
  sent: string | undefined
}

export interface Authorizer {
  /** The `Authorization` header to send now, renewed when it is about to expire; undefined while there is none. */
  header(signal?: AbortSignal): Promise<string | undefined>
  /**
   * The server refused. Resolves to true when there is something new to send, so that the request may be sent once more, and to
   * false when not. Rejects with AuthorizationNeeded when a person has to visit an address first.
   */
  refused(refusal: Refusal, signal?: AbortSignal): Promise<boolean>
  /** Ends what waits for a person. */
  close(): Promise<void>
}

/** A person has to sign in first. The message follows "server `x`: " and holds the address. */
export class AuthorizationNeeded extends Error {
  override readonly name = 'AuthorizationNeeded'
  /** Where to sign in. */
  readonly url: string

  constructor(message: string, url: string) {
    super(message)
    this.url = url
  }
}
