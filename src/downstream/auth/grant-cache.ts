/** Grants that need not be checked with every request. Tokens are remembered by their hashes alone. */
import { LRUCache } from 'lru-cache'
import { hashToken } from '../../config/token-file.ts'
import type { Grant } from './grant.ts'

export interface GrantCache {
  get(token: string): Grant | undefined
  /** True for a token that was good, also when it has to be checked again. */
  knows(token: string): boolean
  set(token: string, grant: Grant): void
  delete(token: string): void
}

/** Milliseconds: the longest that a token counts after it was taken back. */
const FRESH_MS = 60_000

/** `now` in milliseconds since 1970. */
export function createGrantCache({ max, now }: { max: number; now: () => number }): GrantCache {
  const kept = new LRUCache<string, { grant: Grant; until: number }>({ max })
  return {
    get(token) {
      const found = kept.get(hashToken(token))
      return found !== undefined && now() < found.until ? found.grant : undefined
    },
    knows: (token) => kept.has(hashToken(token)),
    set(token, grant) {
      const { expiresAt = Number.POSITIVE_INFINITY } = grant.principal
      kept.set(hashToken(token), { grant, until: Math.min(now() + FRESH_MS, expiresAt * 1000) })
    },
    delete: (token) => void kept.delete(hashToken(token)),
  }
}
