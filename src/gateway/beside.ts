/** Tools that are listed as they are, beside an exposure that hides the others. */
import type { Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { plain } from '../protocol/result.ts'

/** `direct`: the servers whose tools are listed. They are called by their names, as everywhere. */
export function besideDirect(exposure: Middleware, direct: () => ReadonlySet<string>): Middleware {
  return {
    ...exposure,
    wrap(next) {
      const hiding = exposure.wrap(next)
      return async (exchange) => {
        const answer = await hiding(exchange)
        const servers = direct()
        const isPlain = exchange.method !== 'tools/list' || exchange.client.via !== undefined
        if (isPlain || servers.size === 0) return answer
        const result = plain(answer)
        const shown = toolsOf(result)
        const names = new Set(shown.map(({ name }) => name))
        const added = toolsOf(plain(await next(exchange))).filter((tool) => {
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
