import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { RpcError } from '../protocol/errors.ts'
import type { RequestId } from '../protocol/message.ts'

/** What a refusal says besides its words. */
export interface Refusal {
  /** JSON-RPC code; -32000 when absent. */
  code?: number
  /** The request that is refused; null when it is none, or several. */
  id?: RequestId | null
  headers?: OutgoingHttpHeaders
}

/** Answers with an HTTP status and a JSON-RPC error, which belongs to no request unless it is named. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  { code = -32_000, id = null, headers }: Refusal = {},
): void {
  respond(response, status, { jsonrpc: '2.0', id, error: { code, message } }, headers)
}

/** Answers a request with an HTTP status and the error as it is. */
export function refuseWith(
  response: ServerResponse,
  status: number,
  error: RpcError,
  id: RequestId | null,
): void {
  respond(response, status, { jsonrpc: '2.0', id, error: error.toJSON() })
}

function respond(
  response: ServerResponse,
  status: number,
  body: object,
  headers?: OutgoingHttpHeaders,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
