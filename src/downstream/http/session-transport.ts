/** One session of the legacy era over HTTP, as the transport of its peer (MCP ≤ 2025-11-25, basic/transports). */
import { RPC } from '../../protocol/errors.ts'
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  RequestId,
} from '../../protocol/message.ts'
import type { SendOptions, Transport } from '../../protocol/transport.ts'
import { BACKLOG_DEFAULTS, Backlog, type BacklogOptions, type Rank, rankOf } from './backlog.ts'
import { EVENT_STORE_DEFAULTS, EventStore, type EventStoreOptions } from './event-store.ts'
import type { Heartbeat } from './heartbeat.ts'
import { isRequest } from './messages.ts'
import type { Outlet } from './outlet.ts'
import { Overtaken } from './overtaken.ts'
import { encode, eventPayload } from './payload.ts'
import { beginStream, PostStream, type Receiver, replay, type SessionWire } from './post-stream.ts'

export interface SessionTransportOptions
  extends Partial<Pick<BacklogOptions, 'limit' | 'stallMs'>>,
    Partial<Pick<EventStoreOptions, 'maxEvents' | 'maxBytes'>> {
  sessionId: string
  heartbeat: Heartbeat
  now: () => number
}

/** The stream of messages that belong to no request. */
const STANDING = 0

/** Milliseconds in which a second standing stream is a mistake. Later it comes from a client whose first one broke. */
const STANDING_MS = 25_000

const DONE = Promise.resolve()

export class SessionTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #wire: SessionWire
  readonly #now: () => number
  readonly #byRequest = new Map<RequestId, PostStream>()
  readonly #overtaken: Overtaken
  #streams = STANDING
  #standing: { outlet: Outlet; since: number } | undefined
  /** The last event of the standing stream that was sent on a connection. */
  #delivered = 0
  #closed = false

  constructor({ sessionId, heartbeat, now, ...bounds }: SessionTransportOptions) {
    this.#now = now
    this.#overtaken = new Overtaken(now)
    this.#wire = {
      sessionId,
      heartbeat,
      backlog: new Backlog({
        ...BACKLOG_DEFAULTS,
        onDrop: () => this.onerror?.(new Error('the client does not read: notifications are dropped')),
        ...bounds,
        now,
      }),
      store: new EventStore({
        ...EVENT_STORE_DEFAULTS,
        onEvict: ({ stream, seq, asks }) => {
          if (stream === STANDING && seq > this.#delivered) this.#neverAsked(asks)
        },
        ...bounds,
      }),
    }
  }

  /** Bytes that wait for the client to read. */
  get unread(): number {
    return this.#wire.backlog.bytes
  }

  /** Requests under way. */
  get waiting(): number {
    return this.#byRequest.size
  }

  async start(): Promise<void> {}

  /** The request among these whose id is that of one under way. */
  duplicate(requests: readonly JsonRpcRequest[]): RequestId | undefined {
    const ids = new Set<RequestId>()
    for (const { id } of requests) {
      if (this.#byRequest.has(id) || ids.has(id)) return id
      ids.add(id)
    }
    return undefined
  }

  /** Takes the messages of one POST, requests among them, and answers on its response. */
  post(messages: readonly JsonRpcMessage[], batch: boolean, receiver: Receiver): void {
    const ids = messages.filter(isRequest).map(({ id }) => id)
    const stream = new PostStream(this.#wire, ++this.#streams, ids, batch, receiver)
    for (const id of ids) this.#byRequest.set(id, stream)
    this.take(messages)
  }

  /** Takes messages that get no answer. */
  take(messages: readonly JsonRpcMessage[]): void {
    for (const message of messages) {
      this.onmessage?.(message)
      if (!('method' in message)) continue
      if (message.method === 'notifications/cancelled') this.#endCancelled(message)
      const cancellation = isRequest(message) && this.#overtaken.claim(message.id)
      if (cancellation) this.take([cancellation])
    }
  }

  /**
   * Opens the standing stream, or resumes the stream that an event id names. The result is the HTTP status to refuse with, and
   * why; undefined when the response is a stream now.
   */
  open(receiver: Receiver, lastEventId?: string): { status: number; message: string } | undefined {
    if (lastEventId === undefined) return this.#openStanding(receiver, this.#delivered)
    const { store } = this.#wire
    const position = store.parse(lastEventId)
    if (!position) return { status: 400, message: 'Last-Event-ID is no event id of this session' }
    if (position.stream === STANDING) return this.#openStanding(receiver, position.seq, true)
    const stream = [...this.#byRequest.values()].find(({ number }) => number === position.stream)
    const missed = store.after(position)
    if (stream) stream.resume(receiver, missed)
    else if (!store.knows(position.stream)) {
      return {
        status: 400,
        message: 'Last-Event-ID is of a stream that is no longer kept: send the request again',
      }
    } else {
      const outlet = beginStream(receiver, this.#wire, undefined, () => {})
      replay(outlet, missed)
      void outlet.end()
    }
    return undefined
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the session is closed'))
    if (!('method' in message)) return this.#answer(message)
    const related = options?.relatedRequestId
    const stream = related === undefined ? undefined : this.#byRequest.get(related)
    const rank = rankOf(message)
    const asks = 'id' in message ? message.id : undefined
    if (stream && !(stream.lost && rank === 'due')) return stream.send(message, rank, asks)
    // Progress must stop with the answer (basic/utilities/progress).
    if (related !== undefined && message.method === 'notifications/progress') return DONE
    return this.#sendStanding(message, rank, asks)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    for (const stream of new Set(this.#byRequest.values())) {
      for (const id of [...stream.awaited]) {
        const error = { code: RPC.connectionClosed, message: 'The session was closed' }
        void stream.answer(id, { jsonrpc: '2.0', id, error })
      }
    }
    this.#closed = true
    this.#byRequest.clear()
    void this.#standing?.outlet.end()
    this.onclose?.()
  }

  #answer(message: Exclude<JsonRpcMessage, { method: string }>): Promise<void> {
    const { id } = message
    const stream = id === undefined || id === null ? undefined : this.#byRequest.get(id)
    if (id === undefined || id === null || !stream) {
      return Promise.reject(new Error(`an answer to no request under way (id ${String(id)})`))
    }
    this.#byRequest.delete(id)
    this.#overtaken.answered(id)
    return stream.answer(id, message)
  }

  /**
   * A cancelled request gets no answer of its own, but its stream has to end, else its session would count as used for ever.
   * An answer that comes late is ignored (basic/utilities/cancellation).
   */
  #endCancelled(message: JsonRpcNotification): void {
    const id = message.params?.requestId
    if (typeof id !== 'string' && typeof id !== 'number') return
    if (!this.#byRequest.has(id)) return this.#overtaken.keep(id, message)
    const error = { code: RPC.cancelled, message: 'the client cancelled' }
    void this.#answer({ jsonrpc: '2.0', id, error })
  }

  #sendStanding(message: JsonRpcMessage, rank: Rank, asks: RequestId | undefined): Promise<void> {
    const payload = encode(message)
    const { id, seq } = this.#wire.store.add(STANDING, payload, { asks })
    if (!this.#standing) return DONE
    this.#delivered = seq
    return this.#standing.outlet.write(eventPayload(payload, id), rank)
  }

  #openStanding(
    receiver: Receiver,
    after: number,
    resumed = false,
  ): { status: number; message: string } | undefined {
    const before = this.#standing
    const age = before && this.#now() - before.since
    // A clock that was set back says nothing of the age.
    if (age !== undefined && !resumed && age >= 0 && age < STANDING_MS) {
      return { status: 409, message: 'Conflict: Only one SSE stream is allowed per session' }
    }
    void before?.outlet.end()
    const { store } = this.#wire
    const position = { stream: STANDING, seq: after }
    const outlet = beginStream(receiver, this.#wire, store.idOf(position), (left) => {
      if (this.#standing?.outlet === left) this.#standing = undefined
    })
    this.#standing = { outlet, since: this.#now() }
    const missed = store.after(position)
    replay(outlet, missed)
    this.#delivered = Math.max(this.#delivered, missed.at(-1)?.seq ?? 0)
    return undefined
  }

  /** A request that no stream carried and that is kept no longer will not be answered by the client. */
  #neverAsked(id: RequestId | undefined): void {
    if (id === undefined) return
    const error = {
      code: RPC.connectionClosed,
      message: 'The client has no stream open on which it can be asked',
    }
    setImmediate(() => this.onmessage?.({ jsonrpc: '2.0', id, error }))
  }
}
