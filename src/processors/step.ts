/** The common work of every processor: read its parameters, skip, catch. */

import type * as z from 'zod'
import type { ZodObject } from 'zod'
import type { Document } from '../documents/document.ts'
import { Refusal } from '../query/refusal.ts'
import type { Processor, ProcessorResult, StepMetadata } from './processor.ts'

/** A step as its author writes it. `run` may throw a `Refusal`; its parameters have been read by `params`. */
export interface StepDefinition<S extends ZodObject> {
  name: string
  params: S
  wanted(params: z.output<S>): boolean
  run(document: Document, params: z.output<S>): { content: Document; metadata?: StepMetadata }
}

/** A processor with parameters that can be merged into a tool's: `params.shape` is known. */
export interface Step<S extends ZodObject> extends Omit<Processor<z.output<S>>, 'params'> {
  readonly params: S
}

export function defineStep<S extends ZodObject>({ name, params, wanted, run }: StepDefinition<S>): Step<S> {
  return {
    name,
    params,
    wanted: (given) => {
      const read = params.safeParse(present(given))
      return read.success && wanted(read.data)
    },
    process(document, given) {
      const read = params.safeParse(present(given))
      if (!read.success) return failed(document, complaint(read.error))
      if (!wanted(read.data)) return unchanged(document)
      return attempted(document, () => {
        const { content, metadata } = run(document, read.data)
        return applied(content, metadata)
      })
    },
  }
}

/** Models write null for what they leave out. */
export function present(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
}

/** The result of a step that did its work. */
export function applied(content: Document, metadata: StepMetadata = {}): ProcessorResult {
  return { content, metadata, applied: true }
}

/** The result of a step that had nothing to do. */
export function unchanged(document: Document): ProcessorResult {
  return { content: document, metadata: {}, applied: false }
}

/** The result of a step that could not do what was asked. `error` says what to write instead. */
export function failed(document: Document, error: string): ProcessorResult {
  return { ...unchanged(document), error }
}

/** The result of a step; where it throws, the error is told in its place. */
export function attempted(document: Document, run: () => ProcessorResult): ProcessorResult {
  try {
    return run()
  } catch (error) {
    return failed(document, reason(error))
  }
}

/** The same result with more notes, behind its own or before them. */
export function withNotes(
  result: ProcessorResult,
  notes: readonly string[],
  place: 'behind' | 'before' = 'behind',
): ProcessorResult {
  const own = result.metadata.notes ?? []
  const all = place === 'behind' ? [...own, ...notes] : [...notes, ...own]
  return { ...result, metadata: { ...result.metadata, notes: all } }
}

/** The complaint of the schema about the parameters, for the model. */
export function complaint(error: z.ZodError): string {
  const issues = error.issues
    .slice(0, 3)
    .map(({ path, message }) => `\`${path.slice(0, 2).join('.')}\`: ${message}`)
  return `${issues.join('; ')}.`
}

/** The answer of a step that threw: a refusal as it is written, anything else as a failure. */
function reason(error: unknown): string {
  if (error instanceof Refusal) return error.message
  if (error instanceof RangeError)
    return 'The data is nested too deeply for this. Choose a part of it with `path` first.'
  const message = error instanceof Error ? error.message : String(error)
  return `This step failed: ${message.slice(0, 200)}`
}
