/** The cache of tool results, for those alone who want it. */
import type { Config } from '../config/schema.ts'
import type { Audience } from '../downstream/audience.ts'
import { PROXY_TOOL_NAMES } from '../exposure/names.ts'
import type { ResultCache } from '../modules/result-cache/result-cache.ts'

const MAX_BYTES = 64 * 1024 * 1024

export async function openResultCache(
  { settings: { toolCache } }: Config,
  audience: Audience,
  elapsed: () => number,
): Promise<ResultCache | undefined> {
  if (toolCache.ttlMs === 0) return undefined
  const { createResultCache } = await import('../modules/result-cache/result-cache.ts')
  const cache = createResultCache({
    ttl: toolCache.ttlMs,
    tools: toolCache.tools,
    maxBytes: MAX_BYTES,
    exempt: PROXY_TOOL_NAMES,
    now: elapsed,
  })
  audience.listen((list) => {
    if (list === 'tools') cache.forget()
  })
  return cache
}
