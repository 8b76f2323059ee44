import { errorResult } from '../../protocol/content.ts'
import { ProxyError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import type { Result } from '../../protocol/result.ts'
import { renameInArguments, renameViews } from '../../protocol/uri-rewrite.ts'
import type { ProxyTool } from '../../tools/tool.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { AddressBook } from '../address-book.ts'
import type { Directory } from '../directory.ts'
import { joinHints } from '../hints.ts'
import type { Named } from '../names.ts'
import type { Quotas } from '../quotas.ts'
import type { Resources } from '../resources.ts'
import { type Routes, refuseCursor } from './cursor.ts'
import { askToSignIn } from './sign-in.ts'
import type { Tasks } from './tasks.ts'

/** What the routes of tools are made of. */
export interface ToolRouteParts {
  upstreams: Upstreams
  directory: Directory
  resources: Resources
  book: AddressBook
  tasks: Tasks
  quotas?: Quotas | undefined
  /** The proxy's own tools. */
  own: readonly ProxyTool[]
}

/** Tools of all servers as one list, before them the proxy's own, and a call to whichever of them has the name. */
export function toolRoutes(parts: ToolRouteParts): Routes {
  const { upstreams, directory, resources, book, tasks, quotas, own } = parts
  const ownByName = new Map(own.map((tool) => [tool.name, tool]))
  const definitions = own.map((tool) => tool.definition)

  /** The params as the server is to have them: its own name of the tool, and its own URIs where they moved. */
  function askedOf({ server, original }: Named, { params, client }: Exchange): JsonObject {
    const asked = params.name === original ? params : { ...params, name: original }
    const map = book.of(client)
    const args = asked.arguments
    if (args === undefined || !map.moved(server)) return asked
    const known = renameInArguments(args, (text) => {
      const address = map.inward(text)
      return address?.server === server ? address.uri : text
    })
    return known === args ? asked : { ...asked, arguments: known }
  }

  return {
    'tools/list': async (exchange) => {
      refuseCursor(exchange)
      const { lists, listed } = await directory.list('tools', exchange)
      const map = resources.learnTools(lists, exchange)
      const items = listed.map(({ server, item }) =>
        map.moved(server) ? renameViews(item, (uri) => map.outward(server, uri)) : item,
      )
      // The proxy nearest the client offers its tools, and only it keeps results.
      const mine = exchange.client.via === undefined ? definitions : []
      return { tools: [...mine, ...items], ...joinHints('tools', lists, upstreams, exchange) }
    },
    'tools/call': async (exchange): Promise<Result> => {
      const { params } = exchange
      const tool = typeof params.name === 'string' ? ownByName.get(params.name) : undefined
      if (tool) return tool.call(isObject(params.arguments) ? params.arguments : {}, exchange)
      const found = directory.find('tools', params.name, exchange)
      const named = found instanceof Promise ? await found : found
      const { server, original } = named
      try {
        await exchange.admit?.({
          server,
          name: original,
          definition: async () => {
            const items = await upstreams.surely('tools', server, exchange.client, exchange.signal)
            return items.find(({ name }) => name === original)
          },
        })
        // Giving up a call that waits for input is none, and is what ends it where nothing is left of the quota.
        const refusal = exchange.isOver ? undefined : quotas?.(server)
        if (refusal !== undefined) return errorResult(refusal)
        const request = { method: 'tools/call', params: askedOf(named, exchange) }
        const result = await upstreams.request(server, request, exchange)
        if (params.task !== undefined) tasks.note(server, result, exchange.client)
        return resources.outward(server, result, exchange)
      } catch (error) {
        // A server that died or was too slow is something the model can react to; it reads results, not errors.
        if (error instanceof ProxyError && error.code !== 'CANCELLED' && exchange.failing !== 'throws')
          return askToSignIn(error, exchange.client) ?? errorResult(error.text)
        throw error
      }
    },
  }
}
