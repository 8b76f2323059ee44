/** Requests of the modern era (MCP 2026-07-28), whatever carried them. Contract; `modern.ts` implements it. */
import type { Agent } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notification, Request, RequestId } from '../protocol/message.ts'
import type { Result } from '../protocol/result.ts'

/** Where a request came from. */
export interface Requester {
  agent: Agent
  /** The profile that it chose by where it sent it. */
  profile?: string | undefined
  id: RequestId
  /** Aborts when the client cancels or leaves: over HTTP by closing the stream. */
  signal: AbortSignal
  /** Sends on the stream of this request. */
  notify(notification: Notification): void
}

export interface ModernService {
  /**
   * Answers one request: `server/discover`, `subscriptions/listen` (which lasts until the signal aborts or the proxy closes) and
   * everything the onion answers. Rejects with RpcError only: -32602 for a broken envelope, -32022 for a revision we do not
   * speak, -32601 for a method that is none.
   */
  serve(request: Request, requester: Requester): Promise<Result>
  /** The input schema of a tool under the name this client knows it by; undefined when there is no such tool. */
  toolSchema(name: string, request: Request, requester: Requester): Promise<JsonObject | undefined>
  /** Ends the subscriptions, each with its result. */
  close(): Promise<void>
}
