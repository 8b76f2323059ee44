/** The demands of a connection on a transport beyond carrying messages. Contract; `stdio.ts`, `in-process.ts` and `http/` implement it. */

import { type ErrorCode, RPC, type RpcError } from '../protocol/errors.ts'
import { isObject, own } from '../protocol/json.ts'
import type { JsonRpcFailure, RequestId, Signal, Transport } from '../protocol/message.ts'
import type { ResumableSession } from './shared-session.ts'

/** Settings of any server; what is absent comes from `defaults`. */
export interface ServerSettings {
  /** Milliseconds a call may go without an answer or progress. */
  timeoutMs?: number | undefined
  /** Milliseconds from start to the end of the handshake; also the longest that a list may take. */
  connectTimeoutMs?: number | undefined
  /** Connect on first use. */
  lazy?: boolean | undefined
  instance?: Instance | undefined
}

/** `session`: a connection for each client. `shared`: one for all, which promises no client's capabilities. `auto`: see `company.ts`. */
export type Instance = 'session' | 'auto' | 'shared'

export interface UpstreamTransport extends Transport {
  /** How messages reach the server, as `status` and `doctor` name it. */
  readonly kind: string
  /** True for a process of ours, or a part of this one: it is there for as long as we want it. */
  readonly local: boolean
  /** Why it ended, or could not start, in words that follow "server `x`": "exited with code 1: no such file". */
  readonly failure: string | undefined
  /** Milliseconds of silence that this transport does not survive, less a margin: the server is pinged that often. */
  readonly keepAliveMs?: number | undefined
  /** Told once the handshake is done (HTTP sends it as a header). */
  setProtocolVersion?(version: string): void
  /** Undefined: there are no sessions on this transport, or it has not begun. */
  readonly session?: ResumableSession | undefined
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

// Authorizes the proxy at an HTTP server. Contract; `oauth/` implements it, the HTTP transport asks it.

/** A refusal as the server gave it. */
export interface Refusal {
  /** 401, or 403 when the token lacks a scope. */
  status: number
  /** `WWW-Authenticate`, when there was one (RFC 9110, 11.6.1; RFC 9728, 5.1). */
  challenge: string | undefined
  /** The `Authorization` header that was refused. */
  sent: string | undefined
}

export interface Authorizer {
  /** The `Authorization` header to send now, renewed when it is about to expire; undefined while there is none. */
  header(signal?: Signal): Promise<string | undefined>
  /**
   * The server refused. Resolves to true when there is something new to send, so that the request may be sent once more, and to
   * false when not. Rejects with AuthorizationNeeded when a person has to visit an address first.
   */
  refused(refusal: Refusal, signal?: Signal): Promise<boolean>
  /** Ends what waits for a person. */
  close(): Promise<void>
}

/** A person has to sign in first. The message follows "server `x`: " and holds the address. */
export class AuthorizationNeeded extends Error {
  override readonly name = 'AuthorizationNeeded'
  /** Where to sign in. */
  readonly url: string

  constructor(message: string, url: string) {
    super(message)
    this.url = url
  }
}
