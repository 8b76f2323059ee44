/**
 * One end of a JSON-RPC connection. It numbers requests, pairs answers, relays progress and cancellation
 * (MCP specification, basic/utilities), and passes params and results on as they are: no schema strips a field.
 */
import type { Result } from './content.ts'
import { claimsModern } from './eras.ts'
import { RPC, RpcError } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'
import type {
  AbortListener,
  JsonRpcMessage,
  Notification,
  Request,
  RequestId,
  Signal,
  Transport,
} from './message.ts'

/** A request of the other side under way. */
export interface Incoming {
  readonly id: RequestId
  /** The request of ours that this one belongs to, where the transport can tell. */
  readonly via: RequestId | undefined
  /** Aborts when the other side cancels or leaves. */
  readonly signal: Signal
  /** Sends on the stream of this request. */
  notify(notification: Notification): void
  request(request: Request, options?: RequestOptions): Promise<Result>
}

/** The handlers for messages of the other side. */
export interface PeerHandlers {
  /** Rejecting with RpcError answers with that error; anything else becomes an internal error. */
  onRequest(request: Request, incoming: Incoming): Promise<Result>
  /** `via`: the request of ours that it belongs to, where the transport can tell. */
  onNotification(notification: Notification, via?: RequestId): void
  /** Called once, whichever side closed. Everything pending was rejected before. */
  onClose?(): void
  /** Trouble that ends nothing: an answer without a request, a message that is not JSON-RPC. */
  onError?(error: Error): void
}

/** How long a request may take, who may end it, and which progress is reported. */
export interface RequestOptions {
  signal?: Signal | undefined
  /** Milliseconds without answer or progress. Absent: no limit. */
  timeoutMs?: number | undefined
  /** True while the other side waits for somebody here: then the time limit begins again. */
  paused?: (() => boolean) | undefined
  /** Params of progress notifications. Given: the request carries a token of ours. */
  onProgress?: ((params: JsonObject) => void) | undefined
  /** The request of the other side that this one serves. */
  relatedRequestId?: RequestId | undefined
  /** HTTP headers of this request alone. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Told the id under which the request is sent, before it is. */
  onId?: ((id: RequestId) => void) | undefined
}

interface SendOptionsOf {
  relatedRequestId?: RequestId | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** How many requests of the other side may be under way, and what the next one is told. */
export interface IncomingLimit {
  most: number
  words(): string
}

interface PeerOptions {
  /** Absent: the other side may have as many requests under way as it likes. */
  limit?: IncomingLimit | undefined
  /** The id of the first request; each later one has the next number. Default: 1. */
  firstId?: number | undefined
}

/** The error of a request that lost its connection before the answer. */
export class PeerClosed extends Error {
  override readonly name = 'PeerClosed'
}

/** Start it with `start`, ask with `request`. When the connection closes all that is pending rejects with PeerClosed. */
export class Peer {
  readonly #transport: Transport
  readonly #handlers: PeerHandlers
  readonly #pending = new UnderWay<RequestId, Pending>()
  readonly #incoming = new UnderWay<RequestId, Cancellation>()
  readonly #limit: IncomingLimit | undefined
  /** Requests of the other side under way: several may have the same id. */
  #serving = 0
  readonly #owner: PendingOwner = {
    settled: ({ id }) => this.#pending.delete(id),
    givenUp: (pending, reason) => this.#cancel(pending, reason),
  }
  #nextId: number
  #closed = false

  constructor(transport: Transport, handlers: PeerHandlers, { limit, firstId = 1 }: PeerOptions = {}) {
    this.#limit = limit
    this.#nextId = firstId
    this.#transport = transport
    this.#handlers = handlers
  }

  async start(): Promise<void> {
    this.#transport.onmessage = (message, via) => this.#receive(message, via)
    this.#transport.onclose = () => this.#ended()
    this.#transport.onerror = (error) => this.#handlers.onError?.(error)
    await this.#transport.start()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Requests sent and not yet answered. */
  get waiting(): number {
    return this.#pending.size
  }

  request(request: Request, options: RequestOptions = {}): Promise<Result> {
    const { signal, onProgress, relatedRequestId, headers, onId } = options
    if (this.#closed) return Promise.reject(new PeerClosed('the connection is closed'))
    if (signal?.aborted) return Promise.reject(abortError(signal))
    const id = this.#nextId++
    return new Promise<Result>((resolve, reject) => {
      const { method, params } = request
      const pending = new Pending({ id, method, options }, this.#owner, resolve, reject)
      this.#pending.set(id, pending)
      onId?.(id)
      const sent = onProgress ? withToken(params, id) : params
      try {
        this.#send(
          sent === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params: sent },
          { relatedRequestId, headers },
          pending,
        )
      } catch (error) {
        pending.reject(reasonOf(error))
      }
    })
  }

  /** Never throws: a connection that is gone, or JSON too deep to be written, takes no notifications. */
  notify(notification: Notification, relatedRequestId?: RequestId): void {
    if (this.#closed) return
    const { method, params } = notification
    const message: JsonRpcMessage =
      params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }
    this.#guarded(() => this.#send(message, { relatedRequestId }))
  }

  async close(): Promise<void> {
    try {
      await this.#transport.close()
    } finally {
      this.#ended()
    }
  }

  #cancel({ id, method, relatedRequestId }: Pending, reason: string): void {
    // The specification forbids cancelling the handshake (basic/utilities/cancellation).
    if (method === 'initialize') return
    this.notify({ method: 'notifications/cancelled', params: { requestId: id, reason } }, relatedRequestId)
  }

  /** The reader must go on after a message that failed: answers follow it. */
  #guarded(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#handlers.onError?.(reasonOf(error))
    }
  }

  /**
   * A request fails when it cannot be handed over; of anything else only a note is taken. Throws what the transport throws at once,
   * such as RangeError for JSON that is too deep to be written.
   */
  #send(message: JsonRpcMessage, { relatedRequestId, headers }: SendOptionsOf = {}, pending?: Pending): void {
    const options =
      relatedRequestId === undefined && headers === undefined
        ? undefined
        : { ...(relatedRequestId !== undefined && { relatedRequestId }), ...(headers && { headers }) }
    this.#transport.send(message, options).catch((error) => {
      const reason = reasonOf(error)
      if (pending) pending.reject(reason)
      else this.#handlers.onError?.(reason)
    })
  }

  #receive(message: JsonRpcMessage, via: RequestId | undefined): void {
    if ('method' in message) {
      const fault = faultOf(message)
      if (fault) this.#refuse(message, fault)
      else if ('id' in message && this.#limit !== undefined && this.#serving >= this.#limit.most)
        this.#refuse(message, new RpcError(RPC.internalError, this.#limit.words()))
      else if ('id' in message && message.id !== null) void this.#serve(message, message.id, via)
      else this.#guarded(() => this.#note(message, via))
    } else if ('result' in message || 'error' in message) {
      this.#settle(message)
    } else {
      this.#handlers.onError?.(new Error('received a message that is not JSON-RPC'))
    }
  }

  #refuse(message: object, fault: RpcError): void {
    if (!('id' in message)) return void this.#handlers.onError?.(fault)
    this.#send({ jsonrpc: '2.0', id: isId(message.id) ? message.id : null, error: fault.toJSON() })
  }

  #settle(message: Exclude<JsonRpcMessage, Request>): void {
    const pending =
      message.id === undefined || message.id === null ? undefined : this.#pending.get(message.id)
    if (!pending) {
      this.#handlers.onError?.(new Error(`received an answer to no request (id ${String(message.id)})`))
    } else if ('error' in message) {
      pending.reject(RpcError.from(message.error))
    } else {
      pending.resolve(message.result)
    }
  }

  #note(notification: Notification, via: RequestId | undefined): void {
    const params = notification.params
    if (notification.method === 'notifications/cancelled' && params) {
      const id = params.requestId
      if (isId(id)) this.#incoming.get(id)?.abort(params.reason)
    } else if (notification.method === 'notifications/progress' && params) {
      const token = params.progressToken
      const pending = typeof token === 'number' ? this.#pending.get(token) : undefined
      pending?.progressed(params)
    } else {
      this.#handlers.onNotification(notification, via)
    }
  }

  async #serve(request: Request, id: RequestId, via: RequestId | undefined): Promise<void> {
    const cancellation = new Cancellation()
    this.#incoming.set(id, cancellation)
    this.#serving++
    try {
      const result =
        request.method === 'ping' && !claimsModern(request.params)
          ? {}
          : await this.#handlers.onRequest(request, this.#context(id, via, cancellation))
      if (!cancellation.aborted) this.#send({ jsonrpc: '2.0', id, result }, { relatedRequestId: id })
    } catch (thrown) {
      // A cancelled request gets no answer (basic/utilities/cancellation).
      if (!cancellation.aborted) {
        const error = thrown instanceof RpcError ? thrown : new RpcError(RPC.internalError, String(thrown))
        this.#send({ jsonrpc: '2.0', id, error: error.toJSON() }, { relatedRequestId: id })
      }
    } finally {
      this.#serving--
      if (this.#incoming.get(id) === cancellation) this.#incoming.delete(id)
    }
  }

  #context(id: RequestId, via: RequestId | undefined, signal: Signal): Incoming {
    return {
      id,
      via,
      signal,
      notify: (notification) => this.notify(notification, id),
      request: (request, options) => this.request(request, { ...options, relatedRequestId: id }),
    }
  }

  #ended(): void {
    if (this.#closed) return
    this.#closed = true
    for (const pending of this.#pending.values()) pending.reject(new PeerClosed('the connection closed'))
    for (const cancellation of this.#incoming.values()) cancellation.abort('the connection closed')
    this.#incoming.clear()
    this.#handlers.onClose?.()
  }
}

/**
 * The fault of a request or notification (JSON-RPC 2.0, sections 4 and 5.1). Two habits are put up with: params that
 * are null in place of absent, and notifications with an id that is null.
 */
function faultOf(message: object): RpcError | undefined {
  const { method, params, id } = message as Readonly<Record<string, unknown>>
  if (typeof method !== 'string') return new RpcError(RPC.invalidRequest, 'method must be a string')
  const named = id === undefined || isId(id) || (id === null && method.startsWith('notifications/'))
  if (!named) return new RpcError(RPC.invalidRequest, 'id must be a string or a number')
  if (params !== undefined && params !== null && !isObject(params))
    return new RpcError(RPC.invalidParams, 'params must be an object')
  return undefined
}

function reasonOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number'
}

function withToken(params: JsonObject | undefined, progressToken: number): JsonObject {
  const meta = params?._meta
  return { ...params, _meta: { ...(isObject(meta) ? meta : {}), progressToken } }
}

// A request sent and not yet answered: its time limit, its progress, its cancellation.

/** The sender. */
interface PendingOwner {
  /** It is settled, however that came. */
  settled(pending: Pending): void
  /** The requester no longer waits: the other side may stop. */
  givenUp(pending: Pending, reason: string): void
}

/** Rejects a request that got no answer in time. */
export class RequestTimeout extends Error {
  override readonly name = 'RequestTimeout'
}

/** There is one for every call, so it is an object that listens itself, and not a handful of functions. */
class Pending {
  readonly id: number
  readonly method: string
  readonly relatedRequestId: RequestId | undefined
  readonly #options: RequestOptions
  readonly #owner: PendingOwner
  readonly #resolve: (result: Result) => void
  readonly #reject: (error: Error) => void
  readonly #timer: NodeJS.Timeout | undefined

  constructor(
    { id, method, options }: { id: number; method: string; options: RequestOptions },
    owner: PendingOwner,
    resolve: (result: Result) => void,
    reject: (error: Error) => void,
  ) {
    this.id = id
    this.method = method
    this.relatedRequestId = options.relatedRequestId
    this.#options = options
    this.#owner = owner
    this.#resolve = resolve
    this.#reject = reject
    options.signal?.addEventListener('abort', this)
    if (options.timeoutMs !== undefined) this.#timer = setTimeout(expire, options.timeoutMs, this)
  }

  resolve(result: Result): void {
    this.#finish()
    this.#resolve(result)
  }

  reject(error: Error): void {
    this.#finish()
    this.#reject(error)
  }

  /** The other side is at work: the time limit begins again. Without a token the other side reports no progress. */
  progressed(params: JsonObject): void {
    const { onProgress } = this.#options
    if (onProgress === undefined) return
    this.#timer?.refresh()
    onProgress(params)
  }

  /** The time limit was reached. */
  expired(): void {
    const { paused, timeoutMs = 0 } = this.#options
    if (paused?.()) this.#timer?.refresh()
    else this.#giveUp('timeout', new RequestTimeout(`no answer within ${timeoutMs / 1000} s`))
  }

  /** The signal aborted. */
  handleEvent(): void {
    const { signal } = this.#options
    this.#giveUp('the client cancelled', signal ? abortError(signal) : new Error('cancelled'))
  }

  #giveUp(reason: string, error: Error): void {
    this.reject(error)
    this.#owner.givenUp(this, reason)
  }

  #finish(): void {
    clearTimeout(this.#timer)
    this.#options.signal?.removeEventListener('abort', this)
    this.#owner.settled(this)
  }
}

/** The error of an aborted request. */
function abortError(signal: Signal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('cancelled')
}

function expire(pending: Pending): void {
  pending.expired()
}

// Requests under way: what ends the work for one, and the table of them. Every call has both, so they are small.

/**
 * A controller and its signal in one. A listener hears it once, and what it throws does not keep the others from hearing it.
 *
 * Node 20 turns another object into each AbortSignal, which then has a hidden class of its own. This takes a seventh of the time of a small
 * call, and its memory is free only after a full collection.
 */
export class Cancellation implements Signal {
  #aborted = false
  #reason: unknown
  #listeners: AbortListener[] | undefined
  #controller: AbortController | undefined

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  /** Only the first call does something. */
  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    for (let listener = this.#listeners?.shift(); listener; listener = this.#listeners?.shift()) {
      try {
        if (typeof listener === 'function') listener(undefined)
        else listener.handleEvent(undefined)
      } catch (error) {
        // As EventTarget does it: a fault of ours that ends the process with its stack.
        process.nextTick(() => {
          throw error
        })
      }
    }
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.#aborted) return
    if (this.#listeners === undefined) this.#listeners = [listener]
    else if (!this.#listeners.includes(listener)) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const at = this.#listeners?.indexOf(listener) ?? -1
    if (at >= 0) this.#listeners?.splice(at, 1)
  }

  /** A true AbortSignal that aborts with this one: for `fetch`, `AbortSignal.any`, and code that is not ours. */
  get abortSignal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      if (this.#aborted) controller.abort(this.#reason)
      else this.addEventListener('abort', () => controller.abort(this.#reason))
    }
    return this.#controller.signal
  }
}

/** The true AbortSignal of a signal, which may be one already. */
export function abortSignalOf(signal: Signal): AbortSignal {
  return signal instanceof Cancellation ? signal.abortSignal : (signal as AbortSignal)
}

/**
 * Calls under way by their keys, in the order in which they began: a Map for entries that come and go with each call.
 *
 * V8 links the old table of a Map to the new one when it makes room (`OrderedHashTable::Rehash`). One old table that outlived a
 * collection keeps all later ones until a full collection, and so each call that ever stood in one. Here the tables hold numbers alone.
 */
export class UnderWay<K, V> {
  readonly #places = new Map<K, number>()
  readonly #values: (V | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#places.size
  }

  has(key: K): boolean {
    return this.#places.has(key)
  }

  get(key: K): V | undefined {
    const place = this.#places.get(key)
    return place === undefined ? undefined : this.#values[place]
  }

  set(key: K, value: V): void {
    let place = this.#places.get(key)
    if (place === undefined) {
      place = this.#free.pop() ?? this.#values.length
      this.#places.set(key, place)
    }
    this.#values[place] = value
  }

  delete(key: K): void {
    const place = this.#places.get(key)
    if (place === undefined) return
    this.#places.delete(key)
    this.#values[place] = undefined
    this.#free.push(place)
  }

  values(): V[] {
    return [...this.#places.values()].map((place) => this.#values[place] as V)
  }

  clear(): void {
    for (const key of [...this.#places.keys()]) this.delete(key)
  }
}
