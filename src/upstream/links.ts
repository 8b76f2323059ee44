/** Whose connection is which: legacy, one for each server and client, or one for all; modern, one for all. */
import type { Era } from '../protocol/eras.ts'
import type { Client } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notification, RequestId } from '../protocol/message.ts'
import { Connection, type Session } from './connection.ts'
import { dial } from './dial.ts'
import { ManyGroups, OneGroup } from './groups.ts'
import { envelope } from './handshake.ts'
import { Link, type LinkParts } from './link.ts'
import { Listening } from './listening.ts'
import type { CompleteOptions } from './options.ts'
import type { Server } from './servers.ts'
import { connectionLost } from './upstream-errors.ts'

/** What happens on any of the connections. */
export interface LinkEvents {
  ready(link: Link, session: Session): void
  lost(link: Link, error: Error): void
  notification(link: Link, notification: Notification, via: RequestId | undefined): void
  /** What changed on the server for a moment was not told. */
  interrupted(link: Link): void
  /** Changes of this group's lists are not followed any more. */
  outgrown(server: string, group: string): void
}

/** The links of one server. */
interface Slots {
  /** By owner, and then by lane. */
  readonly legacy: Map<Client | undefined, (Link | undefined)[]>
  modern: Link | undefined
}

/** Milliseconds between two looks whether a link that leaves still has something under way. */
const LEAVE_MS = 50

export class Links {
  readonly #options: CompleteOptions
  readonly #events: LinkEvents
  readonly #slots = new Map<Server, Slots>()
  /** How to take a link out again. */
  readonly #links = new Map<Link, () => void>()
  readonly #probes = new Map<Link, () => void>()
  readonly #closing = new Set<Promise<void>>()
  /** Links of servers that the configuration no longer has, with what is still under way on them. */
  readonly #leaving = new Map<Link, () => void>()
  /** Clients that left. */
  readonly #gone = new WeakSet<Client>()
  #closed = false

  constructor(options: CompleteOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
  }

  get all(): readonly Link[] {
    return [...this.#links.keys()]
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * The link for this client, made when there is none. `lane` tells links of one client apart whose calls must not meet. Throws
   * when all was closed, and for a client that was released: what is begun for it would be ended by nobody.
   */
  for(server: Server, client: Client | undefined, era: Era, lane = 0): Link {
    if (this.#closed) throw connectionLost(server.name, 'the proxy is shutting down')
    if (server.retired) throw connectionLost(server.name, 'its configuration changed meanwhile; call again')
    const link = this.peek(server, client, era, lane) ?? this.#add(server, client, era, lane)
    this.#probes.get(link)?.()
    return link
  }

  /** The link for this client, when there is one. */
  peek(server: Server, client: Client | undefined, era: Era, lane = 0): Link | undefined {
    const slots = this.#slots.get(server)
    return era === 'modern' ? slots?.modern : slots?.legacy.get(ownerOf(server, client))?.[lane]
  }

  /** Nobody needs the link for now; it goes when that stays so for a while. */
  rest(link: Link): void {
    this.#probes.get(link)?.()
    const { later, defaults } = this.#options
    this.#probes.set(
      link,
      later(defaults.idleMs, () => (link.busy ? this.rest(link) : void this.drop(link))),
    )
  }

  /** The links that only this client uses. */
  of(client: Client): readonly Link[] {
    return this.all.filter((link) => link.client?.id === client.id)
  }

  /** Closes what only this client used. */
  async release(client: Client): Promise<void> {
    this.#gone.add(client)
    const leaving = [...this.#leaving.keys()].filter((link) => link.client?.id === client.id)
    await Promise.all([...this.of(client), ...leaving].map((link) => this.drop(link)))
  }

  /** Nothing new goes to this server; its links are closed when what is under way has ended. Gives those that there were. */
  retire(server: Server): readonly Link[] {
    const slots = this.#slots.get(server)
    const links = [...(slots?.legacy.values() ?? [])].flat().filter((link) => link !== undefined)
    if (slots?.modern) links.push(slots.modern)
    this.#slots.delete(server)
    for (const link of links) {
      this.#probes.get(link)?.()
      this.#probes.delete(link)
      this.#links.delete(link)
      this.#leave(link, server)
    }
    return links
  }

  #leave(link: Link, server: Server): void {
    const busy = server.calls > 0 || link.busy
    this.#leaving.set(link, busy ? this.#options.later(LEAVE_MS, () => this.#leave(link, server)) : () => {})
    if (!busy) void this.drop(link)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const link of [...this.all, ...this.#leaving.keys()]) void this.drop(link)
    await Promise.all(this.#closing)
  }

  drop(link: Link): Promise<void> {
    this.#probes.get(link)?.()
    this.#probes.delete(link)
    this.#links.get(link)?.()
    this.#links.delete(link)
    this.#leaving.get(link)?.()
    this.#leaving.delete(link)
    const closing = link.connection.close()
    this.#closing.add(closing)
    return closing.finally(() => this.#closing.delete(closing))
  }

  #add(server: Server, client: Client | undefined, era: Era, lane: number): Link {
    const slots: Slots = this.#slots.get(server) ?? { legacy: new Map(), modern: undefined }
    this.#slots.set(server, slots)
    // A modern server keeps nothing of a client, so that one connection serves all.
    if (era === 'modern') {
      const link = this.#make(server, undefined, era, client)
      slots.modern = link
      this.#links.set(link, () => {
        slots.modern = undefined
      })
      return link
    }
    const owner = ownerOf(server, client)
    if (owner && this.#gone.has(owner)) throw connectionLost(server.name, 'its client has left')
    const lanes = slots.legacy.get(owner) ?? []
    const link = this.#make(server, owner, era)
    lanes[lane] = link
    slots.legacy.set(owner, lanes)
    this.#links.set(link, () => {
      delete lanes[lane]
      if (lanes.every((one) => one === undefined)) slots.legacy.delete(owner)
    })
    return link
  }

  /** `first`: who asked for it, so that a server which serves all is greeted with what at least this client can do. */
  #make(server: Server, client: Client | undefined, era: Era, first = client): Link {
    const { events } = this.#options
    const connection = (link: Link): Connection =>
      this.#connection(server, link, era, first?.capabilities ?? {})
    const ask: LinkParts['ask'] = (asked, request, signal) =>
      events.ask?.(server.name, asked, request, signal) ?? asked.ask(request, signal)
    if (era === 'legacy')
      return new Link({ server: server.name, client, groups: new OneGroup(client), connection, ask })
    const { clientInfo, defaults, random, later } = this.#options
    const listening = new Listening({
      envelope: envelope({ clientInfo, capabilities: {} }),
      backoff: defaults.backoff,
      random,
      later,
      interrupted: () => this.#links.has(link) && this.#events.interrupted(link),
    })
    const groups = new ManyGroups((group) => this.#events.outgrown(server.name, group))
    const link: Link = new Link({
      server: server.name,
      client: undefined,
      groups,
      connection,
      listening,
      ask,
    })
    return link
  }

  #connection(server: Server, link: Link, era: Era, capabilities: JsonObject): Connection {
    const { clientInfo, identity, defaults, logger, now, random, later } = this.#options
    const { client } = link
    return new Connection({
      server: server.name,
      dial: () => dial(server.options, this.#options, server.name, era),
      introduction: {
        era,
        clientInfo,
        capabilities,
        via: [...(client?.via ?? []), identity],
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
        request: (request, signal, via) => link.serve(request, signal, via),
        notification: (notification, via) => {
          if (this.#links.has(link)) this.#events.notification(link, notification, via)
          else link.relay(notification, via)
        },
        ready: (session) => {
          link.restore(session)
          if (this.#links.has(link)) this.#events.ready(link, session)
        },
        lost: (error) => {
          link.listening?.ended()
          if (this.#links.has(link)) this.#events.lost(link, error)
          // What was under way on it has ended; nobody needs it again.
          else void this.drop(link)
        },
      },
    })
  }
}

/** Whose a legacy connection is: the client's, or everybody's. */
function ownerOf(server: Server, client: Client | undefined): Client | undefined {
  return server.shared ? undefined : client
}
