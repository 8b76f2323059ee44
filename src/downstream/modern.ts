/** The modern era (MCP 2026-07-28): every request says who asks, goes into the onion, and gets its result completed. */
import { refuseLoop } from '../protocol/chain.ts'
import { MODERN_VERSIONS } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import { type JsonObject, own } from '../protocol/json.ts'
import type { Notification, Request } from '../protocol/message.ts'
import type { Result } from '../protocol/result.ts'
import type { Audience } from './audience.ts'
import { createModernClients } from './modern/clients.ts'
import { type Envelope, readEnvelope } from './modern/envelope.ts'
import { type LogLevel, reaches } from './modern/log-level.ts'
import { DISCOVER, LISTEN, refuseForeign } from './modern/methods.ts'
import { toModernError, toModernResult } from './modern/results.ts'
import { createSubscriptions } from './modern/subscriptions.ts'
import { createToolSchemas } from './modern/tool-schemas.ts'
import type { ModernService, Requester } from './modern-service.ts'
import type { Asker, Backend } from './session.ts'
import { toRpcError } from './wire-errors.ts'

export interface ModernServiceOptions {
  backend: Omit<Backend, 'notified'>
  audience: Audience
  /** Milliseconds since any moment, by a clock that nobody sets. */
  now(): number
}

export function createModernService({ backend, audience, now }: ModernServiceOptions): ModernService {
  /** By profile. */
  const ourselves = new Map<string | undefined, JsonObject>()
  const schemas = createToolSchemas()
  const subscriptions = createSubscriptions({ backend, audience })
  const clients = createModernClients({
    now,
    notify: subscriptions.notify,
    opened: (client) => {
      const { info, protocolVersion, profile } = client
      const fields = { client: info, protocolVersion, ...(profile !== undefined && { profile }) }
      backend.logger.info(fields, 'client connected')
      backend.opened(client)
    },
    closed: backend.closed,
  })
  let closed = false
  audience.listen((list) => {
    if (list === 'tools') schemas.changed()
    ourselves.clear()
  })

  const serverInfo = (profile: string | undefined): JsonObject => {
    const known = ourselves.get(profile) ?? backend.describe({ profile }).serverInfo
    ourselves.set(profile, known)
    return known
  }

  /** Runs for the client that asks, which stays as long as it takes. */
  async function on<T>(
    envelope: Envelope,
    { agent, profile }: Requester,
    run: (client: Client) => Promise<T>,
  ): Promise<T> {
    const lease = clients.use(agent, envelope, profile)
    try {
      return await run(lease.client)
    } finally {
      clients.rest(lease)
    }
  }

  /** No client is met for this: who only looks which revisions are spoken may go on in the other era. */
  function discover(asker: Asker): JsonObject {
    const { capabilities: all, instructions } = backend.describe(asker)
    // Tasks are an extension in this era, and none of ours.
    const { tasks: _, ...capabilities } = all
    return { supportedVersions: [...MODERN_VERSIONS], capabilities, instructions }
  }

  async function answer(request: Request, requester: Requester): Promise<Result> {
    const { method, params = {} } = request
    const envelope = readEnvelope(params)
    refuseLoop(envelope.via, backend.identity)
    refuseForeign(method, envelope)
    if (closed) throw new RpcError(RPC.connectionClosed, 'the proxy is shutting down')
    const { profile } = requester
    if (method === DISCOVER)
      return toModernResult(method, discover({ via: envelope.via, profile }), serverInfo(profile))
    return on(envelope, requester, async (client) => {
      if (method === LISTEN) return subscriptions.listen(client, params, requester)
      const run = (): Promise<Result> =>
        backend.handler(exchangeOf({ method, params }, client, requester, envelope.logLevel))
      const result = await (method === 'tools/list' ? schemas.list(client, run) : run())
      return toModernResult(method, result, serverInfo(profile))
    })
  }

  return {
    async serve(request, requester) {
      try {
        return await answer(request, requester)
      } catch (error) {
        throw toModernError(request.method, request.params ?? {}, toRpcError(error))
      }
    },
    async toolSchema(name, { params = {} }, requester) {
      try {
        const list = { method: 'tools/list', params: { _meta: own(params, '_meta') ?? {} } }
        return await on(readEnvelope(params), requester, (client) =>
          schemas.of(client, name, () => backend.handler(exchangeOf(list, client, requester, undefined))),
        )
      } catch (error) {
        throw toRpcError(error)
      }
    },
    async close() {
      closed = true
      subscriptions.close()
      // Results of subscriptions are on their way before anything else is closed.
      await new Promise((resolve) => setImmediate(resolve))
      clients.close()
    },
  }
}

function exchangeOf(
  { method, params = {} }: Request,
  client: Client,
  requester: Requester,
  logLevel: LogLevel | undefined,
): Exchange {
  return {
    method,
    params,
    client,
    agent: requester.agent,
    signal: requester.signal,
    notify: (notification) => {
      if (NEVER_ON_A_REQUEST.test(notification.method)) client.notify(notification)
      else if (isWanted(notification, logLevel)) requester.notify(notification)
    },
  }
}

/** What only subscriptions are told, and what this era does not have. */
const NEVER_ON_A_REQUEST =
  /^notifications\/(?:\w+\/list_changed|resources\/updated|elicitation\/complete|tasks\/status|initialized|cancelled)$/

/** Log messages are for those who asked for them, request by request (server/utilities/logging). */
function isWanted({ method, params }: Notification, least: LogLevel | undefined): boolean {
  if (method !== 'notifications/message') return true
  return least !== undefined && reaches(params && own(params, 'level'), least)
}
