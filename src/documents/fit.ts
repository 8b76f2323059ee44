/** The only way from a document to a reply. */
import type { Document } from './document.ts'

/**
 * Text with holes for the handle of the kept document: `parts.join(handle)` is the text. Content may contain any
 * string, so a placeholder inside it would not be safe.
 */
export type Template = readonly string[]

export interface FitOptions {
  /** The most characters the text may have, the handle (12 characters) counted in. */
  budget: number
  /** First line: what this is. Counts of rows are added here by `fit`. */
  title: string
  /** Remarks under the title: how a field name was read, what was skipped. */
  notes?: readonly string[]
  /** Rows before the first one of `document` that this page leaves out. Default 0. */
  offset?: number
  /** The most rows to show. Default: what fits. */
  limit?: number
  /** Rows in all when `document` holds one page of them. Default: the rows of `document`. */
  total?: number
}

export interface Fitted {
  text: Template
  /** Rows shown in full, and rows in all. */
  shown: number
  total: number
  /** False: rows or parts of rows are left out, so the whole is worth keeping as a document of its own. */
  complete: boolean
}

/** Cuts nothing but whole rows and long strings (marked, with their length); says how much there is and how to get the rest. */
export declare function fit(document: Document, options: FitOptions): Fitted
