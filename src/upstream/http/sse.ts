/**
 * HTTP+SSE of 2024-11-05 (MCP specification, basic/transports, "HTTP with SSE"), by the SDK's transport. The stream of events is the
 * connection: when it ends, so does the session.
 */

import type { JSONRPCMessage, SSEClientTransport } from '@modelcontextprotocol/client'
import type { RequestInit, Response } from 'undici'
import { messageOf } from '../../protocol/errors.ts'
import type { JsonRpcMessage, Transport } from '../../protocol/message.ts'
import { AuthorizationNeeded, type UpstreamTransport } from '../transport.ts'
import { HttpError, oneLine } from './body.ts'
import type { Endpoint, HttpOptions } from './endpoint.ts'

/** A stream that is silent for long may be cut on the way, and nothing would tell: the server is pinged that often. */
const KEEP_ALIVE_MS = 120_000

export class SseTransport implements UpstreamTransport {
  readonly kind = 'sse'
  readonly local = false
  readonly keepAliveMs = KEEP_ALIVE_MS
  failure: string | undefined
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #options: HttpOptions
  readonly #endpoint: Endpoint
  #inner: SSEClientTransport | undefined
  #needed: AuthorizationNeeded | undefined
  #ended = false

  constructor(options: HttpOptions, endpoint: Endpoint) {
    this.#options = options
    this.#endpoint = endpoint
  }

  async start(): Promise<void> {
    try {
      await this.#open()
    } catch (error) {
      if (this.#needed !== undefined) throw this.#needed
      this.failure = `could not be reached: ${this.#describe(error)}`
      throw new Error(this.failure, { cause: error })
    }
  }

  async send(message: JsonRpcMessage): Promise<void> {
    const inner = this.#inner
    if (inner === undefined || this.#ended) throw new Error('the connection is closed')
    try {
      await inner.send(message as JSONRPCMessage)
    } catch (error) {
      if (error instanceof AuthorizationNeeded) throw error
      const status = statusOf(error)
      throw status === undefined
        ? new Error(this.#describe(error), { cause: error })
        : new HttpError(status, oneLine(messageOf(error), this.#options.conceal))
    }
  }

  setProtocolVersion(version: string): void {
    this.#inner?.setProtocolVersion(version)
  }

  async close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await this.#inner?.close()
    this.onclose?.()
  }

  async #open(): Promise<void> {
    const sdk = await import('@modelcontextprotocol/client')
    const { url, headers } = this.#options
    const fetch = await authorizedFetch(this.#endpoint)
    const inner = new sdk.SSEClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: (...asked) => fetch(...asked).catch((error: unknown) => this.#notSignedIn(error)),
    })
    this.#inner = inner
    let started = false
    inner.onmessage = (message) => this.onmessage?.(message as JsonRpcMessage)
    inner.onerror = (error) => {
      if (this.#ended) return
      // The event source would come back on its own, to a new session that knows no handshake.
      if (started && error instanceof sdk.SseError)
        this.#end(`closed the event stream (${this.#describe(error)})`)
      else this.onerror?.(error)
    }
    await inner.start()
    started = true
  }

  /** The event source tells the words of an error and forgets the error. */
  #notSignedIn(error: unknown): never {
    if (error instanceof AuthorizationNeeded) this.#needed = error
    throw error
  }

  #end(reason: string): void {
    this.#ended = true
    this.failure = reason
    void this.#inner?.close()
    this.onclose?.()
  }

  /** One line, with the reason below `fetch failed` when that is all. */
  #describe(error: unknown): string {
    const below = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : ''
    const status = statusOf(error)
    const text = oneLine(`${messageOf(error)}${below}`, this.#options.conceal)
    return status === undefined ? text : `HTTP ${status}: ${text}`
  }
}

function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' ? status : undefined
}

// `fetch` over our own pool of connections, signed in. The SDK's transport uses it.

type Fetch = typeof globalThis.fetch

async function authorizedFetch({ dispatcher, authorizer, url }: Endpoint): Promise<Fetch> {
  const { fetch } = await import('undici')
  const plain = (target: string | URL, init: RequestInit): Promise<Response> =>
    fetch(target, { ...init, dispatcher })
  if (authorizer === undefined) return plain as unknown as Fetch
  const send = async (
    target: string | URL,
    init: RequestInit,
    asked: readonly number[],
  ): Promise<Response> => {
    const signal = init.signal ?? undefined
    // Credentials of this server are for this origin.
    if (new URL(target).origin !== url.origin) return plain(target, init)
    const sent = await authorizer.header(signal)
    const headers = new Headers(init.headers as ConstructorParameters<typeof Headers>[0])
    if (sent !== undefined) headers.set('authorization', sent)
    const response = await plain(target, { ...init, headers: [...headers] })
    const challenge = response.headers.get('www-authenticate') ?? undefined
    const refused = response.status === 401 || (response.status === 403 && challenge !== undefined)
    // Once each: a token may first be refused and then lack a scope.
    if (!refused || asked.includes(response.status)) return response
    if (!(await authorizer.refused({ status: response.status, challenge, sent }, signal))) return response
    await response.body?.cancel()
    return send(target, init, [...asked, response.status])
  }
  return ((target: string | URL, init: RequestInit = {}) => send(target, init, [])) as unknown as Fetch
}
