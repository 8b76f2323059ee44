/** What is listed at one place of the onion, for each client: whose a name is there. */
import { plain, type Result } from '../protocol/content.ts'
import type { Client, Destination, Exchange, Handler } from '../protocol/exchange.ts'
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
  /** Whose the item is that a request uses, as `find`; undefined for one that is not listed, or a request that uses none. */
  place(exchange: Exchange, next: Handler): Promise<Origin | undefined>
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

/**
 * The names by which the options of every module may mean an item, the most exact first: `server/name` with the server's own name, the
 * name under which it is listed where the module stands, and the server's own name alone, which may be that of several servers.
 */
export function namesOf(item: JsonObject, kind: Kind): readonly string[] {
  const name = item[KINDS[kind].key]
  return typeof name === 'string' ? namesAt(originOf(item), name) : []
}

/** The same for what a client calls by the name `shown`; `place` is where that ends, undefined where it is not known. */
export function namesAt(place: Origin | Destination | undefined, shown: string): readonly string[] {
  if (place === undefined) return [shown]
  const exact = `${place.server}/${place.name}`
  return place.name === shown ? [exact, shown] : [exact, shown, place.name]
}

/** An exchange to send on, and where it has ended by now: undefined as long as no server was asked. */
export function tracked(exchange: Exchange): { sent: Exchange; place(): Destination | undefined } {
  let place: Destination | undefined
  const sent: Exchange = {
    ...exchange,
    admit(destination) {
      place = destination
      return exchange.admit?.(destination)
    },
  }
  return { sent, place: () => place }
}

/** What a request uses: the kind of item, and its name or URI. Undefined where it uses none that is listed by name. */
function itemOf({ method, params }: Exchange): { kind: Kind; name: string } | undefined {
  const kind = METHODS.get(method)
  const name = kind && params[KINDS[kind].key]
  return kind !== undefined && typeof name === 'string' ? { kind, name } : undefined
}

const METHODS = new Map<string, Kind>([
  ['tools/call', 'tools'],
  ['prompts/get', 'prompts'],
  ['resources/read', 'resources'],
  ['resources/subscribe', 'resources'],
  ['resources/unsubscribe', 'resources'],
])

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

  const find: Roster['find'] = (kind, name, exchange, next) => {
    const items = known[kind].get(exchange.client)
    const item = items?.get(name)
    if (item !== undefined) return item
    // A name that is not there may have come since: servers change their lists, and clients are told later.
    return list(kind, exchange, next).then((fresh) => fresh.get(name))
  }

  const all: Roster['all'] = (kind, exchange, next) =>
    known[kind].get(exchange.client) ?? list(kind, exchange, next)

  return {
    learn,
    find,
    async place(exchange, next) {
      const used = itemOf(exchange)
      if (used === undefined) return undefined
      const { kind, name } = used
      // Many a URI is listed nowhere, and lists would be asked for with each of them.
      const item =
        kind === 'resources'
          ? (await all(kind, exchange, next)).get(name)
          : await find(kind, name, exchange, next)
      return item && originOf(item)
    },
    known: (kind, client) => known[kind].get(client),
    forget: (kind, client) => void known[kind].delete(client),
    all,
  }
}
