/** How the tools of the servers are offered: nothing in the way of those that pass through. */
import { identityOf } from '../config/identity.ts'
import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/engine.ts'
import type { Client, Exchange, Middleware } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Result } from '../protocol/result.ts'
import type { Logger } from '../telemetry/log.ts'
import { PROXY_TOOL_NAMES } from '../tools/index.ts'
import { ourInstructions } from '../tools/instructions.ts'
import type { ServerStatus } from '../upstream/upstreams.ts'

export interface ExposureParts {
  engine: Engine
  logger: Logger
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  status(): readonly ServerStatus[]
  /** The list of tools of one client changed by what it asked. */
  toolsChanged(client: Client): void
}

/** A result as a client may have it: one that is too large becomes a preview of what is kept. */
export type Bounded = (exchange: Exchange, result: JsonObject) => Promise<Result>

export interface Exposure {
  /** `bounded` is how an answer of the proxy's own goes out. */
  layers(bounded: Bounded): readonly Middleware[]
  /** The proxy's own part of the server instructions. */
  instructions: string
  /** False: the list of tools that this client sees stays the same, whatever happens at the servers. */
  toolsChange(client: Client): boolean
  /** The configuration has these servers now. */
  configure(servers: readonly string[]): void
  close(): Promise<void>
}

/** What it needs is loaded by those alone who want it. */
export async function openExposure(
  { settings, servers, file }: Pick<Config, 'settings' | 'servers' | 'file'>,
  { engine, logger, elapsed, status, toolsChanged }: ExposureParts,
): Promise<Exposure> {
  if (settings.exposure !== 'retrieve')
    return {
      layers: () => [],
      instructions: ourInstructions(),
      toolsChange: () => true,
      configure() {},
      close: async () => {},
    }
  const [{ createRetrieve }, { ToolPools }, { openFinder }] = await Promise.all([
    import('../exposure/retrieve/retrieve.ts'),
    import('../discovery/pools.ts'),
    import('../discovery/open-finder.ts'),
  ])
  const { retrieve, index } = settings
  const finder = await openFinder({
    engine: index.engine,
    model: index.model,
    vectorStore: index.vectorStore,
    dataDir: settings.dataDir,
    // A file stays the same configuration when servers are added to it; without one the servers are all there is.
    part: file ?? identityOf({ servers }),
    reset: settings.resetData,
    servers: servers.map(({ name }) => name),
    environment: process.env,
    logger,
  })
  const pools = new ToolPools({
    ...retrieve.pool,
    limit: retrieve.poolLimit,
    maxAgents: settings.maxTotalAgents,
    now: elapsed,
  })
  const dynamic = retrieve.routing === 'dynamic'
  return {
    layers: (bounded) => [
      createRetrieve({
        ...retrieve,
        budget: settings.maxResponseSize,
        ownTools: PROXY_TOOL_NAMES,
        finder,
        registry: dynamic ? { pools, changed: toolsChanged } : undefined,
        bounded,
        failing: () => failingOf(status()),
        countTokens: (texts) => engine.countTokens(texts),
      }),
    ],
    instructions: ourInstructions(retrieve),
    toolsChange: (client) =>
      retrieve.listWithinTokens > 0 || (dynamic && (pools.peek(client.agent.id)?.names.length ?? 0) > 0),
    configure: (servers) => finder.retain(servers),
    close: () => finder.close(),
  }
}

function failingOf(status: readonly ServerStatus[]): Map<string, string> {
  return new Map(
    status.flatMap(({ server, state, lastError }) =>
      state === 'ready' || lastError === undefined ? [] : [[server, lastError] as const],
    ),
  )
}
