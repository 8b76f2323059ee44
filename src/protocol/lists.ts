/**
 * The lists at the places of the onion: what the layers and servers inside of a place list to each client. This is the one memory of
 * lists. A layer that has to know a listed item asks here, and no layer sends a request for a list on its own.
 */
import { plain, type Result } from './content.ts'
import type { Destination } from './effects.ts'
import type {
  Client,
  Exchange,
  Handler,
  ListBasis,
  Listed,
  ListKind,
  ListSource,
  Lists,
  ShowList,
} from './exchange.ts'
import { isObject, type JsonObject } from './json.ts'
import { type Origin, originOf } from './origin.ts'

/** The kinds of a server's lists. */
export type Kind = ListKind

/** How each kind is listed, and which member of an item names it. */
export const KINDS: Readonly<Record<Kind, { list: string; key: string }>> = {
  tools: { list: 'tools/list', key: 'name' },
  prompts: { list: 'prompts/list', key: 'name' },
  resources: { list: 'resources/list', key: 'uri' },
  resourceTemplates: { list: 'resources/templates/list', key: 'uriTemplate' },
}

/** The kinds by the methods that list them. */
export const LIST_METHODS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(KINDS).map(([kind, { list }]) => [list, kind as Kind]),
)

/** The kind that a method lists; undefined for a method that lists nothing. */
export function kindOfList(method: string): Kind | undefined {
  return LIST_METHODS.get(method)
}

/** A value that is read of a list is worked out when it is first read. */
class ListedItems implements Listed {
  readonly kind: Kind
  readonly passing: Result
  #result: JsonObject | undefined
  #items: readonly JsonObject[] | undefined
  #byName: ReadonlyMap<string, JsonObject> | undefined

  constructor(kind: Kind, passing: Result) {
    this.kind = kind
    this.passing = passing
  }

  get result(): JsonObject {
    this.#result ??= plain(this.passing)
    return this.#result
  }

  get items(): readonly JsonObject[] {
    const list = this.result[this.kind]
    this.#items ??= Array.isArray(list) ? list.filter(isObject) : []
    return this.#items
  }

  get byName(): ReadonlyMap<string, JsonObject> {
    const { key } = KINDS[this.kind]
    this.#byName ??= new Map(
      this.items.flatMap((item) => (typeof item[key] === 'string' ? [[item[key], item]] : [])),
    )
    return this.#byName
  }
}

/** One for each result, so that what was worked out of it is there wherever it passes. */
function listedIn(kind: Kind, passing: Result): Listed {
  const known = listings.get(passing)
  if (known?.kind === kind) return known
  const made = new ListedItems(kind, passing)
  listings.set(passing, made)
  return made
}
const listings = new WeakMap<Result, Listed>()

/** Answers a request for a list by what `show` makes of the answer of `next`. A result that is no list passes. */
export async function showList(
  exchange: Exchange,
  next: Handler,
  inside: Lists,
  show: ShowList,
): Promise<Result> {
  const kind = kindOfList(exchange.method)
  const passing = await next(exchange)
  if (kind === undefined) return passing
  const listed = listedIn(kind, passing)
  if (!Array.isArray(listed.result[kind])) return passing
  const items = await show(listed, exchange, inside)
  return items === listed.items ? passing : { ...listed.result, [kind]: [...items] }
}

/** A list with what it was made from. */
interface Remembered {
  readonly listed: Listed
  readonly basis: ListBasis
}

/** The lists of a place where `answer` answers requests for them. Without `source` it is unknown whether a list is still true. */
export function createLists(answer: Handler, source?: ListSource): Lists {
  const remembered = new WeakMap<Client, Partial<Record<Kind, Remembered>>>()

  function lastOf(kind: Kind, client: Client): Remembered | undefined {
    return remembered.get(client)?.[kind]
  }

  async function ask(exchange: Exchange): Promise<Listed> {
    const { client, method } = exchange
    const kind = kindOfList(method)
    if (kind === undefined) throw new TypeError(`${method} lists nothing`)
    const basis = exchange.basis ?? { changes: source?.changes(kind) }
    const listed = listedIn(kind, await answer(exchange.basis ? exchange : { ...exchange, basis }))
    const before = lastOf(kind, client)
    // A list that was asked for before a change does not replace one that was asked for after it.
    if (before === undefined || (before.basis.changes ?? 0) <= (basis.changes ?? 0))
      remembered.set(client, { ...remembered.get(client), [kind]: { listed, basis } })
    return listed
  }

  const fresh: Lists['fresh'] = (kind, exchange) => {
    const { _meta } = exchange.params
    // Neither the request to a client nor the wishes of a call belong to the list.
    const { toward: _, keep: _keep, basis: _basis, supplied: _supplied, ...rest } = exchange
    return ask({ ...rest, method: KINDS[kind].list, params: _meta === undefined ? {} : { _meta } })
  }

  function isUnchanged({ basis }: Remembered, kind: Kind): boolean {
    return basis.changes === source?.changes(kind)
  }

  const find: Lists['find'] = (kind, name, exchange) => {
    const item = lastOf(kind, exchange.client)?.listed.byName.get(name)
    if (item !== undefined) return item
    // A name that is not there may have come since: servers change their lists, and clients are told later.
    return fresh(kind, exchange).then(({ byName }) => byName.get(name))
  }

  const known: Lists['known'] = (kind, exchange) =>
    lastOf(kind, exchange.client)?.listed ?? fresh(kind, exchange)

  return {
    ask,
    last: (kind, client) => lastOf(kind, client)?.listed,
    known,
    unchanged(kind, exchange) {
      const before = lastOf(kind, exchange.client)
      return before && isUnchanged(before, kind) ? before.listed : fresh(kind, exchange)
    },
    async current(kind, exchange) {
      const { client } = exchange
      if (lastOf(kind, client) === undefined) return fresh(kind, exchange)
      const servers = await source?.current(kind, exchange)
      // Read after waiting: a newer list may have come.
      const before = lastOf(kind, client)
      const isTrue =
        before !== undefined &&
        servers !== undefined &&
        before.basis.servers === servers &&
        isUnchanged(before, kind)
      return isTrue ? before.listed : fresh(kind, exchange)
    },
    fresh,
    find,
    async origin(exchange) {
      const used = itemOf(exchange)
      if (used === undefined) return undefined
      const { kind, name } = used
      // Many a URI is listed nowhere, and lists would be asked for with each of them.
      const item =
        kind === 'resources'
          ? (await known(kind, exchange)).byName.get(name)
          : await find(kind, name, exchange)
      return item && originOf(item)
    },
  }
}

/** A value that is worked out of a list, once for each list. */
export function onceForEach<T>(make: (listed: Listed) => T): (listed: Listed) => T {
  const made = new WeakMap<Listed, { value: T }>()
  return (listed) => {
    const known = made.get(listed) ?? { value: make(listed) }
    made.set(listed, known)
    return known.value
  }
}

/**
 * The names by which the options of every module may mean an item, the most exact first: `server/name` with the server's own name, then
 * the name under which the item is listed where the module stands. The last is the server's own name alone, which several servers may
 * share.
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

/** The item that a request uses: its kind, and its name or URI. Undefined where it uses none that is listed by name. */
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
