/** Answers to questions about kept results. */

import type * as z from 'zod'
import type { Document } from '../documents/document.ts'
import { combine, type Part, partsOf } from '../documents/opening/combine.ts'
import { fromRows, fromText } from '../documents/opening/derive.ts'
import { openResult } from '../documents/opening/open.ts'
import { namesIn } from '../documents/reply/compact.ts'
import { type FitOptions, type Fitted, fit as fitToBudget } from '../documents/reply/fit.ts'
import { isWithin, sizeAbout } from '../documents/reply/size.ts'
import { withField } from '../documents/shape/collections.ts'
import { spoken, type Template } from '../documents/template.ts'
import { exploreParams, filterParams, searchParams } from '../processors/parameters.ts'
import { type PipelineStep, runPipeline, type StepReport } from '../processors/pipeline.ts'
import { exploreSteps, filterSteps, searchSteps } from '../processors/pipelines.ts'
import { withKeys, withTop } from '../processors/readings/keys.ts'
import { withStatement } from '../processors/readings/statement.ts'
import { withOver } from '../processors/readings/windows.ts'
import { FEW_ROWS, rowLinkNotes } from '../processors/search/links.ts'
import { readable, unitsIn } from '../processors/search/readable.ts'
import { pageSize } from '../processors/search/search.ts'
import { compactSearched, searchable } from '../processors/search/searchable.ts'
import { complaint } from '../processors/step.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import { Refusal } from '../query/refusal.ts'
import { formatCount, formatPlural } from '../text/format.ts'
import { ellipsis } from '../text/shorten.ts'
import { encodeResult, hashOf } from './content.ts'
import type { Query, QueryAnswer, Source } from './contract.ts'
import { tokensOf } from './digest.ts'
import type { View, Views } from './views.ts'

/**
 * Runs the steps of the query over its sources and fits what they made to the budget. Pure, but that the views it opens
 * stay open. Bad parameters are an answer that `failed` and says what to write instead; finding nothing is none.
 */
export function query(
  views: Views,
  sources: readonly Source[],
  asked: Query,
  told: (step: string) => void = () => {},
): QueryAnswer {
  const pursued = pursue(views, sources, asked, told)
  const { parts, originalTokens } = pursued
  if ('error' in pursued) return failure(pursued.error, asked, pursued.steps, originalTokens)
  const { question, outcomes, steps, document } = pursued
  const page = {
    budget: asked.budget,
    title: titleOf({ ...asked, params: question.params as JsonObject }, outcomes),
    counted: isCounted(outcomes, document.rows().count),
    notes: pursued.notes,
    ...aboutGroups(outcomes, document),
    ...shortly(asked, question),
    ...(typeof asked.params.pattern === 'string' && { sought: asked.params.pattern }),
    offset: question.offset,
    ...(question.limit !== undefined && { limit: question.limit }),
  }
  const fitting = (wanted: FitOptions): Fitted => {
    const made = fitToBudget(document, wanted)
    return { ...made, text: spoken(made.text, asked.dialect) }
  }
  const usual = fitting(page)
  const { limit = 0, offset } = question
  const hasAll = ({ shown, total }: Fitted): boolean => shown >= Math.min(limit, total - offset)
  const isLonger = asked.kind === 'filter' && limit > FILTER_LIMIT && !hasAll(usual)
  const { compact: _, ...inFull } = page
  const longer = isLonger && asked.most !== undefined ? fitting({ ...inFull, budget: asked.most }) : usual
  const fitted = hasAll(longer) ? longer : usual
  const answered = (text: Template): QueryAnswer => {
    return { failed: false, steps, originalTokens, answerTokens: tokensOf(text), text }
  }
  if (fitted.complete || fitted.paged) return answered([fitted.text.join('')])
  const [only] = parts
  // A document that no step changed is kept already.
  if (only !== undefined && document === only.document) return answered([fitted.text.join(only.handle)])
  if (!isKeepable(document, parts)) return answered(fitting({ ...page, kept: false }).text)
  return { ...answered(fitted.text), whole: wholeOf(views, document, sources) }
}

/** The outcomes of the steps of a question for its sources, before anything is fitted to a reply. */
interface Pursued {
  readonly parts: readonly Part[]
  readonly originalTokens: number
  readonly steps: JsonObject
}

/** The rows that answer, all of them, and what the steps remarked. */
export interface Outcomes extends Pursued {
  readonly question: Question
  readonly outcomes: readonly Outcome[]
  readonly document: Document
  readonly notes: readonly string[]
}

/** Opens the sources and runs the steps. `error`: what to write instead, for the model. */
export function pursue(
  views: Views,
  sources: readonly Source[],
  asked: Pick<Query, 'kind' | 'params'>,
  told: (step: string) => void = () => {},
): Outcomes | (Pursued & { readonly error: string }) {
  if (sources.some(({ hash }) => !views.has(hash))) told('opening the result')
  const opened = sources.map((source) => ({ handle: source.handle, view: views.open(source) }))
  const parts = opened.map(({ handle, view }): Part => ({ handle, document: view.document }))
  const originalTokens = opened.reduce((sum, { view }) => sum + view.tokens, 0)
  const question = readQuestion(asked, parts)
  if ('error' in question) return { parts, originalTokens, steps: {}, error: question.error }
  // Filters count and sort over all sources at once; a search or a structure belongs to its source.
  const targets = asked.kind === 'filter' ? [{ handle: '', document: combine(parts) }] : parts
  // The answers of other SELECTs, and the one result that a statement names, do not name their results.
  const params =
    parts.length > 1 && !question.isStaged ? withSource(asked.kind, question.params) : question.params
  const outcomes = targets.map(({ handle, document }): Outcome => {
    const steps = document.bytes < TOLD ? question.steps : question.steps.map((step) => telling(step, told))
    return { handle, source: document, ...runPipeline(document, steps, params) }
  })
  const steps = describe(outcomes, parts)
  const errors = outcomes.map((outcome) => outcome.steps.find(({ error }) => error !== undefined)?.error)
  const [error] = errors
  if (error !== undefined && errors.every((each) => each !== undefined))
    return { parts, originalTokens, steps, error }
  settle(opened.map(({ view }) => view))
  const document = join(asked, outcomes)
  const rows = asked.kind === 'filter' && document.rows().count <= FEW_ROWS ? document.rows().items : []
  const notes = [...question.notes, ...notesOf(outcomes), ...rowLinkNotes(rows)]
  return { parts, originalTokens, question, outcomes, steps, document, notes }
}

/** Bytes of a document of which each step is told as it begins. */
const TOLD = 64 * 1024

function telling(step: PipelineStep, told: (step: string) => void): PipelineStep {
  return {
    name: step.name,
    params: step.params,
    wanted: (params) => step.wanted(params),
    process(document, params) {
      told(step.name)
      return step.process(document, params)
    },
  }
}

/** Once the answer is out: what the search has read is kept once. Answers are made of values that their sources keep. */
function settle(views: readonly View[]): void {
  setImmediate(() => {
    for (const { document, sources } of views) if (sources.length === 0) compactSearched(document)
  })
}

/** The parameters with the handle of the source among the fields of records: rows of several results name their result. */
function withSource(kind: Query['kind'], params: Question['params']): Question['params'] {
  const { fields, mode, group_by: keys, aggregate: calls, join_on: join } = params
  const lists = [keys, calls, join].some((list) => Array.isArray(list) && list.length > 0)
  if (kind !== 'filter' || lists || mode === 'exclude' || !Array.isArray(fields) || fields.length === 0)
    return params
  return fields.some((field) => field === '_from' || field === '*')
    ? params
    : { ...params, fields: ['_from', ...fields] }
}

/**
 * Without a choice of fields, records may be shown with some of their fields; fields that the question names come first. Without a choice of
 * rows, a first look at many will do.
 */
function shortly(
  { kind, params: { limit: asked } }: Query,
  { params, limit, offset }: Question,
): Pick<FitOptions, 'compact' | 'compactFew' | 'glance'> {
  const { path, where, sort, fields, exclude, group_by: keys, aggregate: calls } = params
  const chosen = [fields, exclude, keys, calls].some((list) => Array.isArray(list) && list.length > 0)
  const texts = [where, sort].flat().filter((text) => typeof text === 'string')
  if (kind !== 'filter' || chosen) return {}
  // A question that names a place or a record means the whole of it; a question that looks for one means a part of it.
  const isSought = texts.length > 0 || (path === undefined && limit !== 1)
  return { compact: namesIn(texts), compactFew: isSought, glance: asked === undefined && offset === 0 }
}

/** The most characters that are kept of an answer about small results, and of any, as a multiple of what was asked. */
const KEPT = 4_000_000
const KEPT_SHARE = 2

/** False for what has grown far beyond its sources, as every part of a deep value does: pages of it are made again. */
function isKeepable(document: Document, parts: readonly Part[]): boolean {
  const bytes = parts.reduce((sum, part) => sum + part.document.bytes, 0)
  return isWithin(document.rows().items, Math.max(KEPT, bytes * KEPT_SHARE))
}

/** One answer out of those of the sources. Ranked hits alternate, because scores of two sources do not compare. */
function join({ kind, params }: Pick<Query, 'kind' | 'params'>, outcomes: readonly Outcome[]): Document {
  const [only] = outcomes
  if (only !== undefined && outcomes.length === 1) return only.document
  if (kind === 'explore') {
    return fromText(outcomes.map(({ handle, document }) => `=== ${handle} ===\n${document.text}`).join('\n'))
  }
  const lists = outcomes.map(({ handle, document }) => document.rows().items.map((row) => label(handle, row)))
  const ranked = params.mode === 'bm25' || params.mode === 'fuzzy'
  return fromRows({
    noun: only?.document.rows().noun ?? 'hit',
    items: ranked ? alternate(lists) : lists.flat(),
  })
}

function label(handle: string, row: JsonValue): JsonValue {
  return typeof row === 'string' ? `${handle} ${row}` : withField('_from', handle, row)
}

function alternate(lists: readonly (readonly JsonValue[])[]): JsonValue[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, nth) => lists.flatMap((list) => list.slice(nth, nth + 1))).flat()
}

function describe(outcomes: readonly Outcome[], parts: readonly Part[]): JsonObject {
  const [only] = outcomes
  const characters = parts.reduce((sum, { document }) => sum + document.characters, 0)
  if (only !== undefined && outcomes.length === 1) return describeSteps(characters, only.steps)
  return Object.fromEntries(
    outcomes.map(({ handle, source, steps }) => [handle, describeSteps(source.characters, steps)]),
  )
}

/** The whole answer as a result that can be kept and asked about, open already. */
function wholeOf(
  views: Views,
  document: Document,
  sources: readonly Source[],
): NonNullable<QueryAnswer['whole']> {
  const { content, opened } = asText(document) ?? asData(document)
  const hash = hashOf(content)
  views.keepAnswer(
    hash,
    opened,
    content.byteLength,
    sources.map((source) => source.hash),
  )
  const { count, noun } = document.rows()
  return { content, hash, shape: formatPlural(count, noun) }
}

interface Reopened {
  content: Uint8Array<SharedArrayBuffer>
  opened: Document
}

/** Text where its rows are read back as they were. */
function asText(document: Document): Reopened | undefined {
  if (document.kind !== 'text') return undefined
  const result: JsonObject = { content: [{ type: 'text', text: document.text }] }
  const opened = openResult(result, document.bytes)
  const { items } = document.rows()
  const rows = opened.rows().items
  const same = rows.length === items.length && rows.every((row, index) => row === items[index])
  return same ? { content: encodeResult(result), opened } : undefined
}

/** Anything else as data, so that offsets mean the same rows. Written out once: the document keeps no text of its own. */
function asData(document: Document): Reopened {
  const result: JsonObject = { structuredContent: document.json() ?? [...document.rows().items] }
  const content = encodeResult(result)
  return { content, opened: openResult(result, content.byteLength - envelope) }
}

const envelope = '{"structuredContent":}'.length

function failure(error: string, { budget }: Query, steps: JsonObject, originalTokens: number): QueryAnswer {
  const text = [ellipsis(error, budget)]
  return { text, failed: true, steps, originalTokens, answerTokens: tokensOf(text) }
}

// The kinds of questions: how their parameters are read, what steps answer them, how long a page is.

/** A question after its parameters were read. */
interface Question {
  params: Readonly<Record<string, unknown>>
  steps: readonly PipelineStep[]
  offset: number
  /** The most rows on a page; undefined: what fits. */
  limit: number | undefined
}

/** Rows on a filter's page by default. */
const FILTER_LIMIT = 50

const READERS: Record<Query['kind'], (params: JsonObject) => Question | { error: string }> = {
  filter: reader(filterParams, filterSteps, ({ limit }) => limit ?? FILTER_LIMIT),
  search: reader(searchParams, searchSteps, pageSize),
  explore: reader(exploreParams, exploreSteps, () => undefined),
}

/** Reads the parameters of a query; a mistake is an error that says what to write instead. */
function readQuestion(
  { kind, params }: Pick<Query, 'kind' | 'params'>,
  parts: readonly Part[],
): (Question & { notes: readonly string[]; isStaged: boolean }) | { error: string } {
  if (kind === 'search' && params.pattern === undefined) {
    return { error: '`pattern` is missing. Give the text or regular expression to search for.' }
  }
  try {
    const asked = kind === 'filter' ? withStatement(params, parts) : { params, notes: [] }
    const read = READERS[kind](asked.params as JsonObject)
    if ('error' in read) return read
    const ordered = kind === 'filter' ? withTop(read.params) : { params: read.params, notes: [] }
    const { limit = read.limit } = ordered.params as { limit?: number }
    const question = kind === 'filter' ? { ...read, limit, params: withOver(withKeys(ordered.params)) } : read
    const steps = 'before' in asked && asked.before ? [asked.before, ...question.steps] : question.steps
    return {
      ...question,
      steps,
      notes: [...asked.notes, ...ordered.notes],
      isStaged: steps !== question.steps,
    }
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message }
    throw error
  }
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

// The words around an answer: its title, its remarks, and what each step did.

/** The outcome of the steps for one document. */
interface Outcome {
  /** Of the source; empty when all sources were asked as one. */
  handle: string
  /** The document before and after. */
  source: Document
  document: Document
  steps: readonly StepReport[]
}

/** The longest part of a parameter that a title repeats. */
const QUOTE = 80

/** The title of the rows below, with counts over everything. Outcomes are several when each source was asked for itself. */
function titleOf({ kind, params }: Query, outcomes: readonly Outcome[]): string {
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
function isCounted(outcomes: readonly Outcome[], rows: number): boolean {
  const steps = outcomes.flatMap(({ steps }) => steps.filter(({ applied }) => applied))
  if (steps.some(({ name }) => name === 'aggregate')) return rows === 1
  const matching = steps.filter(({ name }) => name === 'where' || SEARCHES.includes(name))
  return (
    matching.length > 0 && matching.reduce((sum, { metadata }) => sum + (metadata.matched ?? 0), 0) === rows
  )
}

/** How many records a page of groups stands for, where each group says how many it has and no record is in two. */
function aboutGroups(
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

/** The units that a step looked at, one by one. */
function unitOf({ source, steps }: Outcome, step: string): string {
  if (step === 'where') return 'record'
  const isOfRecords = steps.some(({ name, applied }) => applied && (name === 'select' || name === 'where'))
  if (isOfRecords) return 'record'
  if (searchable(readable(source)).noun === 'value')
    return step === 'bm25' && source.records() ? 'record' : unitsIn(source, source, 0).noun
  return step === 'bm25' ? 'passage' : 'line'
}

/** Remarks of the steps, and the errors of steps that failed where others did not. A result without hits says nothing beside one with some. */
function notesOf(all: readonly Outcome[]): string[] {
  const searched = ({ steps }: Outcome): StepReport[] =>
    steps.filter(({ name, applied }) => applied && SEARCHES.includes(name))
  const hasHits = (one: Outcome): boolean => searched(one).some(({ metadata }) => metadata.matched !== 0)
  const isQuiet = (one: Outcome): boolean =>
    searched(one).length > 0 && !hasHits(one) && one.steps.every(({ error }) => error === undefined)
  const outcomes = all.some(hasHits) ? all.filter((one) => !isQuiet(one)) : all
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
  const isOther = ({ name, applied }: StepReport): boolean =>
    applied && (name === 'join' || name === 'statement')
  if (!parts || steps.some(isOther)) return []
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
 * For each step: whether it was applied, its counts, and its sizes. These are the characters of the source, and about the characters of
 * its outcome, which is not written out for that. For `_meta`.
 */
function describeSteps(characters: number, steps: readonly StepReport[]): JsonObject {
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
