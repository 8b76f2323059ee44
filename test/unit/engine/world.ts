/** Results and sources as the engine gets them. */
import { createHash } from 'node:crypto'
import type { DigestOptions, Source } from '../../../src/engine/contract.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'

export const LIMITS: DigestOptions = {
  maxResponseSize: 8000,
  maxErrorSize: 32_000,
  previewSize: 2000,
  always: false,
}

export const NEVER = new AbortController().signal

export function bytesOf(result: JsonObject): Uint8Array<SharedArrayBuffer> {
  const json = Buffer.from(JSON.stringify(result))
  const bytes = new Uint8Array(new SharedArrayBuffer(json.byteLength))
  bytes.set(json)
  return bytes
}

export function textResult(text: string, more: JsonObject = {}): JsonObject {
  return { content: [{ type: 'text', text }], ...more }
}

export function sourceOf(result: JsonObject, handle = '0123456789ab'): Source {
  const content = bytesOf(result)
  return { handle, hash: createHash('sha256').update(content).digest('hex'), content, tool: 'shop_orders' }
}

/** Records that differ in everything a query may ask for. */
export function orders(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    state: id % 3 === 0 ? 'open' : 'closed',
    customer: { name: `Customer ${id % 10}` },
    total: id * 10,
    note: `Order number ${id} was ${id % 7 === 0 ? 'delayed by a storm' : 'delivered on time'}.`,
  }))
}

export function jsonResult(value: JsonValue): JsonObject {
  return textResult(JSON.stringify(value))
}
