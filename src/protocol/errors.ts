/**
 * An error has one of three exits. A local error (`ProxyError`) ends in a message for the person who runs the proxy. A JSON-RPC error
 * (`RpcError`) crosses the wire unchanged. The model reads an `isError` result (`errorResult`).
 */

import { isObject, type JsonObject, type JsonValue } from './json.ts'
import type { JsonRpcErrorObject, Signal } from './message.ts'

/** The codes of JSON-RPC errors that this proxy sends or goes by, of JSON-RPC 2.0 and of MCP. `docs/errors.md` is made of it. */
export const RPC_ERRORS = {
  parseError: { code: -32700, meaning: 'The message is not JSON.' },
  invalidRequest: {
    code: -32600,
    meaning: 'The message is not a request, or is wrong at this point, such as a second `initialize`.',
  },
  methodNotFound: { code: -32601, meaning: 'Neither the proxy nor the server has this method.' },
  invalidParams: {
    code: -32602,
    meaning: 'The parameters are wrong, or name a tool, prompt or resource that does not exist.',
  },
  internalError: {
    code: -32603,
    meaning: 'The proxy or a server failed. `data.code` is the code of a local error, where it was one.',
  },
  resourceNotFound: {
    code: -32002,
    meaning: 'The resource does not exist (MCP up to 2025-11-25; later ones say -32602).',
  },
  connectionClosed: {
    code: -32000,
    meaning: 'The connection or the session ended before the answer (the value of the MCP SDKs).',
  },
  requestTimeout: { code: -32001, meaning: 'The answer did not come in time (the value of the MCP SDKs).' },
  sessionNotFound: {
    code: -32001,
    meaning: 'The client sent the id of a session that does not exist (the value of the MCP SDKs).',
  },
  cancelled: {
    code: -32800,
    meaning: 'The request was cancelled (the value of the Language Server Protocol).',
  },
  headerMismatch: { code: -32020, meaning: 'An HTTP header and the body disagree (MCP 2026-07-28).' },
  missingClientCapability: {
    code: -32021,
    meaning: 'The request needs a capability that the client did not declare (MCP 2026-07-28).',
  },
  unsupportedVersion: {
    code: -32022,
    meaning:
      'The proxy does not speak this revision of MCP; `data.supported` lists the others (MCP 2026-07-28).',
  },
  urlElicitationRequired: {
    code: -32042,
    meaning: 'A person has to visit an address first (MCP 2025-11-25, URL mode elicitation).',
  },
} as const

type RpcErrors = typeof RPC_ERRORS

/** The same codes by name alone: `RPC.invalidParams` is -32602. */
export const RPC = Object.fromEntries(Object.entries(RPC_ERRORS).map(([name, { code }]) => [name, code])) as {
  readonly [Name in keyof RpcErrors]: RpcErrors[Name]['code']
}

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

/**
 * Where an error ends. `local`: a message for the person who runs the proxy, at the terminal or in the log. `rpc`: a JSON-RPC error.
 * `result`: an `isError` result, which the model reads.
 */
export type Exit = 'local' | 'rpc' | 'result'

/** The facts of an error before it happens. */
export interface ErrorInfo {
  readonly meaning: string
  /** The next step in general; a thrown error says it for its case. */
  readonly next: string
  /** The folders below `src` that throw it. */
  readonly from: readonly string[]
  readonly exits: readonly Exit[]
  /** The code of the JSON-RPC error that it becomes. */
  readonly rpc: number
}

/** Every local failure has a code. A test compares the table with the code, and `docs/errors.md` is made of it. */
export const ERROR_CODES = {
  CONFIG_NOT_FOUND: {
    meaning: 'No configuration file was found.',
    next: 'Write an `mcp.json` (`mcp-rlm-proxy init` begins one), or name one with `--config`.',
    from: ['cli', 'config'],
    exits: ['local'],
    rpc: RPC.internalError,
  },
  CONFIG_INVALID: {
    meaning: 'The configuration, the command line or a file in the data directory is not valid.',
    next: 'Correct what the message names. `mcp-rlm-proxy doctor` checks everything at once.',
    from: ['cli', 'config', 'data', 'discovery', 'features', 'gateway', 'upstream'],
    exits: ['local'],
    rpc: RPC.internalError,
  },
  LISTEN_FAILED: {
    meaning: 'The proxy could not listen on its address.',
    next: 'Choose another `port` or `host`, or end the program that uses this one.',
    from: ['server'],
    exits: ['local'],
    rpc: RPC.internalError,
  },
  UPSTREAM_CONNECT: {
    meaning: 'A server could not be connected.',
    next: 'Check its command, arguments, environment or url. Sign in with `mcp-rlm-proxy login` where it asks for that.',
    from: ['proxy', 'upstream'],
    exits: ['local', 'rpc', 'result'],
    rpc: RPC.internalError,
  },
  UPSTREAM_TIMEOUT: {
    meaning: 'A server did not answer in time.',
    next: 'Ask for less at once, or raise `timeout` of the server, or `connect.timeoutMs` when it starts slowly.',
    from: ['upstream'],
    exits: ['local', 'rpc', 'result'],
    rpc: RPC.requestTimeout,
  },
  UPSTREAM_CLOSED: {
    meaning: 'A server closed the connection before it answered.',
    next: 'Call again: the next call connects again. A call without an answer may or may not have taken effect.',
    from: ['upstream'],
    exits: ['local', 'rpc', 'result'],
    rpc: RPC.connectionClosed,
  },
  UPSTREAM_PROTOCOL: {
    meaning: 'A server sent something that is not MCP.',
    next: 'Look at the log of the server, and whether its url or command is that of an MCP server.',
    from: ['upstream'],
    exits: ['local', 'rpc', 'result'],
    rpc: RPC.internalError,
  },
  QUERY_TIMEOUT: {
    meaning: 'A query over a kept result took too long.',
    next: 'Ask for less: a narrower `path`, a simpler pattern. `queryTimeoutMs` is the limit.',
    from: ['engine'],
    exits: ['rpc', 'result'],
    rpc: RPC.internalError,
  },
  QUERY_BUSY: {
    meaning: 'Too many queries of one agent already wait for their turn.',
    next: 'Ask again after the seconds that the message names, and fewer at once.',
    from: ['engine'],
    exits: ['rpc', 'result'],
    rpc: RPC.internalError,
  },
  QUERY_FAILED: {
    meaning: 'A query over a kept result broke off.',
    next: 'Ask in another way. The kept result is intact.',
    from: ['engine'],
    exits: ['rpc', 'result'],
    rpc: RPC.internalError,
  },
  STORE_FAILED: {
    meaning: 'A kept result or another file of the proxy could not be written or read.',
    next: 'Check the rights and the free space of the data directory.',
    from: ['data', 'store', 'upstream'],
    exits: ['local', 'rpc', 'result'],
    rpc: RPC.internalError,
  },
  PACKAGE_MISSING: {
    meaning: 'An optional package is not installed.',
    next: 'Install the package that the message names, or choose a setting that does not need it.',
    from: ['discovery', 'features', 'store'],
    exits: ['local'],
    rpc: RPC.internalError,
  },
  EMBEDDING_FAILED: {
    meaning: 'Texts could not be embedded, so tools are found by words alone.',
    next: 'Check the model, the address and the key of the embedder.',
    from: ['discovery'],
    exits: ['local'],
    rpc: RPC.internalError,
  },
  CANCELLED: {
    meaning: 'The client cancelled, or the proxy ends.',
    next: 'Do nothing: the client no longer waits for the answer.',
    from: ['engine', 'protocol'],
    exits: ['rpc'],
    rpc: RPC.cancelled,
  },
} as const satisfies Readonly<Record<string, ErrorInfo>>

/** The codes of docs/errors.md. */
export type ErrorCode = keyof typeof ERROR_CODES

/** A local error: what happened, and what to do next. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly code: ErrorCode
  /** The next step for the reader, as a sentence. */
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

/** The error of a request when the signal says that its client no longer waits. */
export function cancelled(signal: Signal): ProxyError {
  return new ProxyError('CANCELLED', 'the client cancelled', '', { cause: signal.reason })
}

/** True for an error of the system or of Node with this code, such as ENOENT. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
