/** From whatever was thrown to what a script reads. */
import { BridgeError, type BridgeErrorCode } from '../../protocol/bridge.ts'
import { type ErrorCode, ProxyError, RPC, RpcError } from '../../protocol/errors.ts'

const CODES: Readonly<Partial<Record<ErrorCode, BridgeErrorCode>>> = {
  UPSTREAM_CONNECT: 'server_failed',
  UPSTREAM_CLOSED: 'server_failed',
  UPSTREAM_PROTOCOL: 'server_failed',
  UPSTREAM_TIMEOUT: 'server_timeout',
  QUERY_TIMEOUT: 'server_timeout',
  BAD_PARAMETERS: 'bad_request',
}

/** What is of no kind known here is told without its words, which may be anything. */
export function toBridgeError(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error
  if (error instanceof ProxyError) return new BridgeError(CODES[error.code] ?? 'internal_error', error.text)
  if (error instanceof RpcError) {
    const code = error.code === RPC.invalidParams ? 'bad_request' : 'server_failed'
    return new BridgeError(code, `The server refused: ${error.message} (${error.code})`)
  }
  if (error instanceof SyntaxError) return new BridgeError('server_failed', 'The server sent no valid JSON.')
  const told = new BridgeError('internal_error', 'Internal error')
  told.cause = error
  return told
}
