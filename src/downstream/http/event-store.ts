/** What was sent on a session's streams, so that a client whose connection broke gets what it missed. */
import { randomBytes } from 'node:crypto'
import { RPC } from '../../protocol/errors.ts'
import type { RequestId } from '../../protocol/message.ts'
import { type Payload, textPayload } from './payload.ts'

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

export interface EventStoreOptions {
  /** Events of all streams together. */
  maxEvents: number
  /** Bytes of all of them together. A single event may have a quarter of it. */
  maxBytes: number
  onEvict?: (event: StoredEvent) => void
}

export const EVENT_STORE_DEFAULTS = { maxEvents: 1000, maxBytes: 4 * 1024 * 1024 }

const ID = /^([\w-]+)\.([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/

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

  idOf({ stream, seq }: Position): string {
    return `${this.#key}.${stream.toString(36)}.${seq.toString(36)}`
  }

  /** Undefined for what is no id of this store. */
  parse(id: string): Position | undefined {
    const [, key, stream = '', seq = ''] = ID.exec(id) ?? []
    if (key !== this.#key) return undefined
    const position = { stream: Number.parseInt(stream, 36), seq: Number.parseInt(seq, 36) }
    return position.seq <= this.#seq && this.idOf(position) === id ? position : undefined
  }

  /** Numbers an event and keeps it, if it can be kept. */
  add(
    stream: number,
    payload: Payload,
    { answers, asks }: Pick<StoredEvent, 'answers' | 'asks'> = {},
  ): StoredEvent {
    const seq = ++this.#seq
    const event = { stream, seq, id: this.idOf({ stream, seq }), payload, answers, asks }
    if (payload.bytes <= this.#options.maxBytes / 4) this.#keep(event)
    else if (answers !== undefined) this.#keep({ ...event, payload: notKept(answers) })
    return event
  }

  /** What came after on that stream, oldest first. */
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

function notKept(id: RequestId): Payload {
  const message =
    'The connection broke while this answer was on its way, and it was too large to be kept: send the request again'
  return textPayload(JSON.stringify({ jsonrpc: '2.0', id, error: { code: RPC.connectionClosed, message } }))
}
