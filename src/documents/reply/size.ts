/** How long the JSON of values is, without writing it. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Document } from '../document.ts'
import { encodeRow } from './encode.ts'

/**
 * True when the JSON of the values has at most about `max` characters (escapes are not counted). Looks at no more than
 * that, and in time linear in it, however deep: `JSON.stringify` takes quadratic time for deep values.
 */
export function isWithin(values: readonly JsonValue[], max: number): boolean {
  let left = max
  const stack: (readonly JsonValue[])[] = [values]
  const ats = [0]
  while (stack.length > 0) {
    const list = stack.at(-1) ?? []
    const at = ats.pop() ?? 0
    if (at >= list.length) {
      stack.pop()
      continue
    }
    ats.push(at + 1)
    const value = list[at] ?? null
    left -=
      typeof value === 'string' ? value.length + 3 : typeof value === 'object' ? 2 : String(value).length + 1
    if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) stack.push(value)
      else {
        // Each key has two characters at least, so that a huge object ends here before its values are listed.
        for (const key of Object.keys(value)) left -= key.length + 3
        if (left < 0) return false
        stack.push(Object.values(value))
      }
      ats.push(0)
    }
    if (left < 0) return false
  }
  return true
}

/** Rows that are written out to learn how long rows are, and the longest that is. */
const SAMPLE = 64
const LONGEST = 100_000

/** Characters of a document of found rows: exact for a few, from a sample of them for many. */
export function sizeAbout(document: Document): number {
  const rows = document.rows()
  const step = Math.max(1, Math.ceil(rows.count / SAMPLE))
  let looked = 0
  let sum = 0
  for (let index = 0; index < rows.count; index += step) {
    const [row = null] = rows.slice(index, index + 1)
    sum += isWithin([row], LONGEST) ? encodeRow(row).length + 1 : LONGEST
    looked += 1
  }
  return looked === 0 ? 0 : Math.round((sum / looked) * rows.count)
}
