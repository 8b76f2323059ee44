/**
 * Names that stay whole in a client which puts a prefix before them and shortens nothing: outermost of all, so that whatever decides by
 * names knows one name for all clients.
 */
import { clientRule } from '../protocol/client-rules.ts'
import type { Result } from '../protocol/content.ts'
import type { Client, Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { createListsInside, type ListedItems } from '../protocol/lists.ts'
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
  const inside = createListsInside()
  /** A client that is in the table has one limit, and a list belongs to one client. */
  const shortenedOf = new WeakMap<ListedItems, Shortened>()
  const shortNames = (listed: ListedItems, most: number): Shortened => {
    const made = shortenedOf.get(listed) ?? shortened(listed.result.tools, most)
    shortenedOf.set(listed, made)
    return made
  }

  async function list(exchange: Exchange, next: Handler, most: number): Promise<Result> {
    const listed = await inside.pass(exchange, next)
    const { tools, names } = shortNames(listed, most)
    return names.size === 0 ? listed.result : { ...listed.result, tools }
  }

  async function call(exchange: Exchange, next: Handler, name: string): Promise<Result> {
    // A client that has got no list knows the name from an earlier run.
    const { names } = shortNames(await inside.known('tools', exchange, next), name.length)
    const listed = names.get(name)
    return next(
      listed === undefined ? exchange : { ...exchange, params: { ...exchange.params, name: listed } },
    )
  }

  return {
    name: 'short-names',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => (exchange) => {
      const most = room(exchange.client)
      if (most === Number.POSITIVE_INFINITY) return next(exchange)
      if (exchange.method === 'tools/list') return list(exchange, next, most)
      const { name } = exchange.params
      return typeof name === 'string' && name.length === most ? call(exchange, next, name) : next(exchange)
    },
  }
}

/** A list of tools with short names, and the listed names by the short ones. */
interface Shortened {
  readonly tools: JsonValue[]
  readonly names: ReadonlyMap<string, string>
}

/** What is too long gets a hash of itself at its end: the same in every run, and no name that is listed. */
function shortened(tools: JsonValue | undefined, most: number): Shortened {
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
