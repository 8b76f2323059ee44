/** Where resources are: whom to ask for a URI, and what a client reads in place of a server's URIs. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange } from '../protocol/exchange.ts'
import type { Result } from '../protocol/result.ts'
import { mayNameResources, renameInAny } from '../protocol/uri-rewrite.ts'
import type { ServerList, Upstreams } from '../upstream/upstreams.ts'
import type { AddressBook } from './address-book.ts'
import { mayOffer } from './may-offer.ts'
import type { UriKind } from './uri-index.ts'
import type { Address, UriMap } from './uri-map.ts'

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
