import type { JsonRpcMessage, RequestId } from './message.ts'

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
  /** `via`: the request of ours on whose stream the message came, where the transport can tell (HTTP). */
  onmessage?: ((message: JsonRpcMessage, via?: RequestId) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
}
