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
export function lineRows(lines: LineIndex, hits: readonly Hit[]): string[] {
  return hits.map((hit) => {
    const start = lines.start(hit.unit)
    const column = hit.start - start
    const line = lines.at(hit.unit)
    if (line.length <= longUnit) return `${hit.unit + 1}: ${line}`
    const place = { start: column, end: hit.end - start }
    return `${hit.unit + 1}:${column + 1}: ${excerpt(line, place, placeWidth)}`
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

/** One row a group, with `--` between groups. `places` tells where in a long line the hit is. */
export function groupRows(
  lines: LineIndex,
  groups: readonly Group[],
  places: ReadonlyMap<number, Hit>,
): string[] {
  const rows: string[] = []
  groups.forEach((group, nth) => {
    let row: string[] = nth === 0 ? [] : ['--']
    let next = 0
    for (let line = group.first; line <= group.last; line++) {
      while ((group.hits[next]?.last ?? line) < line) next++
      const isHit = (group.hits[next]?.first ?? line + 1) <= line
      if (row.length >= longestRow) {
        rows.push(row.join('\n'))
        row = []
      }
      row.push(`${line + 1}${isHit ? ':' : '-'} ${shownLine(lines, line, places.get(line))}`)
    }
    rows.push(row.join('\n'))
  })
  return rows
}

function shownLine(lines: LineIndex, line: number, hit: Hit | undefined): string {
  const start = lines.start(line)
  if (lines.end(line) - start <= longUnit) return lines.at(line)
  const whole = lines.at(line)
  if (hit === undefined) return ellipsis(whole, placeWidth)
  return excerpt(whole, { start: hit.start - start, end: hit.end - start }, placeWidth)
}
