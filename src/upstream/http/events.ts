/** A stream of events that carries JSON-RPC messages (MCP specification, basic/transports, "Streamable HTTP"). */

import { limitWords } from '../../protocol/limits.ts'
import type { JsonRpcMessage, RequestId } from '../../protocol/message.ts'
import { Intake, MessageBytes, type TakenBytes, type Turn } from '../../protocol/stream.ts'
import { idOfEdges, longestFor, type ReadLimits, readMessages, TooMuch, tooLong } from '../incoming.ts'
import type { BodyReader, BodySource } from './body.ts'

interface EventStreamOptions extends ReadLimits {
  maxBytes: number
  message(message: JsonRpcMessage): void
  /** An event that cannot be read, and the request it answers, where its edges tell. The words follow "the server". */
  trouble(words: string, id: RequestId | undefined): void
  ended(): void
}

export class EventStream implements BodyReader {
  readonly #options: EventStreamOptions
  readonly #reader: SseReader
  readonly #intake: Intake
  #source: BodySource | undefined
  #fruitful = false

  constructor(options: EventStreamOptions) {
    this.#options = options
    const { limits, maxBytes } = options
    this.#intake = new Intake({
      limits,
      source: { pause: () => this.#source?.pause(), resume: () => this.#source?.resume() },
      read: (chunk) => this.#reader.push(chunk),
      flooded: () => {
        const words = `sent too many events in a minute that are no messages: ${limitWords('serverBadLines', limits)}`
        options.trouble(words, undefined)
        this.#source?.fail(new Error(words))
      },
    })
    this.#reader = new SseReader(maxBytes, (event) => this.#event(event), {
      turn: this.#intake,
      maxBytesOf: longestFor(maxBytes, limits),
    })
  }

  get lastEventId(): string | undefined {
    return this.#reader.lastEventId
  }

  get retryMs(): number | undefined {
    return this.#reader.retryMs
  }

  /** True when a message came, or an id to go on from. */
  get fruitful(): boolean {
    return this.#fruitful || this.#reader.lastEventId !== undefined
  }

  source(source: BodySource): void {
    this.#source = source
  }

  data(chunk: Buffer): void {
    this.#intake.push(chunk)
  }

  end(): void {
    this.#intake.afterwards(() => this.#options.ended())
  }

  stop(): void {
    this.#intake.stop()
  }

  #event({ type, parts, length, edges }: SseEvent): void {
    if ((type !== '' && type !== 'message') || length === 0) return
    const { maxBytes, limits, message, trouble } = this.#options
    if (edges !== undefined) {
      trouble(tooLong(edges.head, length, maxBytes, limits), idOfEdges(edges.head, edges.tail))
      return
    }
    const messages = readMessages(parts, length, this.#options)
    if (messages instanceof TooMuch) {
      this.#intake.unasked()
      trouble(messages.words, undefined)
      return
    }
    if (messages === undefined) {
      trouble('sent an event that is not JSON-RPC', undefined)
      this.#intake.malformed()
      return
    }
    this.#fruitful = true
    for (const one of messages) {
      if ('method' in one) this.#intake.unasked(length / messages.length)
      message(one)
    }
  }
}

// Cuts a byte stream into server-sent events (WHATWG HTML, 9.2.6), in time linear in its length, whatever the
// sizes of events and chunks. Comments and unknown fields are never kept; data is kept as the chunks it came
// in.

/** One event with at least one line of data. */
interface SseEvent extends TakenBytes {
  /** Bytes as Latin-1; empty for `message`. */
  type: string
}

/** Where in a line the next byte belongs. */
type LinePart = 'name' | 'data' | 'event' | 'id' | 'retry' | 'skip'

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const COLON = 0x3a
const NEWLINE = Buffer.from('\n')
const BYTE_ORDER_MARK = '\u{ef}\u{bb}\u{bf}'
/** The longest name that means something, behind a byte order mark. */
const NAME_BYTES = 'retry'.length + BYTE_ORDER_MARK.length
/** An id has to fit into a header; types of events and times are short. */
const TEXT_BYTES = 8192

export class SseReader {
  readonly #onEvent: (event: SseEvent) => void
  readonly #data: MessageBytes
  readonly #turn: Turn | undefined
  #place: LinePart = 'name'
  /** The name of the field so far, and then its value, where that is no data. */
  #text = ''
  /** The value has begun: one space in front of it was dropped. */
  #begun = false
  #firstLine = true
  #afterCr = false
  #dataLines = 0
  #type = ''
  #nextId: string | undefined
  #lastEventId: string | undefined
  #retryMs: number | undefined

  /** Data of an event longer than `maxBytes`, or `maxBytesOf` of how it begins, is thrown away but for its edges. */
  constructor(
    maxBytes: number,
    onEvent: (event: SseEvent) => void,
    { turn, maxBytesOf }: { turn?: Turn; maxBytesOf?: (head: Buffer) => number } = {},
  ) {
    this.#onEvent = onEvent
    this.#turn = turn
    this.#data = new MessageBytes(maxBytes, undefined, maxBytesOf)
  }

  /** The id of the last event that came whole, bytes as Latin-1; undefined when there was none or it was taken back. */
  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  /** The time that the server wants to pass before the stream is asked for again, in milliseconds. */
  get retryMs(): number | undefined {
    return this.#retryMs
  }

  /** Answers how many bytes were taken: fewer than all only when the turn is spent. The rest has to be pushed again. */
  push(chunk: Buffer): number {
    const size = chunk.length
    let at = 0
    if (this.#afterCr && size > 0) {
      this.#afterCr = false
      if (chunk[0] === LF) at = 1
    }
    // Each is searched for again only when it was passed, so that a chunk is read through once.
    let lf = find(chunk, LF, at)
    let cr = find(chunk, CR, at)
    while (at < size) {
      const end = Math.min(lf, cr)
      if (end > at) this.#take(chunk, at, end)
      if (end === size) return size
      this.#endLine()
      at = end + 1
      if (end === cr) {
        if (at === size) this.#afterCr = true
        else if (chunk[at] === LF) at++
        cr = find(chunk, CR, at)
      }
      if (lf < at) lf = find(chunk, LF, at)
      if (this.#turn === undefined) continue
      this.#turn.line(false)
      if (this.#turn.spent) return at
    }
    return size
  }

  #take(chunk: Buffer, from: number, to: number): void {
    const at = this.#place === 'name' ? this.#takeName(chunk, from, to) : from
    if (at === to || this.#place === 'skip') return
    const start = !this.#begun && chunk[at] === SPACE ? at + 1 : at
    this.#begun = true
    if (start === to) return
    if (this.#place === 'data') {
      this.#data.add(chunk.subarray(start, to))
    } else if (this.#text.length + to - start > TEXT_BYTES) {
      this.#place = 'skip'
    } else {
      this.#text += chunk.toString('latin1', start, to)
    }
  }

  /** Gives the place behind the colon, or `to` when it is not yet there. */
  #takeName(chunk: Buffer, from: number, to: number): number {
    if (
      this.#text === '' &&
      to - from > 5 &&
      chunk[from + 4] === COLON &&
      chunk.toString('latin1', from, from + 4) === 'data'
    ) {
      this.#beginField('data')
      return from + 5
    }
    const limit = Math.min(to, from + NAME_BYTES + 1 - this.#text.length)
    for (let i = from; i < limit; i++) {
      if (chunk[i] !== COLON) continue
      this.#beginField(this.#text + chunk.toString('latin1', from, i))
      return i + 1
    }
    this.#text += chunk.toString('latin1', from, limit)
    if (this.#text.length > NAME_BYTES) this.#place = 'skip'
    return to
  }

  #beginField(written: string): void {
    const name = this.#firstLine && written.startsWith(BYTE_ORDER_MARK) ? written.slice(3) : written
    this.#text = ''
    this.#begun = false
    if (name === 'data') {
      if (this.#dataLines++ > 0) this.#data.add(NEWLINE)
      this.#place = 'data'
    } else {
      this.#place = name === 'event' || name === 'id' || name === 'retry' ? name : 'skip'
    }
  }

  #endLine(): void {
    if (this.#place === 'name') {
      const blank = this.#text === '' || (this.#firstLine && this.#text === BYTE_ORDER_MARK)
      if (blank) this.#dispatch()
      else this.#beginField(this.#text)
    }
    const value = this.#text
    if (this.#place === 'event') this.#type = value
    else if (this.#place === 'id' && !value.includes('\0')) this.#nextId = value
    else if (this.#place === 'retry' && /^\d{1,15}$/.test(value)) this.#retryMs = Number(value)
    this.#place = 'name'
    this.#text = ''
    this.#firstLine = false
  }

  #dispatch(): void {
    // An id counts once its event is whole: what is cut off has to be sent again.
    this.#lastEventId = this.#nextId === '' ? undefined : this.#nextId
    const type = this.#type
    this.#type = ''
    if (this.#dataLines === 0) return
    this.#dataLines = 0
    this.#onEvent({ ...this.#data.take(), type })
  }
}

/** The next such byte, or the end. */
function find(chunk: Buffer, byte: number, from: number): number {
  const found = chunk.indexOf(byte, from)
  return found === -1 ? chunk.length : found
}
