import { errorResult } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { formatCount } from '../text/format.ts'
import { head } from '../text/shorten.ts'

/** `_meta` of a tool that clients with many tools list at once, and find by these words when they search (Claude Code). */
export function findable(searchHint: string): JsonObject {
  return { 'anthropic/alwaysLoad': true, 'anthropic/searchHint': searchHint }
}

/** A tool the proxy itself offers. */
export interface ProxyTool {
  readonly name: string
  /** What `tools/list` shows (MCP specification, server/tools, "Tool"). */
  readonly definition: JsonObject
  /** Answers with a CallToolResult; what the model did wrong is an `isError` result, never a throw. */
  call(args: JsonObject, exchange: Exchange): Promise<JsonObject>
}

/** Errors that clients act on: a capability is missing, a person has to visit an address, the request was cancelled. */
const FOR_THE_CLIENT: ReadonlySet<number> = new Set([
  RPC.headerMismatch,
  RPC.missingClientCapability,
  RPC.unsupportedVersion,
  RPC.urlElicitationRequired,
  RPC.cancelled,
])

/** A JSON-RPC error of the tool that was called is a failure of the tool that called it, which the model can read. */
export function refusal(error: unknown): JsonObject {
  if (error instanceof RpcError && !FOR_THE_CLIENT.has(error.code))
    return errorResult(`${error.message} (JSON-RPC error ${error.code})${dataOf(error)}`)
  throw error
}

/** Characters of the data of an error that a model is shown. */
const MOST_DATA = 2_000

/** What a server says beside the message often tells what to do. */
function dataOf({ data }: RpcError): string {
  if (data === undefined || data === null) return ''
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const left = text.length - MOST_DATA
  return `\ndata: ${left > 0 ? `${head(text, MOST_DATA)} …[${formatCount(left)} characters left out]` : text}`
}
