/** Several steps as one: each works on what the one before it made. */
import type { ZodType } from 'zod'
import type { Document } from '../documents/document.ts'
import type { ProcessorResult } from './processor.ts'
import { attempted, complaint, failed, present, unchanged } from './step.ts'

/** A processor that takes its own parameters out of many. Any `Processor` is one. */
export interface PipelineStep {
  readonly name: string
  readonly params: ZodType
  wanted(params: unknown): boolean
  process(document: Document, params: unknown): ProcessorResult
}

/** The work of one step. */
export interface StepReport extends ProcessorResult {
  name: string
}

export interface PipelineResult {
  /** The document after the last step. */
  document: Document
  /** One report a step, in the order of the steps, skipped ones included. */
  steps: StepReport[]
  /** The errors of all steps; absent when there is none. */
  error?: string
}

/**
 * Runs the steps in their order. A step without its parameters is skipped; one that fails leaves the document as
 * it was, and the steps after it go on. Never throws.
 */
export function runPipeline(
  document: Document,
  steps: readonly PipelineStep[],
  params: Readonly<Record<string, unknown>>,
): PipelineResult {
  let current = document
  const reports = steps.map((step): StepReport => {
    const done = runStep(current, step, params)
    current = done.content
    return { name: step.name, ...done }
  })
  const errors = reports.flatMap(({ name, error }) => (error === undefined ? [] : [`${name}: ${error}`]))
  return { document: current, steps: reports, ...(errors.length > 0 && { error: errors.join('\n') }) }
}

function runStep(
  document: Document,
  step: PipelineStep,
  params: Readonly<Record<string, unknown>>,
): ProcessorResult {
  return attempted(document, () => {
    const read = step.params.safeParse(present(params))
    if (!read.success) return failed(document, complaint(read.error))
    return step.wanted(read.data) ? step.process(document, read.data) : unchanged(document)
  })
}
