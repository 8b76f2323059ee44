/** JSON-RPC 2.0 messages as MCP uses them: no batches, ids are strings or integers. */
import type { Result } from './content.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** Chosen by the requester, unique among its requests that are under way. */
export type RequestId = string | number

/** A request before it has an id: what is asked, and with what. */
export interface Request {
  method: string
  params?: JsonObject
}

/** The same form, without an answer. */
export type Notification = Request

/** A request on the wire. */
export interface JsonRpcRequest extends Request {
  jsonrpc: '2.0'
  id: RequestId
}

/** A notification on the wire. */
export interface JsonRpcNotification extends Notification {
  jsonrpc: '2.0'
}

/** The answer to the request with this id. */
export interface JsonRpcResult {
  jsonrpc: '2.0'
  id: RequestId
  result: Result
}

/** The fault: `code` is a number of JSON-RPC, of MCP or of the sender's own. */
export interface JsonRpcErrorObject {
  code: number
  message: string
  data?: JsonValue
}

/** The answer to a request that failed. */
export interface JsonRpcFailure {
  jsonrpc: '2.0'
  /** Absent or null when the other side could not read the id. */
  id?: RequestId | null
  error: JsonRpcErrorObject
}

/** Anything that crosses a connection. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResult | JsonRpcFailure

/** How a message is sent, where the transport has more than one way. */
export interface SendOptions {
  /** The request this message belongs to: over HTTP it travels on that request's stream. */
  relatedRequestId?: RequestId
  /** HTTP headers of this message alone. Other transports have none. */
  headers?: Readonly<Record<string, string>>
}

/**
 * One connection that carries JSON-RPC messages. The shape is that of the MCP SDK's `Transport`, so the SDK's
 * transports fit as they are; ours deliver large results as `LargeResult`.
 */
export interface Transport {
  start(): Promise<void>
  /** Rejects when the message cannot be handed over. Resolves when the receiver can take more (back-pressure). */
  send(message: JsonRpcMessage, options?: SendOptions): Promise<void>
  close(): Promise<void>
  /** Whether the other side waits for anything, where its connection does not tell (HTTP). */
  readonly isListening?: boolean
  /** `via`: the request of ours with the stream that the message came on, where the transport can tell (HTTP). */
  onmessage?: ((message: JsonRpcMessage, via?: RequestId) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
}

/**
 * The end of a request, for the work that is done for it: its client left, or takes no answer. The part of AbortSignal that our own code
 * uses: each AbortSignal is one, and a `Cancellation` (`peer.ts`) is the other kind.
 */
export interface Signal {
  readonly aborted: boolean
  /** The argument of `abort`, or the DOMException `AbortError`. */
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: AbortListener, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: AbortListener): void
}

/** A function, or an object that listens itself. Of an AbortSignal it gets the event. */
export type AbortListener = ((event: unknown) => void) | { handleEvent(event: unknown): void }
