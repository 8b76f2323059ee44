/** The kinds of questions: how their parameters are read, what steps answer them, how long a page is. */
import type * as z from 'zod'
import { exploreParams, filterParams, searchParams } from '../processors/parameters.ts'
import type { PipelineStep } from '../processors/pipeline.ts'
import { exploreSteps, filterSteps, searchSteps } from '../processors/pipelines.ts'
import { pageSize } from '../processors/search-params.ts'
import { complaint } from '../processors/step.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Query } from './operation.ts'

/** A question whose parameters were read. */
export interface Question {
  params: Readonly<Record<string, unknown>>
  steps: readonly PipelineStep[]
  offset: number
  /** The most rows on a page; undefined: what fits. */
  limit: number | undefined
}

/** Rows on a filter's page when nobody says how many. */
const FILTER_LIMIT = 50

const READERS: Record<Query['kind'], (params: JsonObject) => Question | { error: string }> = {
  filter: reader(filterParams, filterSteps, ({ limit }) => limit ?? FILTER_LIMIT),
  search: reader(searchParams, searchSteps, pageSize),
  explore: reader(exploreParams, exploreSteps, () => undefined),
}

/** Reads the parameters of a query; a mistake is an error that says what to write instead. */
export function readQuestion({ kind, params }: Query): Question | { error: string } {
  if (kind === 'search' && params.pattern === undefined) {
    return { error: '`pattern` is missing. Give the text or regular expression to search for.' }
  }
  return READERS[kind](params)
}

function reader<T extends { offset?: number | undefined }>(
  schema: z.ZodType<T>,
  steps: readonly PipelineStep[],
  limit: (params: T) => number | undefined,
): (params: JsonObject) => Question | { error: string } {
  return (params) => {
    const read = schema.safeParse(params)
    if (!read.success) return { error: complaint(read.error) }
    return { params: { ...read.data }, steps, offset: read.data.offset ?? 0, limit: limit(read.data) }
  }
}
