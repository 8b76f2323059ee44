/** The parameters that models may write: those of every step, and of the three tools that are made of them. */
import * as z from 'zod'
import { type JsonObject, type JsonValue, own, renamed } from '../protocol/json.ts'
import { conditionsIn } from '../query/language/dialects/objects.ts'
import { aggregatesTold, conditionsTold, functionsTold, windowsTold } from '../query/language/page.ts'
import { choice, count, flag, fraction, joined, names, sentences, text } from './lenient.ts'

export const selectParams = z.object({
  path: text(
    'Where the records are, unless the main list: "items", "$.a[*].b", "$..node", "items[0:10]", "[?@.price > 5]".',
  ),
})

export const joinParams = z.object({
  ...selectParams.shape,
  join_on: joined('"product_id = id": adds fields from a second cache_id, or another list ("products.id").'),
})

export const whereParams = z.object({
  where: sentences(
    `All must hold. ${conditionsTold()}, not …, or. Dates 2024-05, sizes 10MB. Or SQL: SELECT …`,
  ),
})

export const aggregateParams = z.object({
  group_by: joined('"state", "created_at:month" (year, day, hour), or several.'),
  aggregate: joined(`${aggregatesTold()}: "sum(a * b) as t".`),
})

export const sortParams = z.object({
  sort: joined('"-comments" is descending.'),
})

export const projectionParams = z.object({
  fields: names(
    `"name", "labels[].name", "*.price". Expressions, as anywhere: "a / b as r", case when, ${functionsTold()}, ${windowsTold()}.`,
  ),
  exclude: names(''),
  mode: choice(['include', 'exclude'], ''),
})

export const structureParams = z.object({
  max_depth: count('', 1),
})

/** In a search, `mode` is that of the search: fields are included, or excluded with `exclude`. */
export const fieldsParams = projectionParams.omit({ mode: true })

const searchModes = ['regex', 'bm25', 'fuzzy', 'context'] as const
export type SearchMode = (typeof searchModes)[number]

/** One flat set, as all modes are one tool. */
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

const offset = count('')

export const filterParams = z.object({
  ...joinParams.shape,
  ...whereParams.shape,
  ...aggregateParams.shape,
  ...sortParams.shape,
  ...projectionParams.shape,
  offset,
  limit: count('Default: at most 50.', 1),
})

/** The question of a filter: one object that all of its steps read. */
export type Asked = Partial<z.output<typeof filterParams>>

export const searchParams = z.object({
  ...searchStepParams.shape,
  ...selectParams.shape,
  ...whereParams.shape,
  ...fieldsParams.shape,
  offset,
})

export const exploreParams = z.object({ ...selectParams.shape, ...structureParams.shape, offset })

/** The parameters of each kind of question, without its source. */
export const questionParams: Readonly<Record<'filter' | 'search' | 'explore', z.ZodObject>> = {
  filter: filterParams,
  search: searchParams,
  explore: exploreParams,
}

/** Names that models write for parameters: those of SQL, of other tools, and of the other questions. */
const OTHER_NAMES: Readonly<Record<keyof typeof questionParams, Readonly<Record<string, string>>>> = {
  filter: {
    // A whole SELECT stands in `where`.
    sql: 'where',
    query: 'where',
    statement: 'where',
    filter: 'where',
    filters: 'where',
    condition: 'where',
    conditions: 'where',
    order_by: 'sort',
    orderBy: 'sort',
    sort_by: 'sort',
    sortBy: 'sort',
    order: 'sort',
    select: 'fields',
    columns: 'fields',
    projection: 'fields',
    field: 'fields',
    aggregates: 'aggregate',
    aggregations: 'aggregate',
    groupBy: 'group_by',
    groupby: 'group_by',
    group: 'group_by',
    max_results: 'limit',
    page_size: 'limit',
    top: 'limit',
  },
  search: {
    query: 'pattern',
    q: 'pattern',
    regex: 'pattern',
    search: 'pattern',
    text: 'pattern',
    keyword: 'pattern',
    keywords: 'pattern',
    term: 'pattern',
    terms: 'pattern',
    phrase: 'pattern',
    limit: 'max_results',
    context: 'context_lines',
    ignore_case: 'case_insensitive',
  },
  explore: { depth: 'max_depth' },
}

/** The parameters by their own names. A name beside the one that it stands for, or beside another such, stays, and is refused. */
export function byOwnNames(kind: keyof typeof questionParams, params: JsonObject): JsonObject {
  const names: Record<string, string> = {}
  const taken = new Set(Object.keys(params))
  for (const [name, right] of Object.entries(OTHER_NAMES[kind])) {
    if (!Object.hasOwn(params, name) || taken.has(right)) continue
    names[name] = right
    taken.add(right)
  }
  const read = renamed(params, names)
  if (kind !== 'filter') return read
  const sorted = withDirection(read)
  return Object.entries(BESIDE_WHERE).reduce(withConditions, sorted)
}

/** The names of a parameter that says in which direction `sort` goes. */
const DIRECTIONS = ['order', 'sort_order', 'sortOrder', 'sort_direction', 'sortDirection', 'direction']

/** `{sort: "price", order: "desc"}` as `price desc`. */
function withDirection(params: JsonObject): JsonObject {
  const { sort } = params
  const name = DIRECTIONS.find((one) => /^(?:asc|desc)(?:ending)?$/i.test(String(own(params, one) ?? '')))
  if (name === undefined || typeof sort !== 'string' || /^\s*-|[,\s:]/.test(sort)) return params
  const { [name]: direction, ...others } = params
  return { ...others, sort: `${sort} ${String(direction)}` }
}

/** Other parameters that hold conditions: how one of them is written in `where`. */
const BESIDE_WHERE: Readonly<Record<string, (text: string) => string>> = {
  having: (text) => (/^(?:[[{]|select\b)/i.test(text) ? text : `having ${text}`),
  pattern: inAnyField,
  search: inAnyField,
}

/** The condition that some field of a record matches a pattern. */
function inAnyField(pattern: string): string {
  const mark = ['"', "'"].find((one) => !pattern.includes(one)) ?? ''
  return `* ~ ${mark}${pattern}${mark}`
}

function withConditions(params: JsonObject, [name, written]: [string, (text: string) => string]): JsonObject {
  const more = own(params, name)
  if (more === undefined || more === null) return params
  const { [name]: _, where = [], ...others } = params
  // Each is read by itself: a condition may be a list of its parts, or a list may be written as text.
  const told = typeof more === 'object' && more !== null ? conditionsIn(more) : [more]
  const marked = (one: unknown): unknown =>
    typeof one === 'string' || typeof one === 'number' ? written(String(one).trim()) : one
  return { ...others, where: [where, told.map(marked)] as JsonValue }
}
