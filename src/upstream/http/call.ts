/**
 * One HTTP request and its response, redirects within the origin, authorisation and compression included. Credentials never
 * leave the origin.
 */

import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { TakenBytes } from '../../protocol/stream.ts'
import { type BodyReader, networkFailure, WholeBody } from './body.ts'
import type { Endpoint, HeaderList } from './endpoint.ts'

export interface CallRequest {
  method: 'POST' | 'GET' | 'DELETE'
  headers: HeaderList
  body?: string | Uint8Array
}

export interface CallHandler {
  /** The response began; what is returned reads its body. */
  head(status: number, headers: IncomingHttpHeaders): BodyReader
  /** It broke off, or never began. Nothing follows. */
  failed(error: Error): void
}

/** The most bytes of a refusal that are read. */
const REFUSAL_BYTES = 64 * 1024
const MAX_REDIRECTS = 5
const NOTHING: readonly number[] = []

type Controller = Dispatcher.DispatchController

export class Call implements Dispatcher.DispatchHandler {
  readonly #endpoint: Endpoint
  readonly #request: CallRequest
  readonly #handler: CallHandler
  #controller: Controller | undefined
  #reader: BodyReader | undefined
  #decoder: Decoder | undefined
  #path: string
  #redirects = 0
  /** The `Authorization` header that was sent. */
  #sent: string | undefined
  /** The statuses that the authorizer was asked about: once each, because a token may first be refused and then lack a scope. */
  #asked: readonly number[] = NOTHING
  #leaving: AbortController | undefined
  #done = false
  /** The response is being given up, because another request takes its place. */
  #superseded = false

  constructor(endpoint: Endpoint, request: CallRequest, handler: CallHandler) {
    this.#endpoint = endpoint
    this.#request = request
    this.#handler = handler
    this.#path = endpoint.path
  }

  start(): void {
    this.#begin()
  }

  /** It has a connection to go out on. */
  get sent(): boolean {
    return this.#controller !== undefined
  }

  /** Ends it, whatever its state. The handler hears nothing more. */
  abort(): void {
    if (this.#done) return
    this.#done = true
    this.#leaving?.abort(new Error('given up'))
    this.#decoder?.stop()
    this.#reader?.stop?.()
    this.#controller?.abort(new Error('given up'))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#done) controller.abort(new Error('given up'))
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#done) return
    if (status >= 300 && status < 400 && status !== 304) this.#reader = this.#redirected(status, headers)
    else if (this.#mayAuthorise(status, headers)) this.#reader = this.#refused(status, headers)
    else this.#reader = this.#read(status, headers)
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    if (!this.#done) this.#reader?.data(chunk)
  }

  onResponseEnd(): void {
    if (this.#done) return
    // A stream in its place begins with a reader of its own.
    const reader = this.#reader
    this.#reader = undefined
    this.#controller = undefined
    reader?.end()
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    if (this.#superseded) return
    this.#fail(
      networkFailure(error, this.#endpoint.url, this.#controller !== undefined, this.#endpoint.conceal),
    )
  }

  #begin(): void {
    const { authorizer } = this.#endpoint
    if (authorizer === undefined) {
      this.#dispatch(this.#request.headers)
      return
    }
    this.#leaving ??= new AbortController()
    authorizer.header(this.#leaving.signal).then(
      (header) => {
        this.#sent = header
        const { headers } = this.#request
        this.#dispatch(header === undefined ? headers : headers.concat('authorization', header))
      },
      (error: unknown) => this.#fail(error as Error),
    )
  }

  #dispatch(headers: HeaderList): void {
    if (this.#done) return
    this.#controller = undefined
    const { method, body = null } = this.#request
    const { dispatcher, url } = this.#endpoint
    dispatcher.dispatch(
      { origin: url.origin, path: this.#path, method, headers: headers as string[], body },
      this,
    )
  }

  #read(status: number, headers: IncomingHttpHeaders): BodyReader {
    const reader = this.#handler.head(status, headers)
    const coding = headers['content-encoding']
    const encoding = coding === undefined || this.#done ? 'none' : encodingOf(coding)
    const brake = { pause: () => this.#controller?.pause(), resume: () => this.#controller?.resume() }
    const fail = (error: Error): void => this.#fail(error)
    if (encoding === 'none') {
      reader.source?.({ ...brake, fail })
      return reader
    }
    if (encoding === undefined) {
      this.#fail(
        new Error(
          `HTTP ${status}: the answer is encoded as \`${coding?.slice(0, 40)}\`, which was not asked for`,
        ),
      )
      return reader
    }
    this.#decoder = new Decoder(encoding, reader, brake, fail, (error) =>
      this.#fail(new Error(`HTTP ${status}: the answer could not be decoded: ${error.message}`)),
    )
    return this.#decoder
  }

  #redirected(status: number, headers: IncomingHttpHeaders): BodyReader {
    const { url } = this.#endpoint
    const target = redirectOf(this.#request.method, status, headers.location, new URL(this.#path, url))
    const fault =
      'fault' in target ? target.fault : this.#redirects === MAX_REDIRECTS ? 'too many redirects' : ''
    if ('fault' in target || fault !== '') {
      // The handler words every refusal; the body of this one is not read.
      const reader = this.#handler.head(status, { ...headers, 'content-type': 'text/plain' })
      if (this.#done) return reader
      reader.data(Buffer.from(this.#endpoint.conceal(fault)))
      reader.end()
      this.abort()
      return reader
    }
    return new WholeBody(REFUSAL_BYTES, () => {
      this.#redirects++
      this.#path = target.path
      if (target.permanent) this.#endpoint.path = target.path
      this.#again()
    })
  }

  #mayAuthorise(status: number, headers: IncomingHttpHeaders): boolean {
    if (this.#endpoint.authorizer === undefined || this.#asked.includes(status)) return false
    return status === 401 || (status === 403 && headers['www-authenticate'] !== undefined)
  }

  /** Asks for something better to send; without, the refusal is handed on as it came. */
  #refused(status: number, headers: IncomingHttpHeaders): BodyReader {
    return new WholeBody(REFUSAL_BYTES, (body) => {
      this.#asked = [...this.#asked, status]
      this.#stopReading()
      const challenge = headers['www-authenticate']
      this.#endpoint.authorizer?.refused({ status, challenge, sent: this.#sent }, this.#leaving?.signal).then(
        (again) => {
          if (this.#done) return
          if (again) this.#begin()
          else this.#replay(status, headers, body)
        },
        (error: unknown) => this.#fail(error as Error),
      )
    })
  }

  #replay(status: number, headers: IncomingHttpHeaders, { parts, edges }: TakenBytes): void {
    const reader = this.#read(status, headers)
    for (const part of edges ? [edges.head] : parts) reader.data(part)
    reader.end()
  }

  #again(): void {
    this.#stopReading()
    this.#begin()
  }

  /** The response is complete, or there is more of it than is wanted. */
  #stopReading(): void {
    this.#reader = undefined
    this.#superseded = true
    this.#controller?.abort(new Error('of no interest'))
    this.#superseded = false
    this.#controller = undefined
  }

  #fail(error: Error): void {
    if (this.#done) return
    this.abort()
    this.#handler.failed(error)
  }
}

// Which redirects are followed (RFC 9110, 15.4): only the ones that keep method and origin, so that credentials never reach another origin.

/** Where to ask instead, or why not. */
type Redirect = { path: string; permanent: boolean } | { fault: string }

const KEEP_METHOD = new Set([307, 308])
const FOR_READING = new Set([301, 302, 303, 307, 308])
const PERMANENT = new Set([301, 308])

function redirectOf(method: string, status: number, location: string | undefined, from: URL): Redirect {
  if (location === undefined || !URL.canParse(location, from.href)) return { fault: 'redirects to nowhere' }
  const to = new URL(location, from)
  if (to.origin !== from.origin) {
    return {
      fault: `redirects from ${from.origin} to ${to.origin}, where credentials are not sent; configure that address if it is right`,
    }
  }
  const followed = (method === 'GET' ? FOR_READING : KEEP_METHOD).has(status)
  if (!followed)
    return { fault: `redirects to ${to.origin}${to.pathname} in a way that would lose the message` }
  return { path: `${to.pathname}${to.search}`, permanent: PERMANENT.has(status) }
}

// Undoes the compression of a response, also of one that was not asked for (RFC 9110, 8.4).

/** Lets the rest of the response wait, or go on. */
interface Brake {
  pause(): void
  resume(): void
}

const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

/** The decoder a content-encoding needs: `none`, or undefined for one that is not known. */
function encodingOf(header: string): 'gzip' | 'deflate' | 'br' | 'none' | undefined {
  const coding = header.trim().toLowerCase()
  if (coding === '' || coding === 'identity') return 'none'
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip'
  return coding === 'deflate' || coding === 'br' ? coding : undefined
}

/** Stands in front of a reader. */
class Decoder implements BodyReader {
  readonly #encoding: 'gzip' | 'deflate' | 'br'
  readonly #to: BodyReader
  readonly #brake: Brake
  readonly #fail: (error: Error) => void
  readonly #failed: (error: Error) => void
  #stream: Transform | undefined

  constructor(
    encoding: 'gzip' | 'deflate' | 'br',
    to: BodyReader,
    brake: Brake,
    fail: (error: Error) => void,
    failed: (error: Error) => void,
  ) {
    this.#encoding = encoding
    this.#to = to
    this.#brake = brake
    this.#fail = fail
    this.#failed = failed
  }

  data(chunk: Buffer): void {
    this.#stream ??= this.#start(chunk)
    if (this.#stream.write(chunk)) return
    this.#brake.pause()
    this.#stream.once('drain', () => this.#brake.resume())
  }

  end(): void {
    if (this.#stream) this.#stream.end()
    else this.#to.end()
  }

  /** Nothing comes out any more. */
  stop(): void {
    this.#stream?.destroy()
    this.#to.stop?.()
  }

  #start(first: Buffer): Transform {
    const stream = this.#create(first)
    this.#to.source?.({ pause: () => stream.pause(), resume: () => stream.resume(), fail: this.#fail })
    stream.on('data', (chunk: Buffer) => this.#to.data(chunk))
    stream.once('end', () => this.#to.end())
    stream.once('error', this.#failed)
    return stream
  }

  #create(first: Buffer): Transform {
    if (this.#encoding === 'gzip') return createGunzip(SYNC)
    if (this.#encoding === 'br') return createBrotliDecompress(BROTLI)
    // Some servers mean zlib's format by "deflate", as they should, and some the bare one.
    return ((first[0] ?? 0) & 0x0f) === 0x08 ? createInflate(SYNC) : createInflateRaw(SYNC)
  }
}
