/** `rank() over (partition by team order by points desc)`: columns that are computed from the rows around each. */

import { elementsOf } from '../../documents/columns/values.ts'
import type { Document } from '../../documents/document.ts'
import { fromMadeRows } from '../../documents/opening/derive.ts'
import { madeRows } from '../../documents/opening/rows.ts'
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { numberAs } from '../../query/fields/amounts.ts'
import { exactPath, resolveField } from '../../query/fields/fields.ts'
import { parsePath } from '../../query/fields/path.ts'
import { codedOf, readingIn } from '../../query/fields/reader.ts'
import { type Field, type Records, recordsOfValues, requireRecords } from '../../query/fields/records.ts'
import { valuesAt } from '../../query/fields/walk.ts'
import { aggregateNamed, decimalsIn, readingsOf } from '../../query/language/aggregates.ts'
import { fieldsOf, parseComputed } from '../../query/language/parser.ts'
import { scan } from '../../query/language/scanner.ts'
import { type Call, type Expression, mapped, partsOf, sourceOf } from '../../query/language/tree.ts'
import { type Frame, type Partition, WINDOWS, windowNamed } from '../../query/language/windows.ts'
import { Refusal, shown } from '../../query/refusal.ts'
import { newWork } from '../../query/work.ts'
import { looseNumber } from '../../text/values/quantities.ts'
import { nameOfUnit, type Reading, unitOf } from '../../text/values/reading.ts'
import type { Asked } from '../parameters.ts'
import type { PipelineStep } from '../pipeline.ts'
import { applied, attempted, failed, unchanged, withNotes } from '../step.ts'
import { aliasIn, columnOfCall, gatheredIn, partsOfRows, percent, sizesOf } from './group.ts'
import { inOrder, positions, type Ranks, ranksOf } from './sort.ts'
import { where } from './where.ts'

/** A column that is computed, and the parameters with its name in place of the call. */
export interface Plan {
  columns: { name: string; source: string; frames: readonly Frame[] }[]
  /** Conditions about records, and those about windows. */
  before: string[]
  after: string[]
  aggregate: string[]
  sort: string[]
  fields: string[]
}

const MOST_COLUMNS = 20
const LONGEST_NAME = 60

/** True where some parameter has a window in it. */
export function hasWindows(params: unknown): boolean {
  const { where: conditions, aggregate, sort, fields } = params as Asked
  return [conditions, aggregate, sort, fields].some((list) => list?.some(isWindow))
}

/** True for a text with a window in it. */
export function isWindow(text: unknown): boolean {
  return typeof text === 'string' && /\)\s*over\s*\(/i.test(text)
}

/** Reads the windows of all parameters. The same for the same parameters. Throws a `Refusal` where there are too many. */
export function planOf(params: unknown): Plan {
  const asked = params as Asked
  const plan: Plan = {
    columns: [],
    before: [],
    after: [],
    aggregate: [],
    sort: [...(asked.sort ?? [])],
    fields: [],
  }
  const conditions = (asked.where ?? []).map((text) => ({ text, names: fieldsOf(text) }))
  for (const item of asked.fields ?? [])
    plan.fields.push(isWindow(item) || isEarly(item, conditions) ? named(plan, item) : item)
  for (const item of asked.aggregate ?? []) {
    if (!isWindow(item)) plan.aggregate.push(item)
    else {
      const name = named(plan, item)
      if (plan.fields.length > 0) plan.fields.push(name)
    }
  }
  plan.sort = plan.sort.map((item) => replaced(plan, item))
  const aliases = new Set(plan.columns.map(({ name }) => name.toLowerCase()))
  for (const { text, names } of conditions) {
    if (isWindow(text) || names.some((name) => aliases.has(name.toLowerCase())))
      plan.after.push(replaced(plan, text))
    else plan.before.push(text)
  }
  if ((asked.aggregate?.length ?? 0) + (asked.group_by?.length ?? 0) > 0) addAggregates(plan)
  return plan
}

/**
 * True for what is computed with the windows, though it has none. A condition on its name is about the rows with the windows, so it does not
 * change what they are over. And `@` is a record without the columns of windows.
 */
function isEarly(item: string, conditions: readonly { names: readonly string[] }[]): boolean {
  const { source, alias } = aliasIn(item)
  if (alias === undefined) return false
  const isAsked = /@(?!\w)/.test(source) || conditions.some(({ names }) => names.includes(alias))
  return isAsked && parseComputed(source) !== undefined
}

/** The name of the column that a whole item is. */
function named(plan: Plan, item: string): string {
  const { source, alias } = aliasIn(item)
  return columnOf(plan, source, alias)
}

function columnOf(plan: Plan, written: string, alias?: string): string {
  const before = plan.columns.find((one) => one.source === plainFrames(written).source)
  if (before) return before.name
  if (plan.columns.length >= MOST_COLUMNS)
    throw new Refusal(`At most ${MOST_COLUMNS} windows are computed at once.`)
  const { source, frames } = plainFrames(written)
  const wanted = alias ?? titleOf(source)
  let name = wanted
  for (let nth = 2; plan.columns.some((one) => one.name === name); nth++) name = `${wanted}_${nth}`
  plan.columns.push({ name, source, frames })
  return name
}

/** `rank` of `rank() over (…)`, `lag_price` of `lag(price) over (…)`. */
function titleOf(source: string): string {
  const [window] = windowsIn(source)
  const call = window ? source.slice(window.from, window.over).trim() : source
  const words = call.replaceAll(/[^\p{L}\p{N}_]+/gu, '_').replaceAll(/^_+|_+$/g, '')
  return (words === '' ? 'window' : words).slice(0, LONGEST_NAME)
}

const FRAME =
  /(?:(?<=\()|\s+)(?:rows|range)\s+(?:between\s+)?(current\s+row|(?:unbounded|\d{1,9})\s+(?:preceding|following))(?:\s+and\s+(current\s+row|(?:unbounded|\d{1,9})\s+(?:preceding|following)))?(?=\s*\))/gi

/** The text without frames, and the frames in their order; a window without one has what its order says. */
function plainFrames(written: string): { source: string; frames: Frame[] } {
  const frames: Frame[] = []
  /** Rows from this one on: below zero for the ones before it. */
  const rowsTo = (bound: string): number => {
    const [count = '', direction = ''] = bound.toLowerCase().split(/\s+/)
    if (count === 'current') return 0
    const rows = count === 'unbounded' ? Number.POSITIVE_INFINITY : Number(count)
    return direction === 'preceding' ? -rows : rows
  }
  const source = written.replaceAll(FRAME, (_, first: string, last: string | undefined) => {
    frames.push({ before: -rowsTo(first), after: rowsTo(last ?? 'current') })
    return ''
  })
  return { source, frames }
}

/** Each `f(…) over (…)` in a text. */
function windowsIn(text: string): { from: number; over: number; to: number }[] {
  const tokens = scan(text)
  const found: { from: number; over: number; to: number }[] = []
  tokens.forEach((token, at) => {
    const [close, open] = [tokens[at - 1], tokens[at + 1]]
    if (
      token.kind !== 'word' ||
      token.text.toLowerCase() !== 'over' ||
      close?.kind !== 'close' ||
      open?.kind !== 'open'
    )
      return
    const name = tokens[close.match - 1]
    const end = tokens[open.match]
    if (name?.kind === 'word' && end) found.push({ from: name.from, over: token.from, to: end.to })
  })
  return found
}

/** The text with names of columns in place of its windows. */
function replaced(plan: Plan, text: string): string {
  let out = ''
  let from = 0
  for (const window of windowsIn(text)) {
    if (window.from < from) continue
    out += text.slice(from, window.from) + columnOf(plan, text.slice(window.from, window.to))
    from = window.to
  }
  return out + text.slice(from)
}

/** Aggregates that only windows name are computed as well. */
function addAggregates(plan: Plan): void {
  const there = new Set(plan.aggregate.map((item) => item.replaceAll(/\s/g, '').toLowerCase()))
  for (const call of plan.columns.flatMap(({ source }) => aggregatesIn(source))) {
    const name = call.replaceAll(/\s/g, '').toLowerCase()
    if (there.has(name)) continue
    // Without any, groups are counted.
    if (plan.aggregate.length === 0 && name !== 'count') plan.aggregate.push('count')
    there.add(name)
    plan.aggregate.push(call)
  }
}

/** The calls of aggregates in what a window is over, which are about groups. */
function aggregatesIn(source: string): string[] {
  const found: string[] = []
  const visit = (one: Expression): void => {
    if (one.kind === 'call' && !one.over && aggregateNamed(one.name)) {
      found.push(sourceOf(one))
      return
    }
    partsOf(one).forEach(visit)
    if (one.kind === 'call' && one.over)
      [...one.over.partition, ...one.over.order.map(({ by }) => by)].forEach(visit)
  }
  const expression = parseComputed(source)
  if (expression) visit(expression)
  return found
}

/** A step before windows are computed: it does not see what is about them. */
export function beforeWindows(step: PipelineStep): PipelineStep {
  return withPlan(step, ({ before, aggregate }, asked) => ({
    where: before,
    ...((asked.aggregate || aggregate.length > 0) && {
      aggregate: aggregate.length > 0 ? aggregate : undefined,
    }),
  }))
}

/** A step after windows were computed: it sees the names of their columns. */
export function afterWindows(step: PipelineStep): PipelineStep {
  return withPlan(step, ({ sort, fields, after }, asked) => ({
    where: after,
    ...(asked.sort && { sort }),
    ...(asked.fields && { fields }),
  }))
}

function withPlan(step: PipelineStep, change: (plan: Plan, asked: Asked) => object): PipelineStep {
  const changed = (params: unknown): unknown =>
    hasWindows(params) ? { ...(params as object), ...change(planOf(params), params as Asked) } : params
  return {
    ...step,
    wanted: (params) => step.wanted(changed(params)),
    process: (document, params) => attempted(document, () => step.process(document, changed(params))),
  }
}

/**
 * Windows are about the groups, where records are grouped; windows in conditions on records are computed before the grouping.
 */
function areEarly(params: unknown): boolean {
  const { where: conditions, aggregate, group_by: keys } = params as Asked
  const groups = (aggregate?.length ?? 0) + (keys?.length ?? 0) > 0
  const inConditions = conditions?.filter(isWindow) ?? []
  const areOfRecords = inConditions.some((text) =>
    windowsIn(text).every(({ from, to }) => aggregatesIn(text.slice(from, to)).length === 0),
  )
  return groups && areOfRecords && !aggregate?.some(isWindow)
}

/** Adds the columns of windows to the records, or to the groups, and keeps the ones that fulfil the conditions about windows. */
export function windowStep(early: boolean): Omit<PipelineStep, 'params'> {
  const wanted = (params: unknown): boolean => hasWindows(params) && areEarly(params) === early
  return {
    name: 'window',
    wanted,
    process(document, params) {
      if (!wanted(params)) return unchanged(document)
      return attempted(document, () => {
        const plan = planOf(params)
        const notes = new Set<string>()
        const content = withColumns(document, plan, notes)
        const told = notes.size > 0 ? { notes: [...notes] } : {}
        if (plan.after.length === 0) return applied(content, { total: content.rows().count, ...told })
        const kept = where.process(content, { where: plan.after })
        return kept.error === undefined ? withNotes(kept, [...notes]) : failed(document, kept.error)
      })
    },
  }
}

/** Remarks on units go to `notes`. */
function withColumns(document: Document, plan: Plan, notes: Set<string>): Document {
  const records = requireRecords(document, 'number')
  const columns = plan.columns.map(({ name, source, frames }) => ({
    name,
    values: computed(records, source, frames, notes),
  }))
  const noun = document.rows().noun === 'group' ? 'group' : 'record'
  const { values } = records
  return fromMadeRows(
    'json',
    madeRows(noun, values.length, (at) => withValues(values[at] ?? null, columns, at)),
  )
}

function withValues(
  record: JsonValue,
  columns: readonly { name: string; values: readonly JsonValue[] }[],
  at: number,
): JsonObject {
  const row: JsonObject = isObject(record) ? { ...record } : { value: record }
  for (const { name, values } of columns) setOwn(row, name, values[at] ?? null)
  return row
}

/** The value of an expression with windows in it, for each record. */
function computed(
  records: Records,
  source: string,
  frames: readonly Frame[],
  notes: Set<string>,
): readonly JsonValue[] {
  const knows = (name: string): 'exactly' | undefined =>
    fieldOf(records, name) === undefined ? undefined : 'exactly'
  // Names inside of the aggregates of groups are no fields of theirs.
  const expression = parseComputed(source, { knows, note: () => undefined }) ?? parseComputed(source)
  if (!expression)
    throw new Refusal(
      `\`${shown(source)}\` cannot be read as a window. Write like rank() over (partition by team order by points desc).`,
    )
  let nth = 0
  const columns: { name: string; values: readonly JsonValue[] }[] = []
  const isOfValues = !isObject(records.values[0])
  const change = (one: Expression): Expression | undefined => {
    // A record without fields is a field of its row.
    if (one.kind === 'field' && one.name === '@' && isOfValues) return { kind: 'field', name: 'value' }
    if (one.kind === 'field') return { kind: 'field', name: columnCalled(records, one.name) ?? one.name }
    if (one.kind === 'call' && !one.over) {
      // `sum(price)` of groups is a column that is called so.
      const field = aggregateNamed(one.name) && fieldOf(records, sourceOf(one))
      if (field) {
        const name = `window_${columns.length}`
        const read = reading(records, one)
        columns.push({ name, values: records.values.map((_, row) => read(row)) })
        return { kind: 'field', name }
      }
    }
    if (one.kind !== 'call' || !one.over) return undefined
    const name = `window_${columns.length}`
    const frame = frames.length > 0 ? frames[nth++] : undefined
    columns.push({ name, values: windowed(records, one, frame, notes) })
    return { kind: 'field', name }
  }
  const rest = mapped(expression, change)
  const [only] = columns
  if (only && rest.kind === 'field') return only.values
  const rows = records.values.map((record, at) => withValues(record, columns, at))
  const { path } = resolveField(recordsOfValues(rows), sourceOf(rest))
  const work = newWork(MOST_WORK)
  return rows.map((row) => valuesAt(row, path, work)[0] ?? null)
}

const MOST_WORK = 20_000_000

/** A field that is called so as a whole, `sum(price)` of groups, or as it resolves. */
function fieldOf(records: Records, name: string): Field | undefined {
  const [first] = records.values
  if (isObject(first) && Object.hasOwn(first, name))
    return { name, path: parsePath(`[${JSON.stringify(name)}]`) }
  const column = columnCalled(records, name)
  return column === undefined ? exactPath(records, name) : fieldOf(records, column)
}

/** The column of groups that a call in another spelling means: `sum(price)` for `SUM(price)`. */
function columnCalled({ values: [first] }: Records, name: string): string | undefined {
  const column = name.endsWith(')') ? columnOfCall(name) : undefined
  return column !== undefined && isObject(first) && Object.hasOwn(first, column) ? column : undefined
}

function resolved(records: Records, expression: Expression): Field {
  const source = sourceOf(expression)
  return fieldOf(records, source) ?? resolveField(records, source)
}

/** The values of one window call by record. Throws a `Refusal`. */
function windowed(
  records: Records,
  call: Call,
  frame: Frame | undefined,
  notes: Set<string>,
): readonly JsonValue[] {
  const { partition = [], order = [] } = call.over ?? {}
  const { groups, count } = partsOfRows(
    records,
    partition.map((one) => resolved(records, one)),
  )
  const whole =
    order.length === 0 && frame === undefined ? overPartition(records, call, groups, count, notes) : undefined
  if (whole) return whole
  const fn = windowNamed(call.name)
  if (!fn || call.args.length < fn.least || call.args.length > fn.most)
    throw new Refusal(
      fn
        ? `\`${fn.name}\` takes ${fn.least === fn.most ? fn.least : `${fn.least} to ${fn.most}`} arguments. Write like ${fn.example}.`
        : `\`${shown(call.name)}\` is no function over windows. There are ${WINDOWS.map(({ name }) => name).join(', ')}.`,
    )
  const ranks = order.map(({ by, descending }) => {
    const reversed = by.kind === 'negative'
    const field = resolved(records, reversed ? by.operand : by)
    return ranksOf(codedOf(records.values, field.path), descending !== reversed)
  })
  const args = call.args.map((one) => reading(records, one))
  const numbers = call.args.map((one) => numbersOf(records, call.name, one, notes))
  const found = new Array<JsonValue>(records.values.length).fill(null)
  for (const rows of partsInOrder(inOrder(ranks, records.values.length), groups, count)) {
    const part: Partition = {
      rows,
      ordered: order.length > 0,
      frame,
      isPeer: (nth) => order.length > 0 && isPeer(ranks, rows[nth - 1] ?? 0, rows[nth] ?? 0),
      value: (argument, row) => args[argument]?.(row) ?? null,
      number: (argument, row) => numbers[argument]?.(args[argument]?.(row) ?? null) ?? Number.NaN,
      count: args.length,
    }
    fn.compute(part).forEach((value, nth) => {
      found[rows[nth] ?? 0] = value
    })
  }
  return found
}

/** Reads the values of an argument as numbers, in the unit of their field, which is told once one is read. */
function numbersOf(
  records: Records,
  name: string,
  argument: Expression,
  notes: Set<string>,
): (value: JsonValue) => number {
  if (argument.kind === 'literal') return numberOf
  const source = sourceOf(argument)
  let read: Reading | undefined
  return (value) => {
    if (read === undefined) {
      read = readingIn([codedOf(records.values, resolved(records, argument).path)], source)
      const unit = unitOf(read)
      const told = unit && nameOfUnit(unit)
      if (told !== undefined) notes.add(`${name} of \`${source}\` is in ${told}.`)
    }
    return numberOf(unitOf(read) === undefined ? value : numberAs(value, read))
  }
}

function numberOf(value: JsonValue): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' ? (looseNumber(value) ?? Number.NaN) : Number.NaN
}

/** The value of an argument in a record: a literal, or a field. */
function reading(records: Records, argument: Expression): (row: number) => JsonValue {
  if (argument.kind === 'literal') {
    const number = argument.quoted ? undefined : looseNumber(argument.text)
    const value = number ?? (argument.text === 'null' && !argument.quoted ? null : argument.text)
    return () => value
  }
  const { column, codes } = codedOf(records.values, resolved(records, argument).path)
  return (row) => elementsOf(column.values(codes[row] as number))[0] ?? null
}

function isPeer(ranks: readonly Ranks[], one: number, other: number): boolean {
  return ranks.every(({ ranks: places, codes }) =>
    codes ? places[codes[one] as number] === places[codes[other] as number] : places[one] === places[other],
  )
}

/** The rows of each partition, in their order. */
function partsInOrder(order: Uint32Array, groups: Uint32Array, count: number): Uint32Array[] {
  const parts = Array.from(sizesOf({ groups, count }), (size) => new Uint32Array(size))
  const filled = new Uint32Array(count)
  for (const row of order) {
    const group = groups[row] as number
    const part = parts[group] as Uint32Array
    part[filled[group] as number] = row
    filled[group] = (filled[group] as number) + 1
  }
  return parts
}

/** Any aggregate over the whole partition; undefined where the call is no aggregate. */
function overPartition(
  records: Records,
  { name, args, distinct }: Call,
  groups: Uint32Array,
  count: number,
  notes: Set<string>,
): readonly JsonValue[] | undefined {
  const called = aggregateNamed(distinct && /^count$/i.test(name) ? 'distinct' : name)
  if (!called || called.conditional || /^(?:first|last)_?value$/i.test(name)) return undefined
  const { aggregate, rank } = called
  const members = { rows: positions(groups.length), groups, count }
  const [first, second] = args
  if (first === undefined || (first.kind === 'field' && first.name === '*')) {
    const sizes = sizesOf(members)
    return aggregate.name === 'count' ? Array.from(groups, (group) => sizes[group] as number) : undefined
  }
  const gatheredOf = (argument: Expression) =>
    gatheredIn(codedOf(records.values, resolved(records, argument).path), members, groups.length)
  const gathered = gatheredOf(first)
  const {
    numbers,
    unit,
    order,
    reading: read,
  } = readingsOf(gathered.values, gathered.census, first.kind === 'field' ? first.name : '')
  const told = aggregate.reads === 'numbers' && unit ? nameOfUnit(unit) : undefined
  if (told !== undefined) notes.add(`${name} of \`${sourceOf(first)}\` is in ${told}.`)
  const cells = aggregate.compute({
    ...gathered,
    numbers: aggregate.reads === 'order' ? order : numbers,
    reading: read,
    decimals: decimalsIn(gathered.values, numbers, unit),
    second: second && second.kind !== 'literal' ? gatheredOf(second) : undefined,
    option: rank ?? (second?.kind === 'literal' ? Number(second.text) : undefined),
    separator: second?.kind === 'literal' ? second.text : undefined,
  })
  if (aggregate.name !== 'percent') return Array.from(groups, (group) => cells[group] ?? null)
  // The share of each row in its partition.
  const value = reading(records, first)
  const number = numbersOf(records, name, first, notes)
  return Array.from(groups, (group, row) => percent(number(value(row)), cells[group] ?? null))
}
