import type { ServerResponse } from 'node:http'
import type { JsonRpcMessage, RequestId } from '../../protocol/message.ts'
import type { Backlog, Rank } from './backlog.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import { STREAM_HEADERS } from './headers.ts'
import type { Heartbeat } from './heartbeat.ts'
import { Outlet } from './outlet.ts'
import { arrayPayload, encode, eventPayload, type Payload, textPayload } from './payload.ts'

/** What the streams of a session share. */
export interface SessionWire {
  readonly sessionId: string
  readonly store: EventStore
  readonly backlog: Backlog
  readonly heartbeat: Heartbeat
}

/** One HTTP request that gets a stream, or may get one. */
export interface Receiver {
  response: ServerResponse
  /** The client understands an event without data: it comes first, and with its id the stream can be resumed. */
  primed: boolean
  /** Milliseconds since 1970 after which the client has to say anew who it is. */
  until?: number | undefined
}

/** Milliseconds in which answers can become one JSON body. After that a stream begins, which can be resumed. */
const BODY_MS = 50

/** Milliseconds after which a client whose stream broke off may come back (SSE `retry`). */
const RETRY_MS = 1000

/**
 * The answer to one POST: one JSON body when all answers are there at once and nothing has to go before them, else a stream of
 * events. A stream whose connection broke goes on in the store until its last answer.
 */
export class PostStream {
  readonly number: number
  readonly #wire: SessionWire
  readonly #receiver: Receiver
  readonly #awaited: Set<RequestId>
  readonly #batch: boolean
  readonly #ready: Payload[] = []
  readonly #timer: NodeJS.Timeout
  #streaming = false
  #outlet: Outlet | undefined

  constructor(
    wire: SessionWire,
    number: number,
    requests: readonly RequestId[],
    batch: boolean,
    receiver: Receiver,
  ) {
    this.#wire = wire
    this.number = number
    this.#awaited = new Set(requests)
    this.#batch = batch
    this.#receiver = receiver
    this.#timer = setTimeout(() => this.#begin(), BODY_MS)
  }

  /** Requests without an answer. */
  get awaited(): ReadonlySet<RequestId> {
    return this.#awaited
  }

  /** True when the client left before it was told an event id: what is sent cannot reach it any more. */
  get lost(): boolean {
    return !this.#streaming && this.#receiver.response.destroyed
  }

  answer(id: RequestId, message: JsonRpcMessage): Promise<void> {
    if (!this.#awaited.delete(id)) return Promise.resolve()
    const payload = encode(message)
    const last = this.#awaited.size === 0
    if (this.#streaming) return this.#send(payload, 'due', { answers: id }, last)
    this.#ready.push(payload)
    return last ? this.#sendBody() : Promise.resolve()
  }

  /** Something that has to go before the answer. */
  send(message: JsonRpcMessage, rank: Rank, asks?: RequestId): Promise<void> {
    this.#begin()
    return this.#send(encode(message), rank, { asks }, false)
  }

  /** Goes on with the stream on another response. The one before, if any, is of a connection that its client lost. */
  resume(receiver: Receiver, missed: readonly StoredEvent[]): void {
    void this.#outlet?.end()
    this.#outlet = beginStream(receiver, this.#wire, undefined, (outlet) => this.#left(outlet))
    replay(this.#outlet, missed)
  }

  #begin(): void {
    if (this.#streaming || this.lost) return
    clearTimeout(this.#timer)
    this.#streaming = true
    const { store } = this.#wire
    const start = store.idOf({ stream: this.number, seq: store.last })
    this.#outlet = beginStream(this.#receiver, this.#wire, start, (outlet) => this.#left(outlet))
    for (const payload of this.#ready.splice(0)) void this.#send(payload, 'due', {}, false)
  }

  #left(outlet: Outlet): void {
    if (this.#outlet === outlet) this.#outlet = undefined
  }

  #send(
    payload: Payload,
    rank: Rank,
    about: Pick<StoredEvent, 'answers' | 'asks'>,
    last: boolean,
  ): Promise<void> {
    if (!this.#streaming) return Promise.resolve()
    const { id } = this.#wire.store.add(this.number, payload, about)
    const outlet = this.#outlet
    if (!outlet) return Promise.resolve()
    const event = eventPayload(payload, id)
    return last ? outlet.end(event) : outlet.write(event, rank)
  }

  #sendBody(): Promise<void> {
    clearTimeout(this.#timer)
    const { response } = this.#receiver
    if (response.destroyed) return Promise.resolve()
    const payload = this.#batch ? arrayPayload(this.#ready) : (this.#ready[0] as Payload)
    return sendBody(response, payload, this.#wire)
  }
}

/** One JSON body, written as fast as the client reads. */
function sendBody(response: ServerResponse, payload: Payload, wire: SessionWire): Promise<void> {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': payload.bytes,
    'mcp-session-id': wire.sessionId,
  })
  const only = payload.pieces.length === 1 ? payload.pieces[0] : undefined
  if (typeof only !== 'string') return new Outlet(response, wire.backlog, { events: false }).end(payload)
  response.end(only)
  return Promise.resolve()
}

/** `start`: the id of the place where the stream begins. */
export function beginStream(
  { response, primed, until }: Receiver,
  { sessionId, backlog, heartbeat }: SessionWire,
  start: string | undefined,
  left: (outlet: Outlet) => void,
): Outlet {
  response.writeHead(200, { ...STREAM_HEADERS, 'mcp-session-id': sessionId })
  const outlet: Outlet = new Outlet(response, backlog, { events: true, until }, () => {
    heartbeat.remove(outlet)
    left(outlet)
  })
  heartbeat.add(outlet)
  if (start !== undefined && primed) {
    void outlet.write(textPayload(`id: ${start}\nretry: ${RETRY_MS}\ndata: \n\n`))
  } else {
    response.flushHeaders()
  }
  return outlet
}

export function replay(outlet: Outlet, events: readonly StoredEvent[]): void {
  for (const { payload, id } of events) void outlet.write(eventPayload(payload, id))
}
