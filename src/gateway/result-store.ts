/** Where kept results lie, as the settings say. */

import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { isLocal } from '../config/loopback.ts'
import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/contract.ts'
import type { Logger } from '../observe/log.ts'
import { createMemoryStore } from '../store/memory.ts'
import {
  createResultStore,
  RESULT_STORE_LIMITS,
  type ResultStore,
  type ResultStoreOptions,
} from '../store/result-store.ts'
import type { Store } from '../store/store.ts'
import { openSharedStore, STORES } from '../store/stores.ts'
import type { SharedValues } from '../store/valkey/values.ts'

/** `shared`: what proxies of one store know together beside results; undefined where the store is of this proxy alone. */
export async function openResultStore(
  config: Config,
  engine: Engine,
  logger: Logger,
  now: () => number,
  maxBytes: number = RESULT_STORE_LIMITS.maxBytes,
): Promise<{ resultStore: ResultStore; shared: SharedValues | undefined }> {
  const { settings } = config
  const backing = await openBacking(settings, logger, now)
  const resultStore = createResultStore({
    ...RESULT_STORE_LIMITS,
    ...resultStoreLimits(settings),
    maxBytes,
    memory: createMemoryStore(),
    ...(backing && { backing }),
    now,
    onDrop: ({ hash }) => engine.forget(hash),
    onError: (error) => logger.error({ err: error }, 'a kept result could not be stored'),
  })
  return { resultStore, shared: backing?.values }
}

async function openBacking(
  settings: Config['settings'],
  logger: Logger,
  now: () => number,
): Promise<(Store & { readonly values?: SharedValues }) | undefined> {
  const common = {
    dataDir: settings.dataDir,
    maxBytes: settings.cacheDiskMaxBytes,
    maxAge: settings.cacheDiskMaxAgeSeconds * 1000,
    now,
  }
  if (typeof settings.store === 'string') return STORES[settings.store].open(common)
  const refused = sometimes(now, (reason) => logger.warn({ reason }, 'a kept result is not shared'))
  return openSharedStore(settings.store, {
    ...common,
    scope: scopeOf(settings),
    onUp: (place) => logger.info({ store: place }, 'kept results are shared'),
    onAway: (reason) =>
      logger.warn(
        { reason },
        'the shared store is away: results are kept by this proxy alone and not shared until it is back',
      ),
    onRefused: refused,
  })
}

/**
 * Local clients have the same names on every machine: there such a client is an owner of this machine, user and directory, as on
 * disk. Others have names of their own, or a handle as their only key.
 */
function scopeOf({ transport, enableAgentIsolation, dataDir }: Config['settings']): string {
  if (!isLocal(transport) || !enableAgentIsolation) return ''
  const here = JSON.stringify([hostname(), process.getuid?.(), dataDir])
  return createHash('sha256').update(here).digest('hex')
}

/** Milliseconds between two equal reports: what the store refuses mostly has the same reason. */
const SAME_REPORT_MS = 60_000

/** Passes on what was not said for a while. */
export function sometimes(now: () => number, tell: (reason: string) => void): (reason: string) => void {
  let last = { kind: '', at: Number.NEGATIVE_INFINITY }
  return (reason) => {
    // Sizes differ from result to result.
    const kind = reason.replace(/\d+/g, '0')
    if (kind === last.kind && now() - last.at < SAME_REPORT_MS) return
    last = { kind, at: now() }
    tell(reason)
  }
}

/** The settings for how much is kept, and for how long. */
export function resultStoreLimits(settings: Config['settings']) {
  return {
    ttl: settings.cacheTTLSeconds * 1000,
    maxEntriesPerAgent: settings.maxEntriesPerAgent,
    maxBytesPerAgent: settings.maxMemoryPerAgent,
    maxAgents: settings.maxTotalAgents,
    isolation: settings.enableAgentIsolation,
    maxEntries: settings.cacheMaxEntries,
  } satisfies Partial<ResultStoreOptions>
}
