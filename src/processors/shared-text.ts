/** Long strings of data as parts of the text of its leaves, where they stand anyway: kept once in place of twice. */
import type { Document } from '../documents/document.ts'
import { keyedBefore } from '../documents/records.ts'
import { isObject, own } from '../protocol/json.ts'
import type { LeafIndex, Visit } from './leaves.ts'

/**
 * Characters from which on a string takes twice the 32 bytes of a place in a text. Shorter ones stay apart: records are
 * sorted by them, and parts compare more slowly.
 */
const LONG = 48

/**
 * Puts in place of each long string of the document's data an equal one that is a part of the leaves' text. To whoever reads
 * them nothing changes. Frozen data stays as it is.
 */
export function shareText(document: Document, leaves: LeafIndex): void {
  const records = document.records()
  const values = records?.values ?? []
  /** Rows of a map are copies with the key: they hold the same strings. */
  const copies = records && keyedBefore(records)
  const isMap = records?.keys !== undefined
  const { text, units } = leaves
  let record = 0
  let unit = 0
  const share: Visit = (value, path, _, holder) => {
    const start = units.start(unit++)
    if (typeof value !== 'string' || value.length < LONG) return
    const part = text.slice(start, start + value.length)
    const step = path.at(-1) ?? record
    // Without a holder the value is a record itself, the key of one, or all there is.
    const holds = holder ?? (record < 0 || isMap ? undefined : values)
    if (part !== value || holds === undefined) return
    Reflect.set(holds, step, part)
    const copy = path.length === 1 ? (copies?.[record] ?? null) : null
    if (isObject(copy) && own(copy, String(step)) === part) Reflect.set(copy, step, part)
  }
  for (; record < values.length; record++) leaves.visit(record, share)
  record = -1
  leaves.visit(record, share)
}
