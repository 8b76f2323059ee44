/** The events on the streams of a session, so that a client that lost its connection gets the ones that it missed. */
import { randomBytes } from 'node:crypto'
import { RPC } from '../../protocol/errors.ts'
import type { RequestId } from '../../protocol/message.ts'
import { type Payload, textPayload } from './outlet.ts'

/** A place in a stream: everything after `seq` is still to come. */
export interface Position {
  stream: number
  seq: number
}

export interface StoredEvent extends Position {
  id: string
  payload: Payload
  /** The request of the client that it answers. */
  answers?: RequestId | undefined
  /** The id of the request to the client that it is. */
  asks?: RequestId | undefined
}

/** The facts of an event when it is stored. `asked`: the requests that its stream answers, as `EventStore.written` writes them. */
interface AboutEvent extends Pick<StoredEvent, 'answers' | 'asks'> {
  readonly asked?: string
}

export interface EventStoreOptions {
  /** Events of all streams together. */
  maxEvents: number
  /** Bytes of all of them together. A single event may have a quarter of it. */
  maxBytes: number
  onEvict?: (event: StoredEvent) => void
}

export const EVENT_STORE_DEFAULTS = { maxEvents: 1000, maxBytes: 4 * 1024 * 1024 }

const ID = /^([\w-]+)\.([0-9a-z]{1,10})\.([0-9a-z]{1,10})(?:\.([\w-]{1,400}))?$/
/** Characters of the ids of requests in the id of an event, as base64 of their JSON. */
const LONGEST_ASKED = 400

/**
 * Events by stream, numbered over all streams. Over its bounds the oldest go first, answers last: what was only said on the way
 * can be missed. An answer too large to be kept is replaced by an error that says so, because who comes back for it must not
 * wait for ever.
 */
export class EventStore {
  readonly #options: EventStoreOptions
  /** An id says nothing about another session's. */
  readonly #key = randomBytes(9).toString('base64url')
  readonly #events: StoredEvent[] = []
  #bytes = 0
  #seq = 0

  constructor(options: EventStoreOptions) {
    this.#options = options
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#events.length
  }

  /** The number of the last event of any stream. */
  get last(): number {
    return this.#seq
  }

  /** `asked`: the requests that the stream answers, as `written` writes them. */
  idOf({ stream, seq }: Position, asked = ''): string {
    const place = `${this.#key}.${stream.toString(36)}.${seq.toString(36)}`
    return place + asked
  }

  /** Ids of requests for the ids of events. Empty where they are too long: then only this store knows of them. */
  static written(asked: readonly RequestId[]): string {
    const names = Buffer.from(JSON.stringify(asked)).toString('base64url')
    return names.length > LONGEST_ASKED ? '' : `.${names}`
  }

  /** The requests that the stream of an event answers, by the id of the event. Undefined where it does not say, or not in this form. */
  static askedIn(id: string): readonly RequestId[] | undefined {
    const names = ID.exec(id)?.[4]
    if (names === undefined) return undefined
    try {
      const asked: unknown = JSON.parse(Buffer.from(names, 'base64url').toString())
      return Array.isArray(asked) && asked.every(isRequestId) ? asked : undefined
    } catch {
      return undefined
    }
  }

  /** A stream of any store, by the id of one of its events. */
  static placeOf(id: string): string {
    return id.split('.', 2).join('.')
  }

  /** The number of an event of any store. */
  static seqOf(id: string): number {
    return Number.parseInt(id.split('.', 3)[2] ?? '', 36)
  }

  /** The number of the stream that an id of any store names. */
  static streamOf(id: string): number | undefined {
    const stream = ID.exec(id)?.[2]
    return stream === undefined ? undefined : Number.parseInt(stream, 36)
  }

  /** Undefined for what is no id of this store. */
  parse(id: string): Position | undefined {
    const [, key, stream = '', seq = ''] = ID.exec(id) ?? []
    if (key !== this.#key) return undefined
    const position = { stream: Number.parseInt(stream, 36), seq: Number.parseInt(seq, 36) }
    const place = id.split('.', 3).join('.')
    return position.seq <= this.#seq && this.idOf(position) === place ? position : undefined
  }

  /** Numbers an event and keeps it, if it can be kept. */
  add(stream: number, payload: Payload, { answers, asks, asked }: AboutEvent = {}): StoredEvent {
    const seq = ++this.#seq
    const event = { stream, seq, id: this.idOf({ stream, seq }, asked), payload, answers, asks }
    if (payload.bytes <= this.#options.maxBytes / 4) this.#keep(event)
    else if (answers !== undefined) this.#keep({ ...event, payload: notKept(answers) })
    return event
  }

  /** The later events on that stream, oldest first. */
  after({ stream, seq }: Position): StoredEvent[] {
    return this.#events.filter((event) => event.stream === stream && event.seq > seq)
  }

  /** True while an event of the stream is kept. */
  knows(stream: number): boolean {
    return this.#events.some((event) => event.stream === stream)
  }

  #keep(event: StoredEvent): void {
    this.#events.push(event)
    this.#bytes += event.payload.bytes
    const { maxEvents, maxBytes, onEvict } = this.#options
    while (this.#events.length > maxEvents || this.#bytes > maxBytes) {
      const said = this.#events.findIndex(({ answers }) => answers === undefined)
      const [evicted] = this.#events.splice(Math.max(said, 0), 1)
      if (!evicted) return
      this.#bytes -= evicted.payload.bytes
      onEvict?.(evicted)
    }
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number'
}

function notKept(id: RequestId): Payload {
  const message =
    'The connection broke while this answer was on its way, and it was too large to be kept: send the request again'
  return textPayload(JSON.stringify({ jsonrpc: '2.0', id, error: { code: RPC.connectionClosed, message } }))
}
