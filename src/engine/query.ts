/** Answers to questions about kept results. */
import { combine, type Part } from '../documents/combine.ts'
import { namesIn } from '../documents/compact.ts'
import { fromRows, fromText } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import { type FitOptions, type Fitted, fit as fitToBudget, type Template } from '../documents/fit.ts'
import { openResult } from '../documents/open.ts'
import { withField } from '../documents/records.ts'
import { isWithin } from '../documents/size.ts'
import { spoken } from '../documents/template.ts'
import { runPipeline } from '../processors/pipeline.ts'
import { compactSearched } from '../processors/searchable.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { ellipsis } from '../text/cut.ts'
import { encodeResult } from './content.ts'
import { tokensOf } from './digest.ts'
import { hashOf } from './hash.ts'
import type { Query, QueryAnswer, Source } from './operation.ts'
import { type Question, readQuestion } from './questions.ts'
import { aboutGroups, describeSteps, isCounted, notesOf, type Outcome, titleOf } from './report.ts'
import type { View, Views } from './views.ts'

/**
 * Runs the steps of the query over its sources and fits what they made to the budget. Pure, but that the views it opens
 * stay open. Bad parameters are an answer that `failed` and says what to write instead; finding nothing is none.
 */
export function query(views: Views, sources: readonly Source[], asked: Query): QueryAnswer {
  const opened = sources.map((source) => ({ handle: source.handle, view: views.open(source) }))
  const parts = opened.map(({ handle, view }): Part => ({ handle, document: view.document }))
  const originalTokens = opened.reduce((sum, { view }) => sum + view.tokens, 0)
  const question = readQuestion(asked)
  if ('error' in question) return failure(question.error, asked, {}, originalTokens)
  // Filters count and sort over all sources at once; a search or a structure belongs to its source.
  const targets = asked.kind === 'filter' ? [{ handle: '', document: combine(parts) }] : parts
  const params = parts.length > 1 ? withSource(asked.kind, question.params) : question.params
  const outcomes = targets.map(({ handle, document }): Outcome => {
    return { handle, source: document, ...runPipeline(document, question.steps, params) }
  })
  const steps = describe(outcomes, parts)
  const errors = outcomes.map((outcome) => outcome.steps.find(({ error }) => error !== undefined)?.error)
  const [error] = errors
  if (error !== undefined && errors.every((each) => each !== undefined))
    return failure(error, asked, steps, originalTokens)
  settle(opened.map(({ view }) => view))
  const document = join(asked, outcomes)
  const page = {
    budget: asked.budget,
    title: titleOf(asked, outcomes),
    counted: isCounted(outcomes, document.rows().count),
    notes: notesOf(outcomes),
    ...aboutGroups(outcomes, document),
    ...shortly(asked, question.params, question.limit),
    offset: question.offset,
    ...(question.limit !== undefined && { limit: question.limit }),
  }
  const fitting = (wanted: FitOptions): Fitted => {
    const made = fitToBudget(document, wanted)
    return { ...made, text: spoken(made.text, asked.dialect) }
  }
  const fitted = fitting(page)
  const answered = (text: Template): QueryAnswer => {
    return { failed: false, steps, originalTokens, answerTokens: tokensOf(text), text }
  }
  if (fitted.complete || fitted.paged) return answered([fitted.text.join('')])
  const [only] = parts
  // What no step changed is kept already.
  if (only !== undefined && document === only.document) return answered([fitted.text.join(only.handle)])
  if (!isKeepable(document, parts)) return answered(fitting({ ...page, kept: false }).text)
  return { ...answered(fitted.text), whole: wholeOf(views, document, sources) }
}

/** Once the answer is out: what the search has read is kept once. Answers are made of values that their sources keep. */
function settle(views: readonly View[]): void {
  setImmediate(() => {
    for (const { document, sources } of views) if (sources.length === 0) compactSearched(document)
  })
}

/** The parameters with the handle of the source among the fields of records: rows of several results say whose they are. */
function withSource(kind: Query['kind'], params: Question['params']): Question['params'] {
  const { fields, mode, group_by: keys, aggregate: calls, join_on: join } = params
  const lists = [keys, calls, join].some((list) => Array.isArray(list) && list.length > 0)
  if (kind !== 'filter' || lists || mode === 'exclude' || !Array.isArray(fields) || fields.length === 0)
    return params
  return fields.some((field) => field === '_from' || field === '*')
    ? params
    : { ...params, fields: ['_from', ...fields] }
}

/** Records of which no fields were asked for may be shown in some of theirs, those that the question names first. */
function shortly(
  { kind }: Query,
  { path, where, sort, fields, exclude, group_by: keys, aggregate: calls }: Question['params'],
  limit: number | undefined,
): { compact?: ReadonlySet<string>; compactFew?: boolean } {
  const chosen = [fields, exclude, keys, calls].some((list) => Array.isArray(list) && list.length > 0)
  const texts = [where, sort].flat().filter((text) => typeof text === 'string')
  if (kind !== 'filter' || chosen) return {}
  // Who names a place, or wants to see a record, means the whole of it; who looks for one wants to know something of it.
  const isSought = texts.length > 0 || (path === undefined && limit !== 1)
  return { compact: namesIn(texts), compactFew: isSought }
}

/** The most characters that are kept of an answer about small results, and of any, as a multiple of what was asked. */
const KEPT = 4_000_000
const KEPT_SHARE = 2

/** False for what has grown far beyond its sources, as every part of a deep value does: pages of it are made anew. */
function isKeepable(document: Document, parts: readonly Part[]): boolean {
  const bytes = parts.reduce((sum, part) => sum + part.document.bytes, 0)
  return isWithin(document.rows().items, Math.max(KEPT, bytes * KEPT_SHARE))
}

/** One answer out of those of the sources. Ranked hits alternate, because scores of two sources do not compare. */
function join({ kind, params }: Query, outcomes: readonly Outcome[]): Document {
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
  return { content, hash }
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
