/**
 * Names that stay whole in a client which puts a prefix before them and shortens nothing: outermost of all, so that whatever decides by
 * names knows one name for all clients.
 */
import { clientRule } from '../protocol/client-rules.ts'
import { plain } from '../protocol/content.ts'
import type { Client, Exchange, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { shortHash } from '../text/short-hash.ts'

/** The key that the documentation gives the proxy in the configuration of a client. */
const KEY = 'proxy'

/** The longest name, in characters, that reaches the model of this client whole. Infinite: it is not known to cut any. */
function room(client: Client): number {
  const { namePrefix = '', maxNameLength = Number.POSITIVE_INFINITY } =
    clientRule(client.info.clientInfo) ?? {}
  return maxNameLength - namePrefix.replace('{server}', KEY).length
}

export function createShortNames(): Middleware {
  /** Listed names by short ones, as each client was told. */
  const told = new WeakMap<Client, ReadonlyMap<string, string>>()
  return {
    name: 'short-names',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => async (exchange) => {
      const most = room(exchange.client)
      if (most === Number.POSITIVE_INFINITY) return next(exchange)
      if (exchange.method === 'tools/list') {
        const result = plain(await next(exchange))
        const { tools, names } = shortened(result.tools, most)
        told.set(exchange.client, names)
        return names.size === 0 ? result : { ...result, tools }
      }
      const { name } = exchange.params
      if (typeof name !== 'string' || name.length !== most) return next(exchange)
      if (!told.has(exchange.client)) {
        // It was told by an earlier run.
        const { tools } = plain(await next(listing(exchange)))
        told.set(exchange.client, shortened(tools, most).names)
      }
      const listed = told.get(exchange.client)?.get(name)
      return next(
        listed === undefined ? exchange : { ...exchange, params: { ...exchange.params, name: listed } },
      )
    },
  }
}

function listing(exchange: Exchange): Exchange {
  const { _meta } = exchange.params
  return { ...exchange, method: 'tools/list', params: _meta === undefined ? {} : { _meta } }
}

/** What is too long gets a hash of itself at its end: the same in every run, and no name that is listed. */
function shortened(
  tools: JsonValue | undefined,
  most: number,
): { tools: JsonValue[]; names: ReadonlyMap<string, string> } {
  const names = new Map<string, string>()
  if (!Array.isArray(tools)) return { tools: [], names }
  const taken = new Set(tools.map((tool) => (isObject(tool) ? tool.name : undefined)))
  const short = tools.map((tool): JsonValue => {
    if (!isObject(tool) || typeof tool.name !== 'string' || tool.name.length <= most) return tool
    for (let salt = 0; ; salt++) {
      const suffix = `_${shortHash(`${tool.name}\n${salt || ''}`)}`
      const name = tool.name.slice(0, most - suffix.length) + suffix
      if (taken.has(name)) continue
      taken.add(name)
      names.set(name, tool.name)
      return { ...(tool as JsonObject), name }
    }
  })
  return { tools: short, names }
}
