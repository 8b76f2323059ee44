import { expect } from 'vitest'
import type { Document } from '../../../src/documents/document.ts'
import type { SearchParams } from '../../../src/processors/parameters.ts'
import type { Processor, StepMetadata } from '../../../src/processors/processor.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

/** The result of a search; fails the test when the step was not applied. */
export function search(
  step: Processor<SearchParams>,
  document: Document,
  params: SearchParams,
): { rows: readonly JsonValue[]; noun: string; metadata: StepMetadata; notes: string } {
  const { applied, error, content, metadata } = step.process(document, params)
  expect({ applied, error }).toEqual({ applied: true, error: undefined })
  const { items, noun } = content.rows()
  return { rows: items, noun, metadata, notes: (metadata.notes ?? []).join('\n') }
}
