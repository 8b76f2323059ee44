/** Where kept results lie, as the settings say. */

import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/contract.ts'
import type { Logger } from '../observe/log.ts'
import { createMemoryStore } from '../store/memory.ts'
import { createKeeper, KEEPER_DEFAULTS, type Keeper } from '../store/result-store.ts'
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
    ...KEEPER_DEFAULTS,
    memory: createMemoryStore(),
    ...(backing && { backing }),
    ttl: settings.cacheTTLSeconds * 1000,
    maxEntriesPerAgent: settings.maxEntriesPerAgent,
    maxBytesPerAgent: settings.maxMemoryPerAgent,
    maxAgents: settings.maxTotalAgents,
    isolation: settings.enableAgentIsolation,
    maxEntries: settings.cacheMaxEntries,
    now,
    onDrop: ({ hash }) => engine.forget(hash),
    onError: (error) => logger.error({ err: error }, 'a kept result could not be stored'),
  })
}
