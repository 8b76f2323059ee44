/** The part that clients are served from: who is told what, and what begins and ends with a client. */

import { packageVersion } from '../config/identity.ts'
import { isLocal } from '../config/loopback.ts'
import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/contract.ts'
import type { Described, Notice } from '../module-runtime/module.ts'
import type { Stack } from '../module-runtime/stack.ts'
import type { Logger } from '../observe/log.ts'
import { PROXY_NAME } from '../protocol/chain.ts'
import type { Result } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Notification } from '../protocol/message.ts'
import { joinInstructions } from '../proxy/instructions.ts'
import type { Audience, Tell } from '../server/audience.ts'
import type { Access } from '../server/auth/open.ts'
import { hearsOf, joinCapabilities } from '../server/backend.ts'
import type { Backend } from '../server/legacy.ts'
import type { ResultStore } from '../store/result-store.ts'
import type { UpstreamEvents, Upstreams } from '../upstream/contract.ts'

/** Milliseconds after the handshake in which a client may ask for the lists that are remembered before its servers are started. */
const OPEN_MS = 300

interface BackendParts {
  upstreams: Upstreams
  audience: Audience
  engine: Engine
  resultStore: ResultStore
  logger: Logger
  identity: string
  /** The proxy's own, which stand before those of the servers. */
  instructions: string
  /** False: no change of tools at a server is a change of the list that this client sees. */
  toolsChange(client: Client): boolean
  /** The client is gone. */
  left(client: Client): void
  notified: Backend['notified']
  /** The proxy's description of itself, as modules change it. */
  described(said: Described, profile: string | undefined): Described
  /** Whether a client with this profile may use this server. */
  reaches(server: string, profile: string | undefined): boolean
}

export function createBackend(
  handler: Handler,
  {
    upstreams,
    audience,
    engine,
    resultStore,
    logger,
    identity,
    instructions: ours,
    toolsChange,
    left,
    notified,
    described,
    reaches,
  }: BackendParts,
): Backend {
  const serverInfo = { name: PROXY_NAME, title: 'MCP RLM Proxy', version: packageVersion() }
  /** Clients without connected servers yet, each with the reason for the delay. */
  const opening = new Map<Client, { stop(): void }>()
  const serversFor = (profile: string | undefined): readonly string[] =>
    upstreams.servers.filter((server) => reaches(server, profile))
  const capabilities = (profile: string | undefined): JsonObject =>
    joinCapabilities(serversFor(profile).map((server) => upstreams.known(server)))
  function open(client: Client): void {
    opening.delete(client)
    void upstreams.open(client)
    engine.warm()
  }

  /** Starting processes holds up the event loop: the first list goes out first, where its client asks for one at once. */
  async function list(exchange: Exchange): Promise<Result> {
    try {
      return await handler(exchange)
    } finally {
      const { client } = exchange
      const waiting = opening.get(client)
      if (waiting) {
        waiting.stop()
        const soon = setTimeout(open, 1, client)
        opening.set(client, { stop: () => clearTimeout(soon) })
      }
    }
  }

  return {
    handler(exchange) {
      if (exchange.method === 'tools/list') return list(exchange)
      const { client } = exchange
      if (opening.size > 0 && client.era === 'legacy' && client.agent.kind !== 'local') {
        const waiting = opening.get(client)
        waiting?.stop()
        if (waiting) open(client)
      }
      return handler(exchange)
    },
    logger,
    identity,
    toolsChange,
    describe({ via = [], profile } = {}) {
      const known = serversFor(profile).map((server) => ({ server, initialize: upstreams.known(server) }))
      const plain = {
        serverInfo,
        instructions: via.length === 0 ? ours : '',
        servers: known.flatMap(({ server, initialize }) => instructionsOf(server, initialize)),
      }
      const said = described(plain, profile)
      return {
        capabilities: capabilities(profile),
        serverInfo: said.serverInfo,
        instructions: joinInstructions(said.instructions, said.servers),
      }
    },
    opened(client) {
      // A client of the modern era is told what it listens for, once it does.
      if (client.era === 'legacy') {
        const hears = hearsOf(capabilities(client.profile))
        audience.add(client, (list) => (list !== 'tools' || toolsChange(client)) && hears(list))
      }
      // Over HTTP a handshake alone starts no processes: a client that makes many would start as many of each server.
      if (client.era === 'legacy' && client.agent.kind !== 'local')
        return void opening.set(client, { stop() {} })
      const areKnown = serversFor(client.profile).every((server) => upstreams.known(server))
      const later = setTimeout(open, areKnown ? OPEN_MS : 0, client)
      opening.set(client, { stop: () => clearTimeout(later) })
    },
    closed(client) {
      opening.get(client)?.stop()
      opening.delete(client)
      audience.remove(client)
      left(client)
      void upstreams.release(client)
      if (client.agent.kind !== 'session' || client.mayReturn?.() === true) return
      // No client gets this id again, so its kept results would only take up room.
      resultStore.forgetAgent(client.agent).catch((error: unknown) => {
        logger.error({ err: error }, 'what a session kept could not be removed')
      })
    },
    notified,
  }
}

function instructionsOf(
  server: string,
  initialize: JsonObject | undefined,
): { server: string; instructions: string }[] {
  const instructions = isObject(initialize) ? initialize.instructions : undefined
  return typeof instructions === 'string' && instructions !== '' ? [{ server, instructions }] : []
}

/** The check of clients. A listener that only programs of this user can reach asks for no token. */
export async function accessOf(
  settings: Config['settings'],
  logger: Logger,
  now: () => number,
): Promise<Partial<Access>> {
  if (isLocal(settings.transport)) return {}
  const { openAccess } = await import('../server/auth/open.ts')
  return openAccess({ settings, logger, now })
}

// Messages beside exchanges go through the modules as well: notifications both ways, and questions of servers.

/** Tells a client what a server or the proxy says. */
export function tellThrough(stack: Stack): Tell {
  return (client, notification, server) => {
    if (server !== undefined && !stack.reaches(server, client.profile)) return
    void stack.notify({ ...notification, toward: 'client', client, server }, (notice) =>
      client.notify(notificationOf(notice)),
    )
  }
}

/** Tells servers what a client says. */
export function notifyThrough(stack: Stack, upstreams: Upstreams): Backend['notified'] {
  return (client, notification) => {
    void stack.notify({ ...notification, toward: 'server', client }, (notice) =>
      upstreams.broadcast(notificationOf(notice), client),
    )
  }
}

/** Puts a question of a server to a client. */
export function askThrough(stack: Stack): NonNullable<UpstreamEvents['ask']> {
  return async (server, client, request, signal) => {
    if (!stack.reaches(server, client.profile))
      throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`)
    return stack.ask(
      { request, client, agent: client.agent, signal, server, notify: client.notify },
      (asked, until) => client.ask(asked, until),
    )
  }
}

function notificationOf({ method, params }: Notice): Notification {
  return params === undefined ? { method } : { method, params }
}

/** Tells the listeners that a client is gone. */
export function createDepartures(): {
  listen(heard: (client: Client) => void): void
  announce(client: Client): void
} {
  const listeners: ((client: Client) => void)[] = []
  return {
    listen: (heard) => void listeners.push(heard),
    announce(client) {
      for (const heard of listeners) heard(client)
    },
  }
}
