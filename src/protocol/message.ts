/** JSON-RPC 2.0 messages as MCP uses them: no batches, ids are strings or integers. */
import type { JsonObject, JsonValue } from './json.ts'
import type { Result } from './result.ts'

/** Chosen by whoever asks, unique among the requests of that side that are under way. */
export type RequestId = string | number

/** A request before it has an id: what is asked, and with what. */
export interface Request {
  method: string
  params?: JsonObject
}

/** The same form; nobody answers it. */
export type Notification = Request

/** A request on the wire. */
export interface JsonRpcRequest extends Request {
  jsonrpc: '2.0'
  id: RequestId
}

/** A notification on the wire. */
export interface JsonRpcNotification extends Notification {
  jsonrpc: '2.0'
}

/** The answer to the request with this id. */
export interface JsonRpcResult {
  jsonrpc: '2.0'
  id: RequestId
  result: Result
}

/** What went wrong: `code` is a number of JSON-RPC, of MCP or of the sender's own. */
export interface JsonRpcErrorObject {
  code: number
  message: string
  data?: JsonValue
}

/** The answer to a request that failed. */
export interface JsonRpcFailure {
  jsonrpc: '2.0'
  /** Absent or null when the other side could not read the id. */
  id?: RequestId | null
  error: JsonRpcErrorObject
}

/** Anything that crosses a connection. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResult | JsonRpcFailure
