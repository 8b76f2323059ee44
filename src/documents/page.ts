/** As many rows as a space holds. */
import type { JsonValue } from '../protocol/json.ts'
import { encodeRow, encodeTable, isUniform } from './encode.ts'
import { shorten } from './shorten.ts'
import { isWithin } from './size.ts'

export interface Page {
  /** A line each, in order; several lines where a row has several. */
  lines: string[]
  /** Rows shown, whole or shortened. */
  taken: number
  /** Indexes of the rows that no page could hold and that are shown shortened. */
  shortened: number[]
}

/** Less than this is no use for a shortened row among others. */
const SMALLEST_ROW = 160

/**
 * Fills `room` characters, one for the newline of each row counted in. A row that is larger than the whole room is
 * shortened, so that no row is ever skipped; all others are shown whole or left to the next page.
 */
export function pageOf(rows: readonly JsonValue[], room: number): Page {
  return tableOf(rows, room) ?? listOf(rows, room)
}

function listOf(rows: readonly JsonValue[], room: number): Page {
  const page: Page = { lines: [], taken: 0, shortened: [] }
  let left = room
  for (const row of rows) {
    let line = isWithin([row], room * 2) ? encodeRow(row) : undefined
    if (line === undefined || line.length + 1 > left) {
      if (line !== undefined && line.length + 1 <= room) break
      const allowed = page.taken === 0 && rows.length > 1 ? Math.max(left / 2, Math.min(left, 400)) : left
      if (page.taken > 0 && allowed < SMALLEST_ROW) break
      line = shorten(row, Math.max(0, Math.floor(allowed) - 1))
      page.shortened.push(page.taken)
    }
    page.lines.push(line)
    page.taken += 1
    left -= line.length + 1
  }
  return page
}

/** The most rows a table can have in this room: by the shortest possible line, then by trial. */
function tableOf(rows: readonly JsonValue[], room: number): Page | undefined {
  const [first] = rows
  if (typeof first !== 'object' || first === null || !isUniform([first])) return undefined
  const shortest = Object.keys(first).length * 2 + 2
  let count = Math.min(rows.length, Math.floor(room / shortest))
  const same = rows.slice(0, count).findIndex((row) => !isUniform([first, row]))
  if (same >= 0) count = same
  const all = encodeTable(rows.slice(0, count))
  if (all === undefined || (same >= 0 && same < rows.length && all.length <= room)) return undefined
  const lines = all.split('\n')
  let used = (lines[0]?.length ?? 0) + 1
  let taken = 0
  for (const line of lines.slice(1)) {
    if (used + line.length + 1 > room) break
    used += line.length + 1
    taken += 1
  }
  const table = taken === count ? all : encodeTable(rows.slice(0, taken))
  return table === undefined ? undefined : { lines: [table], taken, shortened: [] }
}
