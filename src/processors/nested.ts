/** Steps that say how many records are nested in those they were about, or lie beside them: a question without a path is about the outer ones. */
import { isObject, type JsonValue } from '../protocol/json.ts'
import { nestedMatches, siblingMatches } from '../query/elsewhere.ts'
import { recordsOf } from '../query/records.ts'
import type { Matcher } from '../query/verdict.ts'
import type { PipelineStep } from './pipeline.ts'

/** A step that says how many records are nested in those it was about, or lie beside them, where no other step chose some of them. */
export function tellingOfNested(step: PipelineStep, others: readonly string[]): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const result = step.process(document, params)
      if (!result.applied || result.error !== undefined || others.some((name) => isGiven(params, name)))
        return result
      const records = document.json() === undefined ? undefined : recordsOf(document)
      const told = records
        ? [
            ...nestedMatches(document, records, every, records.values.length),
            ...siblingMatches(document, records, every),
          ]
        : []
      if (told.length === 0) return result
      const notes = [...(result.metadata.notes ?? []), ...told]
      result.metadata = { ...result.metadata, notes }
      return result
    },
  }
}

const every: Matcher = (records) => new Uint8Array(records.length).fill(1)

function isGiven(params: unknown, name: string): boolean {
  const held = isObject(params as JsonValue) ? (params as Record<string, unknown>)[name] : undefined
  return Array.isArray(held) ? held.length > 0 : held !== undefined && held !== null
}
