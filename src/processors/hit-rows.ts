/** Hits as rows that are made for the page that is asked for: there may be a hundred thousand. */
import type { Document, Rows } from '../documents/document.ts'
import { madeRows, rowsOf } from '../documents/rows.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { LineIndex } from '../text/lines.ts'
import { type RecordHits, recordRows } from './leaf-hits.ts'
import type { LeafIndex } from './leaves.ts'
import { lineRows } from './line-hits.ts'
import type { Hit } from './searchable.ts'

/** A row for each hit in lines. */
export function lineHitRows<H extends Hit>(
  lines: LineIndex,
  hits: readonly H[],
  shown: (row: string, hit: H) => string = (row) => row,
): Rows {
  return madeRows('hit', hits.length, (nth) => {
    const hit = hits[nth]
    const [row = ''] = hit ? lineRows(lines, [hit]) : []
    return hit ? shown(row, hit) : row
  })
}

/** A row for each record with hits. Hits outside of all records are found in one walk, and so all at once. */
export function recordHitRows<G extends RecordHits>(
  document: Document,
  leaves: LeafIndex,
  groups: readonly G[],
  shown: (row: JsonObject, group: G) => JsonObject = (row) => row,
): Rows {
  const made = (some: readonly G[]): JsonObject[] =>
    recordRows(document, leaves, some).map((row, nth) => shown(row, some[nth] as G))
  if (groups.some(({ record }) => record < 0)) return rowsOf('hit', made(groups))
  return madeRows('hit', groups.length, (nth) => made(groups.slice(nth, nth + 1))[0] ?? null)
}
