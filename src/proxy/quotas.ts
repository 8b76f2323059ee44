/** How often tools of a server may be called, by all clients together: a token bucket for each server. */
import type { ServerConfig } from '../config/servers.ts'
import { createBuckets, type Rate } from '../protocol/rate.ts'

/** Takes a call of this server; a text for the model where there is none left. */
export type Quotas = (server: string) => string | undefined

/** @param now milliseconds by a clock that nobody sets */
export function createQuotas(quotas: Readonly<Record<string, Rate>>, now: () => number): Quotas {
  const takes = new Map(Object.entries(quotas).map(([server, rate]) => [server, createBuckets(rate, now)]))
  return (server) => {
    const seconds = takes.get(server)?.(server)
    if (seconds === undefined) return undefined
    return `Server \`${server}\` has had as many calls as it is allowed here. Nothing was called; try again in ${seconds} s.`
  }
}

export interface ServerQuotas {
  readonly take: Quotas
  /** Who has the quota it had before goes on with what is left of it. */
  configure(servers: readonly ServerConfig[]): void
}

/** @param now milliseconds by a clock that nobody sets */
export function createServerQuotas(now: () => number): ServerQuotas {
  let kept = new Map<string, { written: string; take: Quotas }>()
  return {
    take: (server) => kept.get(server)?.take(server),
    configure(servers) {
      const limited = servers.flatMap(({ name, quota }) => (quota ? [{ name, quota }] : []))
      kept = new Map(
        limited.map(({ name, quota }) => {
          const written = JSON.stringify(quota)
          const known = kept.get(name)
          if (known?.written === written) return [name, known]
          return [name, { written, take: createQuotas({ [name]: quota }, now) }]
        }),
      )
    },
  }
}
