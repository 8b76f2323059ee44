/** A whole SELECT, program of jq or pipeline of MongoDB among the parameters of a filter. The steps run it like any other question. */

import * as z from 'zod'
import type { Document } from '../../documents/document.ts'
import { combine, type Part } from '../../documents/opening/combine.ts'
import { fromRows, fromText, fromValue } from '../../documents/opening/derive.ts'
import { isObject, type JsonValue, own, renamed } from '../../protocol/json.ts'
import { namesOn, parsePath } from '../../query/fields/path.ts'
import { recordsOf } from '../../query/fields/records.ts'
import { fromPipes } from '../../query/language/dialects/jq.ts'
import { readProgram } from '../../query/language/dialects/jq-program.ts'
import { readPipeline } from '../../query/language/dialects/mongo-pipeline.ts'
import {
  isStatement,
  type ReadSelect,
  readSelect,
  type SelectParams,
  sourcesOf,
  withoutComments,
} from '../../query/language/dialects/sql.ts'
import {
  joinedTo,
  listOf,
  memberAt,
  type SetOperator,
  type Stage,
  sourcesWithin,
  stageOf,
  valueSelects,
} from '../../query/language/dialects/sql-nested.ts'
import { scan } from '../../query/language/scanner.ts'
import { listed, Refusal, safely, shown } from '../../query/refusal.ts'
import { filterParams } from '../parameters.ts'
import { type PipelineStep, runPipeline } from '../pipeline.ts'
import { filterSteps } from '../pipelines.ts'
import { complaint, defineStep } from '../step.ts'
import { titleOf } from '../steps/join.ts'
import { select } from '../steps/select.ts'
import { listsOf, listsOfParts, resultsNamed } from './named-lists.ts'
import { runProgram } from './programs.ts'

/** Parameters of a filter as they came, and what is to be said of how they were read. */
export interface Asked {
  readonly params: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
  /** The step that asks the SELECTs of which the answer is asked. */
  readonly before?: PipelineStep
}

/** Where a statement may stand. Among aggregates and fields it is one with a list to ask: `select a, b` names fields. */
const PLACES = ['where', 'path', 'aggregate', 'fields'] as const
const WITH_LIST = /\sfrom\s/i

/**
 * Reads the statement in one of these parameters as parameters of a filter. The other parameters hold as well. `parts` are the results that the
 * question is asked of: their lists have the names after FROM and JOIN. Throws a `Refusal` for what is not read.
 */
export function withStatement(params: Asked['params'], parts: readonly Part[]): Asked {
  const document = only(parts)
  for (const place of PLACES) {
    const given = params[place]
    const pipeline = readPipeline(given)
    if (pipeline)
      return {
        params: merged({ ...params, [place]: undefined }, pipeline),
        notes: [`Read as ${JSON.stringify(pipeline, (_, value) => abridged(value))}.`],
      }
    const texts = textsIn(given, place)
    const found = texts.find(
      (each) => isStatement(each) || hasSelect(each, place) || programIn(each, place) !== undefined,
    )
    if (found === undefined) {
      const answer =
        document && texts.length === 1 ? programAnswer(texts[0] ?? '', place, document, params) : undefined
      if (!answer) continue
      return {
        params: { ...params, [place]: undefined, ...(place === 'where' && { path: undefined }) },
        notes: answer.notes,
        before: about(fromValue(answer.values)),
      }
    }
    const text = hasSelect(found, place) ? `SELECT * FROM ${nameOfMain(document)} WHERE ${found}` : found
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
      [place]:
        Array.isArray(given) && given.includes(found) ? given.filter((each) => each !== found) : undefined,
    }
    const all = merged(others, read)
    const said =
      before && Object.keys(read).length === 0
        ? []
        : [`Read as ${JSON.stringify(read, (_, value) => abridged(value))}.`]
    return { params: all, notes: [...said, ...notes], ...(before && { before }) }
  }
  return { params, notes: [] }
}

/** The answer of a program on what `path` reaches; on the result where the program goes that way itself. */
function programAnswer(
  text: string,
  place: (typeof PLACES)[number],
  document: Document,
  { path }: Asked['params'],
): ReturnType<typeof runProgram> {
  if (place !== 'where' || typeof path !== 'string') return runProgram(text, place, document)
  const { error, content } = select.process(document, { path })
  if (error !== undefined) return undefined
  const last = namesOn(parsePath(path)).at(-1)
  const isNamed = last !== undefined && text.includes(last)
  return (
    runProgram(text, place, content, 'what the path reaches') ??
    (isNamed ? runProgram(text, place, document) : undefined)
  )
}

/** A condition with a SELECT in it: `id in (SELECT user_id FROM orders)`. */
function hasSelect(text: string, place: (typeof PLACES)[number]): boolean {
  const isMeant = place === 'where' && /(?:\b(?:in|exists|any|all)|[=<>])\s*\(\s*select\s/i.test(text)
  return isMeant && !isStatement(text) && scan(text).some((token) => /^select$/i.test(token.text))
}

function nameOfMain(document: Document | undefined): string {
  const name = titleOf(document?.records()?.path ?? '') ?? ''
  return /^[a-z_]\w*$/i.test(name) ? name : 'records'
}

/** The texts that may be statements. Names are cut at commas before they come here, and so is a statement among them. */
function textsIn(given: unknown, place: (typeof PLACES)[number]): string[] {
  const texts = (Array.isArray(given) ? given : [given]).filter((text) => typeof text === 'string')
  if (place === 'where' || place === 'path') return texts
  const whole = texts.join(', ')
  return isStatement(whole) && WITH_LIST.test(whole) ? [whole] : []
}

/** Longer conditions are shown by their beginning: one holds all values of a SELECT behind IN. */
const LONGEST_SHOWN = 300

function abridged(value: unknown): unknown {
  return typeof value === 'string' && value.length > LONGEST_SHOWN
    ? `${value.slice(0, LONGEST_SHOWN)}…`
    : value
}

/** The results that a statement is asked of. */
interface Results {
  readonly parts: readonly Part[]
  /** The results that its names mean, in small letters; empty for a single one. */
  readonly named: ReadonlyMap<string, Part>
}

function only(parts: readonly Part[]): Document | undefined {
  return parts.length === 1 ? parts[0]?.document : undefined
}

/** The result that a SELECT is asked of: the one that the name after its FROM means, or all. `lines` are those of a text. */
function documentFor(text: string, { parts, named }: Results): Document | undefined {
  const document = only(parts)
  if (document && isOfLines(text, document)) return fromText(document.text)
  if (parts.length < 2) return parts[0]?.document
  return named.get(listOf(text) ?? '')?.document ?? combine(parts)
}

/** True where the lines of a text are asked that has other records, such as the sections of Markdown. */
function isOfLines(text: string, document: Document): boolean {
  const isText = document.format === 'markdown' || document.format === 'html'
  return isText && listOf(text) === 'lines' && !listsOf(document).isKnown('lines')
}

/** A statement as the question that is asked last, and the step before it. */
function staged(text: string, parts: readonly Part[]): ReadSelect & { before?: PipelineStep } {
  const named = parts.length > 1 ? resultsNamed(text, parts) : new Map<string, Part>()
  const results = { parts, named }
  const calls = [...named].flatMap(([name, { handle }]) => (name === handle ? [] : [`${name} = ${handle}`]))
  const told = calls.length > 0 ? [`Read as ${listed(calls)}.`] : ofAll(text, results)
  const stage = stageOf(text)
  if (stage.kind === 'union') return { params: {}, notes: told, before: asking(stage, results) }
  const { of } = stage
  if (of) {
    const answer = (): Document => answerOf(of, results, [])
    const { params, notes } = readSelect(withValues(stage.text, results, answer).text)
    return { params, notes: [...told, ...notes], before: asking(of, results) }
  }
  const { text: written, lists } = withValues(stage.text, results, undefined, true)
  const notes = [...told]
  const sides = sidesOf(written, stage.joined, lists, results, notes)
  const document = documentFor(stage.text, results)
  const read = readSelect(written, sides ? listsOfParts(sides) : listsOf(document))
  const isOther = named.size > 0 || document !== only(parts)
  const before = sides ? combine(sides) : isOther ? document : undefined
  return { params: read.params, notes: [...notes, ...read.notes], ...(before && { before: about(before) }) }
}

/** The remark on a name that means all of several results, though their records are not alike. */
function ofAll(text: string, { parts, named }: Results): string[] {
  const [fields, ...others] = parts.map(({ document }) => [...(recordsOf(document)?.names().keys() ?? [])])
  const areAlike = others.every((names) => names.every((name) => fields?.includes(name)))
  if (named.size > 0 || parts.length < 2 || areAlike) return []
  return [
    `\`${listOf(text) ?? ''}\` was read as all ${parts.length} results. Put a cache_id after FROM to ask one of them.`,
  ]
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
 * The sides of a join by the names that a statement has for them, that of FROM first: of several results, or of other SELECTs. Undefined
 * where all are lists of one result.
 */
function sidesOf(
  text: string,
  joined: ReadonlyMap<string, Stage> | undefined,
  lists: readonly Part[],
  results: Results,
  notes: string[],
): readonly Part[] | undefined {
  const sources = sourcesOf(text)
  const areSeveral = results.parts.length > 1 && sources.length > 1
  if (joined === undefined && lists.length === 0 && !areSeveral) return undefined
  const answers = [...(joined ?? [])].map(([name, stage]) => ({
    handle: name,
    name,
    document: answerOf(stage, results, notes),
  }))
  const made = [...answers, ...lists]
  const [document] = results.parts
  const others = areSeveral
    ? results.parts.map(
        (part) => [...results.named.values()].find(({ handle }) => handle === part.handle) ?? part,
      )
    : document
      ? [{ handle: '', document: document.document }]
      : []
  const sides = [...made, ...others]
  const first = sides.find(({ name }) => name === sources[0]?.name.toLowerCase()) ?? others[0]
  // The lists that have no name come last.
  return [
    ...(first ? [first] : []),
    ...sides.filter((side) => side !== first && 'name' in side),
    ...sides.filter((side) => side !== first && !('name' in side)),
  ]
}

function asking(stage: Stage, results: Results): PipelineStep {
  return defineStep({
    name: 'statement',
    params: z.object({}),
    wanted: () => true,
    run() {
      const notes: string[] = []
      const content = answerOf(stage, results, notes)
      return { content, metadata: { total: content.rows().count, ...(notes.length > 0 && { notes }) } }
    },
  })
}

/** Rows that the answers of inner SELECTs may have. */
const MOST_ROWS = 1_000_000

/** The answer of a stage. The remarks of its steps go to `notes`. */
function answerOf(stage: Stage, results: Results, notes: string[]): Document {
  if (stage.kind === 'union') {
    const answers = sameNames(stage.parts.map((part) => answerOf(part, results, notes).rows().items))
    const items = answers.reduce((rows, next, nth) => combined(rows, next, stage.operators[nth - 1]))
    return fromRows({ noun: 'record', items })
  }
  const asked = stage.of ? answerOf(stage.of, results, notes) : documentFor(stage.text, results)
  if (asked === undefined) throw new Refusal('There is no result that could be asked.')
  const { text, lists } = withValues(stage.text, results, () => asked, stage.of === undefined)
  const sides = sidesOf(text, stage.joined, lists, results, notes)
  const source = sides ? combine(sides) : asked
  const known = sides ? listsOfParts(sides) : stage.of ? undefined : listsOf(source)
  const { params, notes: told } = readSelect(text, known)
  notes.push(...told)
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
const LONGEST_VALUES = 15_000

/**
 * A statement with values in the place of the SELECTs that stand for them. One that is about the same list as the statement is asked of what
 * the statement is asked of, `source`. `mayJoin`: more values than a condition may hold are a list that is joined.
 */
function withValues(
  text: string,
  results: Results,
  source: () => Document | undefined = () => documentFor(text, results),
  mayJoin = false,
): { text: string; lists: readonly Part[] } {
  const list = listOf(text)
  let read = text
  let joins = ''
  const lists: Part[] = []
  const outer = safely(() => sourcesOf(text)) ?? []
  for (const { text: inner, of, isList, from, to } of valueSelects(text).reverse()) {
    const isSame = of === undefined || of === list
    const isMade = of === '(' || /^\s*with\s/i.test(inner)
    if (!isSame && !isMade) refuseUnknown(of, documentFor(inner, results), results)
    refuseOuter(inner, outer)
    const asked = isSame ? source() : undefined
    const those = asked ? { parts: [{ handle: '', document: asked }], named: new Map() } : results
    const rows = answerOf(stageOf(inner), those, []).rows().items
    const all = columnIn(rows)
    const values = isList
      ? [...new Map(all.flatMap(elements).map((one) => [literal(one), one])).values()]
      : all
    const isLong = values.length > MOST_VALUES || values.map(literal).join(', ').length > LONGEST_VALUES
    const member = isList && isLong && mayJoin ? memberAt(read, from) : undefined
    if (member) {
      const name = `listed_${lists.length + 1}`
      const items = values.map((value) => ({ [name]: value }))
      lists.push({ handle: name, name, document: fromRows({ noun: 'record', items }) })
      joins += ` LEFT JOIN ${name} ON ${member.left} = ${name}.${name}`
      read = `${read.slice(0, member.from)}${name}.${name} IS ${member.isNot ? '' : 'NOT '}NULL${read.slice(to)}`
      continue
    }
    if (isList ? isLong : values.length > 1)
      throw new Refusal(
        isList
          ? `The SELECT behind IN gives ${values.length} values; ${MOST_VALUES} are the most. Join the lists in its place: \`FROM a JOIN b ON a.b_id = b.id\`, or for NOT IN \`FROM a LEFT JOIN b ON a.b_id = b.id WHERE b.id IS NULL\`.`
          : `\`(${shown(inner, 60)})\` gives ${values.length} rows, where one value is to stand.`,
      )
    read = `${read.slice(0, from)}${isList ? `(${values.map(literal).join(', ')})` : literal(values[0] ?? null)}${read.slice(to)}`
  }
  return { text: joins === '' ? read : joinedTo(read, joins), lists }
}

/** The values of the column that was asked for. The key of a record stands before it unasked, and an absent value is null. */
function columnIn(rows: readonly JsonValue[]): JsonValue[] {
  const names = new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))
  const column = [...names].find((name) => name !== '_key') ?? '_key'
  return rows.map((row) => (isObject(row) ? (own(row, column) ?? null) : row))
}

/** The elements of a list, one by one; any other value alone. */
function elements(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value.flatMap(elements) : [value]
}

/** A SELECT in brackets gives its values once, not for each record of the one around it. */
function refuseOuter(inner: string, outer: ReturnType<typeof sourcesOf>): void {
  const outside = outer.flatMap(({ called }) => called)
  const own = new Set((safely(() => sourcesWithin(inner, outside)) ?? []).flatMap(({ called }) => called))
  const tokens = scan(inner)
  const found = tokens.find(
    (token, at) =>
      tokens[at + 1]?.text === '.' &&
      !own.has(token.text.toLowerCase()) &&
      outside.includes(token.text.toLowerCase()),
  )
  if (found)
    throw new Refusal(
      `The SELECT in brackets is about \`${found.text}\` of the one around it. Group it and join it: \`FROM a LEFT JOIN (SELECT a_id, COUNT(*) AS n FROM b GROUP BY a_id) x ON x.a_id = a.id\`.`,
    )
}

/** Any name means the main list, but a second name in one statement means another list, or another result. */
function refuseUnknown(name: string, document: Document | undefined, { named }: Results): void {
  if (document === undefined || named.has(name) || listsOf(document).isKnown(name)) return
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
