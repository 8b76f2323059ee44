/**
 * Another name by which a tool or prompt may be called becomes the one under which it is listed: modules that decide by names, other
 * people's too, are not passed by, and the router finds listed names alone.
 */
import { plain, type Result } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { listedNames, type Meaning, type Spelled, spellingsOf } from '../protocol/spellings.ts'

type Kind = 'tools' | 'prompts'

export interface OwnNamesOptions {
  /** True for a name that is given to something, as far as lists tell that were seen, and for names that nothing of a server may have. */
  isGiven(kind: Kind, name: string, client: Client): boolean
  /** All servers of this client. */
  servers(client: Client): readonly string[]
}

/** What was listed last, and what names mean in it, worked out when the first name is not a listed one. */
interface Seen {
  readonly result: Result
  meaning?: Meaning<Spelled>
}

const LISTS: Readonly<Record<string, Kind>> = { 'tools/list': 'tools', 'prompts/list': 'prompts' }

export function createOwnNames(options: OwnNamesOptions): Middleware {
  const seen: Record<Kind, WeakMap<Client, Seen>> = { tools: new WeakMap(), prompts: new WeakMap() }

  async function list(kind: Kind, exchange: Exchange, next: Handler): Promise<Result> {
    const result = await next(exchange)
    seen[kind].set(exchange.client, { result })
    return result
  }

  function meant(kind: Kind, name: string, client: Client): readonly Spelled[] {
    const last = seen[kind].get(client)
    if (last === undefined) return []
    last.meaning ??= spellingsOf(spelledIn(last.result, kind), {
      servers: options.servers(client),
      isTaken: (taken) => options.isGiven(kind, taken, client),
    })
    return last.meaning(name)
  }

  async function byOther(kind: Kind, name: string, exchange: Exchange, next: Handler): Promise<Result> {
    let found = meant(kind, name, exchange.client)
    if (found.length === 0) {
      const { _meta } = exchange.params
      await list(
        kind,
        { ...exchange, method: `${kind}/list`, params: _meta === undefined ? {} : { _meta } },
        next,
      )
      found = meant(kind, name, exchange.client)
    }
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
      const listing = LISTS[exchange.method]
      if (listing !== undefined) return list(listing, exchange, next)
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

function spelledIn(result: Result, kind: Kind): Spelled[] {
  const items = plain(result)[kind]
  return (Array.isArray(items) ? items : []).flatMap((item) =>
    isObject(item) && typeof item.name === 'string' ? [spelled(item, item.name)] : [],
  )
}

/** A module may have given it another name: then its server's own is not offered any more. */
function spelled(item: JsonObject, name: string): Spelled {
  const origin = originOf(item)
  if (origin === undefined) return { name }
  const isRenamed = origin.listed !== undefined && origin.listed !== name
  return { name, server: origin.server, ...(!isRenamed && { original: origin.name }) }
}
