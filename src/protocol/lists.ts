/**
 * The lists that a layer sees: what the layers and servers inside of it list to each client. The one memory of lists: a layer that has to
 * know a listed item asks it here, and no layer asks for a list on its own.
 */
import { plain, type Result } from './content.ts'
import type { Destination } from './effects.ts'
import type { Client, Exchange, Handler, ListBasis, ListKind } from './exchange.ts'
import { isObject, type JsonObject } from './json.ts'
import { type Origin, originOf } from './origin.ts'

export type Kind = ListKind

/** How each kind is listed, and which member of an item names it. */
export const KINDS: Readonly<Record<Kind, { list: string; key: string }>> = {
  tools: { list: 'tools/list', key: 'name' },
  prompts: { list: 'prompts/list', key: 'name' },
  resources: { list: 'resources/list', key: 'uri' },
  resourceTemplates: { list: 'resources/templates/list', key: 'uriTemplate' },
}

/** The kind that a method lists; undefined for a method that lists nothing. */
export function kindOfList(method: string): Kind | undefined {
  return LISTS.get(method)
}
const LISTS = new Map(Object.entries(KINDS).map(([kind, { list }]) => [list, kind as Kind]))

/** One list as a layer saw it. What is read of it is worked out when it is first read. */
export class ListedItems {
  /** As it came, which may be bytes. */
  readonly passing: Result
  readonly #kind: Kind
  #result: JsonObject | undefined
  #items: readonly JsonObject[] | undefined
  #byName: ReadonlyMap<string, JsonObject> | undefined

  constructor(kind: Kind, passing: Result) {
    this.#kind = kind
    this.passing = passing
  }

  /** The result. Throws when its bytes are no JSON. */
  get result(): JsonObject {
    this.#result ??= plain(this.passing)
    return this.#result
  }

  /** The items that are objects. */
  get items(): readonly JsonObject[] {
    const list = this.result[this.#kind]
    this.#items ??= Array.isArray(list) ? list.filter(isObject) : []
    return this.#items
  }

  /** The items by name or URI; of two with one name the last. */
  get byName(): ReadonlyMap<string, JsonObject> {
    const { key } = KINDS[this.#kind]
    this.#byName ??= new Map(
      this.items.flatMap((item) => (typeof item[key] === 'string' ? [[item[key], item]] : [])),
    )
    return this.#byName
  }
}

/** The lists at one place of the onion. `next` is what stands inside of that place. */
export interface ListsInside {
  /** Sends a request for a list on as it is, and remembers the answer. Rejects as `next` does. */
  pass(exchange: Exchange, next: Handler): Promise<ListedItems>
  /** The list that came last, however old; undefined when this client has got none. */
  last(kind: Kind, client: Client): ListedItems | undefined
  /** The list that came last, asked for when there is none. For what has to agree with what the client was told. */
  known(kind: Kind, exchange: Exchange, next: Handler): ListedItems | Promise<ListedItems>
  /** The list that came last, asked for anew when other lists were announced since. Asks no server where nothing was announced. */
  unchanged(kind: Kind, exchange: Exchange, next: Handler): ListedItems | Promise<ListedItems>
  /** What is listed now: as remembered while servers list the same and nothing was announced, else asked for anew. */
  current(kind: Kind, exchange: Exchange, next: Handler): Promise<ListedItems>
  /** The list as it is asked for anew. */
  fresh(kind: Kind, exchange: Exchange, next: Handler): Promise<ListedItems>
  /** The item of this name in the last list, or in a new one when it is not there; undefined when it is not listed. */
  find(
    kind: Kind,
    name: string,
    exchange: Exchange,
    next: Handler,
  ): JsonObject | undefined | Promise<JsonObject | undefined>
  /** The server that has what a request uses, as `find`; undefined when it is not listed, or the request uses no item. */
  place(exchange: Exchange, next: Handler): Promise<Origin | undefined>
}

/** A list with what it was made from. */
interface Remembered {
  readonly listed: ListedItems
  readonly basis: ListBasis
}

/** One for each layer that needs lists. */
export function createListsInside(): ListsInside {
  const remembered = new WeakMap<Client, Partial<Record<Kind, Remembered>>>()

  function lastOf(kind: Kind, client: Client): Remembered | undefined {
    return remembered.get(client)?.[kind]
  }

  async function ask(kind: Kind, exchange: Exchange, next: Handler): Promise<ListedItems> {
    const basis = exchange.basis ?? { changes: exchange.lists?.changes(kind) }
    const listed = new ListedItems(kind, await next(exchange.basis ? exchange : { ...exchange, basis }))
    const { client } = exchange
    const before = lastOf(kind, client)
    // A list that was asked for before a change does not replace one that was asked for after it.
    if (before === undefined || (before.basis.changes ?? 0) <= (basis.changes ?? 0))
      remembered.set(client, { ...remembered.get(client), [kind]: { listed, basis } })
    return listed
  }

  const fresh: ListsInside['fresh'] = (kind, exchange, next) => {
    const { _meta } = exchange.params
    // Neither the request to a client nor the wishes of a call belong to the list.
    const { toward: _, keep: _keep, basis: _basis, supplied: _supplied, ...rest } = exchange
    const params: JsonObject = _meta === undefined ? {} : { _meta }
    return ask(kind, { ...rest, method: KINDS[kind].list, params }, next)
  }

  function isUnchanged({ basis }: Remembered, kind: Kind, { lists }: Exchange): boolean {
    return basis.changes === lists?.changes(kind)
  }

  const find: ListsInside['find'] = (kind, name, exchange, next) => {
    const item = lastOf(kind, exchange.client)?.listed.byName.get(name)
    if (item !== undefined) return item
    // A name that is not there may have come since: servers change their lists, and clients are told later.
    return fresh(kind, exchange, next).then(({ byName }) => byName.get(name))
  }

  const known: ListsInside['known'] = (kind, exchange, next) =>
    lastOf(kind, exchange.client)?.listed ?? fresh(kind, exchange, next)

  return {
    pass(exchange, next) {
      const kind = kindOfList(exchange.method)
      if (kind === undefined) throw new TypeError(`${exchange.method} lists nothing`)
      return ask(kind, exchange, next)
    },
    last: (kind, client) => lastOf(kind, client)?.listed,
    known,
    unchanged(kind, exchange, next) {
      const before = lastOf(kind, exchange.client)
      return before && isUnchanged(before, kind, exchange) ? before.listed : fresh(kind, exchange, next)
    },
    async current(kind, exchange, next) {
      const { client, lists } = exchange
      if (lastOf(kind, client) === undefined) return fresh(kind, exchange, next)
      const servers = await lists?.current(kind, exchange)
      // Read after waiting: a newer list may have come.
      const before = lastOf(kind, client)
      const isTrue =
        before !== undefined &&
        servers !== undefined &&
        before.basis.servers === servers &&
        isUnchanged(before, kind, exchange)
      return isTrue ? before.listed : fresh(kind, exchange, next)
    },
    fresh,
    find,
    async place(exchange, next) {
      const used = itemOf(exchange)
      if (used === undefined) return undefined
      const { kind, name } = used
      // Many a URI is listed nowhere, and lists would be asked for with each of them.
      const item =
        kind === 'resources'
          ? (await known(kind, exchange, next)).byName.get(name)
          : await find(kind, name, exchange, next)
      return item && originOf(item)
    },
  }
}

/** What is worked out of a list, once for each list. */
export function onceForEach<T>(make: (listed: ListedItems) => T): (listed: ListedItems) => T {
  const made = new WeakMap<ListedItems, { value: T }>()
  return (listed) => {
    const known = made.get(listed) ?? { value: make(listed) }
    made.set(listed, known)
    return known.value
  }
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
