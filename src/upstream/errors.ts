/** Words for what goes wrong with a server: they name the server, what was asked of it and the limit. */
import { messageOf, ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { JsonValue } from '../protocol/json.ts'
import { type Limits, limitWords } from '../protocol/limits.ts'
import type { Request } from '../protocol/message.ts'
import { PeerClosed, RequestTimeout } from '../protocol/peer.ts'
import { AuthorizationNeeded, localCode, NotRead } from './transport.ts'

/** "120 s", "300 ms". */
function duration(ms: number): string {
  return ms >= 1000 ? `${Math.round(ms / 100) / 10} s` : `${ms} ms`
}

/** The subject of a request, in a word or two: "tool `read`". */
function subjectOf({ method, params }: Request): string {
  const [kind, member]: [string, JsonValue | undefined] =
    method === 'tools/call'
      ? ['tool', params?.name]
      : method === 'prompts/get'
        ? ['prompt', params?.name]
        : method === 'resources/read'
          ? ['resource', params?.uri]
          : ['', undefined]
  return typeof member === 'string' ? `${kind} \`${member.slice(0, 200)}\`` : method
}

/** No connection came about. */
export function connectFailed(server: string, reason: unknown): ProxyError {
  if (reason instanceof ProxyError) return reason
  const text = messageOf(reason)
  if (reason instanceof AuthorizationNeeded)
    return new ProxyError('UPSTREAM_CONNECT', `server \`${server}\`: ${text}`, '', { cause: reason })
  return new ProxyError(
    'UPSTREAM_CONNECT',
    `server \`${server}\`: ${text}`,
    'Check its command, arguments, environment or url in the configuration. Other servers are not affected.',
    { cause: reason },
  )
}

/** The handshake took too long. */
export function connectTimedOut(server: string, limitMs: number): ProxyError {
  return new ProxyError(
    'UPSTREAM_TIMEOUT',
    `server \`${server}\`: did not connect within ${duration(limitMs)}`,
    'Raise `connect.timeoutMs` when it needs longer to start.',
  )
}

/** A list took too long. */
export function listTimedOut(server: string, method: string, limitMs: number): ProxyError {
  return new ProxyError(
    'UPSTREAM_TIMEOUT',
    `server \`${server}\`: ${method} did not answer within ${duration(limitMs)}`,
    'Its list is left out until it comes.',
  )
}

/** An established connection is gone. */
export function connectionLost(server: string, reason: string): ProxyError {
  return new ProxyError('UPSTREAM_CLOSED', `server \`${server}\`: ${reason}`, 'The next call connects again.')
}

/** The facts of a request that failed. */
interface FailedRequest {
  /** Why the transport closed, if it did. */
  ended: string | undefined
  /** The time limit of the request, in milliseconds. */
  limitMs: number | undefined
  limits: Limits
}

/**
 * The error of a failed request. The server's own errors pass unchanged, unless they are too long; everything else names server and
 * subject.
 */
export function requestFailed(
  server: string,
  request: Request,
  reason: unknown,
  { ended, limitMs, limits }: FailedRequest,
): Error {
  const subject = subjectOf(request)
  if (reason instanceof ProxyError) return reason
  if (reason instanceof AuthorizationNeeded) return connectFailed(server, reason)
  if (reason instanceof RpcError) {
    const code = localCode(reason)
    if (code === undefined) return inShort(reason, limits)
    return new ProxyError(code, `server \`${server}\`: ${subject}: the server ${reason.message}`, '')
  }
  if (reason instanceof RequestTimeout && limitMs !== undefined) {
    return new ProxyError(
      'UPSTREAM_TIMEOUT',
      `server \`${server}\`: ${subject} did not answer within ${duration(limitMs)}`,
      'Ask for less at once, or raise `timeout` of this server in the configuration.',
      { cause: reason },
    )
  }
  if (reason instanceof NotRead) {
    return new ProxyError(
      'UPSTREAM_TIMEOUT',
      `server \`${server}\`: ${subject} was not sent: ${reason.message}`,
      'Nothing was called. It is busy or hangs: call again later, and if it still does not read then, it has to be started again.',
      { cause: reason },
    )
  }
  const why = reason instanceof PeerClosed ? (ended ?? reason.message) : messageOf(reason)
  return new ProxyError(
    'UPSTREAM_CLOSED',
    `server \`${server}\`: ${subject} got no answer: ${reason instanceof PeerClosed ? 'the server ' : ''}${why}`,
    'The next call connects again. It is not known whether this one took effect.',
    { cause: reason },
  )
}

/** The error itself where it keeps to the limit: nothing shapes an error on its way to the model. */
function inShort(error: RpcError, limits: Limits): RpcError {
  const { code, message, data } = error
  const most = limits.serverErrorCharacters
  const length = data === undefined ? 0 : JSON.stringify(data).length
  if (message.length <= most && length <= most) return error
  const words = limitWords('serverErrorCharacters', limits)
  const cut = message.length > most ? ` … (cut: the message has ${message.length} characters)` : ''
  const left = length > most ? ` (left out: ${length} characters of data)` : ''
  const short = `${message.slice(0, most)}${cut}${left}; ${words}`
  return new RpcError(code, short, length > most ? undefined : data)
}

/** True when the time limit was used up. */
export function isTimeout(error: unknown): boolean {
  return error instanceof ProxyError && error.code === 'UPSTREAM_TIMEOUT'
}

/** True when the server does not have the method. */
export function isMethodNotFound(error: unknown): boolean {
  return error instanceof RpcError && error.code === RPC.methodNotFound
}
