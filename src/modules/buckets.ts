/** Buckets of tokens by key: of servers, of clients, of tools. */
import { TokenBucket } from './token-bucket.ts'

export interface Rate {
  /** Calls that come back in a second. */
  readonly rps: number
  /** Calls that may be made at once after a pause. Default: as many as in a second, one at least. */
  readonly burst?: number | undefined
}

/** Takes a call of this key; the seconds to wait where there is none left. */
export type Take = (key: string) => number | undefined

/** Buckets that are kept; the one used longest ago goes first, which gives who had it a full one. */
const MAX_BUCKETS = 10_000

/** @param now milliseconds by a clock that nobody sets */
export function createBuckets({ rps, burst = Math.floor(rps) }: Rate, now: () => number): Take {
  const buckets = new Map<string, TokenBucket>()
  return (key) => {
    const bucket = buckets.get(key) ?? new TokenBucket({ rate: rps, burst: Math.max(1, burst), now })
    buckets.delete(key)
    buckets.set(key, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > MAX_BUCKETS && oldest !== undefined) buckets.delete(oldest)
    const permission = bucket.take()
    return permission.allowed ? undefined : Math.ceil(permission.retryAfter / 1000)
  }
}
