/** One session of the legacy era over HTTP, as the transport of its peer (MCP ≤ 2025-11-25, basic/transports). */

import type { ServerResponse } from 'node:http'
import { RPC } from '../../protocol/errors.ts'
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  RequestId,
  SendOptions,
  Transport,
} from '../../protocol/message.ts'
import { UnderWay } from '../../protocol/peer.ts'
import type { KeptStreams, Told, ToldEvent } from '../replicas.ts'
import {
  EVENT_STORE_DEFAULTS,
  EventStore,
  type EventStoreOptions,
  type Position,
  type StoredEvent,
} from './event-store.ts'
import { isRequest } from './messages.ts'
import {
  arrayPayload,
  BACKLOG_DEFAULTS,
  Backlog,
  type BacklogOptions,
  encode,
  eventPayload,
  type Heartbeat,
  Outlet,
  type Payload,
  type Rank,
  rankOf,
  textPayload,
} from './outlet.ts'
import { STREAM_HEADERS } from './request.ts'

interface SessionTransportOptions
  extends Partial<Pick<BacklogOptions, 'limit' | 'stallMs'>>,
    Partial<Pick<EventStoreOptions, 'maxEvents' | 'maxBytes'>> {
  sessionId: string
  heartbeat: Heartbeat
  now: () => number
  /** Tells other replicas, which may have requests or the standing stream of this session. Absent: there are none. */
  tell?: (told: Told) => void
  /** Kept events, with which other replicas may go on. Absent: there are none. */
  streams?: KeptStreams
  /** The client may have event ids of another replica. */
  mayMove?: boolean
}

/** The stream of messages that belong to no request. */
const STANDING = 0

/** Milliseconds in which a second standing stream is a mistake. Later it comes from a client that lost its first one. */
const STANDING_MS = 25_000

/** Messages of a batch that are begun in one turn of the event loop. */
const MOST_AT_ONCE = 20

const DONE = Promise.resolve()

export class SessionTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #wire: SessionWire
  readonly #now: () => number
  readonly #byRequest = new UnderWay<RequestId, PostStream>()
  readonly #overtaken: Overtaken
  readonly #tell: ((told: Told) => void) | undefined
  readonly #mayMove: boolean
  /** Streams of other replicas that clients read here, by their places. */
  readonly #fetched = new Map<string, FetchedStream>()
  /** Requests to the client that were sent from here. Kept where there are other replicas. */
  readonly #asked = new Set<RequestId>()
  #streams = STANDING
  #standing: { outlet: Outlet; since: number } | undefined
  /** The last event of the standing stream that was sent on a connection. */
  #delivered = 0
  #closed = false

  constructor({
    sessionId,
    heartbeat,
    now,
    tell,
    streams,
    mayMove = false,
    ...bounds
  }: SessionTransportOptions) {
    this.#now = now
    this.#tell = tell
    this.#mayMove = mayMove
    this.#overtaken = new Overtaken(now)
    this.#wire = {
      sessionId,
      heartbeat,
      streams,
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

  get isListening(): boolean {
    return this.#standing !== undefined || this.waiting > 0 || this.#fetched.size > 0
  }

  async start(): Promise<void> {}

  /** The request among these with the id of one that is under way. */
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

  /** Takes messages that get no answer. Others have a turn of the event loop before the rest of a long batch. */
  take(messages: readonly JsonRpcMessage[]): void {
    if (messages.length > MOST_AT_ONCE)
      setImmediate(() => {
        if (!this.#closed) this.take(messages.slice(MOST_AT_ONCE))
      })
    for (const message of messages.slice(0, MOST_AT_ONCE)) {
      if (this.#tell && !isRequest(message) && !this.#isOurs(message)) this.#tell({ to: 'proxy', message })
      this.onmessage?.(message)
      if (!('method' in message)) continue
      if (message.method === 'notifications/cancelled') this.#endCancelled(message)
      const cancellation = isRequest(message) && this.#overtaken.claim(message.id)
      if (cancellation) this.take([cancellation])
    }
  }

  /** Takes what another replica tells of this session. */
  hear(told: Exclude<Told, { to: 'session' | 'end' }>): void {
    if (told.to === 'stream') return this.#handOver(told.event)
    if (told.to === 'reader') return this.#fetched.get(told.stream)?.hear(told)
    const { message } = told
    if (told.to === 'client') {
      if (this.#standing && 'method' in message) void this.#sendStanding(message, rankOf(message), undefined)
    } else if ('method' in message || this.#isOurs(message)) {
      this.onmessage?.(message)
      if (!isRequest(message) && 'method' in message && message.method === 'notifications/cancelled')
        this.#endCancelled(message)
    }
  }

  /** Another replica has the client that reads this stream. */
  #handOver(event: string): void {
    const { store } = this.#wire
    const position = store.parse(event)
    if (!position) return
    const tell = (events: readonly StoredEvent[], isOver: boolean): void =>
      this.#tell?.({ to: 'reader', stream: EventStore.placeOf(event), events: events.map(told), isOver })
    const stream = this.#streamOf(position)
    tell(store.after(position), stream === undefined)
    stream?.handOver(tell)
  }

  #streamOf({ stream }: Position): PostStream | undefined {
    return this.#byRequest.values().find(({ number }) => number === stream)
  }

  /** Whether it concerns this replica alone: the answer to a request that was sent from here, or that a handshake is done. */
  #isOurs(message: JsonRpcMessage): boolean {
    if ('method' in message) return message.method === 'notifications/initialized'
    return message.id !== undefined && message.id !== null && this.#asked.delete(message.id)
  }

  /**
   * Opens the standing stream, or resumes the stream that an event id names. The result is the HTTP status to refuse with, and
   * why; undefined when the response is a stream now.
   */
  open(receiver: Receiver, lastEventId?: string): { status: number; message: string } | undefined {
    if (lastEventId === undefined) return this.#openStanding(receiver, this.#delivered)
    const { store } = this.#wire
    const position = store.parse(lastEventId)
    // Messages that another replica sent on it are not known here. The client gets the messages that wait for it here, and all
    // later ones.
    if (!position && this.#mayMove && EventStore.streamOf(lastEventId) === STANDING)
      return this.#openStanding(receiver, this.#delivered, true)
    if (!position) {
      const asked = this.#mayMove ? EventStore.askedIn(lastEventId) : undefined
      if (asked === undefined || asked.some((id) => this.#byRequest.has(id)))
        return { status: 400, message: 'Last-Event-ID is no event id of this session' }
      this.#fetch(receiver, lastEventId, asked)
      return undefined
    }
    if (position.stream === STANDING) return this.#openStanding(receiver, position.seq, true)
    const stream = this.#streamOf(position)
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

  /** Goes on with a stream that another replica began, or process that is gone. */
  #fetch(receiver: Receiver, event: string, asked: readonly RequestId[]): void {
    const place = EventStore.placeOf(event)
    this.#fetched.get(place)?.close()
    const stream = new FetchedStream(this.#wire, receiver, { event, asked, tell: this.#tell }, () => {
      if (this.#fetched.get(place) === stream) this.#fetched.delete(place)
    })
    this.#fetched.set(place, stream)
    void stream.begin(this.#wire.streams)
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the session is closed'))
    if (!('method' in message)) return this.#answer(message)
    const related = options?.relatedRequestId
    const stream = related === undefined ? undefined : this.#byRequest.get(related)
    const rank = rankOf(message)
    const asks = 'id' in message ? message.id : undefined
    if (this.#tell && asks !== undefined) keepNewest(this.#asked.add(asks))
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
    for (const stream of this.#fetched.values()) stream.giveUp()
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
    if (!this.#standing) {
      this.#tell?.({ to: 'client', message })
      return DONE
    }
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

/** The common state of the streams of a session. */
interface SessionWire {
  readonly sessionId: string
  readonly store: EventStore
  readonly backlog: Backlog
  readonly heartbeat: Heartbeat
  readonly streams: KeptStreams | undefined
}

/** One HTTP request that gets a stream, or may get one. */
export interface Receiver {
  response: ServerResponse
  /** The client understands an event without data: it comes first, and with its id the stream can be resumed. */
  primed: boolean
  /** Milliseconds since 1970 after which the client has to say again who it is. */
  until?: number | undefined
}

/** Milliseconds in which answers can become one JSON body. After that a stream begins, which can be resumed. */
const BODY_MS = 50

/** Milliseconds after which a client may come back when its stream broke (SSE `retry`). */
const RETRY_MS = 1000

/**
 * The answer to one POST. It is one JSON body when all answers are there at once and nothing has to go before them. Otherwise it is a
 * stream of events. After its connection broke, a stream goes on in the store until its last answer.
 */
class PostStream {
  readonly number: number
  readonly #wire: SessionWire
  readonly #receiver: Receiver
  readonly #awaited: Set<RequestId>
  readonly #batch: boolean
  readonly #ready: Payload[] = []
  readonly #timer: NodeJS.Timeout
  readonly #requests: readonly RequestId[]
  /** Written into the ids of events: a replica that has never seen the requests knows what to answer. Most answers are no events. */
  #asked = ''
  #streaming = false
  #outlet: Outlet | undefined
  /** The client reads at another replica. */
  #elsewhere: HandOn | undefined

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
    this.#requests = requests
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
    this.#elsewhere = undefined
    this.#outlet = beginStream(receiver, this.#wire, undefined, (outlet) => this.#left(outlet))
    replay(this.#outlet, missed)
  }

  /** Goes on at another replica. */
  handOver(elsewhere: HandOn): void {
    void this.#outlet?.end()
    this.#elsewhere = elsewhere
  }

  #begin(): void {
    if (this.#streaming || this.lost) return
    clearTimeout(this.#timer)
    this.#streaming = true
    this.#asked = EventStore.written(this.#requests)
    const { store } = this.#wire
    const start = store.idOf({ stream: this.number, seq: store.last }, this.#asked)
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
    const { store, streams } = this.#wire
    const { id, seq } = store.add(this.number, payload, { ...about, asked: this.#asked })
    // As it is kept: what is too long is not sent from replica to replica.
    if (this.#elsewhere || streams) {
      const kept = store.after({ stream: this.number, seq: seq - 1 })
      this.#elsewhere?.(kept, last)
      for (const event of kept)
        if (event.payload.bytes <= MOST_KEPT_BYTES) streams?.keep(EventStore.placeOf(id), told(event))
    }
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

/** Hands on events of a stream. `isOver`: nothing more comes. */
type HandOn = (events: readonly StoredEvent[], isOver: boolean) => void

function told({ id, payload, answers }: StoredEvent): ToldEvent {
  const text = payload.pieces.map(String).join('')
  return { id, text, ...(answers !== undefined && { answers }) }
}

/** Bytes of an event that is kept for other replicas. A longer one is kept by its own replica alone. */
const MOST_KEPT_BYTES = 256 * 1024

/** Milliseconds in which a replica tells that it has a stream. While the stream goes on, it is asked again and again. */
const THERE_MS = 2_000

/**
 * The rest of a stream that another replica began: from what is kept of it, and from that replica, which tells what it has. Where it is gone, requests without an answer get an
 * error, for some clients would wait for the answer until their time is up.
 */
class FetchedStream {
  readonly #outlet: Outlet
  readonly #awaited: Set<RequestId>
  readonly #tell: ((told: Told) => void) | undefined
  #event: string
  #isThere = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    wire: SessionWire,
    receiver: Receiver,
    {
      event,
      asked,
      tell,
    }: { event: string; asked: readonly RequestId[]; tell: SessionTransportOptions['tell'] },
    left: () => void,
  ) {
    this.#event = event
    this.#awaited = new Set(asked)
    this.#tell = tell
    this.#outlet = beginStream(receiver, wire, undefined, () => {
      this.#isClosed = true
      clearTimeout(this.#timer)
      left()
    })
  }

  /** Reads what is kept of it first: then the process that began it need not be there. */
  async begin(streams: KeptStreams | undefined): Promise<void> {
    const events = (await streams?.kept(EventStore.placeOf(this.#event))) ?? []
    // The client left meanwhile.
    if (this.#isClosed) return
    this.hear({ events, isOver: false })
    if (this.#awaited.size === 0) this.close()
    else this.ask()
  }

  ask(): void {
    if (!this.#tell) return this.giveUp()
    this.#isThere = false
    this.#timer = setTimeout(() => (this.#isThere ? this.ask() : this.giveUp()), THERE_MS)
    this.#tell({ to: 'stream', event: this.#event })
  }

  hear({ events, isOver }: Pick<Extract<Told, { to: 'reader' }>, 'events' | 'isOver'>): void {
    this.#isThere = true
    for (const { id, text, answers } of events) {
      // Asked twice, it tells twice.
      if (EventStore.seqOf(id) <= EventStore.seqOf(this.#event)) continue
      this.#event = id
      void this.#outlet.write(eventPayload(textPayload(text), id))
      if (answers !== undefined) this.#awaited.delete(answers)
    }
    if (isOver) this.giveUp()
  }

  /** Ends it. A request without an answer by now gets none. */
  giveUp(): void {
    const error = {
      code: RPC.connectionClosed,
      message:
        'The connection broke, and the process that ran this request is gone. It may have run. Send it again.',
    }
    for (const id of this.#awaited)
      void this.#outlet.write(eventPayload(textPayload(JSON.stringify({ jsonrpc: '2.0', id, error }))))
    this.#awaited.clear()
    this.close()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    void this.#outlet.end()
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
function beginStream(
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

function replay(outlet: Outlet, events: readonly StoredEvent[]): void {
  for (const { payload, id } of events) void outlet.write(eventPayload(payload, id))
}

// Cancellations that arrived before their request. Each message of a client has an HTTP request of its own, so a
// `notifications/cancelled` can overtake the request that it means. If it were ignored, the call would run to its time limit.

/** Milliseconds in which the request of a cancellation must follow it. */
const FOLLOWS_MS = 10_000

/** Cancellations kept at once, and answered ids known: a client can send any number of either. */
const KEPT = 256

export class Overtaken {
  readonly #cancelled = new Map<RequestId, { message: JsonRpcMessage; since: number }>()
  readonly #answered = new Set<RequestId>()
  readonly #now: () => number

  /** @param now milliseconds since any fixed time */
  constructor(now: () => number) {
    this.#now = now
  }

  /** The request has its answer: a cancellation that comes now came too late, and says nothing of a later use of its id. */
  answered(id: RequestId): void {
    this.#answered.delete(id)
    this.#answered.add(id)
    keepNewest(this.#answered)
  }

  /** Keeps the cancellation of a request that is not under way. */
  keep(id: RequestId, message: JsonRpcMessage): void {
    if (this.#answered.has(id)) return
    this.#cancelled.set(id, { message, since: this.#now() })
    keepNewest(this.#cancelled)
  }

  /** The cancellation that overtook this request, once. */
  claim(id: RequestId): JsonRpcMessage | undefined {
    const kept = this.#cancelled.get(id)
    if (!kept) return undefined
    this.#cancelled.delete(id)
    const age = this.#now() - kept.since
    return age >= 0 && age <= FOLLOWS_MS ? kept.message : undefined
  }
}

function keepNewest(kept: Set<RequestId> | Map<RequestId, unknown>): void {
  if (kept.size > KEPT) kept.delete(kept.keys().next().value as RequestId)
}
