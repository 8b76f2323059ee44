/**
 * One message on its way to the server, and what comes back on the same stream. A stream that ends before the answer is taken up
 * again where the server gave its events ids (MCP 2025-11-25, basic/transports, "Resumability and Redelivery").
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Watch } from '../../protocol/growing-bytes.ts'
import type { JsonRpcMessage, RequestId } from '../../protocol/message.ts'
import { textOfParts } from '../../protocol/message-bytes.ts'
import type { Later } from '../backoff.ts'
import { localFailure } from '../upstream-transport.ts'
import { type BodyReader, IGNORED, WholeBody } from './body.ts'
import { Call, type CallHandler, type CallRequest } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { EventStream } from './event-stream.ts'
import type { HeaderList } from './headers.ts'
import { jsonBody } from './json-body.ts'
import { waitBeforeResuming } from './patience.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/** What a message on its way needs of the transport. */
export interface PostHost {
  readonly endpoint: Endpoint
  readonly largeBytes: number
  readonly maxBytes: number
  /** Told of long messages while they come. */
  readonly watch: Watch | undefined
  /** Some servers of the legacy era accept a request first and answer it on the stream that is always open. */
  readonly answersElsewhere: boolean
  readonly later: Later
  random(): number
  /** A message that came on the stream of this one. */
  receive(message: JsonRpcMessage, post: Post): void
  /** The server took the message. */
  accepted(headers: IncomingHttpHeaders, post: Post): void
  /** How to ask for the rest of a stream; undefined where streams cannot be taken up again. */
  resumeHeaders(lastEventId: string): HeaderList | undefined
  /** True when the refusal was the answer to the request, and was delivered. */
  answeredBy(refusal: Refusal, post: Post): boolean
  /** What sending the message fails with. */
  refused(refusal: Refusal): Error
  /** Ends nothing. */
  trouble(words: string): void
  /** Nothing more comes of it. */
  ended(post: Post): void
}

const REFUSAL_BYTES = 1024 * 1024
/** Milliseconds in which the rest of a response may come for which nobody waits. */
const REST_MS = 1500
/** Tries in a row to take up a stream that bring nothing new. */
const MAX_TRIES = 8

export class Post implements CallHandler {
  /** The id of the request; undefined for notifications and answers. */
  readonly id: RequestId | undefined
  readonly method: string | undefined
  readonly #host: PostHost
  readonly #resolve: () => void
  readonly #reject: (error: Error) => void
  #call: Call | undefined
  #stream: EventStream | undefined
  #lastEventId: string | undefined
  #retryMs: number | undefined
  #tries = 0
  #stopWaiting: (() => void) | undefined
  /** Why there may be no answer, in words that follow "the server". */
  #trouble: string | undefined
  #answered = false
  #over = false

  constructor(
    host: PostHost,
    { id, method }: { id: RequestId | undefined; method: string | undefined },
    resolve: () => void,
    reject: (error: Error) => void,
  ) {
    this.id = id
    this.method = method
    this.#host = host
    this.#resolve = resolve
    this.#reject = reject
  }

  send(request: CallRequest): void {
    this.#call = new Call(this.#host.endpoint, request, this)
    this.#call.start()
  }

  /** The answer came, on whichever stream. */
  answered(): void {
    this.#answered = true
    // A stream that is taken up again would bring nothing more.
    if (this.#stopWaiting !== undefined) this.abort()
  }

  /** Gives up: nothing is delivered any more, and nothing fails. */
  abort(): void {
    if (this.#over) return
    this.#call?.abort()
    this.#stopWaiting?.()
    this.#end()
  }

  head(status: number, headers: IncomingHttpHeaders): BodyReader {
    const type = mediaType(headers)
    if (status < 200 || status > 299) return this.#refusal(status, type)
    this.#host.accepted(headers, this)
    if (this.id === undefined) return this.#delivered(type)
    if (type === 'text/event-stream') {
      this.#resolve()
      return this.#listen()
    }
    if (status === 202 && this.#host.answersElsewhere) return this.#delivered(type)
    if (type === 'application/json' || (type === '' && status === 200)) return this.#json(status, headers)
    return this.#refusal(status, type)
  }

  failed(error: Error): void {
    if (this.#over) return
    if (this.#stream === undefined && this.#lastEventId === undefined) {
      this.#failed(error)
      return
    }
    this.#host.trouble(error.message)
    this.#streamEnded()
  }

  /** Nobody waits for what comes back. An event stream in answer to a notification may never end. */
  #delivered(type: string): BodyReader {
    const call = this.#call
    this.#resolve()
    this.#end()
    if (type === 'text/event-stream') {
      call?.abort()
      return IGNORED
    }
    // What is read to its end leaves a connection that can be used again; what has no end would hold it for ever.
    const stop = this.#host.later(REST_MS, () => call?.abort())
    return { data: () => {}, end: stop }
  }

  #listen(): EventStream {
    const { largeBytes, maxBytes } = this.#host
    const stream = new EventStream({
      largeBytes,
      maxBytes,
      message: (message) => this.#host.receive(message, this),
      trouble: (words, id) => this.#unreadable(words, id),
      ended: () => this.#streamEnded(),
    })
    this.#stream = stream
    return stream
  }

  #unreadable(words: string, id: RequestId | undefined): void {
    this.#host.trouble(words)
    if (id === undefined) this.#trouble = words
    else this.#host.receive(localFailure(id, 'UPSTREAM_PROTOCOL', words), this)
  }

  #json(status: number, headers: IncomingHttpHeaders): BodyReader {
    return jsonBody(headers, this.#host, {
      messages: (messages) => {
        if (this.#over) return
        for (const message of messages) this.#host.receive(message, this)
        this.#finish()
      },
      tooLong: (words) => {
        this.#call?.abort()
        this.#fail('UPSTREAM_PROTOCOL', words)
      },
      unreadable: (text) => this.#refuse(status, `the answer is not JSON-RPC: ${text}`),
    })
  }

  #refusal(status: number, type: string): BodyReader {
    return new WholeBody(REFUSAL_BYTES, ({ parts, edges }) => {
      if (this.#over) return
      if (edges) this.#call?.abort()
      const text = textOfParts(edges ? [edges.head] : parts)
      const refusal = { status, type, text }
      if (status < 300)
        this.#refuse(status, text === '' ? 'no answer' : `the answer is ${type}, which is not MCP: ${text}`)
      else if (this.#host.answeredBy(refusal, this)) this.#end()
      else this.#failed(this.#host.refused(refusal))
    })
  }

  /** The stream is over, in good order or not. */
  #streamEnded(): void {
    if (this.#over) return
    const stream = this.#stream
    this.#stream = undefined
    if (stream !== undefined) {
      this.#lastEventId = stream.lastEventId ?? this.#lastEventId
      this.#retryMs = stream.retryMs ?? this.#retryMs
      if (stream.fruitful) this.#tries = 0
    }
    const headers =
      this.#answered || this.#lastEventId === undefined || this.#tries >= MAX_TRIES
        ? undefined
        : this.#host.resumeHeaders(this.#lastEventId)
    if (headers === undefined) this.#finish()
    else this.#resumeLater(headers)
  }

  #resumeLater(headers: HeaderList): void {
    const { later, random, endpoint } = this.#host
    const delay = waitBeforeResuming(this.#retryMs, this.#tries++, random)
    this.#stopWaiting = later(delay, () => {
      this.#stopWaiting = undefined
      this.#call = new Call(
        endpoint,
        { method: 'GET', headers },
        { head: (status, answer) => this.#resumed(status, answer), failed: (error) => this.failed(error) },
      )
      this.#call.start()
    })
  }

  #resumed(status: number, headers: IncomingHttpHeaders): BodyReader {
    if (status === 200 && mediaType(headers) === 'text/event-stream') return this.#listen()
    // The server is there and does not have the rest.
    if (status >= 400 && status < 500 && status !== 429) this.#tries = MAX_TRIES
    this.#call?.abort()
    this.failed(refusalOf({ status, type: '', text: '' }, this.#host.endpoint.conceal))
    return IGNORED
  }

  /** All that can come has come. */
  #finish(): void {
    if (this.#answered) this.#end()
    else if (this.#trouble !== undefined) this.#fail('UPSTREAM_PROTOCOL', this.#trouble)
    else this.#fail('UPSTREAM_CLOSED', 'closed the stream before the answer')
  }

  #fail(code: 'UPSTREAM_PROTOCOL' | 'UPSTREAM_CLOSED', words: string): void {
    if (this.id !== undefined) this.#host.receive(localFailure(this.id, code, words), this)
    this.#end()
  }

  #refuse(status: number, text: string): void {
    this.#failed(refusalOf({ status, type: '', text }, this.#host.endpoint.conceal))
  }

  #failed(error: Error): void {
    this.#reject(error)
    this.#end()
  }

  #end(): void {
    if (this.#over) return
    this.#over = true
    this.#resolve()
    this.#host.ended(this)
  }
}

/** Without parameters, in lower case; empty when there is none. */
export function mediaType(headers: IncomingHttpHeaders): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
