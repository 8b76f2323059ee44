/** The three pipelines: which steps a query tool runs, in which order. */
import { aggregate } from './aggregate.ts'
import { bm25 } from './bm25.ts'
import { context } from './context.ts'
import { fuzzy } from './fuzzy.ts'
import { grep } from './grep.ts'
import { fieldsParams } from './parameters.ts'
import type { PipelineStep } from './pipeline.ts'
import { projection } from './projection.ts'
import { select } from './select.ts'
import { sort } from './sort.ts'
import { structure } from './structure.ts'
import { where } from './where.ts'

const fields: PipelineStep = { ...projection, params: fieldsParams }

export const filterSteps: readonly PipelineStep[] = [select, where, aggregate, sort, projection]
export const searchSteps: readonly PipelineStep[] = [select, fields, grep, bm25, fuzzy, context]
export const exploreSteps: readonly PipelineStep[] = [select, structure]
