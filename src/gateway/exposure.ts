/** How the tools of the servers are offered: nothing in the way of those that pass through. */
import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/engine.ts'
import type { Client, Middleware } from '../protocol/exchange.ts'
import { PROXY_TOOL_NAMES } from '../tools/index.ts'

export interface ExposureParts {
  engine: Engine
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  /** The list of tools of one client changed by what it asked. */
  toolsChanged(client: Client): void
}

/** Loaded by those alone who want it. */
export async function openExposure(
  settings: Config['settings'],
  { engine, elapsed, toolsChanged }: ExposureParts,
): Promise<Middleware[]> {
  if (settings.exposure !== 'retrieve') return []
  const [{ createRetrieve }, { ToolPools }] = await Promise.all([
    import('../exposure/retrieve/retrieve.ts'),
    import('../discovery/pools.ts'),
  ])
  const { toolsLimit, ...retrieve } = settings.retrieve
  const pools = new ToolPools({ limit: toolsLimit, maxAgents: settings.maxTotalAgents, now: elapsed })
  return [
    createRetrieve({
      ...retrieve,
      budget: settings.maxResponseSize,
      ownTools: PROXY_TOOL_NAMES,
      registry: retrieve.routing === 'dynamic' ? { pools, changed: toolsChanged } : undefined,
      countTokens: (texts) => engine.countTokens(texts),
    }),
  ]
}
