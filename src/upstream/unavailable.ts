/** Servers that a client cannot reach now, in words for a model. */
import type { Client } from '../protocol/exchange.ts'
import { ellipsis } from '../text/shorten.ts'
import type { Upstreams } from './contract.ts'

/** A server that could not be connected, or was lost and is not back. */
export interface Unavailable {
  readonly server: string
  /** The last failure, without secrets, in one line of at most 200 characters. */
  readonly reason: string
}

const LONGEST_REASON = 200

/** Those of the client's servers that failed and have not been connected since, in the order of the configuration. */
export function unavailableServers(
  upstreams: Pick<Upstreams, 'status' | 'serversFor'>,
  client: Client | undefined,
): Unavailable[] {
  const reached = new Set(upstreams.serversFor(client))
  return upstreams.status().flatMap(({ server, state, lastError }) => {
    if (state === 'ready' || lastError === undefined || !reached.has(server)) return []
    const reason = lastError.replace(`server \`${server}\`: `, '').replaceAll(/\s+/gu, ' ')
    return { server, reason: ellipsis(reason, LONGEST_REASON) }
  })
}
