/** Caching hints of a list that was put together (MCP 2026-07-28, server/utilities/caching). */
import type { Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { LISTS, type ListKind, type ServerList, type Upstreams } from '../upstream/contract.ts'

/**
 * Members for a joined list: as fresh as the shortest-lived part, private when any part is. A server that says nothing, or gave no
 * list this time, makes it one that is not to be kept. Nothing for legacy clients, who know no such members.
 *
 * A list's own `_meta` is left out: it is one server's word about its list, and this is the list of all.
 */
export function joinHints(
  kind: ListKind,
  lists: readonly ServerList[],
  upstreams: Upstreams,
  { client }: Exchange,
): JsonObject {
  if (client.era !== 'modern') return {}
  const parts = upstreams
    .serversFor(client)
    .filter((server) => mayOffer(upstreams.known(server), LISTS[kind].capability))
  const hints = parts.map((server) => lists.find((list) => list.server === server)?.hints)
  const known = hints.filter((hint) => hint !== undefined)
  if (known.length === 0 || known.length < hints.length) return { ttlMs: 0, cacheScope: 'private' }
  return {
    ttlMs: Math.min(...known.map(({ ttlMs }) => ttlMs)),
    cacheScope: known.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  }
}

/** False only for a server that said what it can do and left this out; `initialize` is what is known of it, if anything. */
export function mayOffer(initialize: JsonObject | undefined, capability: string): boolean {
  const capabilities = initialize && own(initialize, 'capabilities')
  return !isObject(capabilities) || own(capabilities, capability) !== undefined
}
