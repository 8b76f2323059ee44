/** The remarks on how a comparison was taken, for the reader. */

import { type Column, several } from '../../documents/columns/column.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { formatCount } from '../../text/format.ts'
import { placesOver } from '../../text/spread.ts'
import { contains, equals, type Operand, order } from '../../text/values/compare.ts'
import { DAY, parseDate } from '../../text/values/dates.ts'
import { isOneOf, markBetween } from '../fields/joined.ts'
import type { Records } from '../fields/records.ts'
import { letterRemark } from '../fields/strictness.ts'
import { shown } from '../refusal.ts'
import { type Bound, isAbsent } from './comparison.ts'
import { isOrdering } from './sample.ts'
import { columnAt, countsOf, ordersOf, Truth, UNORDERED } from './verdict.ts'

const MOST_SAMPLED = 2_000

/** One sentence each. */
export function* remarksOn(bound: Bound, { values: records }: Records): Generator<string> {
  const { comparison, field } = bound
  const { operator, operands } = comparison
  const column = columnAt(records, field.path)
  if (operator === 'is true')
    yield `\`${field.name}\` alone is true where it is neither false nor 0, null or empty.`
  if (bound.instead)
    yield `\`${shown(operands[0]?.text ?? '', 40)}\` was compared as a text; write \`${bound.instead.name}\` in full for the field.`
  yield* remarksAmong(bound, column)
  if (isOrdering(comparison) && comparison.measure === undefined)
    yield* unorderedIn(field.name, operands, column)
  yield* restOfDay(bound, column)
  if (operator === '=' || operator === 'in' || operator === 'has')
    yield* otherCase(
      operands.map(({ text }) => text),
      bound,
      records,
      column,
    )
  if (operator === 'contains') yield* parts(bound, records, column)
  if (operator === '=' || operator === 'contains') yield* inJoined(bound, column)
}

/** Remarks on records that fulfil a comparison, and that one may not have asked for. */
export function* remarksAmong({ comparison, field }: Bound, column: Column): Generator<string> {
  const { operator, negated, operands } = comparison
  if (operator === 'exists') yield* nulls(field.name, column)
  if ((operator === 'exists' && !negated) || (operator === 'is null' && negated))
    yield* blanks(field.name, column)
  if (negated && operands.length > 0) yield* absent(field.name, column)
}

/**
 * The remarks on what several comparisons let through, in place of `notes` on each of them alone. `found`: the records that fulfil all.
 */
export function remarksTogether(
  bounds: readonly Bound[],
  records: readonly JsonValue[],
  found: () => readonly JsonValue[],
  notes: readonly string[],
): string[] {
  if (bounds.length < 2 || notes.length === 0) return [...notes]
  const among = (values: readonly JsonValue[]): string[] =>
    bounds.flatMap((bound) => [...remarksAmong(bound, columnAt(values, bound.field.path))])
  const alone = new Set(among(records))
  if (!notes.some((note) => alone.has(note))) return [...notes]
  return [...new Set([...notes.filter((note) => !alone.has(note)), ...among(found())])]
}

/** How many records have values that pass a test. */
function holding(column: Column, test: (values: readonly JsonValue[]) => boolean): number {
  const counts = countsOf(column)
  let count = 0
  for (let code = 0; code < column.size; code++) if (test(column.values(code))) count += counts[code] ?? 0
  return count
}

function holdsScalars(column: Column): boolean {
  for (let code = 0; code < column.size; code++) if (column.scalar(code) === several) return false
  return true
}

/** A field that is there and null exists, which is seldom what is asked for. */
function* nulls(name: string, column: Column): Generator<string> {
  const count = holding(column, (held) => held.length > 0 && isAbsent(held))
  if (count > 0)
    yield `\`${name}\` exists in ${count} records as null; \`${name} is not null\` leaves them out.`
}

/** An empty text is not null, which tables and CSV cannot say. */
export function* blanks(name: string, column: Column): Generator<string> {
  const count = holding(column, (held) => held.length > 0 && held.every((value) => value === ''))
  if (count > 0)
    yield `${formatCount(count)} with an empty \`${name}\` ${count === 1 ? 'is' : 'are'} among them; \`${name} is not empty\` leaves them out.`
}

/** An absent value is not equal to anything either. */
function* absent(name: string, column: Column): Generator<string> {
  const count = holding(column, isAbsent)
  if (count > 0 && count < column.codes.length)
    yield `${formatCount(count)} without \`${name}\` ${count === 1 ? 'is' : 'are'} among them; \`${name} is not null\` leaves them out.`
}

/** Values that are neither before nor after what they are compared with. */
function* unorderedIn(name: string, [operand]: readonly Operand[], column: Column): Generator<string> {
  const counts = countsOf(column)
  const orders = operand && ordersOf(column, operand)
  let [left, all] = [0, 0]
  /** By code, the last value that has no order. */
  const stray = new Map<number, JsonValue>()
  const add = (value: JsonValue, code: number, isOrdered: boolean): void => {
    all += counts[code] ?? 0
    if (isOrdered) return
    left += counts[code] ?? 0
    stray.set(code, value)
  }
  for (let code = 0; code < column.size; code++) {
    const look = (value: JsonValue): void => {
      if (Array.isArray(value)) return value.forEach(look)
      if (value !== null && value !== '') add(value, code, !operand || !Number.isNaN(order(value, operand)))
    }
    const alone = column.scalar(code)
    if (alone === several) column.values(code).forEach(look)
    else if (alone !== undefined && alone !== null && alone !== '')
      add(alone, code, !orders || orders[code] !== UNORDERED)
  }
  if (left === 0 || left === all) return
  const last = column.codes.findLast((code) => stray.has(code)) ?? 0
  yield `${formatCount(left)} of ${formatCount(all)} values of \`${name}\` cannot be compared, as ${shown(JSON.stringify(stray.get(last) ?? null), 40)}, and were left out.`
}

/** `> 2024-03-31` begins after the whole day: databases have the rest of it as well. */
function* restOfDay({ comparison, field }: Bound, column: Column): Generator<string> {
  const { operator, operands, measure } = comparison
  const [operand] = operands
  if (operator !== '>' || measure !== undefined || !operand?.date) return
  const { text, date } = operand
  const length = date.to - date.from + 1
  const isDay = length <= DAY + 1
  if (length < DAY || length > 31 * DAY + 1 || (!isDay && length < 28 * DAY)) return
  const orders = ordersOf(column, operand)
  const counts = countsOf(column)
  let count = 0
  for (let code = 0; code < column.size; code++) {
    const value = orders[code] === 0 ? column.scalar(code) : undefined
    const held = typeof value === 'string' ? parseDate(value) : undefined
    if (held && held.from > date.from && held.to - held.from < DAY - 1) count += counts[code] ?? 0
  }
  if (count === 0) return
  yield `\`${text}\` is the whole ${isDay ? 'day' : 'month'}: ${formatCount(count)} with a later \`${field.name}\` in it ${count === 1 ? 'is' : 'are'} left out.`
}

/** Values that are the same but for case, when the comparison was to the letter. */
function* otherCase(
  wanted: readonly string[],
  { matches, comparison: { negated } }: Bound,
  records: readonly JsonValue[],
  column: Column,
): Generator<string> {
  const lower = new Set(wanted.filter((text) => /\p{L}/u.test(text)).map((text) => text.toLowerCase()))
  if (lower.size === 0) return
  const verdict = matches(records)
  const others = new Set<string>()
  // Records with one code have one verdict, but for comparisons with another field.
  const seen = new Uint8Array(column.size)
  for (const at of placesOver(records.length, MOST_SAMPLED)) {
    const code = column.codes[at] ?? 0
    if (seen[code] === 1) continue
    seen[code] = typeof column.scalar(code) === 'string' ? 1 : 0
    const look = (value: JsonValue): void => {
      const isOther =
        typeof value === 'string' &&
        value.length < 100 &&
        lower.has(value.toLowerCase()) &&
        !wanted.includes(value)
      if (isOther && (verdict[at] === 1) === negated) others.add(value)
    }
    for (const value of column.values(code))
      for (const each of Array.isArray(value) ? value : [value])
        if (isObject(each)) Object.values(each).forEach(look)
        else look(each)
  }
  yield* letterRemark([...others])
}

/** Texts with several values, of which one is the value that was asked for, or has it as a part alone. */
function* inJoined({ comparison, field, other }: Bound, column: Column): Generator<string> {
  const { operator, operands, negated, measure } = comparison
  const [operand, second] = operands
  const mark = other || measure || negated || second ? undefined : markBetween(column)
  if (!operand || mark === undefined) return
  const wanted = operand.text
  const isWhole = (text: string): boolean => isOneOf(text, mark, operand)
  const count = holding(column, ([text]) => {
    if (typeof text !== 'string') return false
    return operator === '='
      ? isWhole(text) && !equals(text, operand, 'loose')
      : !isWhole(text) && contains(text, operand)
  })
  const some = holding(column, ([text]) => typeof text === 'string' && isWhole(text))
  if (count === 0 || some === 0) return
  const call = `\`${field.name} has ${shown(wanted, 40)}\``
  yield operator === '='
    ? `${formatCount(count)} more ${count === 1 ? 'has' : 'have'} it beside other values in one text: ${call} finds these as well.`
    : `${formatCount(count)} of them ${count === 1 ? 'has' : 'have'} it as a part of another value: ${call} leaves these out.`
}

/** Elements of lists that contain the text without being it. */
function* parts(
  { matches, comparison }: Bound,
  records: readonly JsonValue[],
  column: Column,
): Generator<string> {
  const [operand] = comparison.operands
  // Where there are no lists, parts were compared.
  if (!operand || (comparison.measure === undefined && holdsScalars(column))) return
  const verdict = matches(records)
  const truth = new Truth(column, {
    holds: (values) => values.some((value) => contains(value, operand)),
  })
  const wanted = comparison.negated ? 1 : 0
  let more = 0
  for (let at = 0; at < records.length; at++)
    if (verdict[at] === wanted && truth.holds(column.codes[at] ?? 0)) more++
  if (more > 0)
    yield `Whole elements were compared; ${formatCount(more)} more ${more === 1 ? 'record has' : 'records have'} ${JSON.stringify(operand.text)} as a part of one.`
}
