/** The lists of all servers for one client, under the names that client sees. */
import { ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { withOrigin } from '../protocol/origin.ts'
import { didYouMean } from '../text/words/edit-distance.ts'
import { LISTS, type ListKind, type ServerList, type Upstreams } from '../upstream/contract.ts'
import { unavailableServers } from '../upstream/unavailable.ts'
import { isPrefixed, type Named, type Names, type NamingOptions, nameAll } from './names.ts'

/** Kinds with items that carry a name which the proxy may change. */
export type NamedKind = 'tools' | 'prompts'

/** An item as this client is to see it: the server's own object but for its name. */
export interface Listed {
  readonly server: string
  readonly item: JsonObject
}

/** All items of a kind, and the lists they come from. */
export interface Listing {
  lists: readonly ServerList[]
  readonly listed: readonly Listed[]
}

export interface Directory {
  /** Every item of a kind; the same object while nothing changed. */
  list(kind: NamedKind, exchange: Exchange): Promise<Listing>
  /**
   * The item with this listed name: at once for a name the client has seen, otherwise after asking the servers. Throws or rejects with
   * RpcError invalidParams for a name that nothing has, and with ProxyError for a name of a server that has given no list.
   */
  find(kind: NamedKind, name: unknown, exchange: Exchange): Named | Promise<Named>
  /** True for a listed name, as far as lists tell that were seen, and for one that no server may have. */
  isGiven(kind: NamedKind, name: string, client: Client): boolean
}

export interface DirectoryOptions {
  upstreams: Upstreams
  naming: NamingOptions
  /** Names no server may have: the proxy's own tools. */
  reserved: readonly string[]
}

interface Generation extends Listing {
  names: Names
}

/** Most names in an error. */
const SHOWN = 10

export function createDirectory({ upstreams, naming, reserved }: DirectoryOptions): Directory {
  const generations: Record<NamedKind, WeakMap<Client, Generation>> = {
    tools: new WeakMap(),
    prompts: new WeakMap(),
  }

  const withheld = new Set(reserved)

  /** The names that were given last, to any client. */
  const latest: Partial<Record<NamedKind, Names>> = {}

  /** The names this client saw last decide, so that a call never waits for a server it does not concern. */
  function known(kind: NamedKind, name: string, client: Client): Named | undefined {
    // A client that has seen no list calls a name that it knows from another client or an earlier session.
    return still(seen(kind, client)?.given.get(name), client)
  }

  function seen(kind: NamedKind, client: Client): Names | undefined {
    return generations[kind].get(client)?.names ?? latest[kind]
  }

  /** The configuration may have lost the server since, and not every client may have every server. */
  function still(named: Named | undefined, client: Client): Named | undefined {
    return named && upstreams.serversFor(client).includes(named.server) ? named : undefined
  }

  async function current(kind: NamedKind, exchange: Exchange): Promise<Generation> {
    const lists = await upstreams.list(kind, exchange.client, exchange.signal)
    // Read after waiting: two requests at once must not both follow the same generation.
    const last = generations[kind].get(exchange.client)
    if (last && sameLists(last.lists, lists)) {
      last.lists = lists
      return last
    }
    const named = lists.map(({ server, items }) => ({ server, names: items.map(nameOf).filter(isString) }))
    const names = nameAll(named, naming, kind === 'tools' ? reserved : [], last?.names)
    const generation = { lists, names, listed: listedUnder(names, lists) }
    generations[kind].set(exchange.client, generation)
    latest[kind] = names
    return generation
  }

  async function search(kind: NamedKind, name: string, exchange: Exchange): Promise<Named> {
    const { names, lists } = await current(kind, exchange)
    const found = still(names.given.get(name), exchange.client)
    if (found) return found
    const [only, ...others] = upstreams.serversFor(exchange.client)
    // One server under its own names: what it says of an unknown one is what its client shall read.
    if (naming.prefix === 'never' && only !== undefined && others.length === 0) {
      return { exposed: name, server: only, original: name }
    }
    const absent = ownerNotThere(name, lists, exchange.client)
    if (absent !== undefined) throw absent
    const text = unresolved(kind === 'tools' ? 'tool' : 'prompt', name, names)
    throw new RpcError(RPC.invalidParams, text + silent(upstreams, lists, exchange.client))
  }

  /** A name that begins with that of a server which gave no list can only be one of that server's. */
  function ownerNotThere(name: string, lists: readonly ServerList[], client: Client): ProxyError | undefined {
    const heard = new Set(lists.map(({ server }) => server))
    const owner = upstreams
      .serversFor(client)
      .find((server) => !heard.has(server) && isPrefixed(name, server, naming))
    if (owner === undefined) return undefined
    const reason = unavailableServers(upstreams, client).find(({ server }) => server === owner)?.reason
    return reason === undefined
      ? new ProxyError(
          'UPSTREAM_CONNECT',
          `server \`${owner}\` has not answered yet, so it is not known whether it has ${name.slice(0, 200)}`,
          'Nothing was called; try again in a moment.',
        )
      : new ProxyError(
          'UPSTREAM_CONNECT',
          `server \`${owner}\` is not available: ${reason}`,
          `${name.slice(0, 200)} was not called. Do without it, or tell the user; the other servers are not affected.`,
        )
  }

  return {
    list: current,
    find(kind, name, exchange) {
      if (typeof name !== 'string') throw new RpcError(RPC.invalidParams, 'params.name must be a string')
      return known(kind, name, exchange.client) ?? search(kind, name, exchange)
    },
    isGiven: (kind, name, client) =>
      (kind === 'tools' && withheld.has(name)) || seen(kind, client)?.given.has(name) === true,
  }
}

function listedUnder(names: Names, lists: readonly ServerList[]): Listed[] {
  // A name that a server lists twice is called once: model providers refuse a request that has it twice.
  const seen = new Set<string>()
  return lists.flatMap(({ server, items }) =>
    items.flatMap((item) => {
      const original = nameOf(item)
      const name = original === undefined ? undefined : names.exposed(server, original)
      if (name === undefined || seen.has(name)) return []
      seen.add(name)
      const origin = { server, name: String(original), listed: name, said: item }
      return [{ server, item: withOrigin(item, origin, name) }]
    }),
  )
}

function unresolved(noun: string, name: string, names: Names): string {
  const shown = name.slice(0, 200)
  const known = names.all.map(({ exposed }) => exposed)
  return `Unknown ${noun}: ${shown}.${didYouMean(name, known, 3)}`
}

/** Which servers gave no list, and why: the name may be one of theirs. */
function silent(upstreams: Upstreams, lists: readonly ServerList[], client: Client): string {
  const heard = new Set(lists.map(({ server }) => server))
  const missed = upstreams.serversFor(client).filter((server) => !heard.has(server))
  if (missed.length === 0) return ''
  const reasons = upstreams
    .status()
    .filter(({ server }) => missed.includes(server))
    .map(({ server, lastError }) => {
      const named = `server \`${server}\``
      if (lastError === undefined) return `${named} has not answered yet`
      return (lastError.includes(named) ? lastError : `${named}: ${lastError}`).slice(0, 300)
    })
  const more = reasons.length > SHOWN ? `; and ${reasons.length - SHOWN} more` : ''
  return ` Not every server could be asked: ${reasons.slice(0, SHOWN).join('; ')}${more}.`
}

function sameLists(a: readonly ServerList[], b: readonly ServerList[]): boolean {
  return (
    a.length === b.length &&
    a.every((list, index) => list.items === b[index]?.items && list.server === b[index]?.server)
  )
}

function nameOf(item: JsonObject): string | undefined {
  return isString(item.name) ? item.name : undefined
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

// Lists of several servers as one: a single page, with caching hints (MCP 2026-07-28, server/utilities/caching).

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

/** Handlers of the router by method. */
export type Routes = Readonly<Record<string, Handler>>

/** A list is one page, so no cursor was handed out and any that comes is invalid (basic/utilities/pagination). */
export function refuseCursor(exchange: Exchange): void {
  const { cursor } = exchange.params
  if (cursor !== undefined && cursor !== null)
    throw new RpcError(RPC.invalidParams, 'Invalid cursor: there is one page only')
}
