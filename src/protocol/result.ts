import { isObject, type JsonObject } from './json.ts'

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

/** What an exchange ends in. */
export type Result = JsonObject | LargeResult

/** The result as an object, parsed when it was not yet. Cheap for ordinary results. */
export function plain(result: Result): JsonObject {
  return result instanceof LargeResult ? result.json() : result
}
