/** Streamable HTTP of the modern era (MCP 2026-07-28, basic/transports): a POST is one request, and nothing lasts beyond it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LEGACY_VERSIONS, MODERN_META, metaOf } from '../../protocol/eras.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Agent } from '../../protocol/exchange.ts'
import { isObject, own } from '../../protocol/json.ts'
import type { JsonRpcNotification, JsonRpcRequest } from '../../protocol/message.ts'
import { validateParamHeaders } from '../../protocol/param-headers.ts'
import type { Visitor } from '../authenticate.ts'
import type { HttpOptions } from '../listen.ts'
import { LISTEN } from '../modern/methods.ts'
import type { ModernService } from '../modern-service.ts'
import { agentOf, expiryOf } from '../principal.ts'
import { refuseWith } from '../refuse.ts'
import { toRpcError } from '../wire-errors.ts'
import { header } from './headers.ts'
import type { Heartbeat } from './heartbeat.ts'
import { isRequest } from './messages.ts'
import { checkNotification, checkRequest } from './modern-headers.ts'
import { ModernReply } from './modern-reply.ts'

const ANONYMOUS: Agent = { id: 'anonymous', kind: 'anonymous' }

/**
 * The HTTP status of an error that is the whole answer, by its code (MCP 2026-07-28, basic/transports, "Sending Messages").
 * Others are for whoever sent the request, and no fault of the transport's.
 */
const STATUS: Readonly<Record<number, number>> = {
  [RPC.methodNotFound]: 404,
  [RPC.headerMismatch]: 400,
  [RPC.missingClientCapability]: 400,
  [RPC.unsupportedVersion]: 400,
}

export interface ModernEndpoint {
  post(
    request: IncomingMessage,
    response: ServerResponse,
    message: JsonRpcRequest | JsonRpcNotification,
    visitor: Visitor,
  ): Promise<void>
  close(): Promise<void>
}

export function createModernEndpoint(
  { modern, now }: Pick<HttpOptions, 'modern' | 'now'>,
  heartbeat: Heartbeat,
): ModernEndpoint {
  async function post(
    request: IncomingMessage,
    response: ServerResponse,
    message: JsonRpcRequest | JsonRpcNotification,
    visitor: Visitor,
  ): Promise<void> {
    if (!isRequest(message)) {
      const mismatch = checkNotification(request, message)
      if (mismatch) return refuseWith(response, 400, mismatch, null)
      // The client has none to send: a request is cancelled by closing its stream.
      response.writeHead(202).end()
      return
    }
    const params: unknown = message.params
    if (params !== undefined && params !== null && !isObject(params)) {
      return refuseWith(
        response,
        400,
        new RpcError(RPC.invalidParams, 'params must be an object'),
        message.id,
      )
    }
    if (!modern) return refuseWith(response, 400, notSpoken(message), message.id)
    const fault = checkRequest(request, message)
    if (fault) return refuseWith(response, 400, fault, message.id)
    await serve(modern, request, response, message, visitor)
  }

  async function serve(
    service: ModernService,
    request: IncomingMessage,
    response: ServerResponse,
    message: JsonRpcRequest,
    { principal, profile }: Visitor,
  ): Promise<void> {
    const reply = new ModernReply(message.id, agentOf(principal, ANONYMOUS), {
      response,
      heartbeat,
      now,
      profile,
      // What was permitted when it was asked for gets its answer; what goes on and on is asked for anew.
      until: message.method === LISTEN ? expiryOf(principal) : undefined,
    })
    try {
      const mismatch = await paramMismatch(service, request, message, reply)
      if (mismatch) return reply.fail(mismatch, 400)
      reply.result(await service.serve(message, reply))
    } catch (thrown) {
      const error = toRpcError(thrown)
      reply.fail(error, STATUS[error.code] ?? 200)
    }
  }

  return { post, close: async () => modern?.close() }
}

async function paramMismatch(
  service: ModernService,
  request: IncomingMessage,
  message: JsonRpcRequest,
  reply: ModernReply,
): Promise<RpcError | undefined> {
  if (message.method !== 'tools/call') return undefined
  const name = message.params && own(message.params, 'name')
  if (typeof name !== 'string') return undefined
  const schema = await service.toolSchema(name, message, reply)
  const args = message.params && own(message.params, 'arguments')
  return validateParamHeaders(schema, isObject(args) ? args : undefined, (name) => header(request, name))
}

function notSpoken({ params }: JsonRpcRequest): RpcError {
  const meta = metaOf(params)
  const requested = (meta && own(meta, MODERN_META.protocolVersion)) ?? null
  return new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', {
    supported: [...LEGACY_VERSIONS],
    requested,
  })
}
