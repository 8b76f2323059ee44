/** How large a message is as JSON, without writing it. */
import type { JsonValue } from '../../protocol/json.ts'
import { RawJson } from '../../protocol/raw-json.ts'

/** Shorter texts are counted by their characters: few of them are anything else. */
const SHORT = 256

/** True when its JSON surely has more than this many bytes. Counts no further than that, at any depth. */
export function isLongerThan(value: JsonValue, maxBytes: number): boolean {
  const left: JsonValue[] = [value]
  let bytes = 0
  for (let one = left.pop(); one !== undefined && bytes <= maxBytes; one = left.pop()) {
    if (typeof one === 'string') bytes += one.length < SHORT ? one.length + 2 : Buffer.byteLength(one) + 2
    else if (typeof one !== 'object' || one === null) bytes++
    else if (one instanceof RawJson) bytes += one.bytes.length
    else if (Array.isArray(one)) {
      bytes += one.length + 1
      for (const item of one) left.push(item)
    } else {
      bytes++
      for (const [key, item] of Object.entries(one)) {
        bytes += key.length + 4
        left.push(item)
      }
    }
  }
  return bytes > maxBytes
}
