/**
 * Clients of an era without sessions: all requests that say the same of who asks are one client. It is known from its first
 * request until nothing was heard of it for a while.
 */
import { createHash } from 'node:crypto'
import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Agent, Client } from '../../protocol/exchange.ts'
import type { Notification } from '../../protocol/message.ts'
import type { Envelope } from './envelope.ts'

/** A client with something under way. */
export interface Lease {
  readonly client: Client
}

export interface ModernClients {
  /** The client that says this of itself and chose this profile; it stays until `rest` was called as often. */
  use(agent: Agent, envelope: Envelope, profile?: string): Lease
  rest(lease: Lease): void
  close(): void
}

export interface ModernClientsOptions {
  /** Milliseconds since any moment, by a clock that nobody sets. */
  now(): number
  /** Sends what belongs to no request. */
  notify(client: Client, notification: Notification): void
  opened(client: Client): void
  closed(client: Client): void
}

/** Milliseconds without a request or a subscription after which a client is given up. */
const IDLE_MS = 30 * 60_000
/** More clients than these push out the longest idle, never one that waits for something. */
const MAX_CLIENTS = 1000
/** What all of them may say of themselves, in characters: the same goes for more. */
const MAX_CHARACTERS = 16 * 1024 * 1024
const SWEEP_MS = 60_000

interface Entry extends Lease {
  readonly key: string
  /** Requests and subscriptions under way. */
  busy: number
  lastUsed: number
}

export function createModernClients(options: ModernClientsOptions): ModernClients {
  const { now } = options
  /** The longest unused first. */
  const entries = new Map<string, Entry>()
  let characters = 0
  let sweep: NodeJS.Timeout | undefined

  function giveUp(entry: Entry): void {
    entries.delete(entry.key)
    characters -= entry.key.length
    options.closed(entry.client)
  }

  function makeRoom(): void {
    for (const entry of entries.values()) {
      if (entries.size < MAX_CLIENTS && characters < MAX_CHARACTERS) return
      if (entry.busy === 0) giveUp(entry)
    }
  }

  function giveUpIdle(): void {
    for (const entry of entries.values())
      if (entry.busy === 0 && now() - entry.lastUsed >= IDLE_MS) giveUp(entry)
  }

  function meet(key: string, agent: Agent, envelope: Envelope, profile: string | undefined): Entry {
    const { info, capabilities, protocolVersion, via } = envelope
    makeRoom()
    const client: Client = {
      id: `modern:${createHash('sha256').update(key).digest('hex').slice(0, 32)}`,
      agent,
      era: 'modern',
      info,
      capabilities,
      protocolVersion,
      ...(profile !== undefined && { profile }),
      ...(via.length > 0 && { via }),
      notify: (notification) => options.notify(client, notification),
      ask: ({ method }) =>
        Promise.reject(
          new RpcError(
            RPC.methodNotFound,
            `${method}: a client of this protocol revision is asked by a result`,
          ),
        ),
    }
    const entry: Entry = { client, key, busy: 0, lastUsed: now() }
    characters += key.length
    sweep ??= setInterval(giveUpIdle, SWEEP_MS).unref()
    options.opened(client)
    return entry
  }

  return {
    use(agent, envelope, profile) {
      const { protocolVersion, info, capabilities, via } = envelope
      const key = JSON.stringify([
        agent.kind,
        agent.id,
        profile ?? null,
        protocolVersion,
        info,
        capabilities,
        via,
      ])
      const entry = entries.get(key) ?? meet(key, agent, envelope, profile)
      entry.busy++
      // The order of the map is that of use.
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    rest(lease) {
      const entry = lease as Entry
      entry.busy--
      entry.lastUsed = now()
    },
    close() {
      clearInterval(sweep)
      for (const entry of entries.values()) giveUp(entry)
    },
  }
}
