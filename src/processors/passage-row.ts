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
  // Below a heading that matches, what is asked for begins.
  const begun = matches[0] === whole.first ? [beginning(lines, whole)] : []
  const shown = begun[0]?.last ?? -1
  const hits = matches.filter((line) => line > shown).map((line) => ({ first: line, last: line }))
  const groups = groupLines(hits, around, lines.count).map((group) => ({
    ...group,
    first: Math.max(group.first, shown + 1),
  }))
  return [...begun, ...groups]
    .flatMap((part) =>
      part === begun[0] ? [part] : pieces(Math.max(part.first, whole.first), Math.min(part.last, whole.last)),
    )
    .map((part) => `${named(part)} of ${whole.first + 1}-${whole.last + 1}${title}\n${content(lines, part)}`)
}

/** As many lines from the first on as a passage may have. */
function beginning(lines: LineIndex, { first, last }: LineRange): LineRange {
  let end = first
  while (
    end < last &&
    end - first + 1 < longestRow * 3 &&
    lines.end(end + 1) - lines.start(first) <= longestPassage
  )
    end++
  return { first, last: end }
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
