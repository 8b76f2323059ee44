/** Servers without the tools that are not to be used: nobody above is told of them or reaches them, however tools are offered. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ServerList, Upstreams } from './upstreams.ts'

/** Whether a tool of a server, by the server's own name for it, may be used. */
export type Permits = (server: string, tool: string) => boolean

export interface FilteredUpstreams extends Upstreams {
  /** From now on these tools may be used. Undefined: all. */
  permit(permits: Permits | undefined): void
}

export function withToolFilter(upstreams: Upstreams, first: Permits | undefined): FilteredUpstreams {
  let permits = first
  /** The same list stays the same object: names are given anew for another one. */
  let filtered = new WeakMap<readonly JsonObject[], readonly JsonObject[]>()
  /** How many tools of a server were left out last. */
  let hidden = new Map<string, number>()

  function permitted({ server, items, ...rest }: ServerList, allows: Permits): ServerList {
    const known = filtered.get(items)
    const kept = known ?? items.filter(({ name }) => typeof name === 'string' && allows(server, name))
    if (known === undefined) filtered.set(items, kept.length === items.length ? items : kept)
    hidden.set(server, items.length - kept.length)
    return { server, items: filtered.get(items) ?? kept, ...rest }
  }

  return {
    get servers() {
      return upstreams.servers
    },
    permit(next) {
      permits = next
      filtered = new WeakMap()
      hidden = new Map()
    },
    status: () =>
      upstreams.status().map((status) => {
        const left = hidden.get(status.server) ?? 0
        return status.tools === undefined || left === 0 ? status : { ...status, tools: status.tools - left }
      }),
    async list(kind, client, signal) {
      const lists = await upstreams.list(kind, client, signal)
      const allows = permits
      return kind === 'tools' && allows ? lists.map((list) => permitted(list, allows)) : lists
    },
    surely: (kind, server, client, signal) => upstreams.surely(kind, server, client, signal),
    async request(server, request, exchange) {
      const name = request.method === 'tools/call' ? request.params?.name : undefined
      // As if there were none: who may not use it need not know of it.
      if (permits && typeof name === 'string' && !permits(server, name))
        throw new RpcError(RPC.invalidParams, `Unknown tool: ${name.slice(0, 200)}`)
      return upstreams.request(server, request, exchange)
    },
    serversFor: (client) => upstreams.serversFor(client),
    open: (client) => upstreams.open(client),
    known: (server) => upstreams.known(server),
    refresh: (kind, client, servers) => upstreams.refresh(kind, client, servers),
    everywhere: (request, capability, exchange) => upstreams.everywhere(request, capability, exchange),
    broadcast: (notification, client) => upstreams.broadcast(notification, client),
    configure: (servers) => upstreams.configure(servers),
    release: (client) => upstreams.release(client),
    close: () => upstreams.close(),
  }
}
