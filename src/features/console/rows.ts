/** A kept result as rows of a file. */

import type { Engine } from '../../engine/contract.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Entry } from '../../store/store.ts'
import { Refused } from './api.ts'
import { csvOf } from './csv.ts'

/** Rows that a file may have, and that are read at a time. */
const MOST = 100_000
const PAGE = 5_000
const PAGE_LENGTH = 4_000_000

/** All records of a result. Rejects with Refused where it has none, or too many. */
export async function toRows(engine: Engine, entry: Entry, signal: AbortSignal): Promise<JsonValue[]> {
  const rows: JsonValue[] = []
  for (;;) {
    const page = await engine.read(
      [entry],
      { op: 'rows', kind: 'filter', params: {}, offset: rows.length, limit: PAGE, maxLength: PAGE_LENGTH },
      signal,
    )
    if ('error' in page)
      throw new Refused(422, `This result has no records: ${page.error}`, 'Export it as JSON.')
    if (page.total > MOST)
      throw new Refused(422, `This result has more than ${MOST} records.`, 'Export it as JSON.')
    rows.push(...(JSON.parse(page.json) as JsonValue[]))
    if (page.count === 0 || rows.length >= page.total) return rows
  }
}

export function writeRows(rows: readonly JsonValue[], format: 'csv' | 'ndjson'): Uint8Array {
  const text = format === 'ndjson' ? rows.map((row) => `${JSON.stringify(row)}\n`).join('') : csvOf(rows)
  return Buffer.from(text)
}
