/** Content blocks of tool results and prompts (MCP specification, server/tools, "Tool Result"). */
import { isInputRequired } from './eras.ts'
import { isObject, type JsonObject, type JsonValue } from './json.ts'

/** A block as it came: known kinds have a `type` we read, unknown kinds and fields pass untouched. */
type ContentBlock = JsonObject

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

/** An answer that is this text. */
export function plainAnswer(text: string): JsonObject {
  return { content: [textBlock(text)] }
}

/** Prefix of everything this proxy adds to `_meta` (MCP specification, basic, "_meta"). */
export const META = 'mcp-rlm-proxy/'

/**
 * A result too large to be worth parsing on the event loop: its JSON, byte for byte as the server sent it.
 * Workers read it without a copy because the bytes lie on a SharedArrayBuffer.
 */
export class LargeResult {
  /** UTF-8 JSON of the `result` member alone, without the envelope. */
  readonly bytes: Uint8Array<SharedArrayBuffer>

  constructor(bytes: Uint8Array<SharedArrayBuffer>) {
    this.bytes = bytes
  }

  /** Parses here and now, on the calling thread. Throws SyntaxError when the server sent no valid JSON. */
  json(): JsonObject {
    const value: unknown = JSON.parse(Buffer.from(this.bytes).toString('utf8'))
    if (!isObject(value)) throw new SyntaxError('the result is not a JSON object')
    return value
  }
}

const IS_ERROR = '"isError"'

/** True when there is anything in the result that reads like `"isError": true`, which may also stand in a text. Does not parse. */
export function maySayError({ bytes }: LargeResult): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = text.indexOf(IS_ERROR); at >= 0; at = text.indexOf(IS_ERROR, at + 1)) {
    const after = at + IS_ERROR.length
    if (/^\s*:\s*t/.test(text.toString('latin1', after, after + 40))) return true
  }
  return false
}

/** What an exchange ends in. */
export type Result = JsonObject | LargeResult

/** The result as an object, parsed when it was not yet. Cheap for ordinary results. */
export function plain(result: Result): JsonObject {
  return result instanceof LargeResult ? result.json() : result
}

/** What servers may ask clients, in the modern era by a result (MCP 2026-07-28, multi round-trip requests), which anything else breaks. */
export const QUESTIONS: readonly string[] = ['sampling/createMessage', 'elicitation/create', 'roots/list']

/** Questions of one round. Each is a request to the client, and may be a dialog of its own. */
export const MAX_QUESTIONS = 64

/** Rounds of one call. A server that never has enough must not keep a person, or us, busy for ever. */
export const MAX_ROUNDS = 32

/** Larger questions cannot be: the client sends their state back, and no server takes so large a request. */
const LARGEST_QUESTION = 8 * 1024 * 1024

/**
 * True for a result by which a server asks for input (MCP 2026-07-28, multi round-trip requests): the client answers it, nobody
 * reads it. A large result is parsed only when it may be one.
 */
export function asksForInput(result: Result): boolean {
  if (!(result instanceof LargeResult)) return isInputRequired(result)
  const { buffer, byteOffset, byteLength } = result.bytes
  if (byteLength > LARGEST_QUESTION) return false
  if (!Buffer.from(buffer, byteOffset, byteLength).includes('"input_required"')) return false
  try {
    return isInputRequired(result.json())
  } catch {
    return false
  }
}
