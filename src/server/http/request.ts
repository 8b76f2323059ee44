import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { RPC, type RpcError } from '../../protocol/errors.ts'
import type { Agent } from '../../protocol/exchange.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import { type Limits, limitWords } from '../../protocol/limits.ts'
import type { RequestId } from '../../protocol/message.ts'
import type { Principal } from '../backend.ts'
import type { Budget } from '../bounds.ts'

/** The parts of a refusal besides its words. */
export interface Refusal {
  /** JSON-RPC code; that of a closed connection when absent. */
  code?: number
  /** The request that is refused; null when it is none, or several. */
  id?: RequestId | null
  headers?: OutgoingHttpHeaders
}

/** Answers with an HTTP status and a JSON-RPC error, which belongs to no request unless it is named. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  { code = RPC.connectionClosed, id = null, headers }: Refusal = {},
): void {
  respond(response, status, { jsonrpc: '2.0', id, error: { code, message } }, headers)
}

/** Answers while the proxy goes away. Nothing was run: the same can be sent again, to another replica. */
export function refuseToServe(response: ServerResponse, about?: Refusal): void {
  refuse(response, 503, 'The proxy is shutting down: nothing was called, send it again', {
    ...about,
    headers: { connection: 'close', 'retry-after': '1' },
  })
}

/** Answers a request with an HTTP status and the error as it is. */
export function refuseWith(
  response: ServerResponse,
  status: number,
  error: RpcError,
  id: RequestId | null,
): void {
  respond(response, status, { jsonrpc: '2.0', id, error: error.toJSON() })
}

function respond(
  response: ServerResponse,
  status: number,
  body: object,
  headers?: OutgoingHttpHeaders,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

const BASE = 'http://localhost'

let last = { text: '/', url: new URL(BASE) as Readonly<URL> }

/**
 * Where a request goes. A text that is no address at all (`//`) goes to the root, where nothing is served. Requests to the same place
 * share the object.
 */
export function requestUrl({ url: text = '/' }: IncomingMessage): Readonly<URL> {
  if (text !== last.text) last = { text, url: new URL(URL.canParse(text, BASE) ? text : '/', BASE) }
  return last.url
}

/**
 * The body of a request, read once. Undefined when it is longer than `maxBytes`. Then nothing of it is kept, and the rest is read and
 * thrown away. A client may not see the answer if the connection closes while it writes. `busy` when it finds no room beside the bodies
 * of others. Rejects when the client leaves.
 *
 * @param room that bodies have that are being received; absent: as much as they like
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined>
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  room: Budget,
): Promise<Buffer | undefined | 'busy'>
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  room?: Budget,
): Promise<Buffer | undefined | 'busy'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    request.resume()
    return Promise.resolve(undefined)
  }
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    let taken = 0
    let refused = false
    const refuse = (why: 'busy' | undefined): void => {
      refused = true
      chunks = []
      room?.give(taken)
      taken = 0
      resolve(why)
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (refused) return
      if (length > maxBytes) return refuse(undefined)
      if (room?.take(chunk.length) === false) return refuse('busy')
      taken += chunk.length
      chunks.push(chunk)
    })
    let complete = false
    request.once('end', () => {
      complete = true
      if (!refused) resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length))
    })
    request.once('error', reject)
    request.once('close', () => {
      room?.give(taken)
      taken = 0
      // An error is dear to make, and every request closes.
      if (!complete) reject(new Error('the client left before its request was complete'))
    })
  })
}

/** The body of a request by the limits of this proxy; undefined where it was refused, and has been answered. */
export async function readLimited(
  request: IncomingMessage,
  response: ServerResponse,
  limits: Limits,
  room: Budget,
): Promise<Buffer | undefined> {
  const bytes = await readBody(request, limits.requestBytes, room)
  if (bytes === 'busy') {
    const words = `Too many bytes of requests are being received: ${limitWords('bodyBytes', limits)}`
    refuse(response, 503, words, { headers: { 'retry-after': '1' } })
  } else if (bytes === undefined) {
    refuse(response, 413, `Payload Too Large: ${limitWords('requestBytes', limits)}`)
  } else {
    return bytes
  }
  return undefined
}

/** Why a body was not read. */
export class BodyRefused extends Error {
  readonly code: 'unsupported_media_type' | 'payload_too_large' | 'bad_request' | 'request_timeout'

  constructor(code: BodyRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** The JSON object that a body of at most `maxBytes` holds; nothing sent: an empty one. `ms`: how long it may take. Rejects with BodyRefused, and when the sender leaves. */
export async function readJson(request: IncomingMessage, maxBytes: number, ms: number): Promise<JsonObject> {
  if (request.headers['content-encoding'] !== undefined)
    throw new BodyRefused('unsupported_media_type', 'Send the body as it is, without Content-Encoding.')
  const bytes = await inTime(readBody(request, maxBytes), ms)
  if (bytes === undefined)
    throw new BodyRefused('payload_too_large', `The body must not have more than ${maxBytes} bytes.`)
  if (bytes.length === 0) return {}
  if (!isJson(request))
    throw new BodyRefused('unsupported_media_type', 'Content-Type must be application/json.')
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new BodyRefused('bad_request', 'The body is no JSON.')
  }
  if (!isObject(value)) throw new BodyRefused('bad_request', 'The body must be a JSON object.')
  return value
}

async function inTime<T>(reading: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new BodyRefused('request_timeout', `The body did not arrive within ${ms / 1000} s.`)
    timer = setTimeout(reject, ms, error)
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
    // A client that leaves later is no error.
    reading.catch(() => {})
  }
}

/** Aborts when the asker leaves before it is answered. */
export function leaving(response: ServerResponse): AbortSignal {
  const abort = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) abort.abort()
  })
  return abort.signal
}

/** Headers of proxies that pass requests of other machines on to this one. */
const PASSED_ON = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const

/** Whether a program of this machine asks, and asks itself. */
export function isLocal({ socket, headers }: IncomingMessage): 'yes' | 'passed on' | 'no' {
  if (!/^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/i.test(socket.remoteAddress ?? '')) return 'no'
  return PASSED_ON.some((name) => headers[name] !== undefined) ? 'passed on' : 'yes'
}

// The meaning of HTTP headers in this transport (MCP specification, basic/transports, "Streamable HTTP").

/** A header's value without the white space around it (RFC 9110, 5.5); a repeated one is its values with commas between. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}

/** True when the body says it is JSON, whatever parameters follow. */
export function isJson(request: IncomingMessage): boolean {
  const type = request.headers['content-type']
  if (type === undefined || type === 'application/json') return type !== undefined
  const [essence = '', ...parameters] = type.split(';')
  return essence.trim().toLowerCase() === 'application/json' && !parameters.join(';').includes(',')
}

export function accepts(request: IncomingMessage, ...types: string[]): boolean {
  const accept = request.headers.accept
  return accept !== undefined && types.every((type) => accept.includes(type))
}

/** Of a stream of events that no proxy on the way may hold back or change. */
export const STREAM_HEADERS: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

// The facts that follow from the identity of a client.

/** The owner of what is kept: the client that authenticated, else `otherwise`. */
export function agentOf(principal: Principal | undefined, otherwise: Agent): Agent {
  if (principal === undefined) return otherwise
  const { id, name } = principal
  return { id, kind: 'principal', ...(name !== undefined && { name }) }
}

/** Milliseconds since 1970 after which the client has to say again who it is. */
export function expiryOf(principal: Principal | undefined): number | undefined {
  return principal?.expiresAt === undefined ? undefined : principal.expiresAt * 1000
}
