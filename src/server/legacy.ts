/** The legacy era on one connection (MCP ≤ 2025-11-25): the handshake, then every request into the onion. */
import type { Logger } from '../observe/log.ts'
import { fingerprint } from '../observe/redact.ts'
import { refuseLoop, viaOfCapabilities } from '../protocol/chain.ts'
import { clientRule } from '../protocol/client-rules.ts'
import type { Result } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Agent, Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import type { Notification, Request, Transport } from '../protocol/message.ts'
import { type Incoming, Peer } from '../protocol/peer.ts'
import { negotiateVersion } from './backend.ts'
import { toRpcError } from './errors.ts'

interface LegacyOptions extends Omit<SessionOptions, 'transport'> {
  /** Absent: the connection tells when the client leaves. */
  isListening?: (() => boolean) | undefined
}

/** The requests that set up a session and hold until it ends. */
const SETS_UP: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
])

/** The handlers of a connection. */
interface Legacy {
  /** Begins where another replica is: with what the client said there of itself, and what it had set up. */
  resume(before: Before): void
  /** The client has set something up at another replica. */
  setUp(request: Request): void
  serve(request: Request, incoming: Incoming): Promise<Result>
  noted(notification: Notification): void
  closed(): void
}

/** `peer` is asked nothing before the first request came on it. */
export function createLegacy(
  { id, agent, backend, profile, isListening, mayReturn, onSetUp }: LegacyOptions,
  peer: Peer,
): Legacy {
  let client: Client | undefined
  /** One after the other: a later one may take an earlier one back. No request of the client waits for it. */
  let settingUp = Promise.resolve()

  function initialize(params: JsonObject): JsonObject {
    if (client) throw new RpcError(RPC.invalidRequest, 'This session is initialized already')
    const said = isObject(params.capabilities) ? params.capabilities : {}
    const { via, capabilities } = viaOfCapabilities(said)
    refuseLoop(via, backend.identity)
    const protocolVersion = negotiateVersion(params.protocolVersion)
    const info = isObject(params.clientInfo) ? params.clientInfo : {}
    client = {
      id,
      agent,
      era: 'legacy',
      info,
      rule: clientRule(info),
      capabilities,
      protocolVersion,
      ...(profile !== undefined && { profile }),
      ...(via.length > 0 && { via }),
      ...(isListening && { isListening }),
      ...(mayReturn && { mayReturn }),
      notify: (notification) => peer.notify(notification),
      ask: (request, signal) => peer.request(request, { signal }),
    }
    // Over HTTP every reader of the id can use the session.
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

  async function setUpAgain({ method, params = {} }: Request): Promise<void> {
    if (!client) return
    const { signal } = new AbortController()
    const { notify, ask } = client
    try {
      await backend.handler({ method, params, client, agent, signal, notify, ask })
    } catch (error) {
      backend.logger.debug({ err: error, method, session: fingerprint(id) }, 'could not be set up again')
    }
  }

  function setUp(request: Request): void {
    if (SETS_UP.has(request.method)) settingUp = settingUp.then(() => setUpAgain(request))
  }

  return {
    resume({ introduction, setUp: requests }) {
      initialize(introduction)
      for (const request of requests) setUp(request)
    },
    setUp,
    async serve(request, incoming) {
      try {
        if (request.method === 'initialize') return initialize(request.params ?? {})
        if (!client) throw new RpcError(RPC.invalidRequest, 'The first request must be initialize')
        const result = await backend.handler(exchangeOf(request, incoming, client))
        if (SETS_UP.has(request.method)) await onSetUp?.(request)
        return result
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
  return beginExchange({
    method: request.method,
    params: request.params ?? {},
    client,
    agent: client.agent,
    signal: incoming.signal,
    notify: (notification) => incoming.notify(notification),
    ask: (asked, signal) => incoming.request(asked, { signal }),
  })
}

/** A request of a client of either era, as an exchange of its own. */
export function beginExchange({
  method,
  params,
  client,
  agent,
  signal,
  notify,
  ask,
}: Pick<Exchange, 'method' | 'params' | 'client' | 'agent' | 'signal' | 'notify' | 'ask'>): Exchange {
  return {
    method,
    params,
    client,
    agent,
    signal,
    notify,
    ...(ask && { ask }),
    // Layers put their own in place. A copy that changes a member costs V8 a tenth of one that adds a member.
    onCollected: undefined,
    onStruck: undefined,
    onKept: undefined,
    onSaved: undefined,
    onServed: undefined,
  }
}

// One connected client of the legacy era.

/** The facts of a client that asks for the proxy's description. */
export interface Asker {
  /** The proxies on the way to it; the nearest to the client explains itself. */
  via?: readonly string[]
  profile?: string | undefined
}

/** The parts of the proxy that a client needs. */
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

/** The state of a session at another replica. */
export interface Before {
  /** Params of its `initialize` request. */
  introduction: JsonObject
  /** Requests that set something up there. */
  setUp: readonly Request[]
}

/** The client of the connection, and the handler that answers on it. */
export interface SessionOptions {
  id: string
  agent: Agent
  transport: Transport
  backend: Backend
  /** The profile that was chosen for it. */
  profile?: string | undefined
  /** See `Client`. */
  mayReturn?: (() => boolean) | undefined
  /** Told of each request that set something up, before it is answered. Never rejects. */
  onSetUp?: ((request: Request) => Promise<void>) | undefined
  /** Absent: the client begins with its handshake. */
  before?: Before | undefined
  /** The number of the first request to the client. Replicas of one session must not use the same numbers. Default: 1. */
  firstId?: number | undefined
}

/** A client that is connected. */
export interface Session {
  readonly id: string
  /** Ends when the client leaves or `close` is called. */
  readonly ended: Promise<void>
  /** The client has set something up at another replica, which holds here from now on. Absent: no other replica serves it. */
  setUp?(request: Request): void
  close(): Promise<void>
}

/** Serves the legacy era on a transport that was not started yet. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { id, transport, backend, before, firstId } = options
  let end: () => void
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const handlers = {
    onRequest: (request: Request, incoming: Incoming) => legacy.serve(request, incoming),
    onNotification: (notification: Notification) => legacy.noted(notification),
    onClose: () => {
      legacy.closed()
      end()
    },
    onError: (error: Error) =>
      backend.logger.debug({ err: error, session: fingerprint(id) }, 'client connection'),
  }
  const peer = new Peer(transport, handlers, { firstId })
  const isListening = transport.isListening === undefined ? undefined : () => transport.isListening === true
  const legacy = createLegacy({ ...options, isListening }, peer)
  await peer.start()
  if (before) legacy.resume(before)
  return { id, ended, setUp: legacy.setUp, close: () => peer.close() }
}
