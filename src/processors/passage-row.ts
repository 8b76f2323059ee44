/** A passage of a text as one row: where it is, the headings above it, its lines. */

import { ellipsis } from '../text/cut.ts'
import { formatPlural } from '../text/format.ts'
import type { LineIndex } from '../text/lines.ts'
import type { LineRange } from '../text/passages.ts'

/** Characters of a passage that is shown whole, and of a line in one that is not. */
const longestPassage = 4_000
const longestLine = 500
/** Lines shown around each match of a longer passage. */
const kept = 5

/**
 * `lines 12-30 · Guide > Install`, then the passage. A longer one is shown around its `matches` (line numbers in order),
 * and says how many lines are left out where.
 */
export function passageRow(
  lines: LineIndex,
  { first, last }: LineRange,
  matches: readonly number[],
  path: readonly string[],
): string {
  const where = first === last ? `line ${first + 1}` : `lines ${first + 1}-${last + 1}`
  const title =
    path.length === 0 ? where : `${where} · ${path.map((name) => ellipsis(name, 100)).join(' > ')}`
  const body: string[] = []
  if (lines.end(last) - lines.start(first) <= longestPassage) {
    for (let line = first; line <= last; line++) body.push(lines.at(line))
  } else {
    addAround(body, lines, { first, last }, matches)
  }
  return `${title}\n${body.join('\n')}`
}

function addAround(
  body: string[],
  lines: LineIndex,
  { first, last }: LineRange,
  matches: readonly number[],
): void {
  let next = first
  let size = 0
  for (const match of matches) {
    if (size > longestPassage) break
    const from = Math.max(next, match - kept)
    if (from > next) body.push(`[${formatPlural(from - next, 'line')} left out]`)
    for (next = from; next <= Math.min(last, match + kept); next++) {
      const line = ellipsis(lines.at(next), longestLine)
      size += line.length
      body.push(line)
    }
  }
  if (next <= last) body.push(`[${formatPlural(last + 1 - next, 'line')} left out]`)
}
