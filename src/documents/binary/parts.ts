/**
 * Parts of a kept result: its blobs, each by its place among the bytes. A table of them is the last member of the result. So a part is
 * found, and all else is read, without parsing base64 of maybe hundreds of megabytes.
 */

import { META } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { formatBytes } from '../../text/format.ts'
import { decodeUtf8 } from '../json/utf8.ts'
import type { Run } from './base64.ts'
import { type Facts, measures } from './kinds.ts'

export interface Part extends Run, Facts {
  /** Bytes of the blob. */
  readonly bytes: number
  /** The name that its server gives it. */
  readonly name?: string
  /** The position of its content block, where it is the data of one. */
  readonly block?: number
  /** Its text is in the result. */
  readonly isRead?: true
  /** Why its text is not, where it should be. */
  readonly unread?: string
  /** The size at which it is shown in the reply: `1,568 × 1,176`. */
  readonly shown?: string
}

/** The members of a result that hold blobs from elsewhere in it, and the table. */
export const BLOBS = `${META}blobs`
export const PARTS = `${META}parts`

/** Parts of one result, and bytes of the table. */
export const MOST_PARTS = 200
const LONGEST_TABLE = 256 * 1024
const TABLE = `,"${PARTS}":[`

/** The parts of a kept result; none for most. A table that a server wrote in the same place means only its own bytes. */
export function partsIn(content: Uint8Array): readonly Part[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (bytes.length < 2 || bytes.toString('latin1', bytes.length - 2) !== ']}') return []
  const tail = bytes.subarray(Math.max(0, bytes.length - LONGEST_TABLE))
  const at = tail.lastIndexOf(TABLE)
  if (at < 0) return []
  try {
    const table: unknown = JSON.parse(tail.toString('utf8', at + TABLE.length - 1, tail.length - 1))
    const end = bytes.length - tail.length + at
    return Array.isArray(table) && table.length <= MOST_PARTS && isInOrder(table, end) ? table : []
  } catch {
    return []
  }
}

function isInOrder(table: readonly JsonValue[], end: number): table is (Part & JsonObject)[] {
  const places = table.flatMap((part) => (isObject(part) ? [[part.from, part.to]] : []))
  const isPart = (part: JsonValue): boolean =>
    isObject(part) &&
    typeof part.type === 'string' &&
    Number.isSafeInteger(part.bytes) &&
    ['name', 'unread', 'counted', 'shown'].every((name) =>
      ['string', 'undefined'].includes(typeof part[name]),
    ) &&
    ['width', 'height', 'seconds', 'count', 'block'].every((name) =>
      ['number', 'undefined'].includes(typeof part[name]),
    )
  return (
    table.every(isPart) &&
    places.every(
      ([from, to]) =>
        Number.isSafeInteger(from) &&
        Number.isSafeInteger(to) &&
        Number(from) >= 0 &&
        Number(to) <= end &&
        Number(from) <= Number(to),
    )
  )
}

/** The text of kept content, without what its blobs hold. */
export function jsonWithoutParts(content: Uint8Array): string {
  const parts = partsIn(content)
  if (parts.length === 0) return decodeUtf8(content)
  const left: string[] = []
  let at = 0
  for (const { from, to } of [...parts].sort((a, b) => a.from - b.from)) {
    if (from < at) return decodeUtf8(content)
    left.push(decodeUtf8(content.subarray(at, from)))
    at = to
  }
  left.push(decodeUtf8(content.subarray(at)))
  return left.join('')
}

/** Bytes `from` to `to` of the blob, and no others are decoded. */
export function bytesOfPart(content: Uint8Array, part: Part, from = 0, to = part.bytes): Buffer {
  const first = Math.floor(from / 3)
  const end = Math.min(part.to, part.from + Math.ceil(to / 3) * 4)
  const written = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const decoded = Buffer.from(written.toString('latin1', part.from + first * 4, end), 'base64')
  const start = from - first * 3
  return decoded.subarray(start, start + Math.max(0, to - from))
}

/** `application/pdf, 1.5 MB, 12 pages`. */
export function described(part: Pick<Part, 'bytes'> & Facts): string {
  return [part.type, formatBytes(part.bytes), ...measures(part)].join(', ')
}
