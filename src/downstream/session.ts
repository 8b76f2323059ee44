/** One connected client of the legacy era. */
import type { Agent, Client, Handler } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notification } from '../protocol/message.ts'
import { Peer } from '../protocol/peer.ts'
import type { Transport } from '../protocol/transport.ts'
import type { Logger } from '../telemetry/log.ts'
import { fingerprint } from '../telemetry/secret.ts'
import { createLegacy } from './legacy.ts'

/** What is known of who asks what the proxy is. */
export interface Asker {
  /** The proxies on the way to it; the nearest to the client explains itself. */
  via?: readonly string[]
  profile?: string | undefined
}

/** What a client needs from the rest of the proxy. */
export interface Backend {
  readonly handler: Handler
  /**
   * Answer to `initialize` and `server/discover` but for the version: made of what is known now, never waiting for a server.
   * Changes are announced as changes of lists.
   */
  describe(asker?: Asker): {
    capabilities: JsonObject
    serverInfo: JsonObject
    instructions: string
  }
  /** Whether the list of tools that this client sees can change. Absent: it can. */
  toolsChange?(client: Client): boolean
  /** The client is known: servers may be connected on its behalf. */
  opened(client: Client): void
  /** The client left. */
  closed(client: Client): void
  /** A notification of the client that is not about one request. */
  notified(client: Client, notification: Notification): void
  readonly logger: Logger
  /** Tells this proxy from others when proxies stand behind one another. */
  readonly identity: string
}

/** Whose connection it is, and what answers on it. */
export interface SessionOptions {
  id: string
  agent: Agent
  transport: Transport
  backend: Backend
  /** The profile that was chosen for it. */
  profile?: string | undefined
}

/** A client that is connected. */
export interface Session {
  readonly id: string
  /** Ends when the client leaves or `close` is called. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Serves the legacy era on a transport that was not started yet. */
export async function openSession({
  id,
  agent,
  transport,
  backend,
  profile,
}: SessionOptions): Promise<Session> {
  let end: () => void
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const peer = new Peer(transport, {
    onRequest: (request, incoming) => legacy.serve(request, incoming),
    onNotification: (notification) => legacy.noted(notification),
    onClose: () => {
      legacy.closed()
      end()
    },
    onError: (error) => backend.logger.debug({ err: error, session: fingerprint(id) }, 'client connection'),
  })
  const legacy = createLegacy({ id, agent, backend, profile }, peer)
  await peer.start()
  return { id, ended, close: () => peer.close() }
}
