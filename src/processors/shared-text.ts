/** Long strings of data as parts of the text of its leaves, where they stand anyway: kept once in place of twice. */
import type { Document } from '../documents/document.ts'
import type { LeafIndex, Visit } from './leaves.ts'

/**
 * Characters from which on a string takes twice the 32 bytes of a place in a text. Shorter ones stay apart: records are
 * sorted by them, and parts compare more slowly.
 */
const LONG = 48

/**
 * Puts in place of each long string of the document's data an equal one that is a part of the leaves' text. To whoever reads
 * them nothing changes. Frozen data stays as it is; so do maps, of whose records there are copies with the key.
 */
export function shareText(document: Document, leaves: LeafIndex): void {
  const records = document.records()
  if (records?.keys !== undefined) return
  const values = records?.values ?? []
  const { text, units } = leaves
  let record = 0
  let unit = 0
  const share: Visit = (value, path, _, holder) => {
    const start = units.start(unit++)
    if (typeof value !== 'string' || value.length < LONG) return
    const part = text.slice(start, start + value.length)
    // Without a holder the value is a record itself, or all there is.
    if (part === value && (holder !== undefined || record >= 0))
      Reflect.set(holder ?? values, path.at(-1) ?? record, part)
  }
  for (; record < values.length; record++) leaves.visit(record, share)
  record = -1
  leaves.visit(record, share)
}
