/** A whole SELECT or program of jq among the parameters of a filter: read before the steps, so that they run it like any other question. */

import * as z from 'zod'
import type { Document } from '../../documents/document.ts'
import { combine, type Part } from '../../documents/opening/combine.ts'
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
  sourcesOf,
  withoutComments,
} from '../../query/language/dialects/sql.ts'
import {
  listOf,
  type SetOperator,
  type Stage,
  stageOf,
  valueSelects,
} from '../../query/language/dialects/sql-nested.ts'
import { scan } from '../../query/language/scanner.ts'
import { listed, Refusal, shown } from '../../query/refusal.ts'
import { filterParams } from '../parameters.ts'
import { type PipelineStep, runPipeline } from '../pipeline.ts'
import { filterSteps } from '../pipelines.ts'
import { complaint, defineStep } from '../step.ts'
import { safely } from '../steps/group.ts'
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
 * Puts what a statement says into the parameters that say the same. Parameters beside it hold as well. `parts` is what the
 * question is asked of: they tell which lists the names after FROM and JOIN mean. Throws a `Refusal` for what is not read.
 */
export function withStatement(params: Asked['params'], parts: readonly Part[]): Asked {
  const document = only(parts)
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
      : staged(withoutComments(text), parts)
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

function only(parts: readonly Part[]): Document | undefined {
  return parts.length === 1 ? parts[0]?.document : undefined
}

/** A statement as the question that is asked last, and the step before it. */
function staged(text: string, parts: readonly Part[]): ReadSelect & { before?: PipelineStep } {
  const document = only(parts)
  const stage = stageOf(text)
  if (stage.kind === 'union') return { params: {}, notes: [], before: asking(stage) }
  const { of } = stage
  if (of) {
    const answer = (): Document | undefined => document && answerOf(of, document, [])
    return { ...readSelect(withValues(stage.text, document, answer)), before: asking(of) }
  }
  const written = withValues(stage.text, document)
  const notes: string[] = []
  const named = namedParts(written, stage.joined, parts, notes)
  if (named === undefined) return readSelect(written, listsOf(document))
  const read = readSelect(written, listsOfParts(named))
  return { params: read.params, notes: [...notes, ...read.notes], before: about(combine(named)) }
}

/** The step after which a question is about another document. */
function about(content: Document): PipelineStep {
  return defineStep({
    name: 'statement',
    params: z.object({}),
    wanted: () => true,
    run: () => ({ content }),
  })
}

/**
 * The lists of a join by the names that a statement has for them, that of FROM first: of several results, or of other SELECTs. Undefined
 * where all are lists of one result.
 */
function namedParts(
  text: string,
  joined: ReadonlyMap<string, Stage> | undefined,
  parts: readonly Part[],
  notes: string[],
): readonly Part[] | undefined {
  const sources = sourcesOf(text)
  const [from] = sources
  if (joined !== undefined) {
    const document = only(parts)
    if (document === undefined)
      throw new Refusal('Of several results at once a SELECT in a JOIN is not read. Ask it first.')
    const made = [...joined].map(([name, stage]) => ({
      handle: name,
      name,
      document: answerOf(stage, document, notes),
    }))
    const isFirst = ({ name }: Part): boolean => name === from?.name.toLowerCase()
    return [...made.filter(isFirst), { handle: '', document }, ...made.filter((part) => !isFirst(part))]
  }
  if (parts.length < 2 || sources.length < 2) return undefined
  const names = [...new Map(sources.map((source) => [source.name.toLowerCase(), source])).values()]
  const order = assigned(names, parts)
  const named = (order.length > 0 ? order : parts).map((part, nth) => ({
    ...part,
    ...(names[nth] && { name: names[nth].name }),
  }))
  const calls = named.filter(({ name, handle }) => name !== undefined && name !== handle)
  if (calls.length > 0)
    notes.push(`Read as ${listed(calls.map(({ name, handle }) => `${name} = ${handle}`))}.`)
  return named
}

/**
 * The results in the order of the names; the others come last. A name that is no handle means the first result left with all the fields
 * that are called by it. Empty where there is no such order.
 */
function assigned(sources: ReturnType<typeof sourcesOf>, parts: readonly Part[]): readonly Part[] {
  const [source, ...others] = sources
  if (source === undefined) return parts
  const candidates = parts.filter(
    ({ handle, document }) =>
      handle === source.name ||
      (!parts.some((part) => part.handle === source.name) &&
        source.fields.every((field) => field === '' || hasField(document.records(), field))),
  )
  for (const part of candidates) {
    const rest = assigned(
      others,
      parts.filter((one) => one !== part),
    )
    if (others.length === 0 || rest.length > 0) return [part, ...rest]
  }
  return []
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
    const answers = sameNames(stage.parts.map((part) => answerOf(part, document, notes).rows().items))
    const items = answers.reduce((rows, next, nth) => combined(rows, next, stage.operators[nth - 1]))
    return fromRows({ noun: 'record', items })
  }
  const asked = stage.of ? answerOf(stage.of, document, notes) : document
  const text = withValues(stage.text, document, () => asked)
  const named = stage.joined && namedParts(text, stage.joined, [{ handle: '', document }], notes)
  const source = named ? combine(named) : asked
  const lists = named ? listsOfParts(named) : stage.of ? undefined : listsOf(source)
  const { params } = readSelect(text, lists)
  const read = filterParams.safeParse(params)
  if (!read.success) throw new Refusal(complaint(read.error))
  const { document: answer, steps, error } = runPipeline(source, filterSteps, read.data)
  if (error !== undefined) throw new Refusal(error)
  notes.push(
    `Asked first: ${JSON.stringify(params)}.`,
    ...steps.flatMap(({ metadata }) => metadata.notes ?? []),
  )
  const { limit = MOST_ROWS, offset = 0 } = read.data
  if (answer.rows().count <= limit && offset === 0) return answer
  return fromRows({ noun: 'record', items: answer.rows().items.slice(offset, offset + limit) })
}

/** The rows of several answers: SQL calls the columns of all by the names of the first. */
function sameNames(answers: readonly (readonly JsonValue[])[]): (readonly JsonValue[])[] {
  const named = (row: JsonValue | undefined): string[] => (isObject(row) ? Object.keys(row) : [])
  const names = named(answers[0]?.[0])
  return answers.map((rows) => {
    const own = named(rows[0])
    const isSame = own.length !== names.length || own.every((name, at) => name === names[at])
    if (isSame) return rows
    const renaming = Object.fromEntries(own.map((name, at) => [name, names[at] ?? name]))
    return rows.map((row) => (isObject(row) ? renamed(row, renaming) : row))
  })
}

/** The rows of two answers put together. All operators but UNION ALL give each row once. */
function combined(
  rows: readonly JsonValue[],
  next: readonly JsonValue[],
  operator: SetOperator | undefined,
): readonly JsonValue[] {
  if (operator === 'union all') return [...rows, ...next]
  const keyed = (all: readonly JsonValue[]): Map<string, JsonValue> =>
    new Map(all.map((row) => [JSON.stringify(row), row]))
  if (operator === 'union') return [...keyed([...rows, ...next]).values()]
  const others = keyed(next)
  return [...keyed(rows)].flatMap(([key, row]) =>
    others.has(key) === (operator === 'intersect') ? [row] : [],
  )
}

/** Values that a SELECT in a condition may stand for. */
const MOST_VALUES = 1_900

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
  const outer = safely(() => sourcesOf(text)) ?? []
  for (const { text: inner, of, isList, from, to } of valueSelects(text).reverse()) {
    const asked = of === undefined || of === list ? source() : document
    if (document === undefined || asked === undefined)
      throw new Refusal('Of several results at once a SELECT in a condition is not read. Ask it first.')
    const isMade = of === '(' || /^\s*with\s/i.test(inner)
    if (of !== undefined && of !== list && !isMade) refuseUnknown(of, document)
    refuseOuter(inner, outer)
    const rows = answerOf(stageOf(inner), asked, []).rows().items
    const all = rows.map((row) => (isObject(row) ? (Object.values(row)[0] ?? null) : row))
    const values = isList ? [...new Map(all.map((value) => [literal(value), value])).values()] : all
    if (values.length > (isList ? MOST_VALUES : 1))
      throw new Refusal(
        isList
          ? `The SELECT behind IN gives ${values.length} values; ${MOST_VALUES} are the most. Join the lists in its place: \`FROM a JOIN b ON a.b_id = b.id\`, or for NOT IN \`FROM a LEFT JOIN b ON a.b_id = b.id WHERE b.id IS NULL\`.`
          : `\`(${shown(inner, 60)})\` gives ${values.length} rows, where one value is to stand.`,
      )
    read = `${read.slice(0, from)}${isList ? `(${values.map(literal).join(', ')})` : literal(values[0] ?? null)}${read.slice(to)}`
  }
  return read
}

/** A SELECT in brackets gives its values once, not for each record of the one around it. */
function refuseOuter(inner: string, outer: ReturnType<typeof sourcesOf>): void {
  const own = new Set((safely(() => sourcesOf(inner)) ?? []).flatMap(({ called }) => called))
  const tokens = scan(inner)
  const found = tokens.find(
    (token, at) =>
      tokens[at + 1]?.text === '.' &&
      !own.has(token.text.toLowerCase()) &&
      outer.some(({ called }) => called.includes(token.text.toLowerCase())),
  )
  if (found)
    throw new Refusal(
      `The SELECT in brackets is about \`${found.text}\` of the one around it. Group it and join it: \`FROM a LEFT JOIN (SELECT a_id, COUNT(*) AS n FROM b GROUP BY a_id) x ON x.a_id = a.id\`.`,
    )
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
    has: (name, field) => hasField(named(name) ?? main, field),
  }
}

/** The lists of a join by their names; a name that is none of them means a list of the result that has lists. */
function listsOfParts(parts: readonly Part[]): Lists {
  const others = listsOf(parts.find(({ name }) => name === undefined)?.document)
  const partOf = (name: string): Part | undefined =>
    parts.find((part) => [part.name, part.handle].some((one) => one?.toLowerCase() === name.toLowerCase()))
  return {
    path: (name) => (partOf(name) ? undefined : others.path(name)),
    has: (name, field) => {
      const part = partOf(name)
      return part ? hasField(part.document.records(), field) : others.has(name, field)
    },
  }
}

/** True where records have a field, or nothing is known of them. Names are the same in capital and small letters, as in SQL. */
function hasField(list: Collection | undefined, field: string): boolean {
  const wanted = field.toLowerCase()
  return (
    list?.values
      .slice(0, SAMPLE)
      .some(
        (record) =>
          isObject(record) &&
          (own(record, field) !== undefined ||
            Object.keys(record).some((name) => name.toLowerCase() === wanted)),
      ) ?? true
  )
}

/** `$.data.items[*]` is `data.items`. */
function plain(path: string): string {
  return path
    .replaceAll(/\[\*?\]/g, '')
    .replace(/^\$\.?/, '')
    .toLowerCase()
}
