import type { Exchange } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'

/** A tool the proxy itself offers. */
export interface ProxyTool {
  readonly name: string
  /** What `tools/list` shows (MCP specification, server/tools, "Tool"). */
  readonly definition: JsonObject
  /** Answers with a CallToolResult; what the model did wrong is an `isError` result, never a throw. */
  call(args: JsonObject, exchange: Exchange): Promise<JsonObject>
}
