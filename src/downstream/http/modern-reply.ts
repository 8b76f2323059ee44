import type { ServerResponse } from 'node:http'
import type { RpcError } from '../../protocol/errors.ts'
import type { Agent } from '../../protocol/exchange.ts'
import type { JsonRpcMessage, Notification, RequestId } from '../../protocol/message.ts'
import type { Result } from '../../protocol/result.ts'
import type { Requester } from '../modern-service.ts'
import { BACKLOG_DEFAULTS, Backlog, rankOf } from './backlog.ts'
import { STREAM_HEADERS } from './headers.ts'
import type { Heartbeat } from './heartbeat.ts'
import { Outlet } from './outlet.ts'
import { encode, eventPayload } from './payload.ts'

export interface ModernReplyOptions {
  response: ServerResponse
  heartbeat: Heartbeat
  now: () => number
  profile: string | undefined
  /** Milliseconds since 1970 after which the client has to say anew who it is. */
  until: number | undefined
}

/**
 * Milliseconds in which an error can still choose the HTTP status. After that a stream begins, because a client or somebody on
 * the way gives up on a response that does not.
 */
const STATUS_MS = 5000

/** The answer to one modern request: one JSON body, or a stream when a notification goes before it or it takes long. */
export class ModernReply implements Requester {
  readonly id: RequestId
  readonly agent: Agent
  readonly profile: string | undefined
  readonly #options: ModernReplyOptions
  readonly #timer: NodeJS.Timeout
  #controller: AbortController | undefined
  #stream: { outlet: Outlet } | undefined
  #over = false
  #gone = false

  constructor(id: RequestId, agent: Agent, options: ModernReplyOptions) {
    this.id = id
    this.agent = agent
    this.profile = options.profile
    this.#options = options
    this.#timer = setTimeout(() => this.#begin(), STATUS_MS).unref()
    options.response.once('close', () => this.#left())
  }

  /** Made when somebody asks for it: most answers are there before. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#gone) this.#abort()
    }
    return this.#controller.signal
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

  /** `status`: unless a stream has begun, whose status went out before. */
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
    if (this.#controller) this.#abort()
  }

  #abort(): void {
    this.#controller?.abort(new Error('the client closed the stream of its request'))
  }
}
