/** How the tools of the servers are offered: nothing in the way of those that pass through. */
import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import type { Finder } from '../discovery/finder.ts'
import type { Engine } from '../engine/engine.ts'
import type { Client, Middleware } from '../protocol/exchange.ts'
import type { Keeper } from '../store/keeper.ts'
import type { Logger } from '../telemetry/log.ts'
import { PROXY_TOOL_NAMES } from '../tools/index.ts'
import { ourInstructions } from '../tools/instructions.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { connectionsOf } from './connections.ts'

export interface ExposureParts {
  engine: Engine
  logger: Logger
  keeper: Keeper
  upstreams: Upstreams
  /** Milliseconds since 1970. */
  now: () => number
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
  close(): Promise<void>
}

/** What an exposure needs is loaded by those alone who want it. */
export function openExposure(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  switch (config.settings.exposure) {
    case 'passthrough':
      return Promise.resolve(passthrough)
    case 'retrieve':
      return openRetrieve(config, parts)
    case 'dispatch':
      return openDispatch(config, parts)
  }
}

type ExposureConfig = Pick<Config, 'settings' | 'servers'>

const passthrough: Exposure = {
  layers: [],
  instructions: ourInstructions(),
  toolsChange: true,
  close: async () => {},
}

async function openRetrieve(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  const [{ createRetrieve }, { ToolPools }] = await Promise.all([
    import('../exposure/retrieve/retrieve.ts'),
    import('../discovery/pools.ts'),
  ])
  const { settings } = config
  const { engine, elapsed, toolsChanged } = parts
  const { toolsLimit, engine: _, model: _model, vectorStore: _store, ...retrieve } = settings.retrieve
  const finder = await finderOf(config, parts)
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
    close: () => finder.close(),
  }
}

async function openDispatch(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  const [{ createDispatch }, { createSpills }, { createSpillDirectory, sweepSpills }] = await Promise.all([
    import('../exposure/dispatch/dispatch.ts'),
    import('../spill/spills.ts'),
    import('../spill/directory.ts'),
  ])
  const { settings, servers } = config
  const { engine, keeper, upstreams } = parts
  const base = settings.spill.dir ?? join(settings.dataDir, 'spill')
  void sweepSpills(base)
  const spills = createSpills({
    directory: createSpillDirectory(base),
    allowDirs: settings.spill.allowDirs,
    maxBytes: MAX_READ_BYTES,
  })
  const finder = await finderOf(config, parts)
  const layer = createDispatch({
    settings: {
      budget: settings.maxResponseSize,
      splitCalls: settings.dispatch.variants !== 'single',
      spill: settings.spill,
      readback: settings.readback,
    },
    ownTools: PROXY_TOOL_NAMES,
    finder,
    engine,
    keeper,
    spills,
    connections: () => connectionsOf(servers, upstreams, parts),
    refresh: async (_, { client }) => upstreams.refresh('tools', client),
  })
  return {
    layers: [layer],
    instructions: ourInstructions('dispatch'),
    toolsChange: false,
    async close() {
      await Promise.all([finder.close(), spills.close()])
    },
  }
}

/** The longest file that `readresult` and `argumentsFile` read. */
const MAX_READ_BYTES = 256 * 1024 * 1024

async function finderOf({ settings, servers }: ExposureConfig, { logger }: ExposureParts): Promise<Finder> {
  const { openFinder } = await import('../discovery/open-finder.ts')
  const { engine, model, vectorStore } = settings.retrieve
  return openFinder({
    engine,
    model,
    vectorStore,
    dataDir: settings.dataDir,
    reset: settings.resetData,
    servers: servers.map(({ name }) => name),
    environment: process.env,
    logger,
  })
}
