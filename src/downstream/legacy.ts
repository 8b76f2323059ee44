/** The legacy era on one connection (MCP ≤ 2025-11-25): the handshake, then every request into the onion. */
import { refuseLoop, viaOf } from '../protocol/chain.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Agent, Client, Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Notification, Request } from '../protocol/message.ts'
import type { Incoming, Peer } from '../protocol/peer.ts'
import type { Result } from '../protocol/result.ts'
import { fingerprint } from '../telemetry/secret.ts'
import { negotiateVersion } from './handshake.ts'
import type { Backend } from './session.ts'
import { toRpcError } from './wire-errors.ts'

export interface LegacyOptions {
  id: string
  agent: Agent
  backend: Backend
  profile?: string | undefined
}

/** What a connection does with what comes. */
export interface Legacy {
  serve(request: Request, incoming: Incoming): Promise<Result>
  noted(notification: Notification): void
  closed(): void
}

/** `peer` is asked nothing before the first request came on it. */
export function createLegacy({ id, agent, backend, profile }: LegacyOptions, peer: Peer): Legacy {
  let client: Client | undefined

  function initialize(params: JsonObject): JsonObject {
    if (client) throw new RpcError(RPC.invalidRequest, 'This session is initialized already')
    const via = viaOf(params)
    refuseLoop(via, backend.identity)
    const protocolVersion = negotiateVersion(params.protocolVersion)
    client = {
      id,
      agent,
      era: 'legacy',
      info: isObject(params.clientInfo) ? params.clientInfo : {},
      capabilities: isObject(params.capabilities) ? params.capabilities : {},
      protocolVersion,
      ...(profile !== undefined && { profile }),
      ...(via.length > 0 && { via }),
      notify: (notification) => peer.notify(notification),
      ask: (request, signal) => peer.request(request, { signal }),
    }
    // Over HTTP the id opens the session to whoever reads it.
    const session = fingerprint(id)
    const fields = {
      session,
      client: client.info,
      protocolVersion,
      ...(profile !== undefined && { profile }),
    }
    backend.logger.info(fields, 'client connected')
    backend.opened(client)
    return { protocolVersion, ...backend.describe({ via, profile }) }
  }

  return {
    async serve(request, incoming) {
      try {
        if (request.method === 'initialize') return initialize(request.params ?? {})
        if (!client) throw new RpcError(RPC.invalidRequest, 'The first request must be initialize')
        return await backend.handler(exchangeOf(request, incoming, client))
      } catch (error) {
        throw toRpcError(error)
      }
    },
    noted(notification) {
      if (client && notification.method !== 'notifications/initialized')
        backend.notified(client, notification)
    },
    closed() {
      if (client) backend.closed(client)
    },
  }
}

function exchangeOf(request: Request, incoming: Incoming, client: Client): Exchange {
  return {
    method: request.method,
    params: request.params ?? {},
    client,
    agent: client.agent,
    signal: incoming.signal,
    notify: (notification) => incoming.notify(notification),
    ask: (asked, signal) => incoming.request(asked, { signal }),
  }
}
