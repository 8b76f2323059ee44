/** The text of a preview about a document, in parts that can each be cut to size. */
import type { Template } from '../template.ts'

export interface Overview {
  /** The totals for the first line: `30 records in $.items`. */
  totals: readonly string[]
  /** The type of the data in at most `max` characters; empty when it has none. */
  type(max: number): string
  /** True when so many fields are worth naming that the type deserves more room. */
  wide?: boolean
  /** Facts worth knowing, the best first, a line each. */
  facts: readonly string[]
  /** Which facts are headings, which say how many of them are not among the facts, how many headings there are, and what they are called. */
  outline?: {
    /** Plural. Default: headings. */
    readonly noun?: string
    readonly headings: readonly string[]
    readonly notes: readonly string[]
    readonly total: number
  }
  /** Examples in at most `max` characters, a line each. */
  sample(max: number): readonly string[]
  /** Calls that work on this very document, the best first. */
  calls: readonly Template[]
}
