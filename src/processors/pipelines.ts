/** The three pipelines: which steps a query tool runs, in which order, and the parameters it takes for them. */
import * as z from 'zod'
import { aggregate, aggregateParams } from './aggregate.ts'
import { bm25 } from './bm25.ts'
import { context } from './context.ts'
import { fuzzy } from './fuzzy.ts'
import { grep } from './grep.ts'
import { count } from './lenient.ts'
import type { PipelineStep } from './pipeline.ts'
import { projection, projectionParams } from './projection.ts'
import { searchStepParams } from './search-params.ts'
import { select, selectParams } from './select.ts'
import { sort, sortParams } from './sort.ts'
import { structure } from './structure.ts'
import { where, whereParams } from './where.ts'

/** In a search, `mode` is that of the search: fields are included, or excluded with `exclude`. */
const fieldsParams = projectionParams.omit({ mode: true })
const fields: PipelineStep = { ...projection, params: fieldsParams }

export const filterSteps: readonly PipelineStep[] = [select, where, aggregate, sort, projection]
export const searchSteps: readonly PipelineStep[] = [select, fields, grep, bm25, fuzzy, context]
export const exploreSteps: readonly PipelineStep[] = [select, structure]

const offset = count('Rows to skip; default 0. Each answer names the next offset.')

export const filterParams = z.object({
  ...selectParams.shape,
  ...whereParams.shape,
  ...aggregateParams.shape,
  ...sortParams.shape,
  ...projectionParams.shape,
  offset,
  limit: count('Most rows to show; default 50, or what fits. Counts are always over everything.', 1),
})

export const searchParams = z.object({
  ...searchStepParams.shape,
  ...selectParams.shape,
  ...fieldsParams.shape,
  offset,
})

export const exploreParams = z.object({ ...selectParams.shape, ...structure.params.shape, offset })
