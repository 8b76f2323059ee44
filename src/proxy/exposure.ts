/** An exposure: how the tools of the servers are offered. Contract; `retrieve` and `dispatch` implement it. */
import { dirname } from 'node:path'
import { identityOf } from '../config/identity.ts'
import type { Config } from '../config/schema.ts'
import type { Finder } from '../discovery/finder.ts'
import { openFinder } from '../discovery/open-finder.ts'
import type { Engine } from '../engine/contract.ts'
import type { Logger } from '../observe/log.ts'
import type { Result } from '../protocol/content.ts'
import type { Agent, Client, Exchange, Middleware } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResultStore } from '../store/result-store.ts'
import type { Upstreams } from '../upstream/contract.ts'
import type { ToolIndexEvents } from './tool-index.ts'

export type ExposureConfig = Pick<Config, 'settings' | 'servers' | 'file'>

export interface ExposureParts {
  engine: Engine
  resultStore: ResultStore
  upstreams: Upstreams
  logger: Logger
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds by a monotonic clock. */
  elapsed: () => number
  /** The list of tools of one client changed by what it asked. */
  toolsChanged(client: Client): void
  /** The events beside the exchanges. */
  events: ToolIndexEvents
  /** Types of what the tool has given this agent. Absent: types are not remembered. */
  outputTypes?: OutputTypesOf | undefined
}

/** Types of what a tool has given an agent, the latest first, a line each. */
export type OutputTypesOf = (agent: Agent, definition: JsonObject) => readonly string[]

/** A result as a client may have it: one that is too large becomes a preview of what is kept. */
export type Bounded = (exchange: Exchange, result: JsonObject) => Promise<Result>

export interface Exposure {
  /** `bounded` is how an answer of the proxy's own goes out. */
  layers(bounded: Bounded): readonly Middleware[]
  /** The proxy's own part of the server instructions. */
  instructions: string
  /** False: the list of tools that this client sees stays the same, whatever happens at the servers. */
  toolsChange(client: Client): boolean
  /** The configuration is this from now on. */
  configure(config: ExposureConfig): void
  close(): Promise<void>
}

// The search for tools, as the configuration wants it.

export function finderOf({ settings, servers, file }: ExposureConfig, logger: Logger): Promise<Finder> {
  const { index } = settings
  return openFinder({
    engine: index.engine,
    languages: index.languages,
    learn: index.learn,
    model: index.model,
    directory: file === undefined ? undefined : dirname(file),
    vectorStore: index.vectorStore,
    dataDir: settings.dataDir,
    // A file stays the same configuration when servers are added to it; without one the servers are all there is.
    part: file ?? identityOf({ servers }),
    reset: settings.resetData,
    servers: servers.map(({ name }) => name),
    environment: process.env,
    logger,
  })
}
