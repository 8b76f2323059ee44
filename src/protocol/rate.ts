/** How often somebody may do something: so many at once, and so many a second from then on. */

interface BucketOptions {
  /** Tokens that come back in a second; more than 0. */
  rate: number
  /** Tokens that can be saved; at least 1. */
  burst: number
  /** Milliseconds; must not go back. */
  now: () => number
}

/** Allowed, or the milliseconds after which it will be. */
type Permission = { allowed: true } | { allowed: false; retryAfter: number }

/** Tokens are counted when they are asked for: an idle bucket costs nothing. */
export class TokenBucket {
  readonly #rate: number
  readonly #burst: number
  readonly #now: () => number
  #tokens: number
  #counted: number

  constructor({ rate, burst, now }: BucketOptions) {
    if (!(rate > 0) || !(burst >= 1))
      throw new RangeError(`a bucket of ${burst} with ${rate} a second gives nothing`)
    this.#rate = rate
    this.#burst = burst
    this.#now = now
    this.#tokens = burst
    this.#counted = now()
  }

  /** Takes a token, if there is one. */
  take(): Permission {
    const now = this.#now()
    // A clock that was set back gives nothing and takes nothing.
    this.#tokens = Math.min(
      this.#burst,
      this.#tokens + (Math.max(0, now - this.#counted) / 1000) * this.#rate,
    )
    this.#counted = now
    if (this.#tokens >= 1 - TINY) {
      this.#tokens = Math.max(0, this.#tokens - 1)
      return { allowed: true }
    }
    return { allowed: false, retryAfter: Math.ceil(((1 - TINY - this.#tokens) / this.#rate) * 1000) }
  }
}

/** Sums of fractions fall short of 1 by less than this. */
const TINY = 1e-9

// Buckets of tokens by key: of servers, of clients, of tools.

/** How often calls may be made. */
export interface Rate {
  /** Calls that come back in a second. */
  readonly rps: number
  /** Calls that may be made at once after a pause. Default: as many as in a second, one at least. */
  readonly burst?: number | undefined
}

/** Takes a call of this key; the seconds to wait where there is none left. A promise where replicas count together. */
export type Take = (key: string) => number | undefined | Promise<number | undefined>

/** Makes the buckets of this name. */
export type OpenBuckets = (name: string, rate: Rate) => Take

/** Buckets that are kept; the one used longest ago goes first, which gives who had it a full one. */
const MAX_BUCKETS = 10_000

/** Buckets of this process alone. `now`: milliseconds by a monotonic clock. */
export function localBuckets(now: () => number): OpenBuckets {
  return (_name, rate) => {
    const buckets = new Map<string, TokenBucket>()
    return (key) => {
      const bucket = buckets.get(key) ?? new TokenBucket({ rate: rate.rps, burst: burstOf(rate), now })
      buckets.delete(key)
      buckets.set(key, bucket)
      const [oldest] = buckets.keys()
      if (buckets.size > MAX_BUCKETS && oldest !== undefined) buckets.delete(oldest)
      const permission = bucket.take()
      return permission.allowed ? undefined : Math.ceil(permission.retryAfter / 1000)
    }
  }
}

/** Tokens that a full bucket has. */
export function burstOf({ rps, burst = Math.floor(rps) }: Rate): number {
  return Math.max(1, burst)
}
