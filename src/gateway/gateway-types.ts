/** What a gateway is to whoever runs or embeds one. */

import type { Readable, Writable } from 'node:stream'
import type { Config } from '../config/schema.ts'
import type { ModuleDefinition } from '../module-runtime/module.ts'
import type { Logger } from '../observe/log.ts'
import type { SavingsReport } from '../observe/savings-report.ts'
import type { Middleware } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Reconfigured, ServerStatus } from '../upstream/contract.ts'
import type { Serve } from '../upstream/in-process.ts'
import type { SignedOut } from '../upstream/oauth/authorizer.ts'
import type { ModuleStatus, UnmatchedPattern } from './modules.ts'
import type { LayerStatus } from './onion.ts'
import type { ProfileStatus } from './profile-status.ts'
import type { SignInParts, UnmatchedTool } from './servers.ts'

/** The world outside, for tests and embedding. What is absent is the real one. */
export interface GatewayParts {
  logger?: Logger
  /** Where the one client of a stdio gateway speaks and listens. */
  input?: Readable
  output?: Writable
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
}

export interface Gateway {
  /** Begins to serve. `url`: where clients connect; absent over stdio. `bridge`: where scripts do, when there is a bridge. */
  start(): Promise<{ url?: string; bridge?: string }>
  /** Resolves when the client of a stdio gateway left. */
  readonly ended: Promise<void>
  /** Connects every server once and tells how that went. */
  check(): Promise<ServerStatus[]>
  status(): ServerStatus[]
  savings(): Promise<SavingsReport>
  /** The modules in their order, the one nearest to the client first. */
  modules(): ModuleStatus[]
  /** The profiles that clients may choose, with what they get of each now. Asks the servers. */
  profiles(): Promise<ProfileStatus[]>
  /** Patterns in the options of modules, and in the lists of tools that may be used, that fit nothing of what servers list now, for no client. Asks the servers. */
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
  /** Forgets the tokens for a server, and revokes them where that can be done. */
  signOut(server: string): Promise<SignedOut>
  /** Ends sessions, servers and workers; kept results go to disk. Waits for a report of savings. Safe to call again. */
  close(): Promise<void>
}
