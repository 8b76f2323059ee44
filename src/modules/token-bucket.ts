/** How often somebody may do something: so many at once, and so many a second from then on. */

export interface BucketOptions {
  /** Tokens that come back in a second; more than 0. */
  rate: number
  /** Tokens that can be saved; at least 1. */
  burst: number
  /** Milliseconds; must not go back. */
  now: () => number
}

/** Allowed, or the milliseconds after which it will be. */
export type Permission = { allowed: true } | { allowed: false; retryAfter: number }

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
