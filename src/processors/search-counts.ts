/** What a search says beside its hits. */
import type { StepMetadata } from './processor.ts'

/** Counts are over everything; `notes` only when there are some. */
export function counts(total: number, matched: number, notes: string[]): StepMetadata {
  return { total, matched, ...(notes.length > 0 && { notes }) }
}
