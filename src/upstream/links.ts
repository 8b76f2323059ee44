/** Whose connection is which: one for each server and client, or one for all clients of a shared server. */
import type { Client } from '../protocol/exchange.ts'
import type { Notification } from '../protocol/message.ts'
import { Connection, type Session } from './connection.ts'
import { dial } from './dial.ts'
import { Link } from './link.ts'
import type { CompleteOptions } from './options.ts'
import { digest } from './remember.ts'
import type { Server } from './servers.ts'
import { connectionLost } from './upstream-errors.ts'

/** What happens on any of the connections. */
export interface LinkEvents {
  ready(link: Link, session: Session): void
  lost(link: Link, error: Error): void
  notification(link: Link, notification: Notification): void
}

/** The group of connections that serve all clients or none. */
const NOBODY = digest('nobody')

export class Links {
  readonly #options: CompleteOptions
  readonly #events: LinkEvents
  readonly #links = new Map<string, Link>()
  readonly #probes = new Map<string, () => void>()
  readonly #closing = new Set<Promise<void>>()
  #closed = false

  constructor(options: CompleteOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
  }

  get all(): readonly Link[] {
    return [...this.#links.values()]
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The link for this client, made when there is none. Throws when all was closed. */
  for(server: Server, client: Client | undefined): Link {
    if (this.#closed) throw connectionLost(server.name, 'the proxy is shutting down')
    const owner = server.shared ? undefined : client
    const key = keyOf(server.name, owner)
    const link = this.#links.get(key) ?? this.#make(server, owner)
    this.#links.set(key, link)
    this.#probes.get(key)?.()
    return link
  }

  /** The link was used. One that serves no client is there to list; it goes when nobody has listed for a while. */
  rest(server: Server, link: Link): void {
    const key = keyOf(link.server, link.client)
    if (server.shared || link.client !== undefined || this.#links.get(key) !== link) return
    this.#probes.get(key)?.()
    const { later, defaults } = this.#options
    this.#probes.set(
      key,
      later(defaults.idleMs, () => void this.#drop(key)),
    )
  }

  /** The links that only this client uses. */
  of(client: Client): readonly Link[] {
    return this.all.filter((link) => link.client?.id === client.id)
  }

  /** Closes what only this client used. */
  async release(client: Client): Promise<void> {
    await Promise.all(this.of(client).map((link) => this.#drop(keyOf(link.server, link.client))))
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const key of this.#links.keys()) void this.#drop(key)
    await Promise.all(this.#closing)
  }

  #drop(key: string): Promise<void> {
    this.#probes.get(key)?.()
    this.#probes.delete(key)
    const closing = this.#links.get(key)?.connection.close() ?? Promise.resolve()
    this.#links.delete(key)
    this.#closing.add(closing)
    return closing.finally(() => this.#closing.delete(closing))
  }

  #make(server: Server, client: Client | undefined): Link {
    const group = client ? digest([client.capabilities, client.protocolVersion]) : NOBODY
    return new Link(server.name, client, group, (link) => this.#connection(server, link))
  }

  #connection(server: Server, link: Link): Connection {
    const { clientInfo, defaults, logger, now, random, later } = this.#options
    const { client } = link
    return new Connection({
      server: server.name,
      dial: () => dial(server.options, this.#options, server.name),
      introduction: {
        clientInfo,
        capabilities: client?.capabilities ?? {},
        protocolVersion: client?.protocolVersion,
      },
      connectTimeoutMs: server.connectTimeoutMs,
      backoff: defaults.backoff,
      revive: !server.lazy && (server.shared || client !== undefined),
      logger,
      now,
      random,
      later,
      handlers: {
        request: (request, signal) => link.serve(request, signal),
        notification: (notification) => this.#events.notification(link, notification),
        ready: (session) => {
          link.restore(session)
          this.#events.ready(link, session)
        },
        lost: (error) => this.#events.lost(link, error),
      },
    })
  }
}

/** JSON, so that no name can reach into another's place. */
function keyOf(server: string, owner: Client | undefined): string {
  return JSON.stringify([server, owner?.id ?? null])
}
