/** Hits in text as rows: `12: the line`, with the lines around it as `11- the line`. */
import { ellipsis } from '../text/cut.ts'
import type { LineIndex } from '../text/lines.ts'
import type { LineRange } from '../text/passages.ts'
import { excerpt } from './excerpt.ts'
import { type Hit, longUnit, placeWidth } from './searchable.ts'

/** Lines of one row at most; a longer group goes on in the next row. */
export const longestRow = 40

/** Lines around hits that touch or overlap. */
export interface Group extends LineRange {
  /** The lines that hits cover. */
  hits: LineRange[]
}

/** One row a hit, without the lines around it. A long line is shown around the place, with its column (from 1). */
export function lineRows(lines: LineIndex, hits: readonly Hit[], width = placeWidth): string[] {
  return hits.map((hit) => {
    const start = lines.start(hit.unit)
    const column = hit.start - start
    const line = lines.at(hit.unit)
    if (line.length <= longUnit) return `${hit.unit + 1}: ${line}`
    const place = { start: column, end: hit.end - start }
    return `${hit.unit + 1}:${column + 1}: ${excerpt(line, place, width)}`
  })
}

/** Hits with `context` lines before and after, merged where they touch. `hits` are in order. */
export function groupLines(hits: readonly LineRange[], context: number, lineCount: number): Group[] {
  const groups: Group[] = []
  for (const { first, last } of hits) {
    const from = Math.max(0, first - context)
    const to = Math.min(lineCount - 1, last + context)
    const before = groups.at(-1)
    if (before !== undefined && (from <= before.last || (context > 0 && from === before.last + 1))) {
      before.last = Math.max(before.last, to)
      before.hits.push({ first, last })
    } else {
      groups.push({ first: from, last: to, hits: [{ first, last }] })
    }
  }
  return groups
}

/** The hits of each line. */
export function placesOf(hits: readonly Hit[]): Map<number, Hit[]> {
  const places = new Map<number, Hit[]>()
  for (const hit of hits) {
    const before = places.get(hit.unit)
    if (before) before.push(hit)
    else places.set(hit.unit, [hit])
  }
  return places
}

/** One row a group, with `--` between groups. `places` tells where in a long line the hits are: each is shown. */
export function groupRows(
  lines: LineIndex,
  groups: readonly Group[],
  places: ReadonlyMap<number, readonly Hit[]>,
): string[] {
  const rows: string[] = []
  groups.forEach((group, nth) => {
    let row: string[] = nth === 0 ? [] : ['--']
    let next = 0
    for (let line = group.first; line <= group.last; line++) {
      while ((group.hits[next]?.last ?? line) < line) next++
      const isHit = (group.hits[next]?.first ?? line + 1) <= line
      for (const shown of shownLine(lines, line, isHit, places.get(line))) {
        if (row.length >= longestRow) {
          rows.push(row.join('\n'))
          row = []
        }
        row.push(shown)
      }
    }
    rows.push(row.join('\n'))
  })
  return rows
}

/** `12: the line`, `11- one without a hit`; of a long line what is around each hit: `12:3001: …the place…`. */
function shownLine(lines: LineIndex, line: number, isHit: boolean, hits: readonly Hit[] = []): string[] {
  const start = lines.start(line)
  const number = `${line + 1}${isHit ? ':' : '-'}`
  if (lines.end(line) - start <= longUnit) return [`${number} ${lines.at(line)}`]
  if (hits.length === 0) return [`${number} ${ellipsis(lines.at(line), placeWidth)}`]
  return lineRows(lines, hits)
}
