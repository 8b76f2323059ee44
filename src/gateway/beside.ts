/** Tools that are listed as they are, beside an exposure that hides the others. */
import type { Client, Handler, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { plain } from '../protocol/result.ts'

const LIST = 'tools/list'

/** `direct`: the servers whose tools are listed. They are called by their names, as everywhere. */
export function besideDirect(exposure: Middleware, direct: () => ReadonlySet<string>): Middleware {
  return {
    ...exposure,
    wrap(next) {
      /** What the exposure was listed while it answered: it need not be asked for twice. */
      const listed = new WeakMap<Client, JsonObject[]>()
      const listing: Handler = async (exchange) => {
        const result = plain(await next(exchange))
        listed.set(exchange.client, toolsOf(result))
        return result
      }
      const hiding = exposure.wrap((asked) => (asked.method === LIST ? listing(asked) : next(asked)))
      return async (exchange) => {
        const servers = direct()
        const isPlain = exchange.method !== LIST || exchange.client.via !== undefined
        if (isPlain || servers.size === 0) return hiding(exchange)
        listed.delete(exchange.client)
        const result = plain(await hiding(exchange))
        const shown = toolsOf(result)
        const names = new Set(shown.map(({ name }) => name))
        const all = listed.get(exchange.client) ?? toolsOf(plain(await next(exchange)))
        const added = all.filter((tool) => {
          const origin = originOf(tool)
          return origin !== undefined && servers.has(origin.server) && !names.has(tool.name)
        })
        return added.length === 0 ? result : { ...result, tools: [...shown, ...added] }
      }
    },
  }
}

function toolsOf({ tools }: JsonObject): JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isObject) : []
}
