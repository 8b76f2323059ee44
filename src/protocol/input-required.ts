import { isInputRequired } from './eras.ts'
import { LargeResult, type Result } from './result.ts'

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
