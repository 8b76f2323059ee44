/**
 * MCP over HTTP: streamable HTTP, and the HTTP+SSE of 2024-11-05 where the server knows nothing else (MCP 2025-11-25, basic/transports,
 * "Backwards Compatibility"). The code for HTTP is loaded when a connection begins.
 */
import { messageOf } from '../../protocol/errors.ts'
import type { JsonRpcMessage, SendOptions, Transport } from '../../protocol/message.ts'
import type { ResumableSession } from '../shared-session.ts'
import type { ServerSettings, UpstreamTransport } from '../transport.ts'
import type { Endpoint, HttpOptions } from './endpoint.ts'

/** One that is there already, at an address. */
export interface HttpServer extends ServerSettings {
  url: string
  headers?: Readonly<Record<string, string>> | undefined
  /** Absent: SSE when the path ends in `/sse`, else streamable HTTP with a fall-back to SSE. */
  type?: 'sse' | 'http' | 'streamable-http' | undefined
  /** How its tokens are had. Only looked at to see whether it changed. */
  oauth?: object | undefined
}

/** The answers of an HTTP+SSE server to the POST of an initialize request. */
const NOT_STREAMABLE = new Set([400, 404, 405])

export class HttpTransport implements UpstreamTransport {
  readonly local = false
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #options: HttpOptions
  #kind: 'streamable-http' | 'sse'
  #inner: UpstreamTransport | undefined
  #endpoint: Endpoint | undefined
  #ended = false

  constructor(options: HttpOptions) {
    this.#options = options
    this.#kind = options.type === 'sse' && options.era === 'legacy' ? 'sse' : 'streamable-http'
  }

  get kind(): 'streamable-http' | 'sse' {
    return this.#kind
  }

  get failure(): string | undefined {
    return this.#inner?.failure
  }

  get session(): ResumableSession | undefined {
    return this.#inner?.session
  }

  get keepAliveMs(): number | undefined {
    return this.#inner?.keepAliveMs
  }

  async start(): Promise<void> {
    const { createEndpoint } = await import('./endpoint.ts')
    this.#endpoint = await createEndpoint(this.#options)
    await this.#open(this.#endpoint)
  }

  send(message: JsonRpcMessage, options?: SendOptions): Promise<void> {
    const inner = this.#inner
    if (inner === undefined || this.#ended) return Promise.reject(new Error('the connection is closed'))
    const sent = inner.send(message, options)
    const mayFallBack =
      'method' in message && message.method === 'initialize' && this.#options.type === 'auto'
    return mayFallBack ? sent.catch((error: unknown) => this.#fallBack(message, error)) : sent
  }

  setProtocolVersion(version: string): void {
    this.#inner?.setProtocolVersion?.(version)
  }

  async close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await this.#inner?.close()
    this.onclose?.()
  }

  async #open(endpoint: Endpoint): Promise<void> {
    const inner = await this.#create(endpoint)
    if (this.#ended) throw new Error('the connection is closed')
    this.#inner = inner
    inner.onmessage = (message, via) => this.onmessage?.(message, via)
    inner.onerror = (error) => this.onerror?.(error)
    inner.onclose = () => {
      if (this.#ended || this.#inner !== inner) return
      this.#ended = true
      this.onclose?.()
    }
    await inner.start()
  }

  async #create(endpoint: Endpoint): Promise<UpstreamTransport> {
    if (this.#kind === 'sse') {
      const { SseTransport } = await import('./sse.ts')
      return new SseTransport(this.#options, endpoint)
    }
    const { StreamableTransport } = await import('./streamable.ts')
    return new StreamableTransport(this.#options, endpoint)
  }

  async #fallBack(message: JsonRpcMessage, refusal: unknown): Promise<void> {
    const { conceal, logger, era } = this.#options
    const endpoint = this.#endpoint
    if (era !== 'legacy' || endpoint === undefined || this.#kind === 'sse' || !notStreamable(refusal))
      throw refusal
    const streamable = this.#inner
    this.#kind = 'sse'
    this.#inner = undefined
    try {
      await this.#open(endpoint)
    } catch (error) {
      this.#kind = 'streamable-http'
      this.#inner = streamable
      logger.debug({ error: conceal(messageOf(error)) }, 'no HTTP+SSE there either')
      throw refusal
    }
    await streamable?.close()
    await this.send(message)
  }
}

function notStreamable(refusal: unknown): boolean {
  const status = refusal instanceof Error && 'status' in refusal ? refusal.status : undefined
  return typeof status === 'number' && NOT_STREAMABLE.has(status)
}
