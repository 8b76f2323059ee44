import { isInputRequired } from './eras.ts'
import { LargeResult, type Result } from './result.ts'

/** What a client may be asked by a result (MCP 2026-07-28, multi round-trip requests); anything else breaks the result. */
export const ANSWERABLE: ReadonlySet<string> = new Set([
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
])

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
