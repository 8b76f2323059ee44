/** The parameters of a search: one flat set, as all modes are one tool. Each mode is a step of its own. */
import * as z from 'zod'
import { choice, count, flag, fraction, text } from './lenient.ts'

const searchModes = ['regex', 'bm25', 'fuzzy', 'context'] as const
type SearchMode = (typeof searchModes)[number]

export const searchStepParams = z.object({
  pattern: text('RE2 for regex and context, words for bm25 and fuzzy.'),
  mode: choice(
    searchModes,
    'regex (default), bm25: most relevant, fuzzy: despite typos, context: text round each match.',
  ),
  max_results: count('Default 20.', 1),
  context_lines: count(''),
  case_insensitive: flag(''),
  multiline: flag(''),
  threshold: fraction('fuzzy, 0–1; default 0.7.'),
  top_k: count('bm25; default 5.', 1),
  context_type: choice(['paragraph', 'section', 'sentence', 'lines'], ''),
})

export type SearchParams = z.output<typeof searchStepParams>

/** More lines around a hit than this are never shown. */
const mostContextLines = 50

/** Lines before and after a hit. */
export function contextLines(params: SearchParams, byDefault = 0): number {
  return Math.min(params.context_lines ?? byDefault, mostContextLines)
}

/** True when a search is asked for and `mode` is its mode. An empty pattern is asked for, and refused by the step. */
export function searches(params: SearchParams, mode: SearchMode): boolean {
  return params.pattern !== undefined && (params.mode ?? 'regex') === mode
}

/** Hits on a page. */
export function pageSize(params: SearchParams): number {
  return params.mode === 'bm25' ? (params.top_k ?? params.max_results ?? 5) : (params.max_results ?? 20)
}
