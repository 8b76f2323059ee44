/**
 * Calls that one tool makes of another are held to what they may do by the list that the client has: modules and layers further in
 * may change what a server says of its tools. The router holds them again, to the tool that the call ends at.
 */
import { plain } from '../protocol/content.ts'
import { covers, Exceeded, effectOf } from '../protocol/effects.ts'
import type { Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'

export interface EffectLimitOptions {
  /** False: nothing further in changes lists, so what the server says of a tool is what its client reads. */
  isNeeded(): boolean
}

export function createEffectLimit({ isNeeded }: EffectLimitOptions): Middleware {
  return {
    name: 'effect-limit',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      const { limit } = exchange
      if (limit === undefined) return next(exchange)
      try {
        const [listed] = isNeeded() ? await listedAs(exchange, next) : []
        if (listed === undefined) return await next(exchange)
        const effect = effectOf(listed)
        if (!covers(limit.most, effect)) throw new Exceeded(effect)
        return await next({ ...exchange, limit: { ...limit, listed } })
      } catch (error) {
        if (error instanceof Exceeded) return limit.refuse(error.effect)
        throw error
      }
    },
  }
}

/** The tool that this call names, as the client's list shows it; empty: the list has none of that name. */
async function listedAs(exchange: Exchange, next: Handler): Promise<JsonObject[]> {
  const { name, _meta } = exchange.params
  const params = _meta === undefined ? {} : { _meta }
  const { tools } = plain(await next({ ...exchange, method: 'tools/list', params }))
  return Array.isArray(tools) ? tools.filter(isObject).filter((tool) => tool.name === name) : []
}
