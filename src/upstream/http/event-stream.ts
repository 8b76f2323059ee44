/** A stream of events that carries JSON-RPC messages (MCP specification, basic/transports, "Streamable HTTP"). */
import type { JsonRpcMessage, RequestId } from '../../protocol/message.ts'
import { idOfEdges } from '../envelope.ts'
import { readMessages } from '../incoming.ts'
import type { BodyReader } from './body.ts'
import { type SseEvent, SseReader } from './sse-reader.ts'

export interface EventStreamOptions {
  largeBytes: number
  maxBytes: number
  message(message: JsonRpcMessage): void
  /** An event that cannot be read, and the request it answers, where its edges tell. The words follow "the server". */
  trouble(words: string, id: RequestId | undefined): void
  ended(): void
}

export class EventStream implements BodyReader {
  readonly #options: EventStreamOptions
  readonly #reader: SseReader
  #fruitful = false

  constructor(options: EventStreamOptions) {
    this.#options = options
    this.#reader = new SseReader(options.maxBytes, (event) => this.#event(event))
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

  data(chunk: Buffer): void {
    this.#reader.push(chunk)
  }

  end(): void {
    this.#options.ended()
  }

  #event({ type, parts, length, edges }: SseEvent): void {
    if ((type !== '' && type !== 'message') || length === 0) return
    const { maxBytes, largeBytes, message, trouble } = this.#options
    if (edges !== undefined) {
      trouble(tooLong(length, maxBytes), idOfEdges(edges.head, edges.tail))
      return
    }
    const messages = readMessages(parts, length, largeBytes)
    if (messages === undefined) {
      trouble('sent an event that is not JSON-RPC', undefined)
      return
    }
    this.#fruitful = true
    for (const one of messages) message(one)
  }
}

/** Follows "the server". */
export function tooLong(length: number, limit: number): string {
  return `sent a message of ${length} bytes; the limit is ${limit} bytes`
}
