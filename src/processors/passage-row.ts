/** A passage of a text as rows: where it is, the headings above it, its lines. */
import { ellipsis } from '../text/cut.ts'
import type { LineIndex } from '../text/lines.ts'
import type { LineRange } from '../text/passages.ts'
import { groupLines, longestRow } from './line-hits.ts'
import { longUnit } from './searchable.ts'

/** Characters of a passage that is shown whole. */
const longestPassage = 4_000
/** Lines shown around each match of a longer one. */
const around = 5

/**
 * `lines 12-30 · Guide > Install`, then the passage. A longer one gives several rows, each the lines around some of its
 * `matches` (line numbers in order): `lines 490-500 of 1-9000 · Guide`.
 */
export function passageRows(
  lines: LineIndex,
  whole: LineRange,
  matches: readonly number[],
  path: readonly string[],
): string[] {
  const title = path.length === 0 ? '' : ` · ${path.map((name) => ellipsis(name, 100)).join(' > ')}`
  if (lines.end(whole.last) - lines.start(whole.first) <= longestPassage) {
    return [`${named(whole)}${title}\n${content(lines, whole)}`]
  }
  const hits = matches.map((line) => ({ first: line, last: line }))
  return groupLines(hits, around, lines.count)
    .flatMap(({ first, last }) => pieces(Math.max(first, whole.first), Math.min(last, whole.last)))
    .map((part) => `${named(part)} of ${whole.first + 1}-${whole.last + 1}${title}\n${content(lines, part)}`)
}

function named({ first, last }: LineRange): string {
  return first === last ? `line ${first + 1}` : `lines ${first + 1}-${last + 1}`
}

function content(lines: LineIndex, { first, last }: LineRange): string {
  const shown: string[] = []
  for (let line = first; line <= last; line++) {
    const isLong = lines.end(line) - lines.start(line) > longestPassage
    shown.push(isLong ? ellipsis(lines.at(line), longUnit) : lines.at(line))
  }
  return shown.join('\n')
}

function pieces(first: number, last: number): LineRange[] {
  const parts: LineRange[] = []
  for (let from = first; from <= last; from += longestRow) {
    parts.push({ first: from, last: Math.min(last, from + longestRow - 1) })
  }
  return parts
}
