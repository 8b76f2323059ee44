/** The clients that are connected now, and what they are told without having asked. */
import type { Client } from '../protocol/exchange.ts'
import type { Notification } from '../protocol/message.ts'

/** Lists that clients are told about when they change. */
export type AnnouncedList = 'tools' | 'prompts' | 'resources'

/** Milliseconds in which changes are gathered: ten servers that come up together are one announcement. */
const GATHER_MS = 50

export interface Audience {
  add(client: Client): void
  remove(client: Client): void
  /** Tells every client, once for all changes of a moment. */
  announce(list: AnnouncedList): void
  /** To one client, or to all. */
  notify(notification: Notification, client?: Client): void
  close(): void
}

export function createAudience(): Audience {
  const clients = new Set<Client>()
  const gathering = new Map<AnnouncedList, NodeJS.Timeout>()

  const notify = (notification: Notification, client?: Client): void => {
    for (const receiver of client ? [client] : clients) receiver.notify(notification)
  }

  return {
    add: (client) => clients.add(client),
    remove: (client) => clients.delete(client),
    announce(list) {
      if (gathering.has(list)) return
      const send = (): void => {
        gathering.delete(list)
        notify({ method: `notifications/${list}/list_changed` })
      }
      gathering.set(list, setTimeout(send, GATHER_MS).unref())
    },
    notify,
    close() {
      for (const timer of gathering.values()) clearTimeout(timer)
      clients.clear()
    },
  }
}
