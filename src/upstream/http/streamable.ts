/**
 * Streamable HTTP of both eras (MCP specification, basic/transports). The legacy era has a session, a stream of the server's own and
 * streams that can be taken up again. The modern era has one POST for each request.
 */

import type { IncomingHttpHeaders } from 'node:http'
import { jsonParts } from '../../protocol/json.ts'
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  RequestId,
  SendOptions,
  Transport,
} from '../../protocol/message.ts'
import { UnderWay } from '../../protocol/peer.ts'
import type { Later } from '../backoff.ts'
import { type ReadLimits, watchFor } from '../incoming.ts'
import type { ResumableSession } from '../shared-session.ts'
import { SessionExpired, type UpstreamTransport } from '../transport.ts'
import { type BodyReader, IGNORED } from './body.ts'
import { Call } from './call.ts'
import {
  type Endpoint,
  type HeaderList,
  type HttpOptions,
  modernHeaders,
  withMessageHeaders,
} from './endpoint.ts'
import { EventStream } from './events.ts'
import {
  answerIn,
  forgotSession,
  mediaType,
  Post,
  type PostHost,
  type Refusal,
  refusalOf,
  waitBeforeResuming,
} from './post.ts'

/** Times of grace in which a goodbye can be sent. */
const MAX_GRACES = 10
/** Streams that go on after their answer, without a waiting caller. Beyond, the oldest is cut. */
const MAX_LINGERING = 64

export class StreamableTransport implements UpstreamTransport {
  readonly kind = 'streamable-http'
  readonly local = false
  readonly failure = undefined
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #options: HttpOptions
  readonly #endpoint: Endpoint
  readonly #host: PostHost
  /** Absent in the modern era. */
  readonly #session: LegacySession | undefined
  readonly #resumable = this.#createResumable()
  #version: string | undefined
  #sent = 0
  /** By their numbers. */
  readonly #posts = new UnderWay<number, Post>()
  readonly #waiting = new UnderWay<RequestId, Post>()
  readonly #lingering = new UnderWay<number, Post>()
  #serverStream: ServerStream | undefined
  /** The server has to hear that the handshake is done before it hears anything else. */
  #introducing: Promise<void> | undefined
  #ended = false

  constructor(options: HttpOptions, endpoint: Endpoint) {
    this.#options = options
    this.#endpoint = endpoint
    if (options.era === 'legacy')
      this.#session = new LegacySession(endpoint.postHeaders, endpoint.streamHeaders)
    this.#host = this.#createHost()
  }

  async start(): Promise<void> {}

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    if (this.#ended) return Promise.reject(new Error('the connection is closed'))
    if (this.#introducing !== undefined) return this.#introducing.then(() => this.send(message, options))
    if (!('method' in message)) return this.#post(message, undefined, options)
    if (message.method === 'notifications/cancelled') return this.#cancel(message, options)
    const sent = this.#post(message, 'id' in message ? message.id : undefined, options)
    if (message.method === 'notifications/initialized') this.#introduce(sent)
    return sent
  }

  setProtocolVersion(version: string): void {
    this.#version = version
    this.#session?.agree(version)
  }

  get session(): ResumableSession | undefined {
    return this.#session && this.#resumable
  }

  async close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    for (const post of this.#posts.values()) post.abort()
    this.#serverStream?.close()
    await this.#endSession()
    this.onclose?.()
  }

  #createResumable(): ResumableSession {
    const id = (): string | undefined => this.#session?.id
    return {
      get id() {
        return id()
      },
      resume: (session) => this.#session?.resume(session),
      listen: () => this.#listen(),
      mayStay: () => false,
    }
  }

  #createHost(): PostHost {
    const { largeBytes, limits, maxMessageBytes: maxBytes, arriving, later, random } = this.#options
    const session = this.#session
    return {
      endpoint: this.#endpoint,
      largeBytes,
      limits,
      maxBytes,
      watch: watchFor(arriving),
      answersElsewhere: session !== undefined,
      later,
      random,
      receive: (message, post) => this.#receive(message, post.id),
      accepted: (headers, post) => {
        if (post.method === 'initialize') session?.begin(headers)
      },
      resumeHeaders: (lastEventId) => session?.streamFrom(lastEventId),
      answeredBy: (refusal, post) => this.#answeredBy(refusal, post),
      refused: (refusal) => this.#refused(refusal),
      trouble: (words) => this.#trouble(words),
      ended: (post) => this.#postEnded(post),
    }
  }

  #post(message: JsonRpcMessage, id: RequestId | undefined, options: SendOptions | undefined): Promise<void> {
    const method = 'method' in message ? message.method : undefined
    const common =
      this.#session !== undefined
        ? this.#session.post
        : 'method' in message
          ? modernHeaders(this.#endpoint.postHeaders, message.method, message.params, this.#version)
          : this.#endpoint.postHeaders
    const headers = withMessageHeaders(common, options?.headers)
    const body = bodyOf(message)
    return new Promise((resolve, reject) => {
      const post = new Post(this.#host, { number: this.#sent++, id, method }, resolve, reject)
      this.#posts.set(post.number, post)
      if (id !== undefined) this.#waiting.set(id, post)
      post.send({ method: 'POST', headers, body })
    })
  }

  /** Modern: leaving the stream is the cancelling. Legacy: it is a message, and the stream may go once it was heard. */
  #cancel(message: JsonRpcNotification, options: SendOptions | undefined): Promise<void> {
    const id = message.params?.requestId
    const post = typeof id === 'string' || typeof id === 'number' ? this.#waiting.get(id) : undefined
    if (this.#session !== undefined) {
      const sent = this.#post(message, undefined, options)
      return post === undefined ? sent : sent.finally(() => post.abort())
    }
    post?.abort()
    return Promise.resolve()
  }

  #introduce(sent: Promise<void>): void {
    if (this.#session === undefined) return
    const goOn = (): void => {
      this.#introducing = undefined
    }
    this.#introducing = sent.then(() => this.#listen()).then(goOn, goOn)
  }

  #listen(): void {
    const session = this.#session
    if (this.#ended || session === undefined) return
    const { later, random, largeBytes, limits, maxMessageBytes: maxBytes } = this.#options
    this.#serverStream = new ServerStream({
      endpoint: this.#endpoint,
      largeBytes,
      limits,
      maxBytes,
      later,
      random,
      headers: (lastEventId) => session.streamFrom(lastEventId),
      mayBeElsewhere: () => this.#resumable.mayStay(),
      message: (message) => this.#receive(message, undefined),
      trouble: (words) => this.#trouble(words),
    })
    this.#serverStream.open()
  }

  #receive(message: JsonRpcMessage, via: RequestId | undefined): void {
    if (this.#ended) return
    if (!('method' in message) && message.id !== undefined && message.id !== null) this.#answered(message.id)
    this.onmessage?.(message, via)
  }

  #answered(id: RequestId): void {
    const post = this.#waiting.get(id)
    if (post === undefined) return
    this.#waiting.delete(id)
    this.#lingering.set(post.number, post)
    post.answered()
    if (this.#lingering.size > MAX_LINGERING) this.#lingering.values()[0]?.abort()
  }

  #postEnded(post: Post): void {
    this.#posts.delete(post.number)
    this.#lingering.delete(post.number)
    if (post.id !== undefined && this.#waiting.get(post.id) === post) this.#waiting.delete(post.id)
  }

  #answeredBy(refusal: Refusal, { id, method }: Post): boolean {
    if (id === undefined || this.#forgotten(refusal, id)) return false
    const answer = answerIn(refusal, id, { modern: this.#session === undefined, method })
    if (answer === undefined) return false
    this.#receive(answer, id)
    return true
  }

  #refused(refusal: Refusal): Error {
    const error = refusalOf(refusal, this.#endpoint.conceal)
    return this.#forgotten(refusal, undefined) ? new SessionExpired(error.message, { cause: error }) : error
  }

  #forgotten(refusal: Refusal, id: RequestId | undefined): boolean {
    return this.#session?.id !== undefined && forgotSession(refusal, id)
  }

  #trouble(words: string): void {
    if (!this.#ended) this.onerror?.(new Error(words))
  }

  /**
   * Says goodbye, for as long as the server may take to hear it. Where many sessions end at once that time begins again while the
   * request waits to be sent: it would be the machine that is slow.
   */
  async #endSession(): Promise<void> {
    const session = this.#session
    if (session?.id === undefined || this.#resumable.mayStay()) return
    const { later, graceMs } = this.#options
    let stop = (): void => {}
    let heard = (): void => {}
    const over = new Promise<void>((resolve) => {
      heard = resolve
    })
    const head = (): typeof IGNORED => {
      heard()
      return IGNORED
    }
    const call = new Call(
      this.#endpoint,
      { method: 'DELETE', headers: session.stream },
      { head, failed: () => heard() },
    )
    const wait = (again: number): void => {
      stop = later(graceMs, () => (call.sent || again === 0 ? heard() : wait(again - 1)))
    }
    wait(MAX_GRACES - 1)
    call.start()
    await over
    stop()
    call.abort()
  }
}

function bodyOf(message: JsonRpcMessage): string | Uint8Array {
  const parts = jsonParts(message)
  const [only = ''] = parts
  return parts.length === 1
    ? only
    : Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

// The headers of a connection of the legacy era: session and revision (MCP 2025-11-25, "Session Management").

/** Visible ASCII (MCP 2025-11-25): anything else could not be sent back. */
const SESSION_ID = /^[\x21-\x7e]{1,4096}$/

class LegacySession {
  #id: string | undefined
  #version: string | undefined
  readonly #ownPost: HeaderList
  readonly #ownStream: HeaderList
  #post: HeaderList
  #stream: HeaderList

  constructor(post: HeaderList, stream: HeaderList) {
    this.#ownPost = post
    this.#ownStream = stream
    this.#post = post
    this.#stream = stream
  }

  get id(): string | undefined {
    return this.#id
  }

  /** Of a POST. */
  get post(): HeaderList {
    return this.#post
  }

  /** Of a DELETE. */
  get stream(): HeaderList {
    return this.#stream
  }

  /** Of the GET of an event stream. */
  streamFrom(lastEventId: string | undefined): HeaderList {
    return lastEventId === undefined ? this.#stream : this.#stream.concat('last-event-id', lastEventId)
  }

  /** The answer to initialize began. */
  begin(headers: IncomingHttpHeaders): void {
    const id = headers['mcp-session-id']
    this.#id = typeof id === 'string' && SESSION_ID.test(id) ? id : undefined
    this.#build()
  }

  resume(session: { id: string; version: string } | undefined): void {
    this.#id = session?.id
    this.#version = session?.version
    this.#build()
  }

  agree(version: string): void {
    this.#version = version
    this.#build()
  }

  #build(): void {
    const headers: string[] = []
    if (this.#id !== undefined) headers.push('mcp-session-id', this.#id)
    if (this.#version !== undefined) headers.push('mcp-protocol-version', this.#version)
    this.#post = this.#ownPost.concat(headers)
    this.#stream = this.#ownStream.concat(headers)
  }
}

// The stream on which a server of the legacy era sends what belongs to no request (MCP 2025-11-25,
// basic/transports, "Listening for Messages from the Server"). It is kept open for as long as the connection
// lives.

interface ServerStreamOptions extends ReadLimits {
  endpoint: Endpoint
  maxBytes: number
  later: Later
  random(): number
  headers(lastEventId: string | undefined): readonly string[]
  /** Another connection may have the stream of the session. */
  mayBeElsewhere(): boolean
  message(message: JsonRpcMessage): void
  /** Ends nothing. */
  trouble(words: string): void
}

/** Refusals that may pass: the proxy must sign in again, or wait. All others below 500 say that no such stream exists. */
const PASSING = new Set([401, 403, 408, 425, 429])

class ServerStream {
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
    const { largeBytes, limits, maxBytes, message, trouble } = this.#options
    if (status === 200 && mediaType(headers) === 'text/event-stream') {
      const stream: EventStream = new EventStream({
        largeBytes,
        limits,
        maxBytes,
        message,
        trouble,
        ended: () => this.#ended(stream),
      })
      return stream
    }
    this.#call?.abort()
    // Of one session, some servers give the stream to one connection at a time.
    const isElsewhere = status === 409 && this.#options.mayBeElsewhere()
    if ((status >= 500 && status !== 501) || PASSING.has(status) || isElsewhere) {
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
