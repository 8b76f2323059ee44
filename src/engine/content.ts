/** Kept content: bytes that hold a CallToolResult. */

import { createHash } from 'node:crypto'
import { jsonWithoutParts } from '../documents/binary/parts.ts'
import { withExactNumbers } from '../documents/json/exact-numbers.ts'
import { withLongText } from '../documents/json/long-text.ts'
import { toJson } from '../documents/json/stringify.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { sharedBytes } from '../text/shared-bytes.ts'

/** A result as it is sent on, and as it is explored: with numbers that JavaScript would change as strings. */
interface Decoded {
  sent: JsonObject
  /** The same object where no number is changed. */
  exact: JsonObject
}

/** The result, or undefined when the bytes hold something else. */
export function decodeResult(content: Uint8Array): Decoded | undefined {
  const text = jsonWithoutParts(content)
  const single = withLongText(text)
  if (single !== undefined) return { sent: single, exact: single }
  const exact = objectIn(withExactNumbers(text))
  if (exact === undefined) return undefined
  const sent = exact.json === text ? exact.object : objectIn(text)?.object
  return { sent: sent ?? exact.object, exact: exact.object }
}

function objectIn(json: string): { json: string; object: JsonObject } | undefined {
  try {
    const object: JsonValue = JSON.parse(json)
    return isObject(object) ? { json, object } : undefined
  } catch {
    return undefined
  }
}

/** UTF-8 JSON on a SharedArrayBuffer. */
export function encodeResult(result: JsonObject): Uint8Array<SharedArrayBuffer> {
  return sharedBytes(toJson(result))
}

// The hash of kept content, by which equal content is known.

/** SHA-256, hex. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Bytes that are hashed in one go: in a quarter of a millisecond, on a busy machine in some. */
const SLICE = 256 * 1024

/** The same, in slices between which the event loop turns. */
export async function hashInSlices(content: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let from = 0; from < content.byteLength; from += SLICE) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve))
    hash.update(content.subarray(from, from + SLICE))
  }
  return hash.digest('hex')
}

/** Shorter results are compared in little time. Windows of a longer one that are looked for, and the bytes of each. */
const SHORT = 64 * 1024
const WINDOWS = 32
const WINDOW = 48
/** Bytes around the place of a window among which it is looked for, whatever was added or removed before it. */
const MOST_MOVED = 128 * 1024
const DRIFT = 4096

/**
 * True where most parts of the later result are nowhere near in the earlier one, so that what changed is more than can be told. Looks
 * at parts from all over the later result, for some milliseconds at most.
 */
export function differThroughout(before: Uint8Array, after: Uint8Array): boolean {
  if (Math.min(before.byteLength, after.byteLength) < SHORT) return false
  const [earlier, later] = [before, after].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  ) as [Buffer, Buffer]
  const reach = Math.min(MOST_MOVED, Math.abs(earlier.length - later.length)) + DRIFT
  let missing = 0
  for (let nth = 0; nth < WINDOWS; nth++) {
    const at = Math.floor((nth * (later.length - WINDOW)) / (WINDOWS - 1))
    const near = earlier.subarray(Math.max(0, at - reach), at + reach)
    if (!near.includes(later.subarray(at, at + WINDOW)) && ++missing > WINDOWS / 2) return true
  }
  return false
}
