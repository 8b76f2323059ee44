/** The quotas of the servers, as the configuration has them now. */
import type { ServerConfig } from '../../config/servers.ts'
import { createQuotas, type Quotas } from '../../proxy/routes.ts'

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
