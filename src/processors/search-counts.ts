/** What a search says beside its hits. */
import { formatCount } from '../text/format.ts'
import type { StepMetadata } from './processor.ts'
import { type Hits, mostKept } from './searchable.ts'

/** Counts are over everything; `notes` only when there are some. */
export function counts(total: number, matched: number, notes: string[]): StepMetadata {
  return { total, matched, ...(notes.length > 0 && { notes }) }
}

/** How often a long line matches, where that is more often than there are hits. */
export function timesIn({ count, units, long, inLong }: Hits): string[] {
  const hits = count - (units - long)
  if (inLong === hits) return []
  const times = Number.isFinite(inLong) ? formatCount(inLong) : `more than ${formatCount(mostKept)}`
  return [`In long lines it matches ${times} times; matches near each other are one hit.`]
}
