/** How the tools of the servers are offered: nothing in the way of those that pass through. */
import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/engine.ts'
import type { Client, Middleware } from '../protocol/exchange.ts'
import type { Logger } from '../telemetry/log.ts'
import { PROXY_TOOL_NAMES } from '../tools/index.ts'
import { ourInstructions } from '../tools/instructions.ts'

export interface ExposureParts {
  engine: Engine
  logger: Logger
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  /** The list of tools of one client changed by what it asked. */
  toolsChanged(client: Client): void
}

export interface Exposure {
  layers: readonly Middleware[]
  /** The proxy's own part of the server instructions. */
  instructions: string
  /** False: the list of tools that a client sees stays the same, whatever happens at the servers. */
  toolsChange: boolean
  /** The configuration has these servers now. */
  configure(servers: readonly string[]): void
  close(): Promise<void>
}

/** What it needs is loaded by those alone who want it. */
export async function openExposure(
  { settings, servers }: Pick<Config, 'settings' | 'servers'>,
  { engine, logger, elapsed, toolsChanged }: ExposureParts,
): Promise<Exposure> {
  if (settings.exposure !== 'retrieve')
    return {
      layers: [],
      instructions: ourInstructions(),
      toolsChange: true,
      configure() {},
      close: async () => {},
    }
  const [{ createRetrieve }, { ToolPools }, { openFinder }] = await Promise.all([
    import('../exposure/retrieve/retrieve.ts'),
    import('../discovery/pools.ts'),
    import('../discovery/open-finder.ts'),
  ])
  const { toolsLimit, engine: search, model, vectorStore, ...retrieve } = settings.retrieve
  const finder = await openFinder({
    engine: search,
    model,
    vectorStore,
    dataDir: settings.dataDir,
    reset: settings.resetData,
    servers: servers.map(({ name }) => name),
    environment: process.env,
    logger,
  })
  const pools = new ToolPools({ limit: toolsLimit, maxAgents: settings.maxTotalAgents, now: elapsed })
  const layer = createRetrieve({
    ...retrieve,
    budget: settings.maxResponseSize,
    ownTools: PROXY_TOOL_NAMES,
    finder,
    registry: retrieve.routing === 'dynamic' ? { pools, changed: toolsChanged } : undefined,
    countTokens: (texts) => engine.countTokens(texts),
  })
  return {
    layers: [layer],
    instructions: ourInstructions(retrieve.routing),
    toolsChange: retrieve.routing === 'dynamic' || retrieve.listWithinTokens > 0,
    configure: (servers) => finder.retain(servers),
    close: () => finder.close(),
  }
}
