/**
 * MCP over HTTP: streamable HTTP, and the HTTP+SSE of 2024-11-05 (MCP specification, basic/transports). The SDK's
 * transports do the work; around them: falling back to SSE, telling an expired session from other failures, and
 * failing a request whose stream ended without its answer.
 */
import type {
  JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { messageOf } from '../protocol/errors.ts'
import type { JsonRpcMessage, RequestId } from '../protocol/message.ts'
import type { Transport } from '../protocol/transport.ts'
import type { Logger } from '../telemetry/log.ts'
import { localFailure, SessionExpired, type UpstreamTransport, wireMessage } from './upstream-transport.ts'

export interface HttpOptions {
  url: URL
  headers: Readonly<Record<string, string>>
  /** `auto`: streamable HTTP, and SSE when the server answers initialize as one that does not know it. */
  type: 'streamable-http' | 'sse' | 'auto'
  /** Milliseconds to wait for the server to end the session. */
  graceMs: number
  /** Strikes this server's secrets out of messages, which are told to clients and models. */
  conceal(text: string): string
  logger: Logger
  fetch?: typeof fetch | undefined
}

type Inner = StreamableHTTPClientTransport | SSEClientTransport

/** What an HTTP+SSE server answers to the POST of an initialize request (2025-11-25, "Backwards Compatibility"). */
const NOT_STREAMABLE = new Set([400, 404, 405])
const SHOWN = 200
/** Node's fetch ends a response that is silent for 300 s; for HTTP+SSE that response is the connection. */
const KEEP_ALIVE_MS = 120_000

export class HttpTransport implements UpstreamTransport {
  kind: 'streamable-http' | 'sse'
  failure: string | undefined
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #options: HttpOptions
  readonly #waiting = new Set<RequestId>()
  #inner: Inner | undefined
  #started = false
  #ended = false

  constructor(options: HttpOptions) {
    this.#options = options
    this.kind = options.type === 'sse' ? 'sse' : 'streamable-http'
  }

  get keepAliveMs(): number | undefined {
    return this.kind === 'sse' ? KEEP_ALIVE_MS : undefined
  }

  async start(): Promise<void> {
    try {
      await this.#open()
    } catch (error) {
      this.failure = `could not be reached: ${this.#describe(error)}`
      throw new Error(this.failure, { cause: error })
    }
  }

  async send(message: JsonRpcMessage): Promise<void> {
    const id = 'method' in message && 'id' in message ? message.id : undefined
    if (id !== undefined) this.#waiting.add(id)
    try {
      await this.#post(message, id)
    } catch (error) {
      if (id !== undefined) this.#waiting.delete(id)
      if (!isInitialize(message))
        throw this.#expired(error) ? new SessionExpired(this.#describe(error)) : this.#reworded(error)
      if (!this.#mayFallBack(error)) throw this.#reworded(error)
      await this.#fallBack(error)
      await this.#post(message, id)
    }
  }

  setProtocolVersion(version: string): void {
    this.#inner?.setProtocolVersion(version)
  }

  async close(): Promise<void> {
    this.#ended = true
    const inner = this.#inner
    if (inner && 'terminateSession' in inner) {
      const patience = new Promise<void>((resolve) => setTimeout(resolve, this.#options.graceMs).unref())
      await Promise.race([inner.terminateSession().catch(() => {}), patience])
    }
    await inner?.close()
    this.onclose?.()
  }

  async #open(): Promise<void> {
    const sdk = await import('@modelcontextprotocol/client')
    const { url, headers, fetch } = this.#options
    const options = { requestInit: { headers: { ...headers } }, ...(fetch === undefined ? {} : { fetch }) }
    const inner =
      this.kind === 'sse'
        ? new sdk.SSEClientTransport(url, options)
        : new sdk.StreamableHTTPClientTransport(url, options)
    this.#inner = inner
    inner.onmessage = (message) => this.#receive(message as JsonRpcMessage)
    inner.onerror = (error) => {
      if (this.#ended) return
      // The event source would come back on its own, to a new session that knows no handshake.
      if (this.#started && error instanceof sdk.SseError)
        this.#end(`closed the event stream (${this.#describe(error)})`)
      else this.onerror?.(error)
    }
    await inner.start()
    this.#started = true
  }

  async #post(message: JsonRpcMessage, id: RequestId | undefined): Promise<void> {
    const inner = this.#inner
    if (inner === undefined || this.#ended) throw new Error('the connection is closed')
    const wire = wireMessage(message) as JSONRPCMessage
    await ('terminateSession' in inner
      ? inner.send(wire, { onRequestStreamEnd: () => this.#streamEnded(id) })
      : inner.send(wire))
  }

  #receive(message: JsonRpcMessage): void {
    if (!('method' in message) && message.id !== undefined && message.id !== null)
      this.#waiting.delete(message.id)
    this.onmessage?.(message)
  }

  #streamEnded(id: RequestId | undefined): void {
    if (id === undefined || this.#ended || !this.#waiting.delete(id)) return
    this.onmessage?.(localFailure(id, 'UPSTREAM_CLOSED', 'closed the stream before the answer'))
  }

  #mayFallBack(error: unknown): boolean {
    const status = statusOf(error)
    return (
      this.#options.type === 'auto' &&
      this.kind !== 'sse' &&
      status !== undefined &&
      NOT_STREAMABLE.has(status)
    )
  }

  async #fallBack(refusal: unknown): Promise<void> {
    await this.#inner?.close()
    this.kind = 'sse'
    this.#started = false
    try {
      await this.#open()
    } catch (error) {
      this.kind = 'streamable-http'
      this.#options.logger.debug({ error: this.#describe(error) }, 'no HTTP+SSE there either')
      throw this.#reworded(refusal)
    }
  }

  /** 404 by the specification; several servers answer 400 and name the session. */
  #expired(error: unknown): boolean {
    const inner = this.#inner
    if (inner === undefined || !('sessionId' in inner) || inner.sessionId === undefined) return false
    const status = statusOf(error)
    return status === 404 || (status === 400 && /session/i.test(messageOf(error)))
  }

  #reworded(error: unknown): Error {
    return new Error(this.#describe(error), { cause: error })
  }

  /** One line: the HTTP status when there is one, the reason below `fetch failed` when that is all. */
  #describe(error: unknown): string {
    const status = statusOf(error)
    const below = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : ''
    const text = this.#options
      .conceal(`${messageOf(error)}${below}`)
      .replaceAll(/\s+/g, ' ')
      .slice(0, SHOWN)
    return status === undefined ? text : `HTTP ${status}: ${text}`
  }

  #end(reason: string): void {
    this.#ended = true
    this.failure = reason
    void this.#inner?.close()
    this.onclose?.()
  }
}

function isInitialize(message: JsonRpcMessage): boolean {
  return 'method' in message && message.method === 'initialize'
}

function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' ? status : undefined
}
