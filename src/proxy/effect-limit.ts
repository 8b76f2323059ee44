/**
 * Calls that one tool makes of another are held to what they may do by the list that the client has: modules and layers further in
 * may change what a server says of its tools. The router holds them again, to the tool that the call ends at.
 */
import type { Result } from '../protocol/content.ts'
import { covers, Exceeded, effectOf, type Limit } from '../protocol/effects.ts'
import type { Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { createListsInside } from '../protocol/lists.ts'

export interface EffectLimitOptions {
  /** False: nothing further in changes lists, so what the server says of a tool is what its client reads. */
  isNeeded(): boolean
}

export function createEffectLimit({ isNeeded }: EffectLimitOptions): Middleware {
  const inside = createListsInside()

  /** The tool that this call names, as the client's list shows it; undefined: the list has none of that name. */
  async function listedAs(exchange: Exchange, next: Handler): Promise<JsonObject | undefined> {
    const { items } = await inside.current('tools', exchange, next)
    return items.find(({ name }) => name === exchange.params.name)
  }

  async function held(exchange: Exchange, limit: Limit, next: Handler): Promise<Result> {
    try {
      const listed = isNeeded() ? await listedAs(exchange, next) : undefined
      if (listed === undefined) return await next(exchange)
      const effect = effectOf(listed)
      if (!covers(limit.most, effect)) throw new Exceeded(effect)
      return await next({ ...exchange, limit: { ...limit, listed } })
    } catch (error) {
      if (error instanceof Exceeded) return limit.refuse(error.effect)
      throw error
    }
  }

  return {
    name: 'effect-limit',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => (exchange) => {
      const { limit } = exchange
      if (exchange.method === 'tools/call')
        return limit === undefined ? next(exchange) : held(exchange, limit, next)
      return isNeeded() ? inside.pass(exchange, next).then(({ passing }) => passing) : next(exchange)
    },
  }
}
