/**
 * One message on its way to the server, and what comes back on the same stream. A stream that ends before the answer is taken up
 * again where the server gave its events ids (MCP 2025-11-25, basic/transports, "Resumability and Redelivery").
 */

import type { IncomingHttpHeaders } from 'node:http'
import { RPC } from '../../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { JsonRpcErrorObject, JsonRpcFailure, JsonRpcMessage, RequestId } from '../../protocol/message.ts'
import { edgeOfStart, textOfParts, type Watch } from '../../protocol/stream.ts'
import { backoff, DEFAULT_BACKOFF, type Later } from '../backoff.ts'
import { type ReadLimits, readMessages, TooMuch } from '../incoming.ts'
import { localFailure } from '../transport.ts'
import { type BodyReader, HttpError, IGNORED, oneLine, WholeBody } from './body.ts'
import { Call, type CallHandler, type CallRequest } from './call.ts'
import type { Endpoint, HeaderList } from './endpoint.ts'
import { EventStream } from './events.ts'

/** The parts of the transport that a message on its way needs. */
export interface PostHost extends ReadLimits {
  readonly endpoint: Endpoint
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
  /** The error of sending the message. */
  refused(refusal: Refusal): Error
  /** Ends nothing. */
  trouble(words: string): void
  /** Nothing more comes of it. */
  ended(post: Post): void
}

const REFUSAL_BYTES = 1024 * 1024
/** Milliseconds in which the rest of a response may come that no caller waits for. */
const REST_MS = 1500
/** Tries in a row to take up a stream that bring nothing new. */
const MAX_TRIES = 8

export class Post implements CallHandler {
  /** Of all messages that are sent to this server. */
  readonly number: number
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
    { number, id, method }: { number: number; id: RequestId | undefined; method: string | undefined },
    resolve: () => void,
    reject: (error: Error) => void,
  ) {
    this.number = number
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

  /** No caller waits for what comes back. An event stream in answer to a notification may never end. */
  #delivered(type: string): BodyReader {
    const call = this.#call
    this.#resolve()
    this.#end()
    if (type === 'text/event-stream') {
      call?.abort()
      return IGNORED
    }
    // A body that is read to its end leaves a connection that can be used again; what has no end would hold it for ever.
    const stop = this.#host.later(REST_MS, () => call?.abort())
    return { data: () => {}, end: stop }
  }

  #listen(): EventStream {
    const { largeBytes, limits, maxBytes } = this.#host
    const stream = new EventStream({
      largeBytes,
      limits,
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

// An answer that is one JSON document.

interface JsonBodyHandler {
  messages(messages: readonly JsonRpcMessage[]): void
  /** More than is kept; the rest need not come. The words follow "the server". */
  tooLong(words: string): void
  /** No JSON-RPC; how it begins. */
  unreadable(text: string): void
}

function jsonBody(
  headers: IncomingHttpHeaders,
  { maxBytes, watch, ...reading }: ReadLimits & { maxBytes: number; watch?: Watch | undefined },
  handler: JsonBodyHandler,
): BodyReader {
  const announced = headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0
  if (announced > maxBytes) {
    handler.tooLong(`sent a message of ${announced} bytes; the limit is ${maxBytes} bytes`)
    return IGNORED
  }
  return new WholeBody(
    maxBytes,
    ({ parts, length, edges }) => {
      if (edges !== undefined) {
        handler.tooLong(`sent a message longer than the limit of ${maxBytes} bytes`)
        return
      }
      const bare = withoutMark(parts)
      const messages = readMessages(bare, bare === parts ? length : length - 3, reading)
      if (messages instanceof TooMuch) handler.tooLong(messages.words)
      else if (messages === undefined) handler.unreadable(textOfParts([edgeOfStart(parts)]))
      else handler.messages(messages)
    },
    watch,
  )
}

/** JSON in UTF-8 may begin with a byte order mark, which is no JSON (RFC 8259, 8.1). */
function withoutMark(parts: readonly Buffer[]): readonly Buffer[] {
  const [first, ...rest] = parts
  return first && first.length > 3 && first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf
    ? [first.subarray(3), ...rest]
    : parts
}

// The meaning of an HTTP status that refuses: an answer, a forgotten session, or words.

/** A status that is none of success, with its body as far as it is of use. */
export interface Refusal {
  status: number
  /** Media type without parameters, in lower case. */
  type: string
  text: string
}

/** Errors that say which revisions are spoken; servers that know no session send them without an id too. */
const OF_ANOTHER_ERA: ReadonlySet<unknown> = new Set([RPC.unsupportedVersion, RPC.methodNotFound])

/**
 * The JSON-RPC error of this request when the body is one. It has the id of the request. In the modern era, where one POST is one
 * request, and in answer to initialize it may have no id.
 */
export function answerIn(
  { text }: Refusal,
  id: RequestId,
  { modern, method }: { modern: boolean; method: string | undefined },
): JsonRpcFailure | undefined {
  const body = parsed(text)
  const error = body && own(body, 'error')
  if (body === undefined || !isObject(error) || typeof error.code !== 'number') return undefined
  const named = own(body, 'id')
  const nameless = named === undefined || named === null
  const ours = nameless ? modern || (method === 'initialize' && OF_ANOTHER_ERA.has(error.code)) : named === id
  if (!ours) return undefined
  return { jsonrpc: '2.0', id, error: error as unknown as JsonRpcErrorObject }
}

/**
 * True when the server no longer knows the session that the message was sent on: 404 by the specification; several servers answer
 * 400 and name the session. An error under the id of the request comes from behind that check, unless it names the session.
 */
export function forgotSession({ status, text }: Refusal, id: RequestId | undefined): boolean {
  if (status !== 404 && status !== 400) return false
  if (/session/i.test(text)) return true
  return (
    status === 404 && (id === undefined || answerIn({ status, type: '', text }, id, LEGACY) === undefined)
  )
}

const LEGACY = { modern: false, method: undefined }

/** In words: what the body says, the reason alone where it is JSON. */
export function refusalOf({ status, type, text }: Refusal, conceal: (text: string) => string): HttpError {
  // A page is for people with browsers; its first line says nothing.
  const said = type === 'text/html' ? '' : (messageIn(text) ?? text)
  return new HttpError(status, oneLine(said, conceal))
}

/** The message of a JSON-RPC or OAuth error. */
function messageIn(text: string): string | undefined {
  const body = parsed(text)
  if (body === undefined) return undefined
  const error = own(body, 'error')
  const said = isObject(error)
    ? own(error, 'message')
    : (own(body, 'error_description') ?? own(body, 'message') ?? error)
  return typeof said === 'string' ? said : undefined
}

function parsed(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

// How long to wait before a stream is asked for again.

/** The wait when the server does not say. */
const DEFAULT_RETRY_MS = 1000
/** A server that says "at once" is not asked without a breath. */
const MIN_RETRY_MS = 50
/** Longer than this no server can mean, and timers have an end. */
const MAX_RETRY_MS = 3_600_000

/** Milliseconds: what the server asked for, and longer when tries bring nothing. `fruitless` counts those in a row. */
export function waitBeforeResuming(
  retryMs: number | undefined,
  fruitless: number,
  random: () => number,
): number {
  const asked = Math.min(Math.max(retryMs ?? DEFAULT_RETRY_MS, MIN_RETRY_MS), MAX_RETRY_MS)
  return fruitless === 0 ? asked : Math.max(asked, backoff(fruitless, DEFAULT_BACKOFF, random))
}
