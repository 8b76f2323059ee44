import type { Result } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { withOrigin } from '../protocol/origin.ts'
import { mayNameResources, renameInAny, renameUri } from '../protocol/uri-rewrite.ts'
import type { ServerList, Upstreams } from '../upstream/contract.ts'
import { joinHints, mayOffer } from './hints.ts'
import { type Routes, refuseCursor } from './routes.ts'
import type { Address, AddressBook, UriKind, UriMap } from './uris.ts'

/** Resources of all servers as one list, and reading and subscribing at the server that has the URI. */
export function resourceRoutes(upstreams: Upstreams, resources: Resources, book: AddressBook): Routes {
  const ownedResources = createOwned('uri')
  const ownedTemplates = createOwned('uriTemplate')

  /** One server after another, until one does not say that it knows nothing of this. */
  async function ask(
    candidates: readonly Address[],
    exchange: Exchange,
  ): Promise<{ address: Address; result: Result }> {
    const { method, params } = exchange
    let refusal: unknown
    for (const address of candidates) {
      const asked = address.uri === params.uri ? params : { ...params, uri: address.uri }
      try {
        await exchange.admit?.({ server: address.server, name: String(address.uri) })
        return {
          address,
          result: await upstreams.request(address.server, { method, params: asked }, exchange),
        }
      } catch (error) {
        if (exchange.signal.aborted || !isElsewhere(error)) throw error
        refusal ??= error
      }
    }
    throw refusal ?? notFound(exchange)
  }

  return {
    'resources/list': async (exchange) => {
      refuseCursor(exchange)
      const { lists, map } = await resources.list('resources', exchange)
      const items = lists.flatMap((list) => {
        const { server } = list
        const own = ownedResources(list)
        return map.moved(server) ? own.map((item) => renameUri(item, (uri) => map.outward(server, uri))) : own
      })
      return { resources: items, ...joinHints('resources', lists, upstreams, exchange) }
    },
    'resources/templates/list': async (exchange) => {
      refuseCursor(exchange)
      const { lists, map } = await resources.list('resourceTemplates', exchange)
      const items = lists.flatMap((list) => {
        const { server } = list
        const own = ownedTemplates(list)
        return map.moved(server)
          ? own.map((item) => renameUri(item, (uri) => map.outwardTemplate(server, uri), 'uriTemplate'))
          : own
      })
      return { resourceTemplates: items, ...joinHints('resourceTemplates', lists, upstreams, exchange) }
    },
    'resources/read': async (exchange) => {
      const { uri } = exchange.params
      const { address, result } = await ask(await resources.candidates(uri, exchange), exchange)
      const { server } = address
      const map = book.of(exchange.client)
      if (typeof uri !== 'string' || !map.moved(server)) return result
      // What was asked for is called what it was asked for by; whatever else came with it, by its own.
      return renameInAny(result, (found) => (found === address.uri ? uri : map.outward(server, found)))
    },
    'resources/subscribe': async (exchange) => {
      const { uri } = exchange.params
      const { address, result } = await ask(await resources.candidates(uri, exchange), exchange)
      if (upstreams.servers.length > 1 && typeof uri === 'string')
        book.subscribed(exchange.client, uri, address)
      return result
    },
    'resources/unsubscribe': async (exchange) => {
      const { uri } = exchange.params
      const made = typeof uri === 'string' ? book.unsubscribed(exchange.client, uri) : undefined
      const { result } = await ask(made ? [made] : await resources.candidates(uri, exchange), exchange)
      return result
    },
  } satisfies Readonly<Record<string, Handler>>
}

/** The items of a list, each of which knows whose it is: made once of what a server listed, however often it is asked for. */
function createOwned(key: 'uri' | 'uriTemplate'): (list: ServerList) => readonly JsonObject[] {
  const known = new WeakMap<readonly JsonObject[], { server: string; owned: readonly JsonObject[] }>()
  return ({ server, items }) => {
    const before = known.get(items)
    if (before?.server === server) return before.owned
    const owned = items.map((item) => {
      const name = item[key]
      return typeof name === 'string' ? withOrigin(item, { server, name }) : item
    })
    known.set(items, { server, owned })
    return owned
  }
}

/** What servers say of a resource that is not theirs, in words, for those whose SDK has no code for it. */
const UNKNOWN = /\bunknown\b|\bnot found\b|\bno such\b|\bdoes not exist\b/iu

/**
 * True when a refusal means that the resource may be another server's, or that there was no answer at all. Resource not found is
 * -32002 in the legacy era and -32602 in the modern one, and in that of the TypeScript SDK at all times; the Python SDK and plain
 * handlers say it with a code for any failure (0, -32603). Whatever else a server says is its answer.
 */
function isElsewhere(error: unknown): boolean {
  if (!(error instanceof RpcError)) return true
  const { code, message } = error
  if (code === RPC.resourceNotFound || code === RPC.invalidParams || code === RPC.methodNotFound) return true
  return (code === 0 || code === RPC.internalError) && UNKNOWN.test(message)
}

function notFound({ client, params }: Exchange): RpcError {
  const code = client.era === 'modern' ? RPC.invalidParams : RPC.resourceNotFound
  return new RpcError(code, 'Resource not found', { uri: params.uri ?? null })
}

// Where resources are: whom to ask for a URI, and what a client reads in place of a server's URIs.

/** Lists of resources; tools name some as well, but are listed elsewhere. */
type ResourceKind = Exclude<UriKind, 'tools'>

export interface Resources {
  /** The lists of a kind, and what this client's URIs mean by them. */
  list(kind: ResourceKind, exchange: Exchange): Promise<{ lists: ServerList[]; map: UriMap }>
  /** Takes note of the views that tools name. */
  learnTools(lists: readonly ServerList[], exchange: Exchange): UriMap
  /** Whom to ask for a URI or template of the client's, likeliest first, each under the URI that it knows. */
  candidates(uri: unknown, exchange: Exchange): Promise<readonly Address[]>
  /**
   * The result with the client's URIs. The result itself where none of the server's URIs moved: then it is not even looked at. A
   * large result that is longer than 256 KB keeps the server's URIs, because it is not read here.
   */
  outward(server: string, result: Result, exchange: Exchange): Result | Promise<Result>
}

export function createResources(upstreams: Upstreams, book: AddressBook): Resources {
  /** The configuration may have more or fewer servers than at the start. */
  const isAlone = (): boolean => upstreams.servers.length <= 1

  async function list(kind: ResourceKind, exchange: Exchange): Promise<{ lists: ServerList[]; map: UriMap }> {
    const lists = await upstreams.list(kind, exchange.client, exchange.signal)
    return {
      lists,
      map: isAlone()
        ? book.of(exchange.client)
        : book.learn(exchange.client, kind, lists, upstreams.serversFor(exchange.client)),
    }
  }

  async function load(exchange: Exchange): Promise<UriMap> {
    await Promise.all([list('resources', exchange), list('resourceTemplates', exchange)])
    return book.of(exchange.client)
  }

  return {
    list,
    learnTools: (lists, { client }) =>
      isAlone() ? book.of(client) : book.learn(client, 'tools', lists, upstreams.serversFor(client)),

    async candidates(uri, exchange) {
      // With one server there is no doubt, whatever it is that was sent.
      const servers = upstreams.serversFor(exchange.client)
      const [only] = servers
      if (isAlone() && only !== undefined) return [{ server: only, uri: uri as string }]
      if (typeof uri !== 'string')
        throw new RpcError(RPC.invalidParams, 'The URI of a resource must be a string')
      const known = addressIn(book.of(exchange.client), uri)
      if (known) return [known]
      const map = await load(exchange)
      const listed = addressIn(map, uri)
      if (listed) return [listed]
      // Servers read unlisted URIs as well, so in the end all are asked that have resources.
      const all = servers.filter((server) => mayOffer(upstreams.known(server), 'resources'))
      return [...new Set([...map.byTemplate(uri), ...all])].map((server) => ({ server, uri }))
    },

    outward(server, result, exchange) {
      if (isAlone()) return result
      if (book.complete(exchange.client)) {
        const map = book.of(exchange.client)
        return map.moved(server) ? renameInAny(result, (uri) => map.outward(server, uri)) : result
      }
      // The client may ask for what this result names: whose that is must be settled before.
      if (!mayNameResources(result)) return result
      return load(exchange).then((map) =>
        map.moved(server) ? renameInAny(result, (uri) => map.outward(server, uri)) : result,
      )
    },
  }
}

function addressIn(map: UriMap, uri: string): Address | undefined {
  const moved = map.inward(uri)
  if (moved) return moved
  const server = map.owner(uri)
  return server === undefined ? undefined : { server, uri }
}
