import type { JsonRpcMessage, RequestId } from './message.ts'

export interface SendOptions {
  /** The request this message belongs to: over HTTP it travels on that request's stream. */
  relatedRequestId?: RequestId
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
  onmessage?: ((message: JsonRpcMessage) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
}
