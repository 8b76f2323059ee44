/** Streamable HTTP: both eras at one address. The content of a body decides which of them answers. */

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { metaOf } from '../../protocol/content.ts'
import { claimsModern, isModernVersion, MODERN_META } from '../../protocol/eras.ts'
import { RPC } from '../../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { LIMIT_DEFAULTS } from '../../protocol/limits.ts'
import type { JsonRpcMessage, JsonRpcNotification, JsonRpcRequest } from '../../protocol/message.ts'
import type { Principal, Visitor } from '../backend.ts'
import { Budget } from '../bounds.ts'
import type { Replicas } from '../replicas.ts'
import { createLegacyEndpoint } from './legacy.ts'
import { type HttpListener, type HttpOptions, listen, type Mounted, mount, type Service } from './listen.ts'
import { type Body, checkIntroductions, isFault, isRequest, parseBody } from './messages.ts'
import { createModernEndpoint } from './modern.ts'
import { createHeartbeat } from './outlet.ts'
import { visitorAt } from './profile-path.ts'
import { header, isJson, readLimited, refuse } from './request.ts'

/** Where clients connect. */
const PATH = '/mcp'

export async function serveHttp(options: HttpOptions): Promise<HttpListener> {
  return listen(options, streamableAt(PATH, options))
}

/** The same for a server of somebody else's. Throws ProxyError as listening does. */
export function mountHttp(options: MountedOptions): Mounted {
  return mount(options, streamableAt(PATH, options))
}

type MountedOptions = Omit<HttpOptions, 'port'>

const BEGUN_BEFORE =
  'The replica of the proxy that began this call has ended before its answer came. The call may have been run: ' +
  'look at its effects before you call again.'

/** Bytes of a body that may take some time to parse. */
const LONG_BODY = 256 * 1024

/** One turn of the event loop each, for work that comes at the same time. */
class Turns {
  #last = Promise.resolve()

  own(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return this.#last
  }
}

/** MCP at a path, for requests that the caller has let in. */
export function streamableAt(path: string, options: MountedOptions): Service {
  const { limits = LIMIT_DEFAULTS } = options
  const room = new Budget('bodyBytes', limits)
  const turns = new Turns()
  const heartbeat = createHeartbeat()
  const place = { path, profiles: options.profiles ?? (() => []) }
  const legacy = createLegacyEndpoint(options, heartbeat, place)
  const modern = createModernEndpoint(options, heartbeat)

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    _url: URL,
    principal?: Principal,
  ): Promise<void> {
    const visitor = visitorAt(place, request, response, principal)
    if (!visitor) return
    const { method } = request
    if (method === 'POST') return post(request, response, visitor)
    if (saysModern(request)) {
      return refuse(response, 405, 'Method not allowed: the modern revisions have POST alone', {
        headers: { allow: 'POST' },
      })
    }
    if (method === 'GET' || method === 'DELETE') return legacy.other(request, response, visitor)
    refuse(response, 405, 'Method not allowed.', { headers: { allow: 'GET, POST, DELETE' } })
  }

  async function post(request: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void> {
    if (!isJson(request)) {
      return refuse(response, 415, 'Unsupported Media Type: Content-Type must be application/json')
    }
    const bytes = await readLimited(request, response, limits, room)
    if (bytes === undefined) return
    const isLong = bytes.length > LONG_BODY
    if (isLong) await turns.own()
    const parsed = parseBody(bytes, limits)
    if (isLong) await turns.own()
    const body = isFault(parsed) ? parsed : checkIntroductions(parsed, bytes.length, limits)
    if (isFault(body)) return refuse(response, 400, body.message, { code: body.code })
    if (options.replicas && !(await isFirstTime(options.replicas, request, response, body, visitor))) return
    const [message] = body.messages
    if (body.batch || message === undefined || !isModern(request, message)) {
      return legacy.post(request, response, body, visitor)
    }
    if (isHandshake(message)) {
      // The headers are wrong, not the handshake: it is the legacy era's, whatever they say.
      const text =
        'Header mismatch: initialize is of the legacy revisions, MCP-Protocol-Version of a modern one'
      return refuse(response, 400, text, { code: RPC.headerMismatch, id: message.id })
    }
    return modern.post(request, response, message, visitor)
  }

  /**
   * False when the body has been refused: a replica has begun its calls before, and may have run them. A balancer that sends a request
   * again, where its connection broke, marks it with the same `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
   */
  async function isFirstTime(
    replicas: Replicas,
    request: IncomingMessage,
    response: ServerResponse,
    { messages, batch }: Body,
    { principal }: Visitor,
  ): Promise<boolean> {
    const key = header(request, 'idempotency-key')
    const call = key && messages.find((message) => isRequest(message) && message.method === 'tools/call')
    if (!key || !call || !isRequest(call)) return true
    const name = createHash('sha256').update(JSON.stringify([principal?.id, key]))
    const answered = await replicas.begin(name.digest('base64url'))
    if (answered === undefined) refuse(response, 409, BEGUN_BEFORE, { id: batch ? null : call.id })
    else if (response.closed) answered()
    else response.once('close', answered)
    return answered !== undefined
  }

  return {
    path,
    handle,
    async closeSessions() {
      await Promise.all([legacy.close(), modern.close()])
      heartbeat.close()
    },
  }
}

/** By the claim of its body, else by its header. A posted answer belongs to a session: to the legacy era. */
function isModern(
  request: IncomingMessage,
  message: JsonRpcMessage,
): message is JsonRpcRequest | JsonRpcNotification {
  if (!('method' in message)) return false
  const params: unknown = message.params
  if (isObject(params) && claimsModern(params)) {
    return message.method !== 'initialize' || claimsRevision(params) || saysModern(request)
  }
  return saysModern(request)
}

/** An `initialize` that claims no modern revision in its body. */
function isHandshake(message: JsonRpcRequest | JsonRpcNotification): message is JsonRpcRequest {
  if (!isRequest(message) || message.method !== 'initialize') return false
  const params: unknown = message.params
  return !(isObject(params) && claimsRevision(params))
}

function claimsRevision(params: JsonObject): boolean {
  const meta = metaOf(params)
  const claimed = meta && own(meta, MODERN_META.protocolVersion)
  return typeof claimed === 'string' && isModernVersion(claimed)
}

function saysModern(request: IncomingMessage): boolean {
  const version = header(request, 'mcp-protocol-version')
  return version !== undefined && isModernVersion(version)
}
