/** A whole SELECT or program of jq among the parameters of a filter: read before the steps, so that they run it like any other question. */

import * as z from 'zod'
import type { Document } from '../../documents/document.ts'
import { fromRows } from '../../documents/opening/derive.ts'
import { type Collection, collectionsOf } from '../../documents/shape/collections.ts'
import { isObject, type JsonValue, own, renamed } from '../../protocol/json.ts'
import { fromPipes } from '../../query/language/dialects/jq.ts'
import { readProgram } from '../../query/language/dialects/jq-program.ts'
import {
  isStatement,
  type Lists,
  type ReadSelect,
  readSelect,
  type SelectParams,
  withoutComments,
} from '../../query/language/dialects/sql.ts'
import { listOf, type Stage, stageOf, valueSelects } from '../../query/language/dialects/sql-nested.ts'
import { Refusal, shown } from '../../query/refusal.ts'
import { filterParams } from '../parameters.ts'
import { type PipelineStep, runPipeline } from '../pipeline.ts'
import { filterSteps } from '../pipelines.ts'
import { complaint, defineStep } from '../step.ts'
import { select } from '../steps/select.ts'

/** Parameters of a filter as they came, and what is to be said of how they were read. */
export interface Asked {
  readonly params: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
  /** The step that asks the SELECTs of which the answer is asked. */
  readonly before?: PipelineStep
}

/** Where a statement may stand. */
const PLACES = ['where', 'path'] as const

/**
 * Puts what a statement says into the parameters that say the same. Parameters beside it hold as well. `document` is what the
 * question is asked of: it tells which list the name after FROM means. Throws a `Refusal` for what is not read.
 */
export function withStatement(params: Asked['params'], document: Document | undefined): Asked {
  for (const place of PLACES) {
    const given = params[place]
    const texts = (Array.isArray(given) ? given : [given]).filter((text) => typeof text === 'string')
    const text = texts.find((each) => isStatement(each) || programIn(each, place) !== undefined)
    if (text === undefined) continue
    const program = isStatement(text) ? undefined : programIn(text, place)
    const {
      params: read,
      notes,
      before,
    } = program
      ? { params: onMainList(program, document), notes: [], before: undefined }
      : staged(withoutComments(text), document)
    const others = {
      ...params,
      [place]: Array.isArray(given) ? given.filter((each) => each !== text) : undefined,
    }
    const all = merged(others, read)
    const said = before && Object.keys(read).length === 0 ? [] : [`Read as ${JSON.stringify(read)}.`]
    return { params: all, notes: [...said, ...notes], ...(before && { before }) }
  }
  return { params, notes: [] }
}

/** A statement as the question that is asked last, and the step before it. */
function staged(text: string, document: Document | undefined): ReadSelect & { before?: PipelineStep } {
  const stage = stageOf(text)
  const of = stage.kind === 'union' ? stage : stage.of
  if (stage.kind === 'select' && !of) return readSelect(withValues(stage.text, document), listsOf(document))
  const answer = (): Document | undefined => document && of && answerOf(of, document, [])
  const { params, notes } =
    stage.kind === 'union' ? { params: {}, notes: [] } : readSelect(withValues(stage.text, document, answer))
  return { params, notes, ...(of && { before: asking(of) }) }
}

function asking(stage: Stage): PipelineStep {
  return defineStep({
    name: 'statement',
    params: z.object({}),
    wanted: () => true,
    run(document) {
      const notes: string[] = []
      const content = answerOf(stage, document, notes)
      return { content, metadata: { total: content.rows().count, ...(notes.length > 0 && { notes }) } }
    },
  })
}

/** Rows that the answers of inner SELECTs may have. */
const MOST_ROWS = 1_000_000

/** The answer of a stage. The remarks of its steps go to `notes`. */
function answerOf(stage: Stage, document: Document, notes: string[]): Document {
  if (stage.kind === 'union') {
    const answers = stage.parts.map((part) => answerOf(part, document, notes).rows().items)
    const rows = stage.distinct ? distinct(sameNames(answers)) : sameNames(answers)
    return fromRows({ noun: 'record', items: rows })
  }
  const source = stage.of ? answerOf(stage.of, document, notes) : document
  const text = withValues(stage.text, document, () => source)
  const { params } = readSelect(text, stage.of ? undefined : listsOf(source))
  const asked = filterParams.safeParse(params)
  if (!asked.success) throw new Refusal(complaint(asked.error))
  const { document: answer, steps, error } = runPipeline(source, filterSteps, asked.data)
  if (error !== undefined) throw new Refusal(error)
  notes.push(
    `Asked first: ${JSON.stringify(params)}.`,
    ...steps.flatMap(({ metadata }) => metadata.notes ?? []),
  )
  const { limit = MOST_ROWS, offset = 0 } = asked.data
  if (answer.rows().count <= limit && offset === 0) return answer
  return fromRows({ noun: 'record', items: answer.rows().items.slice(offset, offset + limit) })
}

/** The rows of several answers: SQL calls the columns of all by the names of the first. */
function sameNames(answers: readonly (readonly JsonValue[])[]): JsonValue[] {
  const named = (row: JsonValue | undefined): string[] => (isObject(row) ? Object.keys(row) : [])
  const names = named(answers[0]?.[0])
  return answers.flatMap((rows) => {
    const own = named(rows[0])
    const isSame = own.length !== names.length || own.every((name, at) => name === names[at])
    if (isSame) return rows
    const renaming = Object.fromEntries(own.map((name, at) => [name, names[at] ?? name]))
    return rows.map((row) => (isObject(row) ? renamed(row, renaming) : row))
  })
}

function distinct(rows: readonly JsonValue[]): JsonValue[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
}

/** Values that a SELECT in a condition may stand for. */
const MOST_VALUES = 1_000

/**
 * A statement with values in the place of the SELECTs that stand for them. One that is about the same list as the statement is asked of what
 * the statement is asked of, `source`.
 */
function withValues(
  text: string,
  document: Document | undefined,
  source: () => Document | undefined = () => document,
): string {
  const list = listOf(text)
  let read = text
  for (const { text: inner, of, isList, from, to } of valueSelects(text).reverse()) {
    const asked = of === undefined || of === list ? source() : document
    if (document === undefined || asked === undefined)
      throw new Refusal('Of several results at once a SELECT in a condition is not read. Ask it first.')
    if (of !== undefined && of !== list) refuseUnknown(of, document)
    const rows = answerOf(stageOf(inner), asked, []).rows().items
    const values = rows.map((row) => (isObject(row) ? (Object.values(row)[0] ?? null) : row))
    if (values.length > (isList ? MOST_VALUES : 1))
      throw new Refusal(
        isList
          ? `The SELECT behind IN gives ${values.length} values; ${MOST_VALUES} are the most. Join the lists in its place.`
          : `\`(${shown(inner, 60)})\` gives ${values.length} rows, where one value is to stand.`,
      )
    read = `${read.slice(0, from)}${isList ? `(${[...new Set(values.map(literal))].join(', ')})` : literal(values[0] ?? null)}${read.slice(to)}`
  }
  return read
}

/** Any name means the main list, but a second name in one statement means another list. */
function refuseUnknown(name: string, document: Document): void {
  const lists = collectionsOf(document.json() ?? null).map(({ path }) => plain(path))
  if (lists.some((list) => list === plain(name) || list.endsWith(`.${plain(name)}`))) return
  throw new Refusal(
    `\`${shown(name, 40)}\` is no list of this result. Ask the inner one first, of the result that it is about; then put its values into the condition, \`"where": "id in (1, 2, 3)"\`, or join both: \`"cache_id": ["…", "…"], "join_on": "id = id"\`.`,
  )
}

function literal(value: JsonValue): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return typeof value === 'object' && value !== null ? `'${JSON.stringify(value)}'` : String(value)
}

/** The question in a program of jq. A path with conditions, which shows one field, is followed as it is written. */
function programIn(text: string, place: (typeof PLACES)[number]): SelectParams | undefined {
  const program = readProgram(text)
  const { path, where, fields = [], ...others } = program ?? {}
  const isPath = fields.length === 1 && /^\S+$/.test(fields[0] ?? '') && Object.keys(others).length === 0
  return place === 'path' && isPath && fromPipes(text) !== text ? undefined : program
}

/** A path that leads nowhere names the main list otherwise than the document does. */
function onMainList({ path, ...program }: SelectParams, document: Document | undefined): SelectParams {
  if (path === undefined) return program
  const isFollowed = document === undefined || select.process(document, { path }).error === undefined
  return isFollowed ? { path, ...program } : program
}

/** Conditions of both must hold; of anything else that both say, what stands outside of the statement holds. */
function merged(beside: Asked['params'], read: SelectParams): Asked['params'] {
  const given = Object.fromEntries(
    Object.entries(beside).filter(
      ([, value]) => value != null && !(Array.isArray(value) && value.length === 0),
    ),
  )
  const conditions = [read.where ?? [], given.where ?? []].flat()
  return { ...read, ...given, ...(conditions.length > 0 && { where: conditions }) }
}

/** Fields of a list are looked for in so many of its records. */
const SAMPLE = 100

/** The lists of a document, by the names that a statement has for them: their own, or the way to them. */
function listsOf(document: Document | undefined): Lists {
  const main = document?.records()
  const lists = document === undefined ? [] : collectionsOf(document.json() ?? null)
  const named = (name: string): Collection | undefined => {
    const wanted = plain(name)
    const found =
      lists.find(({ path }) => plain(path) === wanted) ??
      lists.find(({ path }) => plain(path).endsWith(`.${wanted}`))
    // The list of series, and the map of paths, mean the records that were made of them.
    return found && found.path === main?.gathered?.path ? main : found
  }
  return {
    path(name) {
      const list = named(name)
      // Of lists of that name within the elements of another one, all are meant.
      const inAll = list?.path.replaceAll(/\[\d+\](?=[.[])/g, '[*]')
      if (list !== undefined && inAll !== undefined && inAll !== list.path && !name.includes('['))
        return `${inAll}[*]`
      if (list !== undefined) return list.path === main?.path ? undefined : list.path
      // A path in so many words; a plain name that is no list means the main one.
      if (document === undefined || !/[.[$]/.test(name)) return undefined
      return select.process(document, { path: name }).error === undefined ? name : undefined
    },
    has: (name, field) =>
      (named(name) ?? main)?.values
        .slice(0, SAMPLE)
        .some((record) => isObject(record) && own(record, field) !== undefined) ?? true,
  }
}

/** `$.data.items[*]` is `data.items`. */
function plain(path: string): string {
  return path
    .replaceAll(/\[\*?\]/g, '')
    .replace(/^\$\.?/, '')
    .toLowerCase()
}
