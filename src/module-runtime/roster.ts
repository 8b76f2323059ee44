/** What is listed at one place of the onion, for each client: whose a name is there. */
import { plain, type Result } from '../protocol/content.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { type Origin, originOf } from '../protocol/origin.ts'

/** What can be listed, by the member of the result that holds it. */
export type Kind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** How each kind is listed and what its items go by. */
export const KINDS: Readonly<Record<Kind, { list: string; key: string }>> = {
  tools: { list: 'tools/list', key: 'name' },
  prompts: { list: 'prompts/list', key: 'name' },
  resources: { list: 'resources/list', key: 'uri' },
  resourceTemplates: { list: 'resources/templates/list', key: 'uriTemplate' },
}

export function kindOfList(method: string): Kind | undefined {
  return LISTS.get(method)
}
const LISTS = new Map(Object.entries(KINDS).map(([kind, { list }]) => [list, kind as Kind]))

/** The items of a list, with the result they came in. */
export interface Listed {
  readonly result: JsonObject
  readonly items: readonly JsonObject[]
}

export interface Roster {
  /** The items of a list that passes; they are known from then on. */
  learn(kind: Kind, result: Result, client: Client): Listed
  /**
   * The item of this name as it was listed last, asked for further in when this client has seen no list yet; undefined for one
   * that is not listed.
   */
  find(
    kind: Kind,
    name: string,
    exchange: Exchange,
    next: Handler,
  ): JsonObject | undefined | Promise<JsonObject | undefined>
  /** All that this client was listed last, by name; undefined when it has seen no list yet. */
  known(kind: Kind, client: Client): ReadonlyMap<string, JsonObject> | undefined
  /** What this client saw last counts no more. */
  forget(kind: Kind, client: Client): void
  /** All that was listed last. */
  all(
    kind: Kind,
    exchange: Exchange,
    next: Handler,
  ): ReadonlyMap<string, JsonObject> | Promise<ReadonlyMap<string, JsonObject>>
}

/** Whose a listed item is, and how a configuration may name it: by its name, and as `server/name`. */
export function namesOf(item: JsonObject, kind: Kind): readonly string[] {
  const name = item[KINDS[kind].key]
  if (typeof name !== 'string') return []
  const origin: Origin | undefined = originOf(item)
  return origin === undefined ? [name] : [name, `${origin.server}/${origin.name}`]
}

export function createRoster(): Roster {
  const known: Record<Kind, WeakMap<Client, ReadonlyMap<string, JsonObject>>> = {
    tools: new WeakMap(),
    prompts: new WeakMap(),
    resources: new WeakMap(),
    resourceTemplates: new WeakMap(),
  }

  function learn(kind: Kind, passing: Result, client: Client): Listed {
    const result = plain(passing)
    const list = result[kind]
    const items = Array.isArray(list) ? list.filter(isObject) : []
    const { key } = KINDS[kind]
    known[kind].set(
      client,
      new Map(items.flatMap((item) => (typeof item[key] === 'string' ? [[item[key], item]] : []))),
    )
    return { result, items }
  }

  async function list(
    kind: Kind,
    exchange: Exchange,
    next: Handler,
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const { _meta } = exchange.params
    const params: JsonObject = _meta === undefined ? {} : { _meta }
    const { toward: _, keep: _keep, ...rest } = exchange
    learn(kind, await next({ ...rest, method: KINDS[kind].list, params }), exchange.client)
    return known[kind].get(exchange.client) ?? new Map()
  }

  return {
    learn,
    find(kind, name, exchange, next) {
      const items = known[kind].get(exchange.client)
      const item = items?.get(name)
      if (item !== undefined) return item
      // A name that is not there may have come since: servers change their lists, and clients are told later.
      return list(kind, exchange, next).then((fresh) => fresh.get(name))
    },
    known: (kind, client) => known[kind].get(client),
    forget: (kind, client) => void known[kind].delete(client),
    all: (kind, exchange, next) => known[kind].get(exchange.client) ?? list(kind, exchange, next),
  }
}
