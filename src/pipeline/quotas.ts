/** How often tools of a server may be called, by all clients together (seed S1, section 7: a token bucket for each server). */
import { TokenBucket } from '../modules/token-bucket.ts'

export interface Quota {
  /** Calls that come back in a second. */
  readonly rps: number
  /** Calls that may be made at once after a pause. Default: as many as in a second, one at least. */
  readonly burst?: number | undefined
}

/** Takes a call of this server; a text for the model where there is none left. */
export type Quotas = (server: string) => string | undefined

/** @param now milliseconds by a clock that nobody sets */
export function createQuotas(quotas: Readonly<Record<string, Quota>>, now: () => number): Quotas {
  const buckets = new Map(
    Object.entries(quotas).map(([server, { rps, burst = Math.floor(rps) }]) => [
      server,
      new TokenBucket({ rate: rps, burst: Math.max(1, burst), now }),
    ]),
  )
  return (server) => {
    const permission = buckets.get(server)?.take()
    if (permission === undefined || permission.allowed) return undefined
    const seconds = Math.ceil(permission.retryAfter / 1000)
    return `Server \`${server}\` has had as many calls as it is allowed here. Nothing was called; try again in ${seconds} s.`
  }
}
