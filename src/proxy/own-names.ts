/**
 * A server's own name of a tool or prompt, by which clients may call it as well, becomes the one under which it is listed: modules that
 * decide by names, other people's too, are not passed by.
 */
import { plain, type Result } from '../protocol/content.ts'
import type { Client, Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'

type Kind = 'tools' | 'prompts'

export interface OwnNamesOptions {
  /** The listed name of what is called by its server's own; undefined for any other name. */
  alias(kind: Kind, name: string, client: Client): string | undefined
  /** False: nobody decides by names. */
  isNeeded(): boolean
}

export function createOwnNames({ alias, isNeeded }: OwnNamesOptions): Middleware {
  return {
    name: 'own-names',
    methods: ['tools/call', 'prompts/get', 'completion/complete'],
    wrap: (next) => (exchange) => {
      if (!isNeeded()) return next(exchange)
      const name = nameIn(exchange)
      if (typeof name !== 'string') return next(exchange)
      const kind = exchange.method === 'tools/call' ? 'tools' : 'prompts'
      const listed = alias(kind, name, exchange.client)
      return listed === undefined ? next(exchange) : byAlias({ kind, name, listed }, exchange, next)
    },
  }
}

function nameIn({ method, params }: Exchange): unknown {
  if (method !== 'completion/complete') return params.name
  return isObject(params.ref) && params.ref.type === 'ref/prompt' ? params.ref.name : undefined
}

async function byAlias(
  { kind, name, listed }: { kind: Kind; name: string; listed: string },
  exchange: Exchange,
  next: Handler,
): Promise<Result> {
  const { method, params } = exchange
  const { _meta, ref } = params
  const asked = { ...exchange, method: `${kind}/list`, params: _meta === undefined ? {} : { _meta } }
  const items = plain(await next(asked))[kind]
  const names = (Array.isArray(items) ? items : []).map((item) => (isObject(item) ? item.name : undefined))
  // A module may have given the name to another, or taken away the item.
  if (names.includes(name) || !names.includes(listed)) return next(exchange)
  const named: JsonObject =
    method === 'completion/complete' && isObject(ref)
      ? { ...params, ref: { ...ref, name: listed } }
      : { ...params, name: listed }
  return next({ ...exchange, params: named })
}
