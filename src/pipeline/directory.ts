/** Who has what: the lists of all servers for one client, under the names that client sees. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { nearest } from '../text/edit-distance.ts'
import type { ListKind, ServerList, Upstreams } from '../upstream/upstreams.ts'
import { type Named, type Names, type NamingOptions, nameAll } from './names.ts'

/** Kinds whose items carry a name the proxy may change. */
export type NamedKind = 'tools' | 'prompts'

export interface Directory {
  /** Every item of a kind as this client is to see it: the server's own object but for its name. */
  items(kind: NamedKind, exchange: Exchange): Promise<JsonObject[]>
  /** Whose item this is. Rejects with RpcError invalidParams for a name nobody has. */
  find(kind: NamedKind, name: unknown, exchange: Exchange): Promise<Named>
  /** Resources and templates, whose URIs are left alone. */
  lists(kind: ListKind, exchange: Exchange): Promise<ServerList[]>
}

export interface DirectoryOptions {
  upstreams: Upstreams
  naming: NamingOptions
  /** Names no server may have: the proxy's own tools. */
  reserved: readonly string[]
}

interface Generation {
  lists: ServerList[]
  names: Names
}

export function createDirectory({ upstreams, naming, reserved }: DirectoryOptions): Directory {
  const generations: Record<NamedKind, WeakMap<Client, Generation>> = {
    tools: new WeakMap(),
    prompts: new WeakMap(),
  }

  async function current(kind: NamedKind, exchange: Exchange): Promise<Generation> {
    const lists = await upstreams.list(kind, exchange.client, exchange.signal)
    const last = generations[kind].get(exchange.client)
    if (last && sameLists(last.lists, lists)) return last
    const named = lists.map(({ server, items }) => ({ server, names: items.map(nameOf).filter(isString) }))
    const generation = { lists, names: nameAll(named, naming, kind === 'tools' ? reserved : []) }
    generations[kind].set(exchange.client, generation)
    return generation
  }

  return {
    async items(kind, exchange) {
      const { lists, names } = await current(kind, exchange)
      // A name that a server lists twice is called once: model providers refuse a request that has it twice.
      const listed = new Set<string>()
      return lists.flatMap(({ server, items }) =>
        items.flatMap((item) => {
          const original = nameOf(item)
          const name = original === undefined ? undefined : names.exposed(server, original)
          if (name === undefined || listed.has(name)) return []
          listed.add(name)
          return [name === original ? item : { ...item, name }]
        }),
      )
    },
    async find(kind, name, exchange) {
      if (typeof name !== 'string') throw new RpcError(RPC.invalidParams, 'params.name must be a string')
      // The names this client saw last decide, so that a call never waits for a server it does not concern.
      const known = generations[kind].get(exchange.client)?.names.resolve(name)
      const found = known ?? (await current(kind, exchange)).names.resolve(name)
      if (found) return found
      const [only, ...others] = upstreams.servers
      // One server under its own names: what it says of an unknown one is what its client shall read.
      if (naming.prefix === 'never' && only !== undefined && others.length === 0) {
        return { exposed: name, server: only, original: name }
      }
      const all = generations[kind].get(exchange.client)?.names.all.map(({ exposed }) => exposed) ?? []
      throw new RpcError(RPC.invalidParams, unknownName(kind === 'tools' ? 'tool' : 'prompt', name, all))
    },
    lists: (kind, exchange) => upstreams.list(kind, exchange.client, exchange.signal),
  }
}

function unknownName(noun: string, name: string, all: readonly string[]): string {
  const near = nearest(name, all, 3)
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  return `Unknown ${noun}: ${name.slice(0, 200)}.${hint}`
}

function sameLists(a: readonly ServerList[], b: readonly ServerList[]): boolean {
  return a.length === b.length && a.every((list, index) => list.items === b[index]?.items)
}

function nameOf(item: JsonObject): string | undefined {
  return isString(item.name) ? item.name : undefined
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
