/** Where kept results lie, as the settings say. */

import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/contract.ts'
import type { Logger } from '../observe/log.ts'
import { createMemoryStore } from '../store/memory.ts'
import { createKeeper, KEEPER_LIMITS, type Keeper, type KeeperOptions } from '../store/result-store.ts'
import { STORES } from '../store/stores.ts'

export async function openKeeper(
  config: Config,
  engine: Engine,
  logger: Logger,
  now: () => number,
): Promise<Keeper> {
  const { settings } = config
  const backing = await STORES[settings.store].open({
    dataDir: settings.dataDir,
    maxBytes: settings.cacheDiskMaxBytes,
    maxAge: settings.cacheDiskMaxAgeSeconds * 1000,
    now,
  })
  return createKeeper({
    ...KEEPER_LIMITS,
    ...keeperLimits(settings),
    memory: createMemoryStore(),
    ...(backing && { backing }),
    now,
    onDrop: ({ hash }) => engine.forget(hash),
    onError: (error) => logger.error({ err: error }, 'a kept result could not be stored'),
  })
}

/** What the settings say of how much is kept, and for how long. */
export function keeperLimits(settings: Config['settings']) {
  return {
    ttl: settings.cacheTTLSeconds * 1000,
    maxEntriesPerAgent: settings.maxEntriesPerAgent,
    maxBytesPerAgent: settings.maxMemoryPerAgent,
    maxAgents: settings.maxTotalAgents,
    isolation: settings.enableAgentIsolation,
    maxEntries: settings.cacheMaxEntries,
  } satisfies Partial<KeeperOptions>
}
