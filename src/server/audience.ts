/** The clients that are connected now, and what they are told without having asked. */
import type { Client, ListKind } from '../protocol/exchange.ts'
import type { Notification } from '../protocol/message.ts'

/** Lists that clients are told about when they change. */
export type AnnouncedList = 'tools' | 'prompts' | 'resources'

/** Milliseconds in which changes are gathered: ten servers that come up together are one announcement. */
const GATHER_MS = 50

export interface Audience {
  /** `hears`: the lists that the client wants to hear about. */
  add(client: Client, hears: (list: AnnouncedList) => boolean): void
  remove(client: Client): void
  /** Tells every client that is concerned and hears of this list, once for all changes of a moment. */
  announce(list: AnnouncedList, concerns: (client: Client) => boolean): void
  /** Calls back at every change, at once. */
  listen(heard: (list: AnnouncedList) => void): void
  /** How often changes of this list were announced. */
  changes(kind: ListKind): number
  /** To one client, or to all. */
  notify(notification: Notification, to?: Receivers): void
  close(): void
}

export interface Receivers {
  client?: Client | undefined
  /** The client of the notification. */
  server?: string
  /** As each client is to read it. */
  as?: (receiver: Client) => Notification
}

interface Gathering {
  timer: NodeJS.Timeout
  concerned: Set<Client>
}

/** How a client is told something. */
export type Tell = (client: Client, notification: Notification, server: string | undefined) => void

/** `tell` takes the place of `client.notify`. */
export function createAudience(tell: Tell = (client, notification) => client.notify(notification)): Audience {
  const clients = new Map<Client, (list: AnnouncedList) => boolean>()
  const gatherings = new Map<AnnouncedList, Gathering>()
  const listeners: ((list: AnnouncedList) => void)[] = []
  const changes: Record<AnnouncedList, number> = { tools: 0, prompts: 0, resources: 0 }

  function send(list: AnnouncedList, { concerned }: Gathering): void {
    gatherings.delete(list)
    for (const client of concerned)
      if (clients.has(client)) tell(client, { method: `notifications/${list}/list_changed` }, undefined)
  }

  function gather(list: AnnouncedList): Gathering {
    const timer = setTimeout(() => send(list, gathering), GATHER_MS).unref()
    const gathering: Gathering = { timer, concerned: new Set() }
    gatherings.set(list, gathering)
    return gathering
  }

  return {
    add: (client, hears) => clients.set(client, hears),
    remove: (client) => clients.delete(client),
    announce(list, concerns) {
      changes[list]++
      for (const heard of listeners) heard(list)
      // Now, not when it is sent: what was no change of this client's list is none afterwards either.
      const concerned = [...clients].flatMap(([client, hears]) =>
        concerns(client) && hears(list) ? [client] : [],
      )
      if (concerned.length === 0) return
      const gathering = gatherings.get(list) ?? gather(list)
      for (const client of concerned) gathering.concerned.add(client)
    },
    listen: (heard) => listeners.push(heard),
    changes: (kind) => changes[kind === 'resourceTemplates' ? 'resources' : kind],
    notify(notification, { client, server, as = () => notification } = {}) {
      for (const receiver of client ? [client] : clients.keys()) tell(receiver, as(receiver), server)
    },
    close() {
      for (const { timer } of gatherings.values()) clearTimeout(timer)
      clients.clear()
    },
  }
}
