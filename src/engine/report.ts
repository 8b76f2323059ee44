/** The words around an answer: its title, its remarks, and what each step did. */
import { partsOf } from '../documents/combine.ts'
import type { Document } from '../documents/document.ts'
import { sizeAbout } from '../documents/size.ts'
import type { StepReport } from '../processors/pipeline.ts'
import { searchable } from '../processors/searchable.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import { ellipsis } from '../text/cut.ts'
import { formatCount, formatPlural } from '../text/format.ts'
import type { Query } from './operation.ts'

/** What the steps made of one document. */
export interface Outcome {
  /** Of the source; empty when all sources were asked as one. */
  handle: string
  /** The document before and after. */
  source: Document
  document: Document
  steps: readonly StepReport[]
}

/** The longest part of a parameter that a title repeats. */
const QUOTE = 80

/** What the rows below are, with counts over everything. Outcomes are several when each source was asked for itself. */
export function titleOf({ kind, params }: Query, outcomes: readonly Outcome[]): string {
  const path =
    typeof params.path === 'string' && params.path.trim() !== '' ? ` in ${ellipsis(params.path, QUOTE)}` : ''
  if (kind === 'explore') return `structure${path}`
  if (kind === 'search')
    return `${matches(outcomes, SEARCHES)} \`${ellipsis(String(params.pattern), QUOTE)}\`${path}`
  const steps = outcomes.flatMap(({ steps }) => steps.filter(({ applied }) => applied))
  const found = steps.some(({ name }) => name === 'where')
    ? [`${matches(outcomes, ['where'])} \`where\`${path}`]
    : []
  const groups = steps
    .filter(({ name }) => name === 'aggregate' && found.length === 0)
    .map(({ metadata }) => `over ${formatPlural(metadata.total ?? 0, 'record')}`)
  const joined = steps.some(({ name }) => name === 'join') && found.length + groups.length === 0
  const title = joined ? `joined records${path}` : [...found, ...groups].join(', ')
  return title === '' ? `kept result${path}` : title
}

/** True when the title says how many rows there are: each is a match, or all of them are one. */
export function isCounted(outcomes: readonly Outcome[], rows: number): boolean {
  const steps = outcomes.flatMap(({ steps }) => steps.filter(({ applied }) => applied))
  if (steps.some(({ name }) => name === 'aggregate')) return rows === 1
  const matching = steps.filter(({ name }) => name === 'where' || SEARCHES.includes(name))
  return (
    matching.length > 0 && matching.reduce((sum, { metadata }) => sum + (metadata.matched ?? 0), 0) === rows
  )
}

/** How many records a page of groups stands for, where each group says how many it has and no record is in two. */
export function aboutGroups(
  outcomes: readonly Outcome[],
  document: Document,
): { about?: (first: number, end: number) => string } {
  const [only] = outcomes
  const step = only?.steps.find(({ name, applied }) => name === 'aggregate' && applied)
  const total = step?.metadata.total
  if (total === undefined || document.rows().count < 2 || step?.metadata.several === true) return {}
  const { items } = document.rows()
  const counts = items.map((row) => (isObject(row) ? own(row, 'count') : undefined))
  if (!counts.every((count) => typeof count === 'number')) return {}
  return {
    about: (first, end) => {
      const covered = counts.slice(first, end).reduce<number>((sum, count) => sum + Number(count), 0)
      return `, with ${formatCount(covered)} of ${formatPlural(total, 'record')}`
    },
  }
}

const SEARCHES = ['grep', 'bm25', 'fuzzy', 'context']

/** `12 of 1,373 records match`. */
function matches(outcomes: readonly Outcome[], names: readonly string[]): string {
  let [matched, total, unit] = [0, 0, '']
  for (const outcome of outcomes) {
    const step = outcome.steps.find(({ name, applied }) => applied && names.includes(name))
    if (step === undefined) continue
    matched += step.metadata.matched ?? 0
    total += step.metadata.total ?? 0
    unit ||= step.metadata.unit ?? unitOf(outcome, step.name)
  }
  // In a long line each place is a hit.
  if (matched > total) return `${formatPlural(matched, 'place')} in ${formatPlural(total, unit)} match`
  return `${formatCount(matched)} of ${formatPlural(total, unit)} ${matched === 1 ? 'matches' : 'match'}`
}

/** What a step looked at, one by one. */
function unitOf({ source, steps }: Outcome, step: string): string {
  if (step === 'where') return 'record'
  const selected = steps.some(({ name, applied }) => name === 'select' && applied)
  if (selected || searchable(source).noun === 'value')
    return selected || source.records() ? 'record' : 'value'
  return step === 'bm25' ? 'passage' : 'line'
}

/** Remarks of the steps, and the errors of those that failed where others did not. */
export function notesOf(outcomes: readonly Outcome[]): string[] {
  const notes = outcomes.flatMap(({ handle, source, steps }) => [
    ...sourcesOf(source, steps),
    ...steps.flatMap(({ metadata, error }) => [
      ...(metadata.notes ?? []),
      ...(error === undefined ? [] : [handle === '' ? error : `${handle}: ${error}`]),
    ]),
  ])
  return [...new Set(notes)]
}

/** Says how many of the records that a filter found are from which of several results. */
function sourcesOf(source: Document, steps: readonly StepReport[]): string[] {
  const parts = partsOf(source)
  if (!parts || steps.some(({ name, applied }) => name === 'join' && applied)) return []
  const found = steps.findLast(({ name, applied }) => applied && (name === 'where' || name === 'select'))
  const counts = new Map(parts.map(({ handle }) => [handle, 0]))
  for (const row of (found?.content ?? source).rows().items) {
    const from = isObject(row) ? own(row, '_from') : undefined
    if (typeof from !== 'string' || !counts.has(from)) return []
    counts.set(from, (counts.get(from) ?? 0) + 1)
  }
  return [
    `By cache_id: ${[...counts].map(([handle, count]) => `${handle} ${formatCount(count)}`).join(', ')}.`,
  ]
}

/**
 * By step: whether it was applied, its counts, and its sizes: characters of the source, and about those of what it made,
 * which is not written out for that. For `_meta`.
 */
export function describeSteps(characters: number, steps: readonly StepReport[]): JsonObject {
  const described: JsonObject = {}
  let before = characters
  for (const step of steps) {
    const { notes: _, ...counts } = step.metadata
    const after = step.applied ? sizeAbout(step.content) : before
    const sizes = step.applied ? { originalSize: before, processedSize: after } : {}
    before = after
    const parts: Record<string, JsonValue | undefined> = {
      applied: step.applied,
      ...sizes,
      ...counts,
      error: step.error,
    }
    const present: JsonObject = {}
    for (const [name, value] of Object.entries(parts)) if (value !== undefined) setOwn(present, name, value)
    described[step.name] = present
  }
  return described
}
