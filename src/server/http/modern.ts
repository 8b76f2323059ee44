/** Streamable HTTP of the modern era (MCP 2026-07-28, basic/transports): a POST is one request, and nothing lasts beyond it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { metaOf, type Result } from '../../protocol/content.ts'
import { LEGACY_VERSIONS, MODERN_META } from '../../protocol/eras.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Agent } from '../../protocol/exchange.ts'
import { decodeHeaderValue, headerMismatch, nameOf, validateParamHeaders } from '../../protocol/headers.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  Notification,
  Request,
  RequestId,
  Signal,
} from '../../protocol/message.ts'
import { Cancellation } from '../../protocol/peer.ts'
import type { ModernService, Requester, Visitor } from '../backend.ts'
import { readEnvelope } from '../envelope.ts'
import { toRpcError } from '../errors.ts'
import { LISTEN } from '../modern.ts'
import type { HttpOptions } from './listen.ts'
import { isRequest } from './messages.ts'
import { BACKLOG_DEFAULTS, Backlog, encode, eventPayload, type Heartbeat, Outlet, rankOf } from './outlet.ts'
import { agentOf, expiryOf, header, refuseWith, STREAM_HEADERS } from './request.ts'

const ANONYMOUS: Agent = { id: 'anonymous', kind: 'anonymous' }

/**
 * The HTTP status of an error that is the whole answer, by its code (MCP 2026-07-28, basic/transports, "Sending Messages").
 * Other errors are for the sender of the request, and no fault of the transport.
 */
const STATUS: Readonly<Record<number, number>> = {
  [RPC.methodNotFound]: 404,
  [RPC.headerMismatch]: 400,
  [RPC.missingClientCapability]: 400,
  [RPC.unsupportedVersion]: 400,
}

interface ModernEndpoint {
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
      // A request that was permitted when it was made gets its answer; what goes on and on is asked for again.
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

interface ModernReplyOptions {
  response: ServerResponse
  heartbeat: Heartbeat
  now: () => number
  profile: string | undefined
  /** Milliseconds since 1970 after which the client has to say again who it is. */
  until: number | undefined
}

/**
 * Milliseconds in which an error can still choose the HTTP status. After that a stream begins, because a client or somebody on
 * the way gives up on a response that does not.
 */
const STATUS_MS = 5000

/** The answer to one modern request: one JSON body, or a stream when a notification goes before it or it takes long. */
class ModernReply implements Requester {
  readonly id: RequestId
  readonly agent: Agent
  readonly profile: string | undefined
  readonly address: string | undefined
  readonly #options: ModernReplyOptions
  readonly #timer: NodeJS.Timeout
  #cancellation: Cancellation | undefined
  #stream: { outlet: Outlet } | undefined
  #over = false
  #gone = false

  constructor(id: RequestId, agent: Agent, options: ModernReplyOptions) {
    this.id = id
    this.agent = agent
    this.profile = options.profile
    this.address = options.response.req.socket.remoteAddress
    this.#options = options
    this.#timer = setTimeout(() => this.#begin(), STATUS_MS).unref()
    options.response.once('close', () => this.#left())
  }

  /** Made when somebody asks for it: most answers are there before. */
  get signal(): Signal {
    if (!this.#cancellation) {
      this.#cancellation = new Cancellation()
      if (this.#gone) this.#abort()
    }
    return this.#cancellation
  }

  /** Bound, because it is handed on by itself. */
  readonly notify = (notification: Notification): void => {
    if (this.#over) return
    const message: JsonRpcMessage = { jsonrpc: '2.0', ...notification }
    void this.#begin().write(eventPayload(encode(message)), rankOf(message))
  }

  result(result: Result): void {
    this.#finish({ jsonrpc: '2.0', id: this.id, result }, 200)
  }

  /** `status`: unless a stream has begun: its status went out before. */
  fail(error: RpcError, status: number): void {
    this.#finish({ jsonrpc: '2.0', id: this.id, error: error.toJSON() }, status)
  }

  #finish(message: JsonRpcMessage, status: number): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    const { response, now } = this.#options
    const payload = encode(message)
    if (this.#stream) return void this.#stream.outlet.end(eventPayload(payload))
    if (response.destroyed) return
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': payload.bytes })
    const only = payload.pieces.length === 1 ? payload.pieces[0] : undefined
    if (typeof only === 'string') response.end(only)
    else void new Outlet(response, new Backlog({ ...BACKLOG_DEFAULTS, now }), { events: false }).end(payload)
  }

  #begin(): Outlet {
    if (this.#stream) return this.#stream.outlet
    clearTimeout(this.#timer)
    const { response, heartbeat, now, until } = this.#options
    if (!response.destroyed) {
      response.writeHead(200, STREAM_HEADERS)
      response.flushHeaders()
    }
    const backlog = new Backlog({ ...BACKLOG_DEFAULTS, now })
    const outlet = new Outlet(response, backlog, { events: true, until }, () => heartbeat.remove(outlet))
    heartbeat.add(outlet)
    this.#stream = { outlet }
    return outlet
  }

  /** The stream closed before the answer: that is how a client cancels. */
  #left(): void {
    clearTimeout(this.#timer)
    if (this.#over) return
    this.#over = true
    this.#gone = true
    if (this.#cancellation) this.#abort()
  }

  #abort(): void {
    this.#cancellation?.abort(new Error('the client closed the stream of its request'))
  }
}

// The headers that repeat what the body of a modern request says (MCP 2026-07-28, basic/transports, "Standard
// Headers").

const VERSION = 'MCP-Protocol-Version'
const METHOD = 'Mcp-Method'
const NAME = 'Mcp-Name'

/**
 * The error (with HTTP 400) when the envelope of a request is broken, its revision is unknown, or its headers differ from its body.
 * Undefined when all is well. A header that is missing comes last: what revision to speak is the
 * better answer.
 */
function checkRequest(request: IncomingMessage, { method, params }: Request): RpcError | undefined {
  const fault = envelopeFault(params)
  if (fault?.code === RPC.invalidParams) return fault
  const claimed = claimOf(params) ?? ''
  const version = header(request, 'mcp-protocol-version')
  if (version !== undefined && version !== claimed) return differs(VERSION, version, claimed)
  const named = header(request, 'mcp-method')
  if (named !== undefined && named !== method) return differs(METHOD, named, method)
  if (fault) return fault
  if (version === undefined) return missing(VERSION, claimed)
  if (named === undefined) return missing(METHOD, method)
  return checkName(request, nameOf(method, params))
}

/** The same for a notification, which needs neither an envelope nor the headers. */
function checkNotification(request: IncomingMessage, { method, params }: Request): RpcError | undefined {
  const claimed = claimOf(params)
  const version = header(request, 'mcp-protocol-version')
  if (claimed !== undefined && version !== undefined && version !== claimed) {
    return differs(VERSION, version, claimed)
  }
  const named = header(request, 'mcp-method')
  return named !== undefined && named !== method ? differs(METHOD, named, method) : undefined
}

function envelopeFault(params: JsonObject | undefined): RpcError | undefined {
  try {
    readEnvelope(params)
    return undefined
  } catch (thrown) {
    return toRpcError(thrown)
  }
}

function claimOf(params: JsonObject | undefined): string | undefined {
  const meta = metaOf(params)
  const claimed = meta && own(meta, MODERN_META.protocolVersion)
  return typeof claimed === 'string' ? claimed : undefined
}

function checkName(request: IncomingMessage, expected: string | undefined): RpcError | undefined {
  if (expected === undefined) return undefined
  const sent = header(request, 'mcp-name')
  if (sent === undefined) return missing(NAME, expected)
  const decoded = decodeHeaderValue(sent)
  if (decoded === undefined) return headerMismatch(NAME, `${NAME} is not valid Base64 of UTF-8`)
  return decoded === expected ? undefined : differs(NAME, decoded, expected)
}

function missing(name: string, expected: string): RpcError {
  return headerMismatch(name, `${name} is missing; the body says ${quote(expected)}`)
}

function differs(name: string, sent: string, expected: string): RpcError {
  return headerMismatch(name, `${name} says ${quote(sent)}, the body says ${quote(expected)}`)
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}
