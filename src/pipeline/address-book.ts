/** What each client's URIs mean: kept from one list to the next, so that a URI does not change its meaning under a client. */
import type { Client } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notification } from '../protocol/message.ts'
import type { ServerList } from '../upstream/upstreams.ts'
import type { UriKind } from './uri-index.ts'
import { type Address, UriMap } from './uri-map.ts'

export interface AddressBook {
  /** As far as the lists tell that were read for this client. */
  of(client: Client): UriMap
  /** True when the lists of resources and templates were read; before that, nobody knows whether URIs collide. */
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
