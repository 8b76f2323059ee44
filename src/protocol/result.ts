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
