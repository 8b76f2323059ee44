/** Wires the exposure `retrieve`. */
import { ToolPools } from '../discovery/pools.ts'
import { PROXY_TOOL_NAMES } from '../exposure/names.ts'
import { createRetrieve } from '../exposure/retrieve/retrieve.ts'
import { ourInstructions } from '../tools/instructions.ts'
import type { ServerStatus } from '../upstream/upstreams.ts'
import type { Exposure, ExposureConfig, ExposureParts } from './exposure-contract.ts'
import { finderOf } from './finder.ts'

export async function openRetrieve(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  const { settings } = config
  const { retrieve } = settings
  const { engine, upstreams, elapsed, toolsChanged, events, logger } = parts
  const finder = await finderOf(config, logger)
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
        events,
        registry: dynamic ? { pools, changed: toolsChanged } : undefined,
        bounded,
        failing: (client) => failingOf(upstreams.status(), upstreams.serversFor(client)),
        countTokens: (texts) => engine.countTokens(texts),
      }),
    ],
    instructions: ourInstructions(retrieve),
    toolsChange: (client) =>
      retrieve.listWithinTokens > 0 || (dynamic && (pools.peek(client.agent.id)?.names.length ?? 0) > 0),
    configure: ({ servers }) => finder.retain(servers.map(({ name }) => name)),
    close: () => finder.close(),
  }
}

function failingOf(status: readonly ServerStatus[], servers: readonly string[]): Map<string, string> {
  return new Map(
    status.flatMap(({ server, state, lastError }) =>
      state === 'ready' || lastError === undefined || !servers.includes(server)
        ? []
        : [[server, lastError] as const],
    ),
  )
}
