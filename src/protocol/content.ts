/** Content blocks of tool results and prompts (MCP specification, server/tools, "Tool Result"). */
import { isObject, type JsonObject, type JsonValue } from './json.ts'

/** A block as it came: known kinds have a `type` we read, unknown kinds and fields pass untouched. */
export type ContentBlock = JsonObject

/** True for a block of text. */
export function isText(block: JsonValue | undefined): block is JsonObject & { type: 'text'; text: string } {
  return isObject(block) && block.type === 'text' && typeof block.text === 'string'
}

/** The blocks of a CallToolResult; empty when the server sent none or something else. */
export function blocksOf(result: JsonObject): ContentBlock[] {
  return Array.isArray(result.content) ? result.content.filter(isObject) : []
}

/** A block that shows this text. */
export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** A tool's own failure, as the model sees it: a result, not a JSON-RPC error (MCP specification, "Error Handling"). */
export function errorResult(text: string): JsonObject {
  return { content: [textBlock(text)], isError: true }
}

/** Prefix of everything this proxy adds to `_meta` (MCP specification, basic, "_meta"). */
export const META = 'mcp-rlm-proxy/'
