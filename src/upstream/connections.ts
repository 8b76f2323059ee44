/**
 * Which connections there are. In the legacy era there is one for each server and client, or one for all clients of a server that they
 * share. In the modern era there is one for each server.
 */
import type { Era } from '../protocol/eras.ts'
import type { Client } from '../protocol/exchange.ts'
import { limitWords } from '../protocol/limits.ts'
import { type Owner, ownerOf } from './company.ts'
import { Connection } from './connection.ts'
import { type CompleteOptions, LIST_KINDS, type ListKind } from './contract.ts'
import { dial, transportOf } from './dial.ts'
import { connectionLost } from './errors.ts'
import { type Established, envelope } from './handshake.ts'
import { nameOfServer } from './memory.ts'
import type { Server } from './servers.ts'
import type { SharedSession } from './shared-session.ts'
import { Subscription } from './subscription.ts'
import { ManyVariants } from './variants.ts'

/** The events of all connections. */
interface ConnectionsEvents {
  ready(connection: Connection, established: Established): void
  lost(connection: Connection, error: Error): void
  /** On this connection, which clients share, the server asks for something of one of them. */
  personal(connection: Connection, client: Client): void
  /** The server's lists of these kinds are no longer what they were, or may not be. */
  changed(connection: Connection, kinds: readonly ListKind[]): void
  /** Changes of this variant's lists are not followed any more. */
  outgrown(server: string, variant: string): void
}

/** The connections to one server. */
interface ServerConnections {
  /** By owner, and then by slot. */
  readonly legacy: Map<Owner, (Connection | undefined)[]>
  modern: Connection | undefined
}

/** Looks at a server process within the time after which it is idle. */
const LOOKS = 4

/** Milliseconds between two looks whether a connection that leaves still has something under way. */
const LEAVE_MS = 50

export class Connections {
  readonly #options: CompleteOptions
  readonly #events: ConnectionsEvents
  readonly #servers = new Map<Server, ServerConnections>()
  /** How to take a connection out again. */
  readonly #connections = new Map<Connection, () => void>()
  /** Connections to a process that belongs to one client. */
  readonly #processes = new Set<Connection>()
  /** When each of those was first seen without anything to do. */
  readonly #idleSince = new WeakMap<Connection, number>()
  #looking: (() => void) | undefined
  readonly #idle = new Map<Connection, () => void>()
  readonly #closing = new Set<Promise<void>>()
  /** Connections to servers that the configuration no longer has, with what is still under way on them. */
  readonly #leaving = new Map<Connection, () => void>()
  /** Clients that left. */
  readonly #gone = new WeakSet<Client>()
  #closed = false

  constructor(options: CompleteOptions, events: ConnectionsEvents) {
    this.#options = options
    this.#events = events
  }

  get all(): readonly Connection[] {
    return [...this.#connections.keys()]
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * The connection for this client, made when there is none. `slot` tells connections of one client apart, so that calls do not
   * meet. Throws when all was closed, and for a client that was released: what is begun for it would never be ended.
   */
  for(server: Server, client: Client | undefined, era: Era, slot = 0): Connection {
    if (this.#closed) throw connectionLost(server.name, 'the proxy is shutting down')
    if (server.retired) throw connectionLost(server.name, 'its configuration changed meanwhile; call again')
    const connection = this.peek(server, client, era, slot) ?? this.#add(server, client, era, slot)
    this.#idle.get(connection)?.()
    return connection
  }

  /** The connection for this client, when there is one. */
  peek(server: Server, client: Client | undefined, era: Era, slot = 0): Connection | undefined {
    const ours = this.#servers.get(server)
    return era === 'modern' ? ours?.modern : ours?.legacy.get(ownerOf(server, client))?.[slot]
  }

  /** No client needs the connection for now: it is closed when that stays so for a while. */
  rest(connection: Connection): void {
    this.#idle.get(connection)?.()
    const { later, defaults } = this.#options
    this.#idle.set(
      connection,
      later(defaults.idleMs, () => (connection.busy ? this.rest(connection) : void this.drop(connection))),
    )
  }

  /** The connections that only this client uses. */
  of(client: Client): readonly Connection[] {
    return this.all.filter((connection) => connection.client?.id === client.id)
  }

  /** Closes what only this client used. */
  async release(client: Client): Promise<void> {
    this.#gone.add(client)
    const leaving = [...this.#leaving.keys()].filter((connection) => connection.client?.id === client.id)
    await Promise.all([...this.of(client), ...leaving].map((connection) => this.drop(connection)))
  }

  /** Nothing new goes to this server; its connections are closed when what is under way has ended. Returns the connections that existed. */
  retire(server: Server): readonly Connection[] {
    const ours = this.#servers.get(server)
    const connections = [...(ours?.legacy.values() ?? [])]
      .flat()
      .filter((connection) => connection !== undefined)
    if (ours?.modern) connections.push(ours.modern)
    this.#servers.delete(server)
    for (const connection of connections) {
      this.#idle.get(connection)?.()
      this.#idle.delete(connection)
      this.#connections.delete(connection)
      this.#leave(connection, server)
    }
    return connections
  }

  #leave(connection: Connection, server: Server): void {
    const busy = server.calls > 0 || connection.busy
    this.#leaving.set(
      connection,
      busy ? this.#options.later(LEAVE_MS, () => this.#leave(connection, server)) : () => {},
    )
    if (!busy) void this.drop(connection)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#looking?.()
    for (const connection of [...this.all, ...this.#leaving.keys()]) void this.drop(connection)
    await Promise.all(this.#closing)
  }

  drop(connection: Connection): Promise<void> {
    this.#idle.get(connection)?.()
    this.#idle.delete(connection)
    this.#connections.get(connection)?.()
    this.#connections.delete(connection)
    this.#leaving.get(connection)?.()
    this.#leaving.delete(connection)
    this.#processes.delete(connection)
    const closing = connection.close()
    this.#closing.add(closing)
    return closing.finally(() => this.#closing.delete(closing))
  }

  #add(server: Server, client: Client | undefined, era: Era, slot: number): Connection {
    const ours: ServerConnections = this.#servers.get(server) ?? { legacy: new Map(), modern: undefined }
    this.#servers.set(server, ours)
    // A modern server keeps nothing of a client: one connection serves all.
    if (era === 'modern') {
      const connection = this.#make(server, undefined, era, client)
      ours.modern = connection
      this.#connections.set(connection, () => {
        ours.modern = undefined
      })
      return connection
    }
    const owner = ownerOf(server, client)
    if (owner && client && this.#gone.has(client)) throw connectionLost(server.name, 'its client has left')
    const slots = ours.legacy.get(owner) ?? []
    const connection = this.#make(
      server,
      owner === client ? client : undefined,
      era,
      owner === undefined ? undefined : client,
    )
    slots[slot] = connection
    ours.legacy.set(owner, slots)
    this.#connections.set(connection, () => {
      delete slots[slot]
      for (const [key, kept] of ours.legacy)
        if (kept === slots && slots.every((one) => one === undefined)) ours.legacy.delete(key)
    })
    return connection
  }

  /** Connections to this server that clients share because they are alike. */
  common(server: Server): readonly { connection: Connection; owner: string }[] {
    return [...(this.#servers.get(server)?.legacy ?? [])].flatMap(([owner, [connection]]) =>
      typeof owner === 'string' && connection ? [{ connection, owner }] : [],
    )
  }

  /** A connection that clients shared belongs to this one alone from now on, unless it has one of its own. */
  give(server: Server, connection: Connection, client: Client): void {
    const legacy = this.#servers.get(server)?.legacy
    const [owner, slots] = [...(legacy ?? [])].find(([, kept]) => kept.includes(connection)) ?? []
    if (legacy === undefined || slots === undefined) return
    if (this.#gone.has(client) || legacy.has(client)) return this.rest(connection)
    legacy.delete(owner)
    legacy.set(client, slots)
    connection.adopt(client)
    this.#processes.add(connection)
  }

  /** Ends the processes of clients that may have vanished: over HTTP a client leaves without a message. */
  #endIdle(): void {
    const { now, later, defaults } = this.#options
    const idleMs = defaults.limits.idleProcessMs
    for (const connection of this.#processes) {
      if (!isIdle(connection)) this.#idleSince.delete(connection)
      else if (!this.#idleSince.has(connection)) this.#idleSince.set(connection, now())
      else if (now() - (this.#idleSince.get(connection) ?? 0) >= idleMs) connection.pause()
    }
    this.#looking = this.#processes.size === 0 ? undefined : later(idleMs / LOOKS, () => this.#endIdle())
  }

  /**
   * A process for each client is dear: so many for one, and for all. One that is idle leaves for this connection's; throws when there is
   * none.
   */
  #limitProcesses(asking: Connection): void {
    const { limits } = this.#options.defaults
    const running = [...this.#processes].filter(
      (other) => other !== asking && (other.state === 'ready' || other.state === 'connecting'),
    )
    const own = running.filter(({ client }) => client?.agent.id === asking.client?.agent.id)
    if (own.length >= limits.clientProcesses) this.#makeRoom(own, 'clientProcesses')
    else if (running.length >= limits.processes) this.#makeRoom(running, 'processes')
  }

  /** Ends the process that is idle for the longest time. */
  #makeRoom(running: readonly Connection[], passed: 'clientProcesses' | 'processes'): void {
    const since = (connection: Connection): number =>
      this.#idleSince.get(connection) ?? Number.POSITIVE_INFINITY
    const [longest] = running.filter(isIdle).sort((one, other) => (since(one) < since(other) ? -1 : 1))
    longest?.pause()
    if (longest?.state !== 'idle')
      throw new Error(
        `too many server processes are running: ${limitWords(passed, this.#options.defaults.limits)}`,
      )
  }

  /** A client that comes back to its session at another process has its sessions at servers there, too. */
  #sharedFor({ options }: Server, client: Client | undefined): SharedSession | undefined {
    const { sessions } = this.#options
    if (client?.mayReturn === undefined || sessions === undefined || !('url' in options)) return undefined
    const name = nameOfServer(options)
    return {
      find: (gone) => sessions.find(client, name, gone),
      mayStay: () => client.mayReturn?.() === true,
    }
  }

  /** `first`: the client that needs it first, so that a server which serves all is told what at least this client can do. */
  #make(server: Server, client: Client | undefined, era: Era, first = client): Connection {
    const { clientInfo, identity, defaults, logger, events, now, random, later } = this.#options
    const has = (): boolean => this.#connections.has(connection)
    const changed = (kinds: readonly ListKind[]): void => {
      if (has()) this.#events.changed(connection, kinds)
    }
    const isProcess = client !== undefined && transportOf(server.options) === 'stdio'
    const founder = client === undefined && era === 'legacy' ? first : undefined
    const connection: Connection = new Connection({
      server: server.name,
      client,
      founder,
      ...(era === 'modern' && {
        variants: new ManyVariants((variant) => this.#events.outgrown(server.name, variant)),
        subscription: new Subscription({
          envelope: envelope({ clientInfo, capabilities: {} }),
          limits: defaults.limits,
          backoff: defaults.backoff,
          random,
          later,
          interrupted: () => changed(LIST_KINDS),
        }),
      }),
      dial: () => {
        if (isProcess) this.#limitProcesses(connection)
        return dial(server.options, this.#options, server.name, era)
      },
      introduction: {
        era,
        clientInfo,
        capabilities: first?.capabilities ?? {},
        via: [...((client ?? founder)?.via ?? []), identity],
        protocolVersion: (client ?? founder)?.protocolVersion,
      },
      shared: era === 'legacy' ? this.#sharedFor(server, client) : undefined,
      connectTimeoutMs: server.connectTimeoutMs,
      limits: defaults.limits,
      backoff: defaults.backoff,
      revive: !server.lazy && (server.instance === 'shared' || (client ?? founder) !== undefined),
      logger,
      now,
      random,
      later,
      handlers: {
        ready: (established) => has() && this.#events.ready(connection, established),
        lost: (error) => {
          if (has()) this.#events.lost(connection, error)
          // What was under way on it has ended, and nothing new will be.
          else void this.drop(connection)
        },
        changed,
        notification: (notification, receiver) =>
          has() && events.notification(server.name, notification, receiver),
        personal: (asked) => this.#events.personal(connection, asked),
        ask: (asked, request, signal) =>
          events.ask?.(server.name, asked, request, signal) ?? asked.ask(request, signal),
      },
    })
    if (isProcess) {
      this.#processes.add(connection)
      if (this.#looking === undefined && client.isListening !== undefined) this.#endIdle()
    }
    return connection
  }
}

/** Its process may end: nothing is under way, and its client, which is one over HTTP, has no stream open. */
function isIdle({ state, busy, client }: Connection): boolean {
  return state === 'ready' && !busy && client?.isListening?.() === false
}
