/**
 * The stream on which a server of the legacy era sends what belongs to no request (MCP 2025-11-25, basic/transports, "Listening for
 * Messages from the Server"). It is kept open for as long as the connection lives.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonRpcMessage } from '../../protocol/message.ts'
import type { Later } from '../backoff.ts'
import { type BodyReader, IGNORED } from './body.ts'
import { Call } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { EventStream } from './event-stream.ts'
import { waitBeforeResuming } from './patience.ts'
import { mediaType } from './post.ts'

export interface ServerStreamOptions {
  endpoint: Endpoint
  largeBytes: number
  maxBytes: number
  later: Later
  random(): number
  headers(lastEventId: string | undefined): readonly string[]
  message(message: JsonRpcMessage): void
  /** Ends nothing. */
  trouble(words: string): void
}

/** Refusals that may pass: who asks must sign in again, or wait. All others below 500 say that there is no such stream. */
const PASSING = new Set([401, 403, 408, 425, 429])

export class ServerStream {
  readonly #options: ServerStreamOptions
  #call: Call | undefined
  #stopWaiting: (() => void) | undefined
  #lastEventId: string | undefined
  #retryMs: number | undefined
  #fruitless = 0
  #closed = false

  constructor(options: ServerStreamOptions) {
    this.#options = options
  }

  open(): void {
    if (this.#closed) return
    const { endpoint, headers } = this.#options
    let stream: EventStream | undefined
    this.#call = new Call(
      endpoint,
      { method: 'GET', headers: headers(this.#lastEventId) },
      {
        head: (status, answer) => {
          const found = this.#head(status, answer)
          if (found instanceof EventStream) stream = found
          return found
        },
        failed: (error) => {
          this.#options.trouble(error.message)
          this.#ended(stream)
        },
      },
    )
    this.#call.start()
  }

  close(): void {
    this.#closed = true
    this.#call?.abort()
    this.#stopWaiting?.()
  }

  #head(status: number, headers: IncomingHttpHeaders): BodyReader {
    const { largeBytes, maxBytes, message, trouble } = this.#options
    if (status === 200 && mediaType(headers) === 'text/event-stream') {
      const stream: EventStream = new EventStream({
        largeBytes,
        maxBytes,
        message,
        trouble,
        ended: () => this.#ended(stream),
      })
      return stream
    }
    this.#call?.abort()
    if ((status >= 500 && status !== 501) || PASSING.has(status)) {
      trouble(`HTTP ${status} for the stream of the server`)
      this.#ended(undefined)
    }
    return IGNORED
  }

  #ended(stream: EventStream | undefined): void {
    if (this.#closed) return
    this.#lastEventId = stream?.lastEventId ?? this.#lastEventId
    this.#retryMs = stream?.retryMs ?? this.#retryMs
    this.#fruitless = stream?.fruitful ? 0 : this.#fruitless + 1
    const { later, random } = this.#options
    const delay = waitBeforeResuming(this.#retryMs, this.#fruitless, random)
    this.#stopWaiting = later(delay, () => this.open())
  }
}
