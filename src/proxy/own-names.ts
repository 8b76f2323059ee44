/**
 * Another name by which a tool or prompt may be called becomes the one under which it is listed: modules that decide by names, other
 * people's too, are not passed by, and the router finds listed names alone.
 */
import type { Result } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { createListsInside, kindOfList, type ListedItems } from '../protocol/lists.ts'
import { originOf } from '../protocol/origin.ts'
import { listedNames, type Meaning, type Spelled, spellingsOf } from '../protocol/spellings.ts'

type Kind = 'tools' | 'prompts'

export interface OwnNamesOptions {
  /** True for a name that is given to something, as far as lists tell that were seen, and for names that nothing of a server may have. */
  isGiven(kind: Kind, name: string, client: Client): boolean
  /** All servers of this client. */
  servers(client: Client): readonly string[]
}

export function createOwnNames(options: OwnNamesOptions): Middleware {
  const inside = createListsInside()
  /** What names mean in a list of one client, worked out when the first name is not a listed one. */
  const meanings = new WeakMap<ListedItems, Meaning<Spelled>>()

  function meant(
    listed: ListedItems | undefined,
    kind: Kind,
    name: string,
    client: Client,
  ): readonly Spelled[] {
    if (listed === undefined) return []
    const meaning =
      meanings.get(listed) ??
      spellingsOf(listed.items.flatMap(spelled), {
        servers: options.servers(client),
        isTaken: (taken) => options.isGiven(kind, taken, client),
      })
    meanings.set(listed, meaning)
    return meaning(name)
  }

  async function byOther(kind: Kind, name: string, exchange: Exchange, next: Handler): Promise<Result> {
    const { client } = exchange
    let found = meant(inside.last(kind, client), kind, name, client)
    if (found.length === 0) found = meant(await inside.current(kind, exchange, next), kind, name, client)
    const [only, another] = found
    if (only === undefined) return next(exchange)
    if (another !== undefined) {
      const noun = kind === 'tools' ? 'tool' : 'prompt'
      throw new RpcError(
        RPC.invalidParams,
        `Ambiguous ${noun}: ${name.slice(0, 200)}. It may mean several; call one of ${listedNames(found)}.`,
      )
    }
    return next(only.name === name ? exchange : { ...exchange, params: renamed(exchange, only.name) })
  }

  return {
    name: 'own-names',
    methods: ['tools/list', 'prompts/list', 'tools/call', 'prompts/get', 'completion/complete'],
    wrap: (next) => (exchange) => {
      if (kindOfList(exchange.method) !== undefined)
        return inside.pass(exchange, next).then(({ passing }) => passing)
      const name = nameIn(exchange)
      const kind = exchange.method === 'tools/call' ? 'tools' : 'prompts'
      if (typeof name !== 'string' || options.isGiven(kind, name, exchange.client)) return next(exchange)
      return byOther(kind, name, exchange, next)
    },
  }
}

function nameIn({ method, params }: Exchange): unknown {
  if (method !== 'completion/complete') return params.name
  return isObject(params.ref) && params.ref.type === 'ref/prompt' ? params.ref.name : undefined
}

function renamed({ method, params }: Exchange, name: string): JsonObject {
  const { ref } = params
  return method === 'completion/complete' && isObject(ref)
    ? { ...params, ref: { ...ref, name } }
    : { ...params, name }
}

/** A module may have given it another name: then its server's own is not offered any more. */
function spelled(item: JsonObject): Spelled[] {
  const { name } = item
  if (typeof name !== 'string') return []
  const origin = originOf(item)
  if (origin === undefined) return [{ name }]
  const isRenamed = origin.listed !== undefined && origin.listed !== name
  return [{ name, server: origin.server, ...(!isRenamed && { original: origin.name }) }]
}
