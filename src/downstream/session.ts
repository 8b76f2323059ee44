/** One connected client: the handshake, then every request into the onion. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Agent, Client, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Notification, Request } from '../protocol/message.ts'
import { type Incoming, Peer } from '../protocol/peer.ts'
import type { Result } from '../protocol/result.ts'
import type { Transport } from '../protocol/transport.ts'
import type { Logger } from '../telemetry/log.ts'
import { fingerprint } from '../telemetry/secret.ts'
import { negotiateVersion } from './handshake.ts'
import { toRpcError } from './wire-errors.ts'

/** What a session needs from the rest of the proxy. */
export interface Backend {
  readonly handler: Handler
  /** Answer to `initialize` but for the version: made of what is known now, never waiting for a server. */
  describe(): { capabilities: JsonObject; serverInfo: JsonObject; instructions: string }
  /** The handshake is done: servers may be connected on this client's behalf. */
  opened(client: Client): void
  /** The client left. */
  closed(client: Client): void
  /** A notification of the client that is not about one request. */
  notified(client: Client, notification: Notification): void
  readonly logger: Logger
}

export interface SessionOptions {
  id: string
  agent: Agent
  transport: Transport
  backend: Backend
}

export interface Session {
  readonly id: string
  /** Ends when the client leaves or `close` is called. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export async function openSession({ id, agent, transport, backend }: SessionOptions): Promise<Session> {
  // Over HTTP the id opens the session to whoever reads it.
  const mark = fingerprint(id)
  let client: Client | undefined
  let end: () => void
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  const peer = new Peer(transport, {
    onRequest: async (request, incoming) => {
      try {
        if (request.method === 'initialize') return initialize(request.params ?? {})
        if (!client) throw new RpcError(RPC.invalidRequest, 'The first request must be initialize')
        return await backend.handler(exchangeOf(request, incoming, client))
      } catch (error) {
        throw toRpcError(error)
      }
    },
    onNotification: (notification) => {
      if (client && notification.method !== 'notifications/initialized')
        backend.notified(client, notification)
    },
    onClose: () => {
      if (client) backend.closed(client)
      end()
    },
    onError: (error) => backend.logger.debug({ err: error, session: mark }, 'client connection'),
  })

  function initialize(params: JsonObject): JsonObject {
    if (client) throw new RpcError(RPC.invalidRequest, 'This session is initialized already')
    const protocolVersion = negotiateVersion(params.protocolVersion)
    client = {
      id,
      agent,
      era: 'legacy',
      info: isObject(params.clientInfo) ? params.clientInfo : {},
      capabilities: isObject(params.capabilities) ? params.capabilities : {},
      protocolVersion,
      notify: (notification) => peer.notify(notification),
      ask: (request, signal) => peer.request(request, { signal }),
    }
    backend.logger.info({ session: mark, client: client.info, protocolVersion }, 'client connected')
    backend.opened(client)
    return { protocolVersion, ...backend.describe() }
  }

  await peer.start()
  return { id, ended, close: () => peer.close() }
}

function exchangeOf(request: Request, incoming: Incoming, client: Client) {
  return {
    method: request.method,
    params: request.params ?? {},
    client,
    agent: client.agent,
    signal: incoming.signal,
    notify: (notification: Notification) => incoming.notify(notification),
    ask: (asked: Request, signal?: AbortSignal): Promise<Result> => incoming.request(asked, { signal }),
  }
}
