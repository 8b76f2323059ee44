/** What a connection asks of a transport beyond carrying messages. Contract; `stdio.ts`, `in-process.ts` and `http/` implement it. */
import { LargeResult, plain } from '../protocol/content.ts'
import { type ErrorCode, RPC, type RpcError } from '../protocol/errors.ts'
import { isObject, own } from '../protocol/json.ts'
import type { JsonRpcFailure, JsonRpcMessage, RequestId, Transport } from '../protocol/message.ts'

/** How messages reach a server, as `status` and `doctor` name it. */
export type TransportKind = 'stdio' | 'streamable-http' | 'sse' | 'in-process'

export interface UpstreamTransport extends Transport {
  readonly kind: TransportKind
  /** Why it ended, or could not start, in words that follow "server `x`": "exited with code 1: no such file". */
  readonly failure: string | undefined
  /** Milliseconds of silence that this transport does not survive, less a margin: the server is pinged that often. */
  readonly keepAliveMs?: number | undefined
  /** Told once the handshake is done (HTTP sends it as a header). */
  setProtocolVersion?(version: string): void
}

/** True for a process of ours, or a part of this one: it is there for as long as we want it. */
export function isLocal({ kind }: UpstreamTransport): boolean {
  return kind === 'stdio' || kind === 'in-process'
}

/** Rejects `send` when the server forgot the session: the message was not delivered and may be sent again. */
export class SessionExpired extends Error {
  override readonly name = 'SessionExpired'
}

/** Rejects `send` when the server leaves too much unread: the message was not delivered, and nothing else is lost. */
export class NotRead extends Error {
  override readonly name = 'NotRead'
}

const LOCAL = 'mcp-rlm-proxy/local'

/**
 * A failure that the transport found and that concerns one request, dressed as the server's answer to it: this request
 * fails, the connection lives.
 */
export function localFailure(id: RequestId, code: ErrorCode, message: string): JsonRpcFailure {
  return { jsonrpc: '2.0', id, error: { code: RPC.internalError, message, data: { [LOCAL]: code } } }
}

/** The code given to `localFailure`, when that is where the error comes from. */
export function localCode(error: RpcError): ErrorCode | undefined {
  const code = isObject(error.data) ? own(error.data, LOCAL) : undefined
  return code === 'UPSTREAM_PROTOCOL' || code === 'UPSTREAM_CLOSED' ? code : undefined
}

/** The message as JSON can carry it: a large result is parsed. */
export function wireMessage(message: JsonRpcMessage): JsonRpcMessage {
  return 'result' in message && message.result instanceof LargeResult
    ? { ...message, result: plain(message.result) }
    : message
}
