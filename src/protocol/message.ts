/** JSON-RPC 2.0 messages as MCP uses them: no batches, ids are strings or integers. */
import type { JsonObject, JsonValue } from './json.ts'
import type { Result } from './result.ts'

export type RequestId = string | number

export interface Request {
  method: string
  params?: JsonObject
}

export type Notification = Request

export interface JsonRpcRequest extends Request {
  jsonrpc: '2.0'
  id: RequestId
}

export interface JsonRpcNotification extends Notification {
  jsonrpc: '2.0'
}

export interface JsonRpcResult {
  jsonrpc: '2.0'
  id: RequestId
  result: Result
}

export interface JsonRpcErrorObject {
  code: number
  message: string
  data?: JsonValue
}

export interface JsonRpcFailure {
  jsonrpc: '2.0'
  /** Absent or null when the other side could not read the id. */
  id?: RequestId | null
  error: JsonRpcErrorObject
}

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResult | JsonRpcFailure
