/**
 * Three exits are kept apart: a local error (`ProxyError`, ends in a message for the person who runs the proxy),
 * a JSON-RPC error (`RpcError`, crosses the wire as it is) and an `isError` result (`errorResult`, read by the model).
 */

import { isObject, type JsonObject, type JsonValue } from './json.ts'
import type { JsonRpcErrorObject } from './message.ts'

/** Codes of JSON-RPC 2.0 and of MCP that this proxy itself sends. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** MCP ≤ 2025-11-25: resource not found. */
  resourceNotFound: -32002,
  /** Server side of a lost connection; the value the MCP SDKs use locally. */
  connectionClosed: -32000,
  requestTimeout: -32001,
  /** The request was cancelled; the value of the Language Server Protocol. */
  cancelled: -32800,
  /** MCP 2026-07-28: an HTTP header and the body disagree. */
  headerMismatch: -32020,
  /** MCP 2026-07-28: the request needs a capability that the client did not declare. */
  missingClientCapability: -32021,
  /** MCP 2026-07-28: the revision is not spoken here; `data.supported` lists those that are. */
  unsupportedVersion: -32022,
  /** MCP 2025-11-25: somebody has to visit an address first (URL mode elicitation). */
  urlElicitationRequired: -32042,
} as const

/** A JSON-RPC error that crosses the wire with code, message and data unchanged. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: JsonValue | undefined

  constructor(code: number, message: string, data?: JsonValue) {
    super(message)
    this.code = code
    this.data = data
  }

  /** From what another side sent. Without a whole number as code and a text no client could read it. */
  static from(error: unknown): RpcError {
    const { code, message, data }: JsonObject = isObject(error) ? error : {}
    return new RpcError(
      typeof code === 'number' && Number.isSafeInteger(code) ? code : RPC.internalError,
      typeof message === 'string' ? message : 'an error without a message',
      data,
    )
  }

  toJSON(): JsonRpcErrorObject {
    const { code, message, data } = this
    return data === undefined ? { code, message } : { code, message, data }
  }
}

/** Every local failure has a code; the table is the list that documents and tests go by. */
export const ERROR_CODES = {
  CONFIG_NOT_FOUND: 'no configuration file was found',
  CONFIG_INVALID: 'the configuration is not valid',
  LISTEN_FAILED: 'the address could not be listened on',
  UPSTREAM_CONNECT: 'a server could not be connected',
  UPSTREAM_TIMEOUT: 'a server did not answer in time',
  UPSTREAM_CLOSED: 'a server closed the connection',
  UPSTREAM_PROTOCOL: 'a server sent something that is not MCP',
  HANDLE_UNKNOWN: 'a cache_id is unknown or expired',
  BAD_PARAMETERS: 'parameters of a proxy tool are not valid',
  QUERY_TIMEOUT: 'a query over a kept result took too long',
  QUERY_FAILED: 'a query over a kept result broke off',
  STORE_FAILED: 'a kept result could not be written or read',
  PACKAGE_MISSING: 'an optional package is not installed',
  EMBEDDING_FAILED: 'texts could not be embedded',
  CANCELLED: 'the client cancelled',
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** A local error: what happened, and what to do next. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code: ErrorCode
  /** What the reader should do next, as a sentence. */
  readonly next: string

  constructor(code: ErrorCode, message: string, next: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    this.next = next
  }

  /** Both halves, for a place that shows one text. */
  get text(): string {
    return this.next === '' ? this.message : `${this.message}\n${this.next}`
  }
}

/** What a request is rejected with when the signal says that its client no longer waits. */
export function cancelled(signal: AbortSignal): ProxyError {
  return new ProxyError('CANCELLED', ERROR_CODES.CANCELLED, '', { cause: signal.reason })
}

/** True for an error of the system or of Node with this code, such as ENOENT. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
