/** Kept content: bytes that hold a CallToolResult. */
import { createHash } from 'node:crypto'
import { parseJson, toJson } from '../documents/stringify.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'

/** SHA-256, hex. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The result, or undefined when the bytes hold something else. */
export function decodeResult(content: Uint8Array): JsonObject | undefined {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('utf8')
  const parsed = parseJson(text)
  return parsed && isObject(parsed.value) ? parsed.value : undefined
}

/** UTF-8 JSON on a SharedArrayBuffer. */
export function encodeResult(result: JsonObject): Uint8Array<SharedArrayBuffer> {
  const json = toJson(result)
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(json)))
  Buffer.from(bytes.buffer).write(json, 'utf8')
  return bytes
}
