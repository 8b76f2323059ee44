/** The interface of a gateway for the program that runs it. Public API. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import type { Profile } from '../config/profiles.ts'
import type { Config } from '../config/schema.ts'
import type { ConsoleHost } from '../features/console/options.ts'
import type { ModuleDefinition, ModuleHealth } from '../module-runtime/module.ts'
import type { Logger } from '../observe/log.ts'
import type { SavingsDay, SavingsReport } from '../observe/savings-report.ts'
import type { Middleware } from '../protocol/embedding.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Transport } from '../protocol/message.ts'
import type { Mark } from '../store/store.ts'
import type { Serve } from '../upstream/in-process.ts'
import type { Reconfigured, ServerStatus } from '../upstream/status.ts'

export type { ConnectionState, Reconfigured, ServerStatus } from '../upstream/status.ts'

/** The world outside, for tests and embedding. An absent part is the real one. */
export interface GatewayParts {
  logger?: Logger
  /** Where the one client of a stdio gateway speaks and listens. */
  input?: Readable
  output?: Writable
  /** Path of the Unix socket, or name of the pipe, of a gateway with the transport `socket`. */
  socket?: string
  /** Milliseconds since 1970. */
  now?: () => number
  /** Milliseconds since any moment, whole ones. It never jumps, as a clock does that is set, and times what lasts for a while. */
  elapsed?: () => number
  /** Layers of the embedder's own, outside of shaping: they see what the client will see. */
  middlewares?: readonly Middleware[]
  /** Servers of this process, by name, beside those of the configuration: each is called with its end of a new connection. */
  servers?: Readonly<Record<string, Serve>>
  /** Modules of the embedder's own, which `use` may name in `modules`. */
  modules?: readonly ModuleDefinition[]
  signIn?: SignInParts
  /** The actions of the console by this program. Absent: it shows no clients to connect, and changes no file. */
  console?: ConsoleHost
}

/** One proxy: it serves clients in four ways, and reports on its servers, modules and savings. */
export interface Gateway {
  /** Begins to serve. `url`: where clients connect; absent over stdio. `bridge`: where scripts do, when there is a bridge. `console`: its page, when it is served. */
  start(): Promise<{ url?: string; bridge?: string; console?: string }>
  /**
   * Serves one more client, in this process: `transport` is its other end, such as one of the pair that `InMemoryTransport` of the MCP SDK
   * makes. It is a client of its own, which owns what is kept for it. Without `start`.
   */
  connect(transport: Transport): Promise<Connected>
  /**
   * Serves Streamable HTTP at `/mcp` of a server that has web-standard handlers: `(request) => gateway.fetch(request)`. Without `start`.
   * Requests are checked as those of a listener on `proxySettings.host` are, so with the default only those to `localhost` are answered.
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** The same for a server of `node:http`, Express and the like. Nothing may have read the body of the request. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => void
  /** Resolves when the client of a stdio gateway left, and when no client came to one with a socket for `lingerSeconds`. */
  readonly ended: Promise<void>
  /** Connects every server once and tells how that went. */
  check(): Promise<ServerStatus[]>
  status(): ServerStatus[]
  /** The savings of this run so far. */
  savings(): Promise<SavingsReport>
  /** The savings of other runs, of all replicas that share the store. Undefined: there are none, or the store cannot be asked. */
  savingsOfReplicas(): Promise<SavingsDay[] | undefined>
  /** The modules in their order, the one nearest to the client first. */
  modules(): ModuleStatus[]
  /** The profiles that clients may choose, with what they get of each now. Asks the servers. */
  profiles(): Promise<ProfileStatus[]>
  /**
   * Patterns that fit nothing that servers list now, for any client. They come from the options of modules and from the lists of tools
   * that may be used. Asks the servers.
   */
  unmatched(): Promise<(UnmatchedPattern | UnmatchedTool)[]>
  /** All that stands around an exchange, modules included, from the client to the servers. */
  layers(): LayerStatus[]
  /** The definitions of the servers' tools as `passthrough` lists them to a client without a profile. Asks the servers. */
  definitions(): Promise<JsonObject[]>
  /** The modules, once each has had the time to start. */
  checkModules(): Promise<ModuleStatus[]>
  /**
   * Takes the servers of this configuration from now on, with their limits, their quotas and the lists of tools that may be used. A server that is the same keeps its
   * connections, and calls under way end where they began. All other settings stay what they were.
   */
  reconfigure(next: Config): Promise<Reconfigured>
  /** Pins or names what the client over standard input keeps. False: nothing is kept under this handle. */
  mark(handle: string, mark: Mark): Promise<boolean>
  /** Forgets the tokens for a server, and revokes them where that can be done. */
  signOut(server: string): Promise<'revoked' | 'forgotten' | 'nothing kept'>
  /**
   * Goes away from a balancer (`proxySettings.drain`): `/readyz` says 503 at once, then no connection is taken. Resolves when no call runs any
   * more, or when the time for them is over. `close` comes after it.
   */
  drain(): Promise<void>
  /** Ends sessions, servers and workers; kept results go to disk. Waits for a report of savings. Safe to call again. */
  close(): Promise<void>
}

/** A client of this process. */
export interface Connected {
  /** Resolves when the client closed its end, or `close` was called. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** How the proxy signs in to servers, where that is not as the configuration says. */
export interface SignInParts {
  /** Where tokens are kept, when not in the data directory. */
  dataDir?: string
  /** False: no sign-in begins; an error says which command does it. */
  interactive?: boolean
  /** Told the address of every sign-in that begins. */
  tell?: (server: string, link: string) => void
  /** Environment and system in which a browser is looked for. */
  environment?: Readonly<Record<string, string | undefined>>
  platform?: string
}

/** A pattern of these lists that fits no tool. */
export interface UnmatchedTool {
  /** The profile that lists it; absent: the list for all. */
  readonly server?: string
  /** `tools.deny` of a server, `dispatch.allow` for all. */
  readonly option: string
  readonly pattern: string
}

/** `feature`: part of the proxy. `layer`: of the embedder. */
export interface OnionLayer {
  readonly name: string
  readonly kind: 'feature' | 'layer' | 'module'
}

/** A layer around every exchange. */
export interface LayerStatus extends OnionLayer {
  /** Its work; of a module what it is: `use: block`. Empty for layers of the embedder. */
  readonly what: string
}

/** One of the list, as `status` and `doctor` show it. */
export interface ModuleStatus extends ModuleHealth {
  name: string
  /** `use: block`, `command: node`, `url: …`, `path: …`. */
  what: string
  mode: 'enforce' | 'audit'
}

/** A pattern that means items of servers, and fits none of them. */
export interface UnmatchedPattern {
  module: string
  readonly option: string
  readonly pattern: string
  /** A listed name that looks like it. */
  readonly meant?: string
}

/** A profile, with the items that its clients get. */
export interface ProfileStatus extends Profile {
  /** The servers that it is about. */
  readonly servers: readonly string[]
  /** How many tools of theirs belong to it. */
  readonly tools: number
}
