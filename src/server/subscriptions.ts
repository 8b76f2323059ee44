/** All `subscriptions/listen` that are open (MCP 2026-07-28, basic/subscriptions), and what servers watch for them. */
import { withMeta } from '../protocol/content.ts'
import { MODERN_META } from '../protocol/eras.ts'
import { messageOf, RPC, RpcError } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { type Limits, limitWords } from '../protocol/limits.ts'
import type { Notification } from '../protocol/message.ts'
import type { AnnouncedList, Audience } from './audience.ts'
import { hearsOf, type Requester } from './backend.ts'
import type { Backend } from './legacy.ts'

interface SubscriptionsOptions {
  backend: Pick<Backend, 'handler' | 'describe' | 'logger' | 'toolsChange'>
  audience: Pick<Audience, 'add' | 'remove'>
  limits: Limits
}

interface Subscriptions {
  /** Lasts until the client leaves, which rejects, or `close`, which gives its result. */
  listen(client: Client, params: JsonObject, requester: Requester): Promise<JsonObject>
  /** To the client's subscriptions that asked for it. */
  notify(client: Client, notification: Notification): void
  close(): void
}

/** Subscriptions of all clients together. */
const MAX_OPEN = 1024

/** Milliseconds that the acknowledgement waits for servers to begin watching: what changes after it must be told. */
const PATIENCE_MS = 5000

interface Listener {
  readonly subscriptions: Set<Subscription>
  readonly watches: Watches
}

export function createSubscriptions({ backend, audience, limits }: SubscriptionsOptions): Subscriptions {
  const listeners = new Map<Client, Listener>()
  const watches = new WeakMap<Client, Watches>()

  function watchesOf(client: Client): Watches {
    const known = watches.get(client)
    if (known) return known
    const made = createWatches((method, uri) => watch(client, method, uri))
    watches.set(client, made)
    return made
  }

  /** False when no server takes it, which the client would not have learned from a server either. */
  async function watch(client: Client, method: WatchMethod, uri: string): Promise<boolean> {
    const params = { uri, _meta: envelopeOf(client) }
    const { signal } = new AbortController()
    try {
      await backend.handler({ method, params, client, agent: client.agent, signal, notify: () => {} })
      return true
    } catch (error) {
      backend.logger.debug({ method, uri, error: messageOf(error) }, 'a resource is not watched')
      return false
    }
  }

  function refuseTooMany(requester: Requester): void {
    const owner = ownerOf(requester)
    const owners = [...listeners.values()].flatMap(({ subscriptions }) =>
      [...subscriptions].map((one) => one.owner),
    )
    const isTheirs = owners.filter((one) => one === owner).length >= limits.clientSubscriptions
    if (!isTheirs && owners.length < MAX_OPEN) return
    const words = isTheirs ? `; ${limitWords('clientSubscriptions', limits)}` : ''
    throw new RpcError(RPC.internalError, `Subscription limit reached: end another one first${words}`)
  }

  function open(client: Client, subscription: Subscription): Listener {
    const listener = listeners.get(client) ?? { subscriptions: new Set(), watches: watchesOf(client) }
    listener.subscriptions.add(subscription)
    if (listener.subscriptions.size > 1) return listener
    listeners.set(client, listener)
    audience.add(
      client,
      (list) =>
        (list !== 'tools' || backend.toolsChange?.(client) !== false) &&
        [...listener.subscriptions].some(({ filter }) => filter.lists.has(list)),
    )
    return listener
  }

  function drop(client: Client, listener: Listener, subscription: Subscription): void {
    listener.subscriptions.delete(subscription)
    for (const uri of subscription.filter.uris) listener.watches.remove(uri)
    if (listener.subscriptions.size > 0) return
    listeners.delete(client)
    audience.remove(client)
  }

  return {
    async listen(client, params, requester) {
      refuseTooMany(requester)
      const { capabilities, serverInfo } = backend.describe({ profile: client.profile })
      const filter = honour(readFilter(params), capabilities)
      const subscription = new Subscription(filter, requester)
      const listener = open(client, subscription)
      try {
        await watched(filter, listener.watches, subscription)
        if (!requester.signal.aborted) subscription.acknowledge()
        if (isEmpty(filter)) subscription.end()
        await subscription.over
      } finally {
        drop(client, listener, subscription)
      }
      if (requester.signal.aborted) throw new RpcError(RPC.cancelled, 'the client cancelled')
      const _meta = { [MODERN_META.subscriptionId]: requester.id, [MODERN_META.serverInfo]: serverInfo }
      return { resultType: 'complete', _meta }
    },
    notify(client, notification) {
      for (const subscription of listeners.get(client)?.subscriptions ?? []) subscription.tell(notification)
    },
    close() {
      for (const { subscriptions } of listeners.values())
        for (const subscription of subscriptions) subscription.end()
    },
  }
}

/** Resolves when the servers answered, or when no client waits for that any more. */
async function watched({ uris }: Filter, watches: Watches, { over }: Subscription): Promise<void> {
  const answers = [...uris].map((uri) => watches.add(uri))
  if (answers.length === 0) return
  let timer: NodeJS.Timeout | undefined
  const impatient = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS).unref()
  })
  await Promise.race([Promise.all(answers), over, impatient])
  clearTimeout(timer)
}

/** The envelope in which a request of the proxy's own describes the client it is made for. */
function envelopeOf({ protocolVersion, info, capabilities }: Client): JsonObject {
  return {
    [MODERN_META.protocolVersion]: protocolVersion,
    [MODERN_META.clientInfo]: info,
    [MODERN_META.clientCapabilities]: capabilities,
  }
}

/** The opener: a known agent, otherwise all clients at one address. */
function ownerOf({ agent, address }: Requester): string {
  return agent.kind === 'anonymous' ? `address ${address ?? ''}` : `${agent.kind} ${agent.id}`
}

// One `subscriptions/listen` under way: a stream of what the client asked to be told.

class Subscription {
  readonly filter: Filter
  readonly owner: string
  /** Resolves when the client left or `end` was called. */
  readonly over: Promise<void>
  readonly #requester: Requester
  /** The notifications before the acknowledgement, which has to be the first message: the last of each kind and resource. */
  #early: Map<string, Notification> | undefined = new Map()
  #end: () => void = () => {}

  constructor(filter: Filter, requester: Requester) {
    this.filter = filter
    this.owner = ownerOf(requester)
    this.#requester = requester
    const { signal } = requester
    this.over = new Promise((resolve) => {
      this.#end = () => {
        signal.removeEventListener('abort', this.#end)
        resolve()
      }
      signal.addEventListener('abort', this.#end, { once: true })
      if (signal.aborted) this.#end()
    })
  }

  /** Says what of the request is honoured. From now on notifications flow. */
  acknowledge(): void {
    const params = { notifications: writeFilter(this.filter) }
    this.#send({ method: 'notifications/subscriptions/acknowledged', params })
    const early = this.#early
    this.#early = undefined
    for (const notification of early?.values() ?? []) this.#send(notification)
  }

  /** Passes a notification on when it is one that was asked for. */
  tell(notification: Notification): void {
    if (!accepts(this.filter, notification)) return
    if (!this.#early) return this.#send(notification)
    const { method, params } = notification
    this.#early.set(`${method} ${String(params && own(params, 'uri'))}`, notification)
  }

  end(): void {
    this.#end()
  }

  /** Every message names the subscription by the id of its request, as it came. */
  #send({ method, params }: Notification): void {
    this.#requester.notify({
      method,
      params: withMeta(params, { [MODERN_META.subscriptionId]: this.#requester.id }),
    })
  }
}

// The subject of a subscription: the `notifications` of `subscriptions/listen` (MCP 2026-07-28, basic/subscriptions).

interface Filter {
  readonly lists: ReadonlySet<AnnouncedList>
  /** Resources with updates that clients want. */
  readonly uris: ReadonlySet<string>
}

const MEMBERS: readonly [member: string, list: AnnouncedList][] = [
  ['toolsListChanged', 'tools'],
  ['promptsListChanged', 'prompts'],
  ['resourcesListChanged', 'resources'],
]

/** Resources that one subscription may be about; the acknowledgement leaves out what is beyond. */
const MAX_URIS = 1024

/** Throws RpcError invalidParams for what is no filter. */
export function readFilter(params: JsonObject): Filter {
  const asked = own(params, 'notifications')
  if (!isObject(asked)) throw new RpcError(RPC.invalidParams, 'params.notifications must be an object')
  const lists = new Set<AnnouncedList>()
  for (const [member, list] of MEMBERS) {
    const wanted = own(asked, member) ?? false
    if (typeof wanted !== 'boolean')
      throw new RpcError(RPC.invalidParams, `params.notifications.${member} must be true or false`)
    if (wanted) lists.add(list)
  }
  const uris = own(asked, 'resourceSubscriptions') ?? []
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string'))
    throw new RpcError(
      RPC.invalidParams,
      'params.notifications.resourceSubscriptions must be an array of strings',
    )
  return { lists, uris: new Set(uris) }
}

/** The part of it that these capabilities promise. */
export function honour({ lists, uris }: Filter, capabilities: JsonObject): Filter {
  const resources = own(capabilities, 'resources')
  const watched = isObject(resources) && own(resources, 'subscribe') === true
  return {
    lists: new Set([...lists].filter(hearsOf(capabilities))),
    uris: new Set(watched ? [...uris].slice(0, MAX_URIS) : []),
  }
}

export function isEmpty({ lists, uris }: Filter): boolean {
  return lists.size === 0 && uris.size === 0
}

/** As it is written in the acknowledgement. */
export function writeFilter({ lists, uris }: Filter): JsonObject {
  const written: JsonObject = {}
  for (const [member, list] of MEMBERS) if (lists.has(list)) written[member] = true
  if (uris.size > 0) written.resourceSubscriptions = [...uris]
  return written
}

/** True when a subscription with this filter is to hear of it. */
export function accepts({ lists, uris }: Filter, { method, params }: Notification): boolean {
  if (method === 'notifications/resources/updated') {
    const uri = params && own(params, 'uri')
    return typeof uri === 'string' && (uris.has(uri) || [...uris].some((whole) => isPart(uri, whole)))
  }
  const [, list] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? []
  return list !== undefined && lists.has(list as AnnouncedList)
}

/** Servers may tell of a part of what is subscribed to, a file of a folder (server/resources, "Subscriptions"). */
function isPart(uri: string, whole: string): boolean {
  return uri.startsWith(whole.endsWith('/') ? whole : `${whole}/`)
}

// Which resources servers watch for one client. Several of its subscriptions may name the same one.

interface Watches {
  /** One subscription more is about it. Resolves when the servers have answered. */
  add(uri: string): Promise<void>
  /** One less. */
  remove(uri: string): void
}

type WatchMethod = 'resources/subscribe' | 'resources/unsubscribe'

interface Watch {
  subscriptions: number
  /** The state that the servers were told last, and took. */
  subscribed: boolean
  /** The requests to the servers so far: one thing at a time, or the last word would be anybody's. */
  work: Promise<void>
}

/** `ask` must not reject: it gives false when the servers refuse. */
export function createWatches(ask: (method: WatchMethod, uri: string) => Promise<boolean>): Watches {
  const watched = new Map<string, Watch>()

  async function settle(uri: string, watch: Watch): Promise<void> {
    const wanted = watch.subscriptions > 0
    if (wanted !== watch.subscribed) {
      const taken = await ask(wanted ? 'resources/subscribe' : 'resources/unsubscribe', uri)
      watch.subscribed = wanted && taken
    }
    const idle = watch.subscriptions === 0 && !watch.subscribed
    if (idle && watched.get(uri) === watch) watched.delete(uri)
  }

  function change(uri: string, by: 1 | -1): Promise<void> {
    const watch = watched.get(uri) ?? { subscriptions: 0, subscribed: false, work: Promise.resolve() }
    watched.set(uri, watch)
    watch.subscriptions += by
    watch.work = watch.work.then(() => settle(uri, watch))
    return watch.work
  }

  return {
    add: (uri) => change(uri, 1),
    remove: (uri) => void change(uri, -1),
  }
}
