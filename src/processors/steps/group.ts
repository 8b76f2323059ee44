/** `group_by`, `aggregate`: numbers about the records instead of the records. */

import type { Coded } from '../../documents/columns/column.ts'
import { codesPresent } from '../../documents/columns/column.ts'
import {
  censusOf,
  encoded,
  identity,
  elementsOf as listElements,
  listValues,
  type Values,
  valuesOf,
} from '../../documents/columns/values.ts'
import type { Document } from '../../documents/document.ts'
import { fromMadeRows } from '../../documents/opening/derive.ts'
import { madeRows } from '../../documents/opening/rows.ts'
import { areKeys } from '../../documents/shape/collections.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { namesakes } from '../../query/conditions/explain.ts'
import { blanks } from '../../query/conditions/remarks.ts'
import { columnAt } from '../../query/conditions/verdict.ts'
import { computedField, exactPath, knowing, resolveField } from '../../query/fields/fields.ts'
import {
  acrossMap,
  eitherWithin,
  holdsObjects,
  listWithin,
  nameWithin,
  numberWithin,
  textWithin,
  valueOfPairs,
} from '../../query/fields/inner-fields.ts'
import { markBetween } from '../../query/fields/joined.ts'
import { isOn, listAround, listName, listOn, type Units, unitsOf } from '../../query/fields/lists.ts'
import { firstName, named, type Path } from '../../query/fields/path.ts'
import { calendarOf, codedOf, columnOf, zoneRemark } from '../../query/fields/reader.ts'
import {
  type Field,
  type Records,
  recordsOfValues,
  requireRecords,
  withNames,
} from '../../query/fields/records.ts'
import { timeFields } from '../../query/fields/times.ts'
import { readValues, valuesAt } from '../../query/fields/walk.ts'
import { rejoined } from '../../query/fields/wanted.ts'
import {
  AGGREGATES,
  type Aggregate,
  aggregateNamed,
  areMultiples,
  cutIn,
  decimalsIn,
  type Gathered,
  type Members,
  MOST_LISTED,
  measuresIn,
  type NamedAggregate,
  type Numbers,
  type Over,
  onceEach,
  type Readings,
  readingsOf,
  sumOfAll,
  textKeys,
} from '../../query/language/aggregates.ts'
import { functionNamed } from '../../query/language/functions.ts'
import { parseComputed, parseCondition } from '../../query/language/parser.ts'
import { closingAt, enclosed, scan, splitAt } from '../../query/language/scanner.ts'
import { type Expression, mapped, sourceOf } from '../../query/language/tree.ts'
import { Refusal, safely, shown } from '../../query/refusal.ts'
import { newWork } from '../../query/work.ts'
import { formatPlural } from '../../text/format.ts'
import { groupedBy } from '../../text/groups.ts'
import { type DatePart, datePart, isYearless, needsYear, partOf } from '../../text/values/date-parts.ts'
import { parseDate } from '../../text/values/dates.ts'
import { looseNumber } from '../../text/values/quantities.ts'
import { nameOfUnit, type Reading } from '../../text/values/reading.ts'
import { compareNaturally } from '../../text/words/natural-order.ts'
import { aggregateParams } from '../parameters.ts'
import { identityOf } from '../search/hits.ts'
import { defineStep } from '../step.ts'
import { positions, sort } from './sort.ts'
import { countedTotal, subtotals, withoutTotal } from './totals.ts'

/**
 * Groups come with the largest first column first; `sort` after it overrides. A record with several values in a grouped
 * field is in several groups; a function over the same list takes from each group's elements only. Nulls and what is no
 * number are left out and counted in notes.
 */
export const aggregate = defineStep({
  name: 'aggregate',
  params: aggregateParams,
  wanted: ({ group_by, aggregate: calls }) => [...(group_by ?? []), ...(calls ?? [])].length > 0,
  run(given, { group_by = [], aggregate: written = [] }) {
    const { calls, document } = inOrderOf(given, written)
    const all = asked(requireRecords(document, 'aggregate'), group_by, calls)
    const without = withoutTotal(all.records, all.columns, all.keys)
    const { records, keys, columns, formulas } = without ? asked(without.records, group_by, calls) : all
    const list = sharedList(records, keys, columns)
    const found = groupRecords(records, keys, collectedBy(columns, list), list)
    const cells = columns.map((one) => cellsOf(one, found, records.values.length))
    const whole = (group: number): JsonObject => rowAt(keys, columns, cells, found, group)
    const rowOf = formulas.length === 0 ? whole : withFormulas(formulas, columns, whole, found.count)
    const first = found.count > 0 ? rowOf(0) : undefined
    const order = keys.length > 0 ? largestFirst(found.count, first, keys, cells, columns, rowOf) : [0]
    const rows = madeRows('group', found.count, (nth) => rowOf(order[nth] ?? 0))
    const notes = fewOfEachKind([
      ...(without?.notes ?? []),
      ...[...keys, ...columns].flatMap(({ field }) => field?.note ?? []),
      ...keys.flatMap(({ note }) => note ?? []),
      ...[...keys, ...columns].flatMap(({ field }) => (field ? namesakes(document, records, field) : [])),
      ...columns.flatMap((one, at) => [
        ...gaps(records, one, found),
        ...empty(records, one),
        ...(cells[at]?.notes ?? []),
      ]),
      ...groupNotes(records, keys, found, list),
      ...moreValues(first),
      ...(keys.length > 0 ? [] : columns.flatMap((one) => describeHolders(records, one, found, first))),
      ...(keys.length > 0 ? [] : subtotals(records, columns)),
      ...(keys.length > 0 || without ? [] : countedTotal(records, columns)),
    ])
    const names = new Map([
      ...columns.map(({ written: call, name }): [string, string] => [call, name]),
      ...keys.map(({ name }, at): [string, string] => [group_by[at] ?? name, name]),
    ])
    return {
      content: knownAs(fromMadeRows('json', rows), names),
      metadata: {
        total: records.values.length,
        matched: found.count,
        ...(found.several && { several: true }),
        ...(notes.length > 0 && { notes }),
      },
    }
  },
})

/** The keys and columns that a question asks for. */
function asked(records: Records, group_by: readonly string[], calls: readonly string[]) {
  const keys = rejoined(group_by, records).map((reference) => parseGroupKey(records, reference))
  const { columns, formulas } = columnsIn(
    records,
    calls.length > 0
      ? calls.flatMap((call) => ofEveryColumn(records, ofRecordsAll(records, call)))
      : ['count'],
    keys.map(({ name }) => name),
  )
  return { records, keys, columns, formulas }
}

/** The groups with the names by which the question calls their columns, where a field was found deeper: `sum(price)`. */
function knownAs(groups: Document, asked: ReadonlyMap<string, string>): Document {
  const others = [...asked].flatMap(([written, name]) => (written === name ? [] : [written]))
  if (others.length === 0) return groups
  const columns = new Set(asked.values())
  return withNames(groups, others, (_, written) => {
    const name = asked.get(written) ?? written
    return columns.has(written) ? undefined : { name, path: [named(name)] }
  })
}

// Calls.

/**
 * The calls without an order in them, `string_agg(name, ', ' order by name)`, and the records in that order: lists, firsts and lasts have
 * it.
 */
function inOrderOf(
  document: Document,
  written: readonly string[],
): { calls: readonly string[]; document: Document } {
  if (!written.some((text) => /\border\s+by\b/i.test(text))) return { calls: written, document }
  const parts = written.map(withoutOrder)
  const [order, another] = [...new Set(parts.flatMap((part) => part.order ?? []))]
  if (another !== undefined)
    throw new Refusal(
      'The aggregates of one question have one order: ask twice, or leave ORDER BY out of one.',
    )
  const calls = parts.map(({ call }) => call)
  if (order === undefined) return { calls, document }
  const { content, error } = sort.process(document, { sort: splitAt(order, [',']) })
  if (error !== undefined) throw new Refusal(error)
  return { calls, document: content }
}

/** `percentile_cont(0.5) within group (order by x)` is of x; any other order is that of the records. */
function withoutOrder(written: string): { call: string; order?: string } {
  const tokens = scan(written)
  const isWord = (at: number, word: string): boolean => tokens[at]?.text.toLowerCase() === word
  const at = tokens.findIndex((_, nth) => isWord(nth, 'order') && isWord(nth + 1, 'by'))
  const opening = tokens.findLastIndex(({ kind, match }, nth) => kind === 'open' && nth < at && match > at)
  const close = tokens[tokens[opening]?.match ?? -1]
  if (at < 0 || !close || isWord(opening - 1, 'over')) return { call: written }
  const order = written.slice(tokens[at + 1]?.to, close.from).trim()
  const rest = written.slice(close.to)
  const isWithin = isWord(opening - 1, 'group') && isWord(opening - 2, 'within')
  if (!isWithin) return { call: `${written.slice(0, tokens[at]?.from).trim()})${rest}`, order }
  const end = tokens[opening - 3]
  const start = tokens[end?.match ?? -1]
  if (!start || !end) return { call: written }
  const head = written.slice(0, start.to)
  const inner = written.slice(start.to, end.from).trim()
  if (inner !== '' && !Number.isFinite(Number(inner))) return { call: `${head}${inner})${rest}`, order }
  const by = order.replace(/\s+(?:asc|desc)$/i, '')
  const rank = /\sdesc$/i.test(order) ? 1 - Number(inner) : inner
  return { call: `${head}${by}${inner === '' ? '' : `, ${rank}`})${rest}` }
}

/** `sum(price)`: what is asked for. */
export interface Call {
  /** Of a row of the table of aggregates. */
  name: string
  /** Undefined for the records themselves: `count`, `percent`. */
  field: string | undefined
  /** 0 to 100, of `percentile`; how many, of `top`. */
  rank?: number
  /** Of `correlation`, `arg_max`. */
  second?: string
  separator?: string
  /** Each value of a group counts once: `sum(distinct price)`. */
  distinct?: true
  /** As it was written, where its field is a condition. */
  title?: string
  /** The name of the result: `sum(price) as revenue`. */
  alias?: string
}

/** Reads `count`, `sum(price)`, `sum price`, `sum:price`, `price:sum`, each with `as name`. Throws a `Refusal`. */
export function parseCall(written: string): Call {
  const { source, alias } = aliasIn(written)
  const call = callOf(source, false)
  if (!call) throw noAggregate(source)
  return alias === undefined ? call : { ...call, alias }
}

/** `items.length` of the records in `items` is how many there are, and so is `n count`, of `{"n": "count"}`, where no field is called so. */
function ofRecordsAll(records: Records, call: string): string {
  const [, as = ''] = /^([\p{L}_]\w{0,60}) count$/iu.exec(call.trim()) ?? []
  if (as !== '' && !exactPath(records, as)) return `count as ${as}`
  const [, name = ''] = /^\$?\.?([\p{L}\p{N}_.-]{1,60})\.(?:length|len|size|count)$/iu.exec(call.trim()) ?? []
  const isOwn = name !== '' && `.${records.table.path.replace(/^\$/, '')}`.endsWith(`.${name}`)
  return isOwn && !exactPath(records, name) ? `count as ${call.trim()}` : call
}

/** Columns that one call is about at most. */
const MOST_COLUMNS = 100

/** `sum(*)` is about each field with numbers; of other fields it says nothing. */
function ofEveryColumn(records: Records, call: string): string[] {
  const [, name = ''] = /^(\w+)\s*\(\s*\*\s*\)$/.exec(call.trim()) ?? []
  const reads = aggregateNamed(name)?.aggregate.reads
  if (reads !== 'numbers' && reads !== 'order') return [call]
  const columns = [...records.names()].flatMap(([field, values]) => {
    const told = values.filter((value) => value !== null && value !== '')
    const isPlain = !/[.[]/.test(field) || /^\["[^"\\]*"\]$/.test(field)
    const areNumbers = told.every(
      (value) => typeof value === 'number' || (typeof value === 'string' && looseNumber(value) !== undefined),
    )
    return isPlain && told.length > 0 && areNumbers ? [`${name}(${field})`] : []
  })
  return columns.length > 0 ? columns.slice(0, MOST_COLUMNS) : [call]
}

/** An item of a question and the name that it is to have: `sum(price) as revenue`. */
export function aliasIn(written: string): { source: string; alias: string | undefined } {
  const [, source = '', alias] =
    /^(.*?)(?:\s+as\s+["'`]?([\p{L}\p{N}_ .%-]{1,60}?)["'`]?)?$/isu.exec(written.trim()) ?? []
  return { source, alias }
}

function noAggregate(source: string): Refusal {
  return new Refusal(
    `\`${shown(source)}\` is no aggregate. Write \`count\` or one of sum, avg, min, max, median, p90, stddev, distinct, percent with a field, as \`sum(price)\`. There are also ${AGGREGATES.slice(
      OTHERS,
    )
      .map(({ name }) => name)
      .join(', ')}.`,
  )
}

/** The ones that the message names first come first in the table. */
const OTHERS = 10

/**
 * Undefined for what is no call of an aggregate: a formula of several, or anything else. `itself`: the records are plain values, which a
 * function without a field is about.
 */
function callOf(written: string, itself: boolean): Call | undefined {
  const source = withHeadAsOne(written)
  const [, head = '', space = '', rest = ''] = /^(\w+)(\s*)(.*)$/s.exec(source) ?? []
  const named = head === '' ? undefined : aggregateNamed(head)
  if (named) {
    const { name } = named.aggregate
    if (rest.startsWith('(')) {
      const end = closingAt(source, head.length + space.length)
      const inner = source.slice(head.length + space.length + 1, end).trim()
      const after = source.slice(end + 1).trim()
      const [, condition] =
        /^filter\s*\(\s*(?:where\s+)?(.+)\)$/is.exec(after) ??
        /^(?:where|if|when)\s+(.+)$/is.exec(after) ??
        []
      if (end < 0 || (after !== '' && condition === undefined)) return undefined
      return withArguments(named, inner, condition, itself, source)
    }
    if (rest === '') return withArguments(named, '', undefined, itself, source)
    const [, before = '', condition] = /^(|.*\s)(?:where|if|when)\s+(.+)$/is.exec(rest) ?? []
    if (condition !== undefined && space !== '' && isCondition(condition))
      return callOf(`${head}(${before.trim()}) where ${condition}`, itself)
    const [, bare] = /^(?::|of\s)?\s*(?:of\s+)?(.+)$/s.exec(rest) ?? []
    if (
      bare !== undefined &&
      (space !== '' || rest.startsWith(':')) &&
      !/^\*\s*\S|[-+/%]\s|\)\s*[-+*/]/.test(rest)
    )
      return withArguments(named, bare.replace(/^\*$/, ''), undefined, itself, name)
  }
  const [, field, last] = /^(.+)[:\s]\s*(\w+)$/s.exec(source) ?? []
  const trailing = last === undefined ? undefined : aggregateNamed(last)
  if (trailing && field !== undefined && !/[-+/*(]\s*$/.test(field))
    return withArguments(trailing, field.trim(), undefined, itself, source)
  return undefined
}

/** `most common author`, `standard deviation of price`, `95th percentile of ms` with one word for the function. */
function withHeadAsOne(written: string): string {
  const [, rank, ofRank = ''] = /^(\d{1,2})(?:st|nd|rd|th)?\s+percentile\b(.*)$/is.exec(written) ?? []
  if (rank !== undefined) return `p${rank}${ofRank}`
  const [, first = '', second = '', rest = ''] = /^([a-z]+)[ -]([a-z]+)\b(.*)$/is.exec(written) ?? []
  return first !== '' && !aggregateNamed(first) && aggregateNamed(first + second)
    ? first + second + rest
    : written
}

/** `sum_if(price, state = open)`, and `sumif(state = open, price)` as tables of figures have it; of a condition alone how many fulfil it. */
function withCondition(name: string, inner: string): Call {
  const [first = '', second, more] = splitAt(inner, [',']).map((part) => part.trim())
  if (second === undefined && first !== '')
    return { name: 'count_if', field: oneWhere(first), title: `${name}_if(${first})` }
  if (second === undefined || more !== undefined)
    throw new Refusal(
      `\`${name}_if\` takes a field and a condition: write \`${name}_if(price, state = open)\`.`,
    )
  const [field, condition] = isCondition(second) || !isCondition(first) ? [first, second] : [second, first]
  return filtered({ name, field }, condition)
}

function isCondition(text: string): boolean {
  return /[<>=~!]|\s(?:is|in|has|like|contains|between)\s|\sexists$/i.test(text)
}

function withArguments(
  named: NamedAggregate,
  written: string,
  filter: string | undefined,
  itself: boolean,
  source: string,
): Call {
  const { aggregate, rank, conditional } = named
  const { name, takes } = aggregate
  if (filter !== undefined) return filtered(withArguments(named, written, undefined, itself, source), filter)
  const [, behind] = /^distinct\b\s*(.+)$/is.exec(written) ?? []
  const distinct = behind === undefined ? undefined : (enclosed(behind) ?? behind).trim()
  const inner = (distinct ?? written).replace(/^\*$/, '')
  const once = distinct !== undefined && { distinct: true as const }
  if (conditional) return withCondition(name, inner)
  if (name === 'count' && distinct !== undefined) {
    // `count(distinct a, b)`: each combination once.
    const parts = splitAt(inner, [','])
    return parts.length > 1
      ? { name: 'distinct', field: `concat_ws('; ', ${parts.join(', ')})`, title: `count(distinct ${inner})` }
      : { name: 'distinct', field: inner }
  }
  if (name === 'collect' && distinct !== undefined) return { name: 'collect_set', field: inner }
  if (name === 'count_if' && inner !== '') return { name, field: oneWhere(inner), title: `${name}(${inner})` }
  if (takes === 'field, number') return withNumber(name, inner, rank, source)
  if (takes === 'field, field' || takes === 'field, text') {
    const [field = '', other, more] = splitAt(inner, [',']).map((part) => part.trim())
    if (field === '' || more !== undefined || (other === undefined && takes === 'field, field'))
      throw new Refusal(`\`${name}\` needs two fields: write \`${aggregateNamed(name)?.aggregate.example}\`.`)
    if (other === undefined) return { name, field, ...once }
    return takes === 'field, field'
      ? { name, field, second: other }
      : { name, field, separator: other.replace(/^(["'])(.*)\1$/s, '$2'), ...once }
  }
  if (inner !== '') {
    if (name === 'percent' && /^count$/i.test(inner)) return { name, field: undefined }
    if (name === 'percent' && asNumbers('avg', inner) !== inner)
      return { name: 'avg', field: `case when ${inner} then 100 else 0 end`, title: `percent(${inner})` }
    const field = asNumbers(name, inner)
    return field === inner ? { name, field, ...once } : { name, field, title: `${name}(${inner})`, ...once }
  }
  if (takes === 'field or nothing') return { name, field: undefined }
  if (itself) return { name, field: '@' }
  throw new Refusal(`\`${name}\` needs a field: write \`${name}(price)\`.`)
}

/** `count(x) filter (where a = b)`: a call of what the records have that fulfil a condition. */
function filtered(call: Call, filter: string): Call {
  const { name, field, second } = call
  const title = `${columnName(call, field)} where ${filter}`
  if (field === undefined && name === 'percent')
    return { name: 'avg', field: `case when ${filter} then 100 else 0 end`, title }
  if (field === undefined) return { name: 'count_if', field: oneWhere(filter), title }
  const chosen = (value: string): string => `case when ${filter} then (${value}) end`
  return { ...call, field: chosen(field), ...(second !== undefined && { second: chosen(second) }), title }
}

/** 1 where a condition holds, else 0. */
function oneWhere(condition: string): string {
  return `case when ${condition} then 1 else 0 end`
}

/** `count(state = 'open')`, `avg(score > 5)`: a condition is 1 or 0. */
function asNumbers(name: string, inner: string): string {
  if (/^case\s/i.test(inner) || isOneCall(inner)) return inner
  const condition = isCondition(inner) ? safely(() => parseCondition(inner)) : undefined
  if (!condition || (condition.kind === 'comparison' && condition.operator === 'is true')) return inner
  return name === 'count' ? `case when ${inner} then 1 end` : oneWhere(inner)
}

/** `if(state = 'open', price, 0)`: the condition in it is none of the whole. */
function isOneCall(text: string): boolean {
  const [, name = ''] = /^([a-z_]\w*)\s*\(/i.exec(text) ?? []
  return functionNamed(name) !== undefined && closingAt(text, text.indexOf('(')) === text.length - 1
}

/** `p90(x)`, `percentile(x, 90)`, `quantile(x, 0.9)`, `percentile(90, x)`, `top(x, 3)`. */
function withNumber(name: string, inner: string, rank: number | undefined, source: string): Call {
  if (rank !== undefined && inner !== '') return { name, field: inner, rank }
  const [first = '', second = ''] = splitAt(inner, [',']).map((part) => part.trim())
  const isNumber = (text: string): boolean => text !== '' && Number.isFinite(Number(text))
  const [field, number] = isNumber(second) || second === '' ? [first, second] : [second, first]
  const given = number === '' ? Number.NaN : Number(number)
  if (name === 'percentile') {
    const share = given < 1 || (given === 1 && /^\s*(?:quantile|percentile_cont)/i.test(source))
    if (field !== '' && given >= 0 && given <= 100) return { name, field, rank: share ? given * 100 : given }
    throw new Refusal('`percentile` needs a field and a rank: write `p90(price)` or `percentile(price, 90)`.')
  }
  if (field === '') throw new Refusal(`\`${name}\` needs a field: write \`${name}(price, 3)\`.`)
  return Number.isNaN(given) ? { name, field } : { name, field, rank: given }
}

/** The name of the column that a call makes; undefined for what is no call. */
export function columnOfCall(written: string): string | undefined {
  const call = safely(() => parseCall(written))
  return call && columnName(call, call.field)
}

/** The name of a column without an alias: `count`, `sum(price)`, `p90(ms)`. */
export function columnName(
  { name, rank, second, alias, title, distinct }: Call,
  field: string | undefined,
): string {
  if (alias !== undefined) return alias
  if (title !== undefined) return title
  const head = name === 'percentile' ? `p${rank ?? 50}` : name
  const rest = [
    field === undefined ? undefined : `${distinct ? 'distinct ' : ''}${fieldTitle(field)}`,
    second,
    name === 'percentile' ? undefined : rank,
  ]
  const args = rest.filter((one) => one !== undefined)
  return args.length === 0 ? head : `${head}(${args.join(', ')})`
}

/** A field as rows call it: `value` for the record itself, and `First name` for `["First name"]`. */
export function fieldTitle(name: string): string {
  const [, key] = /^\[("(?:[^"\\]|\\.)*")\]$/.exec(name) ?? []
  if (key !== undefined) return JSON.parse(key)
  const [, , quoted] = /^(["'`])([^"'`\\]+)\1$/.exec(name) ?? []
  if (quoted !== undefined) return quoted
  return name === '@' ? 'value' : name
}

// Columns of the groups.

interface Column {
  /** Its key in the rows: `count`, `sum(items.price)`. */
  name: string
  /** The same as it was written, before its field was found: `sum(price)`. */
  written: string
  call: Call
  aggregate: Aggregate
  /** Undefined: the column is about the records themselves. */
  field: Field | undefined
  second: Field | undefined
  /** Where its values are among what is collected; those of the second field come after. */
  at: number
  /** True for what a formula is made of: it is no column of its own. */
  hidden: boolean
}

/** `sum(price) / count`: computed from columns. */
interface Formula {
  name: string
  /** With the names of columns in place of the calls, and of the formulas before it. */
  expression: Expression
}

/** A column for each call, under names of their own. Throws a `Refusal`. */
function columnsIn(
  records: Records,
  written: readonly string[],
  taken: readonly string[],
): { columns: Column[]; formulas: Formula[] } {
  const names = new Set(taken)
  const columns: Column[] = []
  const formulas: Formula[] = []
  let collected = 0
  const itself = records.values.length > 0 && records.names().size === 0
  const add = (given: Call, wanted: string | undefined): Column => {
    const call = ofField(records, given)
    const found = aggregateNamed(call.name)
    if (!found) throw noAggregate(call.name)
    const field = call.field === undefined ? undefined : measured(records, call.field, found.aggregate.reads)
    const second = call.second === undefined ? undefined : measured(records, call.second, 'numbers')
    const { alias: _, ...unnamed } = call
    const first = wanted ?? columnName(call, field?.name)
    const plain = names.has(first) ? columnName(unnamed, field?.name) : first
    // Grouped by a field that is called `count` itself.
    const name = names.has(plain) ? `${plain}()` : plain
    names.add(name)
    const at = field ? collected : -1
    collected += Number(field !== undefined) + Number(second !== undefined)
    const column = {
      name,
      written: columnName(given, given.field),
      call,
      aggregate: found.aggregate,
      field,
      second,
      at,
      hidden: wanted !== undefined,
    }
    columns.push(column)
    return column
  }
  // A formula is about the columns and formulas before it by their names: `total / orders`.
  const before = (name: string): Expression | undefined =>
    formulas.find((one) => one.name === name)?.expression ??
    (columns.some((one) => one.name === name) ? { kind: 'field', name } : undefined)
  const nearly = knowing(records)
  const knows = (name: string): ReturnType<typeof nearly> =>
    /^(?:count|n)$/i.test(name) || before(name) ? 'exactly' : nearly(name)
  for (const text of written) {
    const { source, alias } = aliasIn(text)
    const call = callOf(source, itself)
    if (call) add(alias === undefined ? call : { ...call, alias }, undefined)
    else {
      const expression = safely(() => parseComputed(source, { knows, note: () => undefined }))
      const inner =
        expression && withColumns(expression, before, (one) => add(one, `${HIDDEN}${columns.length}`).name)
      if (!inner || inner.calls === 0) throw noAggregate(source)
      formulas.push({ name: alias ?? source, expression: inner.expression })
    }
  }
  return { columns, formulas }
}

/** `avg(Speed in knots)` read as a condition is about the field, where one is called so. */
function ofField(records: Records, { title, ...call }: Call): Call {
  const inner = title?.slice(call.name.length + 1, -1)
  const isField = call.name !== 'count_if' && title === `${call.name}(${inner})`
  if (inner !== undefined && isField && exactPath(records, inner)) return { ...call, field: inner }
  return title === undefined ? call : { ...call, title }
}

const HIDDEN = 'aggregate_'

/** An expression with the names of columns in place of the calls of aggregates; `before` gives what a name of a column means. */
function withColumns(
  expression: Expression,
  before: (name: string) => Expression | undefined,
  nameOf: (call: Call) => string,
): { expression: Expression; calls: number } {
  let calls = 0
  const field = (source: string): Expression | undefined => {
    const call = callOf(source, false)
    if (!call) return undefined
    calls += 1
    return { kind: 'field', name: nameOf(call) }
  }
  const change = (one: Expression): Expression | undefined => {
    const known = one.kind === 'field' ? before(one.name) : undefined
    if (known) {
      calls += 1
      return known
    }
    if (one.kind === 'field' && /^(?:count|n)$/i.test(one.name)) return field('count') ?? one
    // `min(a, b)` of two is no aggregate.
    const isCall = one.kind === 'call' && !one.over && aggregateNamed(one.name)
    return isCall ? (field(sourceOf(one)) ?? one) : undefined
  }
  return { expression: mapped(expression, change), calls }
}

/**
 * Objects have no value to compute from. The values of a map may have a field of that name, an element with attributes a text, and an
 * object one number. Neither have pairs of a time and a value, but their values have.
 */
function measured(records: Records, reference: string, reads: Aggregate['reads']): Field {
  const field = resolveField(records, reference)
  if (!holdsObjects(records, field)) return valueOfPairs(records, field) ?? field
  return (
    acrossMap(records, field) ??
    textWithin(records, field) ??
    numberWithin(records, field) ??
    eitherWithin(records, field) ??
    // Dates and names have an order as well.
    (reads === 'order' ? nameWithin(records, field) : undefined) ??
    field
  )
}

/** The values of a field, which are collected of each group. */
interface Collected {
  field: Field
  /** True: only from the elements of the list that are in the group. */
  ofElements: boolean
}

function collectedBy(columns: readonly Column[], list: Path | undefined): Collected[] {
  return columns.flatMap(({ field, second }) =>
    [field, second].flatMap((one) =>
      one ? [{ field: one, ofElements: list !== undefined && isOn(list, one.path) }] : [],
    ),
  )
}

/** The list within records that a group key and something else go through: its elements are then grouped one by one. */
function sharedList(
  records: Records,
  keys: readonly GroupKey[],
  columns: readonly Column[],
): Path | undefined {
  const paths = [...keys, ...columns].flatMap(({ field }) => (field ? [field.path] : []))
  for (const { field } of keys) {
    const list = listOn(records, field.path)
    if (!list || list.length === 0) continue
    const around = listAround(records, field.path)
    if (around && around.length < list.length && paths.filter((path) => isOn(around, path)).length > 1)
      return around
    // Of one field in elements as well, so that both are told: how many records, and how many elements.
    if (paths.filter((path) => isOn(list, path)).length > 1 || list.length < field.path.length) return list
  }
  return undefined
}

// Keys.

/** The key that `group_by` names: a field, or the month and so on of a date. */
export interface GroupKey {
  /** As it is called in the groups: `state`, `created_at:month`. */
  name: string
  field: Field
  part: DatePart | undefined
  /** Which of two parts a call was read as. */
  note?: string
}

/** `created_at.month`, `created_at__month`, `created_at month`, and `created_at.dt.month` of pandas. */
const MEMBER = /^(.+?)(?:\.dt)?(?:\.|__|\s+)(\w+)$/

/** `state`, or `created_at:month`. A field with a colon in its name comes first. Throws a `Refusal`. */
function parseGroupKey(records: Records, reference: string): GroupKey {
  const exact = exactPath(records, reference)
  if (exact && !holdsObjects(records, exact))
    return { name: fieldTitle(exact.name), field: exact, part: undefined }
  const { source, alias } = aliasIn(reference)
  const [, before = '', after = ''] = MEMBER.exec(source) ?? []
  const isTold = datePart(after) !== undefined && exactPath(records, before) !== undefined
  const isPart = isTold && (source !== `${before} ${after}` || !holdsWords(records, before))
  const time = onlyTime(records, source)
  const member = isPart ? `${before}:${after}` : time && `${time}:${source}`
  const [name, part] = partIn(member ?? source, alias !== undefined)
  const whole = resolveField(records, name)
  const areObjects = holdsObjects(records, whole)
  const across = areObjects ? acrossMap(records, whole) : undefined
  // One member of a map, which few records have, is no name of it.
  const isMap = across === undefined && part === undefined && areObjects && holdsMaps(records, whole)
  const keys = isMap ? keysOf(records, whole) : undefined
  const inner = areObjects && !isMap ? (listWithin(records, whole) ?? nameWithin(records, whole)) : undefined
  const within = across ?? inner
  const field = within ?? keys ?? whole
  const title = fieldTitle(field.name)
  const note = keys
    ? `\`${whole.name}\` is a map: grouped by its keys.`
    : part && source !== name
      ? eitherPart(source, title, part)
      : undefined
  return { name: alias ?? title + (part ? `:${part}` : ''), field, part, ...(note !== undefined && { note }) }
}

/** True for texts that are no times: no part of one stands behind their name. */
function holdsWords(records: Records, name: string): boolean {
  const samples = records.names().get(name) ?? []
  return samples.some((value) => typeof value === 'string' && parseDate(value) === undefined)
}

/** The one field with times, for a part of a time alone: `month`. Undefined where a field is called so. Throws a `Refusal` where several have times. */
function onlyTime(records: Records, reference: string): string | undefined {
  if (datePart(reference) === undefined || safely(() => resolveField(records, reference))) return undefined
  const [only, another] = timeFields(records)
  if (only !== undefined && another !== undefined)
    throw new Refusal(
      `\`${reference}\` of which time? Write \`${only}:${reference}\`; there is also \`${another}\`.`,
    )
  return only
}

/** Objects of a field that are looked at to tell whether they are maps, and so many keys that they may be. */
const MOST_OF_FIELD = 500
const LEAST_KEYS = 10

/** True where the objects that a field holds have keys that come and go. */
function holdsMaps(records: Records, field: Field): boolean {
  const column = columnOf(records.values, field.path)
  const objects: JsonObject[] = []
  for (let code = 0; code < column.size && objects.length < MOST_OF_FIELD; code++)
    for (const value of column.values(code)) {
      if (Array.isArray(value)) return false
      if (isObject(value)) objects.push(value)
    }
  const keys = objects.flatMap((object) => Object.keys(object))
  const different = new Set(keys).size
  return different >= LEAST_KEYS && areKeys(different, objects.length, keys.length)
}

function keysOf(records: Records, field: Field): Field {
  const source = `keys(${field.name})`
  return computedField(
    records,
    { kind: 'call', name: 'keys', args: [{ kind: 'field', name: field.name }] },
    source,
  )
}

/** Of a call that may mean the time that began or a number: which it was read as, and how to write the other. */
function eitherPart(written: string, title: string, part: DatePart): string | undefined {
  if (!/\w\s*\(/.test(written) || /trunc/i.test(written)) return undefined
  if (part === 'hour_of_day' && !/of_?day/i.test(written))
    return `\`${shown(written, 60)}\` read as the hour of day; for each hour of each day write \`${title}:hour\`.`
  if ((part === 'quarter' || part === 'week') && !/extract|part/i.test(written))
    return `\`${shown(written, 60)}\` read as each ${part}; for the number alone write \`date_part('${part}', ${title})\`.`
  const other = { month: 'month_of_year', day: 'day_of_month' }[part as string]
  return other === undefined
    ? undefined
    : `\`${shown(written, 60)}\` read as each ${part}; for the ${other.replaceAll('_', ' ')} write \`${title}:${other}\`.`
}

/** `created_at:month`, `created_at by month`, `month of created_at`, `month(created_at)`: what, and which part. */
function partIn(reference: string, named: boolean): [string, DatePart | undefined] {
  const [, before = '', after = ''] = /^(.*\S)\s*(?::|\sby\s|\sper\s)\s*([\w -]+)$/is.exec(reference) ?? []
  const trailing = datePart(after)
  if (trailing) return [before, trailing]
  const [, word = '', called, of] = /^(\w+)\s*(?:\(\s*(.+?)\s*\)|\sof\s+(.+))$/is.exec(reference) ?? []
  const leading = datePart(word)
  const inner = called ?? of
  if (leading && inner !== undefined) return [inner, called === undefined ? leading : ofClock(leading)]
  // `date_trunc('month', created_at)`; `date_part` and, with a name of its own, `extract` give numbers.
  const [, first = '', second = ''] = (named ? TRUNCATING : EITHER).exec(reference) ?? []
  const bare = (text: string): string => text.replace(/^["'`](.*)["'`]$/s, '$1')
  const read = /^date_?trunc/i.test(reference) ? (one: DatePart) => one : ofClock
  const either = datePart(bare(first))
  if (either) return [bare(second), read(either)]
  const other = datePart(bare(second))
  return other ? [bare(first), read(other)] : [reference, undefined]
}

/** `hour(t)` is the hour of day in every language; `month(t)` and `day(t)` are mostly asked for as months and days of a year. */
function ofClock(part: DatePart): DatePart {
  return part === 'hour' ? 'hour_of_day' : part
}

const TRUNCATING = /^date_?trunc\s*\(\s*(.+?)\s*,\s*(.+?)\s*\)$/is
const EITHER = /^(?:date_?trunc|date_?part|extract)\s*\(\s*(.+?)\s*(?:,|\sfrom\s)\s*(.+?)\s*\)$/is

/** A field that rows are grouped by: its values, and the code of each row. */
interface KeyCodes {
  readonly values: Values
  readonly codes: Uint32Array
  /** True: the rows are all that the values are of, and no others. */
  readonly whole: boolean
}

/** The values that records are grouped by: the different values of each, null among them, or the part of each date. */
function keyCodes({ column, codes, whole }: Coded, { part }: Pick<GroupKey, 'part'>): KeyCodes {
  const name = `group by ${part ?? 'value'}`
  const calendar = part && calendarOf(column)
  const values = column.derived(name, () =>
    encoded(
      column,
      name,
      (found) => {
        const all = listElements(found)
        const parts = part ? all.flatMap((value) => partOf(value, part, calendar) ?? []) : all
        if (parts.length < 2) return parts
        return [...new Map(parts.map((value) => [identity(value), value])).values()]
      },
      identity,
    ),
  )
  return { values, codes, whole }
}

// Groups.

interface Groups {
  /** How many there are, in the order in which they first occur. */
  readonly count: number
  /** The values of the group keys. */
  valuesOf(group: number): JsonValue[]
  /** By group: how many records, and how many elements where they are grouped element by element. */
  readonly records: Uint32Array
  readonly elements: Uint32Array | undefined
  /** Per group key: the records that have no value there, which are in no group. */
  readonly missing: readonly number[]
  /** True: it is one group of all records, for nothing was named to group by. */
  readonly together: boolean
  /** True when a record has several values and is therefore in several groups. */
  readonly several: boolean
  /** By what is collected. */
  readonly gathered: readonly Gathered[]
}

/** More pairs of rows and groups than this are no answer to any question. */
const MOST_PAIRS = 20_000_000
/** Pairs of group and item up to which their groups are found in a table, for each row. */
const MOST_SLOTS = 4

/**
 * The groups of all records. Without keys it is one, of no record as well. With `list`, each element of that list in a
 * record belongs to a group of its own.
 */
function groupRecords(
  { values: records }: Records,
  keys: readonly GroupKey[],
  collected: readonly Collected[],
  list: Path | undefined,
): Groups {
  const asked = [...keys, ...collected.filter(({ ofElements }) => ofElements)].map(({ field }) => field.path)
  const units = list && unitsOf(records, list, asked)
  const read = (path: Path): Coded => units?.codes(path) ?? codedOf(records, path)
  const coded = keys.map((key) => keyCodes(read(key.field.path), key))
  const { members, items } = grouped(records.length, coded)
  const { ofRecords, several } = recordsIn(members, units?.records)
  return {
    count: members.count,
    together: keys.length === 0,
    valuesOf: (group) => items(group).map((item, at) => coded[at]?.values.items[item] ?? null),
    records: sizesOf(ofRecords),
    elements: units && sizesOf(members),
    missing: coded.map((key) =>
      units ? withoutIn(key.values, key.codes, units, records.length) : censusOf(key, key.values).without,
    ),
    several,
    gathered: collected.map(({ field, ofElements }) => {
      const inUnits = ofElements ? units : undefined
      const one = inUnits?.codes(field.path) ?? codedOf(records, field.path)
      return gatheredIn(one, inUnits ? members : ofRecords, records.length, inUnits)
    }),
  }
}

/** Groups that were parted once more: which one each was part of, and the item of the key that tells it from the others. */
interface Level {
  readonly parents: readonly number[]
  readonly items: readonly number[]
}

/**
 * Groups of rows that have the same values, in the order in which they first occur. A row with several values is in the group of each,
 * and of each combination where there are several keys. Throws a `Refusal` where these are too many.
 */
function grouped(
  rows: number,
  keys: readonly KeyCodes[],
): { members: Members; items(group: number): number[] } {
  const levels: Level[] = []
  let members: Members | undefined
  for (const key of keys) {
    const all = members
    const part = (): Parted => parted(all, key)
    const made = key.whole && !all ? key.values.derived('groups', part) : part()
    levels.push(made.level)
    members = made.members
  }
  return {
    members: members ?? { rows: positions(rows), groups: new Uint32Array(rows), count: 1 },
    items(group) {
      const found: number[] = []
      let here = group
      for (const { parents, items } of levels.toReversed()) {
        found.unshift(items[here] ?? 0)
        here = parents[here] ?? 0
      }
      return found
    },
  }
}

interface Parted {
  members: Members
  level: Level
}

/** Each group parted by the items of a key; all rows are in one to begin with. */
function parted(before: Members | undefined, { values, codes }: KeyCodes): Parted {
  const { starts, ids } = values
  const pairs = before?.rows.length ?? codes.length
  const size = pairsIn(before, starts, codes)
  const rows = new Uint32Array(size)
  const groups = new Uint32Array(size)
  const parents: number[] = []
  const items: number[] = []
  const different = values.items.length
  const slots = (before?.count ?? 1) * different
  // By parent and item the number of the group from 1, in a table where it is not much larger than the rows.
  const table = slots <= Math.max(1_000, pairs * MOST_SLOTS) ? new Uint32Array(slots) : undefined
  const known = new Map<number, number>()
  let pair = 0
  for (let at = 0; at < pairs; at++) {
    const row = before ? (before.rows[at] as number) : at
    const parent = before ? (before.groups[at] as number) : 0
    const code = codes[row] as number
    const end = starts[code + 1] as number
    for (let place = starts[code] as number; place < end; place++) {
      const item = ids[place] as number
      const slot = parent * different + item
      let group = table ? (table[slot] as number) : (known.get(slot) ?? 0)
      if (group === 0) {
        group = parents.push(parent)
        items.push(item)
        if (table) table[slot] = group
        else known.set(slot, group)
      }
      rows[pair] = row
      groups[pair++] = group - 1
    }
  }
  return { members: { rows, groups, count: parents.length }, level: { parents, items } }
}

function pairsIn(before: Members | undefined, starts: Uint32Array, codes: Uint32Array): number {
  const pairs = before?.rows.length ?? codes.length
  let size = 0
  for (let at = 0; at < pairs; at++) {
    const code = codes[before ? (before.rows[at] as number) : at] as number
    size += (starts[code + 1] as number) - (starts[code] as number)
  }
  if (size > MOST_PAIRS)
    throw new Refusal('These fields make too many groups. Group by fewer, or narrow down with `where` first.')
  return size
}

/** How many rows each group has. */
export function sizesOf({ groups, count }: Pick<Members, 'groups' | 'count'>): Uint32Array {
  const counts = new Uint32Array(count)
  for (let pair = 0; pair < groups.length; pair++) {
    const group = groups[pair] as number
    counts[group] = (counts[group] as number) + 1
  }
  return counts
}

/** The values of a field in the groups; `units` are the elements where these are grouped one by one. */
export function gatheredIn(coded: Coded, members: Members, records: number, units?: Units): Gathered {
  const values = valuesOf(coded.column)
  const { codes } = coded
  const census = censusOf(coded, values)
  const without = units ? withoutIn(values, codes, units, records) : census.without
  return { values, codes, members, census, without }
}

/** How many records have no value in any of their elements. */
function withoutIn({ starts }: Values, codes: Uint32Array, units: Units, records: number): number {
  const has = new Uint8Array(records)
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] as number
    if (starts[code] !== starts[code + 1]) has[units.records[row] as number] = 1
  }
  return has.reduce((count, one) => count - one, records)
}

/** Each record once in each of the groups that its rows are in. */
function recordsIn(
  members: Members,
  recordOf: Uint32Array | undefined,
): { ofRecords: Members; several: boolean } {
  const { rows, groups, count } = members
  let several = false
  if (!recordOf) {
    for (let pair = 1; pair < rows.length && !several; pair++) several = rows[pair] === rows[pair - 1]
    return { ofRecords: members, several }
  }
  const last = new Int32Array(count).fill(-1)
  const own = new Uint32Array(rows.length)
  const into = new Uint32Array(rows.length)
  let size = 0
  for (let pair = 0; pair < rows.length; pair++) {
    const record = recordOf[rows[pair] as number] as number
    const group = groups[pair] as number
    if (last[group] === record) continue
    last[group] = record
    if (size > 0 && own[size - 1] === record) several = true
    own[size] = record
    into[size++] = group
  }
  return { ofRecords: { rows: own.subarray(0, size), groups: into.subarray(0, size), count }, several }
}

// Cells.

interface Cells {
  /** By group. */
  cells: readonly JsonValue[]
  notes: string[]
}

/** The cells of a column in all groups of so many records. */
function cellsOf(column: Column, groups: Groups, records: number): Cells {
  const { call, aggregate, field, second, at } = column
  const all = groups.gathered[at]
  const gathered = call.distinct && all ? onceEach(all) : all
  if (!field || !gathered) {
    const counts = Array.from(groups.records)
    return {
      cells: aggregate.name === 'percent' ? counts.map((count) => percent(count, records)) : counts,
      notes: [],
    }
  }
  const { values, census } = gathered
  const { numbers, unit, order, reading, remark }: Partial<Readings> =
    aggregate.reads === 'values' ? {} : readingsOf(values, census, field.name)
  const read = aggregate.reads === 'order' ? order : numbers
  const over: Over = {
    ...gathered,
    numbers: read,
    reading,
    decimals: numbers === undefined ? NO_DECIMALS : decimalsIn(values, numbers, unit),
    second: second && groups.gathered[at + 1],
    option: call.rank,
    separator: call.separator,
  }
  const compute = (): readonly JsonValue[] => aggregate.compute(over)
  // Of all records together the same question has the same answer.
  const cells =
    groups.together && !second
      ? census.derived(`${call.name} ${call.rank} ${call.separator} ${call.distinct}`, compute)
      : compute()
  if (aggregate.reads === 'values') {
    const cut = cutIn(aggregate, over, cells)
    const many = `\`${call.name}\` lists at most ${MOST_LISTED} values: ${formatPlural(cut, 'group')} ${cut === 1 ? 'has' : 'have'} more.`
    return { cells, notes: cut > 0 ? [`${many} Ask for these by \`where\` and \`fields\`.`] : [] }
  }
  // Of texts, `top` lists the most frequent ones.
  const isOfWords = aggregate.name === 'top' && reading === 'text'
  const notes = isOfWords ? [] : remarks(call, aggregate, field, gathered, read, reading)
  if (aggregate.reads === 'order' && remark !== undefined) notes.push(remark)
  const told = unit && nameOfUnit(unit)
  if (
    aggregate.reads === 'numbers' &&
    told !== undefined &&
    (unit !== 'bytes' || !areMultiples(values, census))
  )
    notes.push(`${call.name} of \`${field.name}\` is in ${told}.`)
  const measures = aggregate.reads === 'numbers' && unit === undefined ? measuresIn(values, census) : []
  if (measures.length === 1) notes.push(`${call.name} of \`${field.name}\` is in ${measures[0]}.`)
  if (measures.length > 1)
    notes.push(
      `The values of \`${field.name}\` are in ${measures.slice(0, 4).join(', ')}: their numbers are taken as they are. Choose one unit by \`where\`.`,
    )
  if (aggregate.name !== 'percent') return { cells, notes }
  const whole = sumOfAll(over)
  return { cells: cells.map((part) => percent(part, whole)), notes }
}

const NO_DECIMALS = new Uint16Array(0)

/** The share of a whole; null where one of both is no number. */
export function percent(part: JsonValue, whole: JsonValue): JsonValue {
  if (typeof part !== 'number' || typeof whole !== 'number' || Number.isNaN(part) || whole === 0) return null
  return Number(((part / whole) * 100).toFixed(2))
}

function rowAt(
  keys: readonly GroupKey[],
  columns: readonly Column[],
  cells: readonly Cells[],
  groups: Groups,
  group: number,
): JsonObject {
  const row: JsonObject = {}
  const values = groups.valuesOf(group)
  for (const [at, { name }] of keys.entries()) setOwn(row, name, values[at] ?? null)
  for (const [nth, { name, call, field, at, hidden }] of columns.entries()) {
    setOwn(row, name, cells[nth]?.cells[group] ?? null)
    const gathered = groups.gathered[at]
    if (call.name !== 'distinct' || keys.length > 0 || !field || !gathered || hidden) continue
    const { title, counts } = listValues(gathered.values, gathered.census)
    setOwn(row, `${title} of ${fieldTitle(field.name)}`, counts)
  }
  return row
}

/** The rows with formulas in place of what they are computed from. */
function withFormulas(
  formulas: readonly Formula[],
  columns: readonly Column[],
  rowOf: (group: number) => JsonObject,
  count: number,
): (group: number) => JsonObject {
  const rows = Array.from({ length: count }, (_, group) => rowOf(group))
  const records = recordsOfValues(rows)
  const hidden = new Set(columns.filter((one) => one.hidden).map(({ name }) => name))
  const fields = formulas.map(({ name, expression }) => ({
    name,
    path: resolveField(records, sourceOf(expression)).path,
  }))
  return (group) => {
    const before = rows[group] ?? {}
    const row: JsonObject = Object.fromEntries(Object.entries(before).filter(([key]) => !hidden.has(key)))
    for (const { name, path } of fields) {
      const values = valuesAt(before, path)
      setOwn(row, name, values[0] ?? null)
    }
    return row
  }
}

/** The groups in the order of their rows: by what stands under the name of the first column that is no key. */
function largestFirst(
  count: number,
  first: JsonObject | undefined,
  keys: readonly GroupKey[],
  cells: readonly Cells[],
  columns: readonly Column[],
  rowOf: (group: number) => JsonObject,
): number[] {
  const by = columns.findLastIndex(({ name }) => name === columns[0]?.name)
  const formula = columns[0]?.hidden ? Object.keys(first ?? {})[keys.length] : undefined
  const values =
    formula === undefined
      ? (cells[by]?.cells ?? [])
      : Array.from({ length: count }, (_, group) => own(rowOf(group), formula) ?? null)
  return Array.from(values, (_, group) => group).sort((a, b) => {
    const [x, y] = [values[a] ?? null, values[b] ?? null]
    if (typeof x === 'number' && typeof y === 'number') return y - x
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return compareNaturally(String(y), String(x))
  })
}

// Notes.

/** Remarks that differ in their names and numbers alone: so many are told. */
const MOST_OF_KIND = 4

/** Each remark once, and few that say the same of other fields. */
function fewOfEachKind(notes: readonly string[]): string[] {
  const kinds = groupedBy(new Set(notes), (note) => note.replaceAll(/`[^`]*`|"[^"]*"|\d[\d,.]*/g, ''))
  return [...kinds.values()].flatMap((same) =>
    same.length <= MOST_OF_KIND
      ? same
      : [...same.slice(0, MOST_OF_KIND - 1), `The same is true of ${same.length - MOST_OF_KIND + 1} more.`],
  )
}

/** The remarks on values that were read as something else, and on those left out. */
function remarks(
  call: Call,
  { reads }: Aggregate,
  { name }: Field,
  gathered: Gathered,
  /** Undefined: they were read as texts. */
  numbers: Numbers | undefined,
  reading: Reading = 'text',
): string[] {
  const { census } = gathered
  const ordered = reads === 'order'
  const read = (): Findings => findings(gathered, numbers, reading)
  const { others, booleans, large, example } = census.derived(
    `findings for ${ordered ? 'order' : 'numbers'}`,
    read,
  )
  const notes: string[] = []
  if (large && !ordered)
    notes.push(`\`${name}\` has numbers of more than 15 digits: ${call.name} is rounded.`)
  if (example && !ordered)
    notes.push(
      `\`${name}\` holds texts read as numbers: ${shown(JSON.stringify(example.text), 40)} as ${example.number}.`,
    )
  if (booleans > 0 && booleans === others && !ordered)
    notes.push(
      `\`${name}\` is true or false: \`percent(${name} = true)\` is the share of true, \`count_if(${name} = true)\` how many.`,
    )
  else if (others > 0)
    notes.push(
      `${others} of ${census.total} values of \`${name}\` are no ${ordered ? 'such values' : 'numbers'} and were left out.`,
    )
  return notes
}

interface Findings {
  /** Values that are no numbers. */
  others: number
  /** Of them, true and false. */
  booleans: number
  /** True: some numbers cannot be told from their neighbours. */
  large: boolean
  /** A text that was read as a number and is not plainly one. */
  example: { text: string; number: number } | undefined
}

/** Longer texts are no examples, unless they are the first. */
const LONGEST_EXAMPLE = 40

function findings(
  { values, census: { counts, present } }: Gathered,
  numbers: Numbers | undefined,
  reading: Reading,
): Findings {
  const found: Findings = { others: 0, booleans: 0, large: false, example: undefined }
  const { items } = values
  if (numbers === undefined) {
    const keys = textKeys(values, reading)
    for (const id of present) if (keys[id] === undefined) found.others += counts[id] as number
    return found
  }
  let first = true
  for (let nth = 0; nth < present.length; nth++) {
    const id = present[nth] as number
    const number = numbers[id] as number
    if (Number.isNaN(number)) {
      found.others += counts[id] as number
      if (/^(?:true|false)$/i.test(String(items[id]))) found.booleans += counts[id] as number
      continue
    }
    if (Math.abs(number) > Number.MAX_SAFE_INTEGER) found.large = true
    const text = items[id]
    if (typeof text !== 'string' || found.example) continue
    if ((first || text.length < LONGEST_EXAMPLE) && !Number.isFinite(Number(text)))
      found.example = { text, number }
    first = false
  }
  return found
}

/** Says how to get the values that a row with the most frequent ones leaves out. */
function moreValues(row: JsonObject | undefined): string[] {
  const titles = Object.keys(row ?? {}).map((name) => /^\d+ most frequent of (.+)$/.exec(name)?.[1])
  const field = titles.find((title) => title !== undefined)
  return field === undefined ? [] : [`All values with their counts: "group_by": ${JSON.stringify(field)}.`]
}

/** Says how many records have nothing to compute from. */
function gaps(records: Records, { field, at }: Column, { gathered }: Groups): string[] {
  const count = gathered[at]?.without ?? 0
  return field && count > 0 && !/^case /i.test(field.name)
    ? [`${count} of ${records.values.length} have no \`${field.name}\`.`]
    : []
}

/** Says how many of the counted values are empty texts. */
function empty(records: Records, { field, aggregate }: Column): string[] {
  return field && aggregate.name === 'count'
    ? [...blanks(field.name, columnAt(records.values, field.path))]
    : []
}

/** Groups of which the elements are told. */
const MOST_TOLD = 12

/** Says which records are in no group, or in several. */
function groupNotes(
  records: Records,
  keys: readonly GroupKey[],
  { missing, several, elements, records: counts, count, valuesOf }: Groups,
  list: Path | undefined,
): string[] {
  const notes: string[] = []
  for (const [at, count] of missing.entries()) {
    if (count === 0) continue
    const inLists = keys[at] !== undefined && listOn(records, keys[at].field.path) !== undefined
    notes.push(
      `${count} of ${records.values.length} have no \`${keys[at]?.name}\`${inLists ? ', or an empty list,' : ''} and are in no group.`,
    )
    notes.push(...withoutYear(records, keys[at]))
  }
  if (list) {
    const name = listName(list)
    notes.push(
      `\`${name}\` is grouped element by element: count is of records, and functions over \`${name}\` are over the elements of the group.`,
    )
    if (elements?.some((size, group) => size !== counts[group])) {
      const shownGroups = Array.from({ length: Math.min(count, MOST_TOLD) }, (_, group) => group)
      const told = shownGroups.map((group) => `${shown(valuesOf(group).join(', '), 40)} ${elements[group]}`)
      notes.push(
        `Elements of \`${name}\`: ${told.join(', ')}${count > told.length ? ` and ${count - told.length} more groups` : ''}.`,
      )
    }
  } else if (several) {
    const lists = keys.filter(({ field }) => listOn(records, field.path) !== undefined)
    notes.push(
      lists.length > 1
        ? `Records with several values are counted in a group for each pair of a ${lists.map(({ name }) => `\`${name}\``).join(' and a ')}.`
        : 'Records with several values are counted in each of their groups.',
    )
  }
  for (const { part, field } of keys) {
    if (part === undefined) continue
    const calendar = calendarOf(codedOf(records.values, field.path).column)
    notes.push(...[zoneRemark(fieldTitle(field.name), calendar)].filter((remark) => remark !== undefined))
  }
  notes.push(...keys.flatMap((key) => joinedValues(records, key)).slice(0, 1))
  return notes
}

/** Says how to group by each value where texts hold several, `home, errand`, and there are more such texts than values. */
function joinedValues(records: Records, { field, part }: GroupKey): string[] {
  if (part !== undefined || field.path.length !== 1 || firstName(field.path[0]) === undefined) return []
  const mark = markBetween(columnAt(records.values, field.path))
  const call = `split(${field.name}, '${mark}')`
  return mark === undefined ? [] : [`A text has several values: group by \`${call}\` for a group of each.`]
}

/** Records looked at for how their times are written. */
const MOST_SAMPLED = 200

function sampled(records: Records, { field }: GroupKey): JsonValue[] {
  const found: JsonValue[] = []
  const work = newWork()
  for (const record of records.values.slice(0, MOST_SAMPLED)) readValues(record, field.path, found, work)
  return found.flat()
}

/** Says what times without a year can be grouped by instead. */
function withoutYear(records: Records, key: GroupKey | undefined): string[] {
  if (!key?.part || !needsYear(key.part) || !sampled(records, key).some(isYearless)) return []
  const title = fieldTitle(key.field.name)
  const others = ['month', 'day', 'hour'].map((part) => `\`${title}:${part}\``)
  return [`\`${title}\` is written without a year: group by ${others.join(', ')}.`]
}

/** `max(price) is of {"id":17,"name":"Lamp"}`; nothing for other functions, and for records without fields. */
function describeHolders(
  records: Records,
  { name, call, field, at }: Column,
  { gathered }: Groups,
  row: JsonObject | undefined,
): string[] {
  const value = row && own(row, name)
  const over = gathered[at]
  if (
    (call.name !== 'min' && call.name !== 'max') ||
    !field ||
    !over ||
    value === undefined ||
    value === null
  )
    return []
  const find = (): Holders => holdersOf(over, value)
  const { first, count } = over.census.derived(`holders of ${JSON.stringify(value)}`, find)
  const holder = first === undefined ? undefined : records.values[first]
  if (!isObject(holder)) return []
  // A point is told from others by its time and its series.
  const isPoint = records.table.whole.provenance.scattered === true
  const isShort = JSON.stringify(holder).length <= SHORT
  const known = isPoint && isShort ? holder : identityOf(holder, [], false)
  if (Object.keys(known).length === 0) return []
  const others = count > 1 ? `${count} records, the first ` : ''
  return [`${name} is of ${others}${JSON.stringify(known)}.`]
}

/** Characters of a record that is shown whole. */
const SHORT = 200

interface Holders {
  /** The position of the first record that holds the value, and how many do. */
  first: number | undefined
  count: number
}

function holdersOf({ values: { items, starts, ids }, codes }: Gathered, value: JsonValue): Holders {
  const wanted = new Uint8Array(items.length)
  for (let id = 0; id < items.length; id++) if (items[id] === value) wanted[id] = 1
  const holds = (code: number): boolean => {
    const end = starts[code + 1] as number
    for (let place = starts[code] as number; place < end; place++)
      if (wanted[ids[place] as number] === 1) return true
    return false
  }
  const found: Holders = { first: undefined, count: 0 }
  for (let record = 0; record < codes.length; record++) {
    if (!holds(codes[record] as number)) continue
    found.first ??= record
    found.count += 1
  }
  return found
}

/** The groups that rows are parted into by fields: of each row the number of its one group, by the first of several values. */
export function partsOfRows(
  records: Records,
  fields: readonly Field[],
): { groups: Uint32Array; count: number } {
  const rows = records.values.length
  let groups: Uint32Array = new Uint32Array(rows)
  let count = 1
  for (const { path } of fields) {
    const coded = codedOf(records.values, path)
    const ids = new Map<JsonValue, number>()
    const idOf = new Int32Array(coded.column.size)
    for (const code of codesPresent(coded)) {
      const key = identity(listElements(coded.column.values(code))[0] ?? null)
      const id = ids.get(key) ?? ids.size
      ids.set(key, id)
      idOf[code] = id
    }
    const known = new Map<number, number>()
    const before = groups
    groups = Uint32Array.from(before, (group, row) => {
      const slot = group * ids.size + (idOf[coded.codes[row] as number] as number)
      const part = known.get(slot) ?? known.size
      known.set(slot, part)
      return part
    })
    count = known.size
  }
  return { groups, count }
}
