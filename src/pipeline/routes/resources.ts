import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Exchange, Handler } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { withOrigin } from '../../protocol/origin.ts'
import type { Result } from '../../protocol/result.ts'
import { renameInAny, renameUri } from '../../protocol/uri-rewrite.ts'
import type { ServerList, Upstreams } from '../../upstream/upstreams.ts'
import type { AddressBook } from '../address-book.ts'
import { joinHints } from '../hints.ts'
import type { Resources } from '../resources.ts'
import type { Address } from '../uri-map.ts'
import { type Routes, refuseCursor } from './cursor.ts'

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
