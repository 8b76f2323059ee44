/**
 * Resources of all servers as one list, for one client: the server of each resource and its URI there. URIs are kept as servers give them.
 * Only where two servers use
 * the same one, or templates of the same pattern, the later server's gets a prefix of its own:
 *
 * | the server's | the client's |
 * |---|---|
 * | `note://1` | `note+{server}://1` |
 * | `urn:isbn:1` | `urn+{server}:isbn:1` |
 * | `ui://app/main.html` | `ui://{server}/app/main.html`: hosts know views by their scheme (MCP Apps) |
 * | `readme`, `{+path}` | `mcp+{server}:readme`, `mcp+{server}:{+path}` |
 *
 * What matches a template that moved moves with it. A URI once given to a client keeps its meaning as long as its server lists it.
 */
import type { Result } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Notification } from '../protocol/message.ts'
import { withOrigin } from '../protocol/origin.ts'
import {
  mayNameResources,
  renameInAny,
  renameInArguments,
  renameUri,
  VIEW_MEMBERS,
} from '../protocol/uri-rewrite.ts'
import { shortHash } from '../text/short-hash.ts'
import type { ListKind, ServerList, Upstreams } from '../upstream/contract.ts'
import { joinHints, mayOffer, type Routes, refuseCursor } from './catalogue.ts'
import { MOST_STEPS, parseTemplate, type Steps, type UriTemplate } from './uri-template.ts'

/** Resources of all servers as one list, and reading and subscribing at the server that has the URI. */
export function resourceRoutes(upstreams: Upstreams, resources: Resources, book: AddressBook): Routes {
  const ownedResources = createOwned('uri')
  const ownedTemplates = createOwned('uriTemplate')

  /** One server after another, until one does not say that it knows nothing of this. */
  async function ask(
    candidates: readonly Address[],
    exchange: Exchange,
  ): Promise<{ address: Address; result: Result }> {
    const { method, params } = exchange
    let refusal: unknown
    for (const address of candidates) {
      const asked = address.uri === params.uri ? params : { ...params, uri: address.uri }
      try {
        await exchange.admit?.({ server: address.server, name: String(address.uri) })
        return {
          address,
          result: await upstreams.request(address.server, { method, params: asked }, exchange),
        }
      } catch (error) {
        if (exchange.signal.aborted || !isElsewhere(error)) throw error
        refusal ??= error
      }
    }
    throw refusal ?? resourceNotFound(exchange)
  }

  return {
    'resources/list': async (exchange) => {
      refuseCursor(exchange)
      const { lists, map } = await resources.list('resources', exchange)
      const items = lists.flatMap((list) => {
        const { server } = list
        const own = ownedResources(list)
        return map.moved(server) ? own.map((item) => renameUri(item, (uri) => map.outward(server, uri))) : own
      })
      return { resources: items, ...joinHints('resources', lists, upstreams, exchange) }
    },
    'resources/templates/list': async (exchange) => {
      refuseCursor(exchange)
      const { lists, map } = await resources.list('resourceTemplates', exchange)
      const items = lists.flatMap((list) => {
        const { server } = list
        const own = ownedTemplates(list)
        return map.moved(server)
          ? own.map((item) => renameUri(item, (uri) => map.outwardTemplate(server, uri), 'uriTemplate'))
          : own
      })
      return { resourceTemplates: items, ...joinHints('resourceTemplates', lists, upstreams, exchange) }
    },
    'resources/read': async (exchange) => {
      const { uri } = exchange.params
      const { address, result } = await ask(await resources.candidates(uri, exchange), exchange)
      const { server } = address
      const map = book.of(exchange.client)
      if (typeof uri !== 'string' || !map.moved(server)) return result
      // The resource that was asked for keeps the name that it was asked for by; whatever else came with it, by its own.
      return renameInAny(result, (found) => (found === address.uri ? uri : map.outward(server, found)))
    },
    'resources/subscribe': async (exchange) => {
      const { uri } = exchange.params
      const { address, result } = await ask(await resources.candidates(uri, exchange), exchange)
      if (upstreams.servers.length > 1 && typeof uri === 'string')
        book.subscribed(exchange.client, uri, address)
      return result
    },
    'resources/unsubscribe': async (exchange) => {
      const { uri } = exchange.params
      const made = typeof uri === 'string' ? book.unsubscribed(exchange.client, uri) : undefined
      const { result } = await ask(made ? [made] : await resources.candidates(uri, exchange), exchange)
      return result
    },
  } satisfies Readonly<Record<string, Handler>>
}

/** The items of a list, each marked with its server: made once of a server's list, however often it is asked for. */
function createOwned(key: 'uri' | 'uriTemplate'): (list: ServerList) => readonly JsonObject[] {
  const known = new WeakMap<readonly JsonObject[], { server: string; owned: readonly JsonObject[] }>()
  return ({ server, items }) => {
    const before = known.get(items)
    if (before?.server === server) return before.owned
    const owned = items.map((item) => {
      const name = item[key]
      return typeof name === 'string' ? withOrigin(item, { server, name }) : item
    })
    known.set(items, { server, owned })
    return owned
  }
}

/** Words of servers for a resource that they do not have, for SDKs without a code for it. */
const UNKNOWN = /\bunknown\b|\bnot found\b|\bno such\b|\bdoes not exist\b/iu

/**
 * True when a refusal leaves it open that another server has the resource, or when no answer came. Resource not found is
 * -32002 in the legacy era and -32602 in the modern one. The TypeScript SDK always says -32602. The Python SDK and plain handlers use a
 * code for any failure (0, -32603). Any other refusal is the server's answer.
 */
function isElsewhere(error: unknown): boolean {
  if (!(error instanceof RpcError)) return true
  const { code, message } = error
  if (code === RPC.resourceNotFound || code === RPC.invalidParams || code === RPC.methodNotFound) return true
  return (code === 0 || code === RPC.internalError) && UNKNOWN.test(message)
}

/** The answer for a resource that is not there, in the era of the client. */
export function resourceNotFound({ client, params }: Exchange): RpcError {
  const code = client.era === 'modern' ? RPC.invalidParams : RPC.resourceNotFound
  return new RpcError(code, 'Resource not found', { uri: params.uri ?? null })
}

// Where resources are: whom to ask for a URI, and what a client reads in place of a server's URIs.

/** Lists of resources; tools name some as well, but are listed elsewhere. */
type ResourceKind = Exclude<UriKind, 'tools'>

export interface Resources {
  /** The lists of a kind, and what this client's URIs mean by them. */
  list(kind: ResourceKind, exchange: Exchange): Promise<{ lists: ServerList[]; map: UriMap }>
  /** Takes note of the views that tools name. */
  learnTools(lists: readonly ServerList[], exchange: Exchange): UriMap
  /** Whom to ask for a URI or template of the client's, likeliest first, each under the URI that it knows. */
  candidates(uri: unknown, exchange: Exchange): Promise<readonly Address[]>
  /** The params of a call with the server's URIs. The params themselves where none moved. */
  inward(server: string, params: JsonObject, client: Client): JsonObject
  /**
   * The result with the client's URIs. The result itself where none of the server's URIs moved: then it is not even looked at. A
   * large result that is longer than 256 KB keeps the server's URIs, because it is not read here.
   */
  outward(server: string, result: Result, exchange: Exchange): Result | Promise<Result>
}

export function createResources(upstreams: Upstreams, book: AddressBook): Resources {
  /** The configuration may have more or fewer servers than at the start. */
  const isAlone = (): boolean => upstreams.servers.length <= 1

  async function list(kind: ResourceKind, exchange: Exchange): Promise<{ lists: ServerList[]; map: UriMap }> {
    const lists = await upstreams.list(kind, exchange.client, exchange.signal)
    return {
      lists,
      map: isAlone()
        ? book.of(exchange.client)
        : book.learn(exchange.client, kind, lists, upstreams.serversFor(exchange.client)),
    }
  }

  async function load(exchange: Exchange): Promise<UriMap> {
    await Promise.all([list('resources', exchange), list('resourceTemplates', exchange)])
    return book.of(exchange.client)
  }

  return {
    list,
    learnTools: (lists, { client }) =>
      isAlone() ? book.of(client) : book.learn(client, 'tools', lists, upstreams.serversFor(client)),

    async candidates(uri, exchange) {
      // With one server there is no doubt, whatever it is that was sent.
      const servers = upstreams.serversFor(exchange.client)
      const [only] = servers
      if (isAlone() && only !== undefined) return [{ server: only, uri: uri as string }]
      if (typeof uri !== 'string')
        throw new RpcError(RPC.invalidParams, 'The URI of a resource must be a string')
      const known = addressIn(book.of(exchange.client), uri)
      if (known) return [known]
      const map = await load(exchange)
      const listed = addressIn(map, uri)
      if (listed) return [listed]
      // Servers read unlisted URIs as well, so in the end all are asked that have resources.
      const all = servers.filter((server) => mayOffer(upstreams.known(server), 'resources'))
      return [...new Set([...map.byTemplate(uri), ...all])].map((server) => ({ server, uri }))
    },

    inward(server, params, client) {
      const { arguments: args } = params
      const map = book.of(client)
      if (args === undefined || !map.moved(server)) return params
      const known = renameInArguments(args, (text) => {
        const address = map.inward(text)
        return address?.server === server ? address.uri : text
      })
      return known === args ? params : { ...params, arguments: known }
    },

    outward(server, result, exchange) {
      if (isAlone()) return result
      if (book.complete(exchange.client)) {
        const map = book.of(exchange.client)
        return map.moved(server) ? renameInAny(result, (uri) => map.outward(server, uri)) : result
      }
      // The client may ask for resources that this result names: their servers must be settled before.
      if (!mayNameResources(result)) return result
      return load(exchange).then((map) =>
        map.moved(server) ? renameInAny(result, (uri) => map.outward(server, uri)) : result,
      )
    },
  }
}

function addressIn(map: UriMap, uri: string): Address | undefined {
  const moved = map.inward(uri)
  if (moved) return moved
  const server = map.owner(uri)
  return server === undefined ? undefined : { server, uri }
}

// The server of a URI: both ways between a server's URI of a resource and a client's.

/** A resource by its server's own URI. */
export interface Address {
  readonly server: string
  readonly uri: string
}

/** The resources of servers, by server, in the order in which they get a contested URI. */
export type UriLists = ReadonlyMap<string, Readonly<Partial<Record<UriKind, readonly JsonObject[]>>>>

/** One prefix that stands for another: both ways by cutting one off and putting the other before. */
interface Rule {
  readonly server: string
  /** As the server writes it: `note:`, `ui://` or nothing. */
  readonly from: string
  /** As the client sees it. No URI of any server begins like this unless it was moved itself. */
  readonly to: string
}

/** The moved items of one server. */
interface Moves {
  readonly uris: Set<string>
  /** The URIs that the client knew before a template moved that matches them. */
  readonly staying: Set<string>
  readonly templates: Map<string, UriTemplate>
}

/** The URIs that the client knew before. */
interface Past {
  readonly map: UriMap | undefined
  readonly moves: ReadonlyMap<string, Moves>
}

/** Everything one server lists, of all kinds. */
interface Holder {
  readonly server: string
  readonly indexes: readonly UriIndex[]
}

export class UriMap {
  readonly #holders: readonly Holder[]
  readonly #moves = new Map<string, Moves>()
  /** By `to`. */
  readonly #rules: Map<string, Rule>
  /** By server and `from`. */
  readonly #ruleOf: Map<string, Rule>
  /** For all URIs that are listed. */
  readonly #left: Steps = { steps: MOST_STEPS }

  /** `past`: the map that the client knows until now. */
  constructor(lists: UriLists, past?: UriMap) {
    this.#holders = holdersOf(lists)
    this.#rules = new Map(past ? past.#rules : [])
    this.#ruleOf = new Map(past ? past.#ruleOf : [])
    if (this.#holders.length < 2 && this.#rules.size === 0) return
    const before: Past = past ? { map: past, moves: past.#moves } : { map: undefined, moves: new Map() }
    this.#moveTemplates(before)
    this.#moveUris(before)
  }

  /** True when this server's URIs have to be looked at. */
  moved(server: string): boolean {
    return this.#moves.has(server)
  }

  /** The client's URI for a server's. */
  outward(server: string, uri: string): string {
    const moves = this.#moves.get(server)
    if (!moves) return uri
    if (moves.uris.has(uri)) return this.#apply(server, uri, uri)
    if (moves.staying.has(uri)) return uri
    const left = { steps: MOST_STEPS }
    for (const [text, template] of moves.templates) {
      if (template.matches(uri, left)) return this.#apply(server, text, uri)
    }
    return uri
  }

  /** The client's template for a server's. */
  outwardTemplate(server: string, template: string): string {
    return this.#moves.get(server)?.templates.has(template)
      ? this.#apply(server, template, template)
      : template
  }

  /** The server's URI or template for one of the client's that moved; undefined for all others. */
  inward(uri: string): Address | undefined {
    const rule = this.#rules.get(labelledPrefixOf(uri))
    return rule && { server: rule.server, uri: rule.from + uri.slice(rule.to.length) }
  }

  /** The server that lists this URI, or this template, under that very text. */
  owner(uri: string): string | undefined {
    return this.#holders.find(
      (holder) =>
        (lists(holder, uri) && this.outward(holder.server, uri) === uri) ||
        (listsTemplate(holder, uri) && this.outwardTemplate(holder.server, uri) === uri),
    )?.server
  }

  /** True when this server listed the URI, and the client knew it by that. */
  knew(server: string, uri: string): boolean {
    const holder = this.#holders.find((one) => one.server === server)
    return holder !== undefined && lists(holder, uri) && this.outward(server, uri) === uri
  }

  /** The servers with a template that this URI may be made of, the most exact first. */
  byTemplate(uri: string): string[] {
    const left = { steps: MOST_STEPS }
    const found = this.#holders.flatMap(({ server, indexes }) => {
      const moved = this.#moves.get(server)?.templates
      let literals = -1
      for (const [text, template] of templatesOf(indexes)) {
        if (template.literals > literals && !moved?.has(text) && template.matches(uri, left))
          literals = template.literals
      }
      return literals < 0 ? [] : [{ server, literals }]
    })
    return found.sort((a, b) => b.literals - a.literals).map(({ server }) => server)
  }

  #moveTemplates(past: Past): void {
    // Items that moved before come first: of two templates that match a URI, the same one is to move it again.
    for (const { server, indexes } of this.#holders) {
      for (const [text, template] of past.moves.get(server)?.templates ?? []) {
        if (indexes.some(({ templates }) => templates.has(text)))
          this.#movesOf(server).templates.set(text, template)
      }
    }
    const owners = past.map ? past.map.#ownersOfPatterns() : new Map<string, string>()
    const rivals = new Map<string, Set<string>>()
    const each = (visit: (server: string, text: string, template: UriTemplate) => void): void => {
      for (const { server, indexes } of this.#holders) {
        for (const [text, template] of templatesOf(indexes)) visit(server, text, template)
      }
    }
    const free = (server: string, text: string): boolean =>
      !this.#rules.has(labelledPrefixOf(text)) && past.moves.get(server)?.templates.has(text) !== true
    each((server, text, { pattern }) => {
      if (free(server, text)) rivals.set(pattern, (rivals.get(pattern) ?? new Set()).add(server))
    })
    each((server, text, template) => {
      const all = rivals.get(template.pattern) ?? new Set()
      const before = owners.get(template.pattern)
      const [first] = before !== undefined && all.has(before) ? [before] : all
      if (free(server, text) && first === server) return
      this.#movesOf(server).templates.set(text, template)
      this.#ruleFor(server, text)
    })
  }

  #ownersOfPatterns(): Map<string, string> {
    const owners = new Map<string, string>()
    for (const { server, indexes } of this.#holders) {
      for (const [text, { pattern }] of templatesOf(indexes)) {
        if (!this.#moves.get(server)?.templates.has(text) && !owners.has(pattern)) owners.set(pattern, server)
      }
    }
    return owners
  }

  #moveUris(past: Past): void {
    const free = (server: string, uri: string): boolean =>
      !this.#rules.has(labelledPrefixOf(uri)) && past.moves.get(server)?.uris.has(uri) !== true
    for (const { server, indexes } of this.#holders) {
      for (const uri of urisOf(indexes)) {
        if (free(server, uri)) {
          const matched = this.#byMovedTemplate(server, uri)
          if (matched && past.map?.knew(server, uri) !== true) continue
          if (this.#isFirst(server, uri, free, past)) {
            if (matched) this.#movesOf(server).staying.add(uri)
            continue
          }
        }
        this.#movesOf(server).uris.add(uri)
        this.#ruleFor(server, uri)
      }
    }
  }

  /** True for who had the URI before, else for the first that lists it. */
  #isFirst(server: string, uri: string, free: (server: string, uri: string) => boolean, past: Past): boolean {
    const others = this.#holders.filter((holder) => holder.server !== server && lists(holder, uri))
    if (others.length === 0) return true
    const before = past.map?.owner(uri)
    const rivals = this.#holders.filter(
      (holder) =>
        lists(holder, uri) &&
        free(holder.server, uri) &&
        (holder.server === before || !this.#byMovedTemplate(holder.server, uri)),
    )
    const first = rivals.find((rival) => rival.server === before) ?? rivals[0]
    return first === undefined || first.server === server
  }

  #byMovedTemplate(server: string, uri: string): boolean {
    const templates = this.#moves.get(server)?.templates.values() ?? []
    for (const template of templates) if (template.matches(uri, this.#left)) return true
    return false
  }

  #movesOf(server: string): Moves {
    const known = this.#moves.get(server)
    if (known) return known
    const moves: Moves = { uris: new Set(), staying: new Set(), templates: new Map() }
    this.#moves.set(server, moves)
    return moves
  }

  /** Puts the prefix that `like` gets before a URI that begins like it. */
  #apply(server: string, like: string, uri: string): string {
    const { from, to } = this.#ruleFor(server, like)
    return to + uri.slice(from.length)
  }

  #ruleFor(server: string, uri: string): Rule {
    const from = prefixOf(uri)
    const key = `${from}\n${server}`
    const known = this.#ruleOf.get(key)
    if (known) return known
    for (const to of replacementsOf(from, server)) {
      if (this.#rules.has(to) || this.#begins(to)) continue
      const rule = { server, from, to }
      this.#rules.set(to, rule)
      this.#ruleOf.set(key, rule)
      return rule
    }
    throw new Error('there is always one more')
  }

  /** True when something that a server lists begins like this. */
  #begins(text: string): boolean {
    return this.#holders.some(({ indexes }) =>
      indexes.some(({ uris, templates }) => some(uris, text) || some(templates.keys(), text)),
    )
  }
}

function some(texts: Iterable<string>, start: string): boolean {
  for (const text of texts) if (text.startsWith(start)) return true
  return false
}

/** Servers without resources have no part in any of it. */
function holdersOf(lists: UriLists): Holder[] {
  return [...lists].flatMap(([server, { tools, resources, resourceTemplates }]) => {
    const indexes = [
      indexOf('resources', resources),
      indexOf('resourceTemplates', resourceTemplates),
      indexOf('tools', tools),
    ].filter(({ uris, templates }) => uris.size + templates.size > 0)
    return indexes.length === 0 ? [] : [{ server, indexes }]
  })
}

function lists({ indexes }: Holder, uri: string): boolean {
  return indexes.some(({ uris }) => uris.has(uri))
}

function listsTemplate({ indexes }: Holder, text: string): boolean {
  return indexes.some(({ templates }) => templates.has(text))
}

function* urisOf(indexes: readonly UriIndex[]): Iterable<string> {
  for (const { uris } of indexes) yield* uris
}

function* templatesOf(indexes: readonly UriIndex[]): Iterable<[string, UriTemplate]> {
  for (const { templates } of indexes) yield* templates
}

// The resources in a server's list, in a form that answers at once. Made once a list and shared by all
// clients that see it.

/** Lists that name resources: those of resources, and of tools, because their views are resources (MCP Apps). */
export type UriKind = Exclude<ListKind, 'prompts'>

interface UriIndex {
  readonly uris: ReadonlySet<string>
  /** By the template as the server wrote it. */
  readonly templates: ReadonlyMap<string, UriTemplate>
}

const EMPTY: UriIndex = { uris: new Set(), templates: new Map() }

const indexes = new WeakMap<readonly JsonObject[], UriIndex>()

/** The list of items never changes: the catalogue makes a new one for every change. */
function indexOf(kind: UriKind, items: readonly JsonObject[] | undefined): UriIndex {
  if (items === undefined || items.length === 0) return EMPTY
  const known = indexes.get(items)
  if (known) return known
  const index = READERS[kind](items)
  indexes.set(items, index)
  return index
}

const READERS: Readonly<Record<UriKind, (items: readonly JsonObject[]) => UriIndex>> = {
  resources: (items) => ({ ...EMPTY, uris: new Set(strings(items.map((item) => own(item, 'uri')))) }),
  resourceTemplates: (items) => ({
    ...EMPTY,
    templates: new Map(
      strings(items.map((item) => own(item, 'uriTemplate'))).map((text) => [text, parseTemplate(text)]),
    ),
  }),
  tools: (items) => {
    const uris = new Set(items.flatMap((item) => viewsOf(item)))
    return uris.size === 0 ? EMPTY : { ...EMPTY, uris }
  },
}

/** The resources that show what a tool answers. */
function viewsOf(holder: JsonObject): string[] {
  const meta = own(holder, '_meta')
  if (!isObject(meta)) return []
  const ui = own(meta, 'ui')
  return strings([
    isObject(ui) ? own(ui, 'resourceUri') : undefined,
    ...VIEW_MEMBERS.map((member) => own(meta, member)),
  ])
}

function strings(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string')
}

// The beginnings of URIs that tell servers apart.

/** The part of a URI that a prefix takes the place of (RFC 3986, 3.1). */
function prefixOf(uri: string): string {
  if (uri.startsWith('ui://')) return 'ui://'
  return /^[a-z][a-z0-9+.-]*:/iu.exec(uri)?.[0] ?? ''
}

/** The beginning of a moved URI; see `replacement`. */
function labelledPrefixOf(uri: string): string {
  return uri.startsWith('ui://') ? uri.slice(0, uri.indexOf('/', 5) + 1) : prefixOf(uri)
}

/** The replacements for it at this server, the first that is free. Without end. */
function* replacementsOf(from: string, server: string): Generator<string, never> {
  const label = labelOf(server)
  yield replacement(from, label)
  for (let salt = 1; ; salt++) yield replacement(from, `${label}-${shortHash(`${server}\n${salt}`)}`)
}

function replacement(from: string, label: string): string {
  if (from === 'ui://') return `ui://${label}/`
  return from === '' ? `mcp+${label}:` : `${from.slice(0, -1)}+${label}:`
}

/** The server's name in characters that a scheme and a host may have. */
function labelOf(server: string): string {
  const label = server
    .toLowerCase()
    .replace(/[^a-z0-9-]+/gu, '-')
    .slice(0, 40)
  return label.replace(/^-+|-+$/gu, '') || shortHash(server)
}

// The meaning of each client's URIs: kept from one list to the next, so that a URI does not change its meaning under a client.

export interface AddressBook {
  /** As far as the lists tell that were read for this client. */
  of(client: Client): UriMap
  /** True when the lists of resources and templates were read; before that, it is unknown whether URIs collide. */
  complete(client: Client): boolean
  /** Takes note of lists of one kind. `servers`: all there are, in the order in which they get a contested URI. */
  learn(client: Client, kind: UriKind, lists: readonly ServerList[], servers: readonly string[]): UriMap
  /** The client subscribed under this URI; what unsubscribes has to go to the same server. */
  subscribed(client: Client, uri: string, address: Address): void
  /** Where a subscription was made, which from now on is none. */
  unsubscribed(client: Client, uri: string): Address | undefined
  /** A notification of a server as this client is to read it: `resources/updated` names the URI that the client knows. */
  notification(server: string, notification: Notification, client: Client): Notification
}

type Lists = Map<string, Partial<Record<UriKind, readonly JsonObject[]>>>

interface Page {
  lists: Lists
  kinds: Set<UriKind>
  map: UriMap
  subscriptions: Map<string, Address>
}

const NOTHING = new UriMap(new Map())

/** Subscriptions a client may hold that are still told apart. */
const MAX_SUBSCRIPTIONS = 1000

export function createAddressBook(): AddressBook {
  const pages = new WeakMap<Client, Page>()

  function pageOf(client: Client): Page {
    const known = pages.get(client)
    if (known) return known
    const page: Page = { lists: new Map(), kinds: new Set(), map: NOTHING, subscriptions: new Map() }
    pages.set(client, page)
    return page
  }

  return {
    of: (client) => pages.get(client)?.map ?? NOTHING,
    complete(client) {
      const kinds = pages.get(client)?.kinds
      return kinds?.has('resources') === true && kinds.has('resourceTemplates')
    },
    learn(client, kind, lists, servers) {
      const page = pageOf(client)
      const news = lists.filter(({ server, items }) => page.lists.get(server)?.[kind] !== items)
      page.kinds.add(kind)
      const gone = [...page.lists.keys()].some((server) => !servers.includes(server))
      if (news.length === 0 && !gone) return page.map
      // A server that gave no list this time keeps what it had: it comes back, and its URIs are still its own.
      const fresh = new Map(news.map(({ server, items }) => [server, { [kind]: items }]))
      page.lists = new Map(
        servers.map((server) => [server, { ...page.lists.get(server), ...fresh.get(server) }]),
      )
      page.map = new UriMap(page.lists, page.map)
      return page.map
    },
    subscribed(client, uri, address) {
      const { subscriptions } = pageOf(client)
      subscriptions.delete(uri)
      subscriptions.set(uri, address)
      const [oldest] = subscriptions.keys()
      if (subscriptions.size > MAX_SUBSCRIPTIONS && oldest !== undefined) subscriptions.delete(oldest)
    },
    unsubscribed(client, uri) {
      const subscriptions = pages.get(client)?.subscriptions
      const address = subscriptions?.get(uri)
      subscriptions?.delete(uri)
      return address
    },
    notification(server, notification, client) {
      const page = pages.get(client)
      const uri = notification.params?.uri
      if (!page?.map.moved(server) || notification.method !== 'notifications/resources/updated')
        return notification
      if (typeof uri !== 'string') return notification
      const renamed = subscribedAs(page.subscriptions, { server, uri }) ?? page.map.outward(server, uri)
      return renamed === uri
        ? notification
        : { ...notification, params: { ...notification.params, uri: renamed } }
    },
  }
}

function subscribedAs(
  subscriptions: ReadonlyMap<string, Address>,
  { server, uri }: Address,
): string | undefined {
  for (const [known, address] of subscriptions) {
    if (address.uri === uri && address.server === server) return known
  }
  return undefined
}
