/** Several steps as one: each works on what the one before it made. */
import type { ZodType } from 'zod'
import type { Document } from '../documents/document.ts'
import type { ProcessorResult, StepMetadata } from './processor.ts'
import { complaint, failed, reason, unchanged } from './step.ts'

/** A processor that takes its own parameters out of many. Any `Processor` is one. */
export interface PipelineStep {
  readonly name: string
  readonly params: ZodType
  wanted(params: unknown): boolean
  process(document: Document, params: unknown): ProcessorResult
}

/** The work of one step. */
export interface StepReport {
  name: string
  applied: boolean
  metadata: StepMetadata
  /** The document after the step. */
  readonly content: Document
  /** Characters before and after, computed when read. */
  readonly originalSize: number
  readonly processedSize: number
  error?: string
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
    return report(step.name, done)
  })
  const errors = reports.flatMap(({ name, error }) => (error === undefined ? [] : [`${name}: ${error}`]))
  return { document: current, steps: reports, ...(errors.length > 0 && { error: errors.join('\n') }) }
}

function runStep(
  document: Document,
  step: PipelineStep,
  params: Readonly<Record<string, unknown>>,
): ProcessorResult {
  try {
    const present = Object.fromEntries(Object.entries(params).filter(([, value]) => value != null))
    const read = step.params.safeParse(present)
    if (!read.success) return failed(document, complaint(read.error))
    return step.wanted(read.data) ? step.process(document, read.data) : unchanged(document)
  } catch (error) {
    return failed(document, reason(error))
  }
}

function report(name: string, done: ProcessorResult): StepReport {
  return {
    name,
    applied: done.applied,
    metadata: done.metadata,
    content: done.content,
    get originalSize() {
      return done.originalSize
    },
    get processedSize() {
      return done.processedSize
    },
    ...(done.error !== undefined && { error: done.error }),
  }
}
