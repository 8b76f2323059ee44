/** The contract of all processors: one step over a document. `test/contract/processor.ts` is their shared suite. */
import type { ZodType } from 'zod'
import type { Document } from '../documents/document.ts'
import type { JsonValue } from '../protocol/json.ts'

export interface ProcessorResult {
  /** The document after the step; the same object as before when nothing was applied. */
  content: Document
  metadata: StepMetadata
  /** False when the step's parameters are absent or it failed: `content` is then unchanged. */
  applied: boolean
  /** The text that the caller should write instead. The pipeline goes on. */
  error?: string
}

/** The remarks of a step beside its document. Counts are over everything, never over a page. */
export interface StepMetadata {
  /** Things looked at, and things found. */
  total?: number
  matched?: number
  /** The name of one of them, where the document does not tell. */
  unit?: string
  /** Remarks for the reader: "`State` read as `state`", "3 records without `price` skipped". */
  notes?: string[]
  [key: string]: JsonValue | undefined
}

/** One step. Pure: same document and parameters, same result; never mutates; never throws for bad parameters. */
export interface Processor<P> {
  readonly name: string
  /** Flat parameters (string, number, boolean, list of strings), all optional, each with a description. */
  readonly params: ZodType<P>
  /** True when the parameters that this step acts on are present. */
  wanted(params: P): boolean
  process(document: Document, params: P): ProcessorResult
}
