/** The functions of `aggregate`: from the values of a field to one value. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { setOwn } from '../../protocol/json.ts'
import { compareNaturally } from '../../text/natural-order.ts'
import { Refusal, shown } from '../refusal.ts'
import { parseDate } from '../where/dates.ts'
import { duration, looseNumber, quantity } from '../where/quantity.ts'

const functionNames = ['count', 'sum', 'avg', 'min', 'max', 'distinct', 'median'] as const
export type FunctionName = (typeof functionNames)[number]

/** `sum(price)`: what is asked for. */
export interface Call {
  name: FunctionName
  /** Undefined for `count` alone: the records. */
  field: string | undefined
}

const synonyms: Readonly<Record<string, FunctionName>> = {
  mean: 'avg',
  average: 'avg',
  total: 'sum',
  minimum: 'min',
  maximum: 'max',
  unique: 'distinct',
  count_distinct: 'distinct',
  distinct_count: 'distinct',
  nunique: 'distinct',
  n: 'count',
}

/** Reads `count`, `sum(price)`, `sum price`, `sum:price`, `price:sum`. Throws a `Refusal`. */
export function parseCall(written: string): Call {
  const source = written.trim().replace(/\s+as\s+["'`]?\w+["'`]?$/i, '')
  const [, head, inParentheses, bare] = /^(\w+)\s*(?:\((.*)\)|[:\s]\s*(?:of\s+)?(.+))?$/s.exec(source) ?? []
  const name = head === undefined ? undefined : named(head)
  const inner = (inParentheses ?? bare)?.trim()
  const [, distinct] = /^distinct\s+(.+)$/is.exec(inner ?? '') ?? []
  if (name === 'count' && distinct !== undefined) return { name: 'distinct', field: distinct }
  if (name === 'count')
    return { name, field: inner === undefined || inner === '' || inner === '*' ? undefined : inner }
  if (name !== undefined && inner) return { name, field: inner }
  if (name !== undefined) throw new Refusal(`\`${name}\` needs a field: write \`${name}(price)\`.`)
  const [, field, last] = /^(.+)[:\s]\s*(\w+)$/s.exec(source) ?? []
  const trailing = last === undefined ? undefined : named(last)
  if (trailing !== undefined && field !== undefined) return { name: trailing, field: field.trim() }
  throw new Refusal(
    `\`${shown(source)}\` is no aggregate. Write \`count\` or one of ${functionNames.slice(1).join(', ')} with a field, as \`sum(price)\`.`,
  )
}

function named(word: string): FunctionName | undefined {
  const lower = word.toLowerCase()
  return (
    functionNames.find((name) => name === lower) ??
    (Object.hasOwn(synonyms, lower) ? synonyms[lower] : undefined)
  )
}

/** Frequent values listed beside `distinct`. */
const mostFrequent = 10

/** The value of a function over `values`, nulls left out. Null where there is nothing to compute from. */
export function compute(name: FunctionName, values: readonly JsonValue[], unit?: Unit): JsonValue {
  switch (name) {
    case 'count':
      return values.length
    case 'distinct':
      return frequencies(values).size
    case 'min':
      return extreme(values, -1, unit)
    case 'max':
      return extreme(values, 1, unit)
    case 'sum': {
      const numbers = numbersIn(values, unit)
      return numbers.length === 0 && values.length > 0 ? null : sum(numbers)
    }
    case 'avg': {
      const numbers = numbersIn(values, unit)
      return numbers.length === 0 ? null : Number((sum(numbers) / numbers.length).toPrecision(12))
    }
    case 'median':
      return median(numbersIn(values, unit))
  }
}

/** The most frequent values with their counts, most frequent first. */
export function frequent(values: readonly JsonValue[]): JsonObject {
  const counts: JsonObject = {}
  const sorted = [...frequencies(values)].sort(([, a], [, b]) => b - a)
  for (const [value, count] of sorted.slice(0, mostFrequent)) setOwn(counts, shown(value), count)
  return counts
}

function frequencies(values: readonly JsonValue[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

/** What all texts of a field are measured in: milliseconds (`97ms`, `1.2s`) or bytes (`10Mi`). */
export type Unit = 'ms' | 'bytes'

/** The unit of the values; undefined where they are plain numbers or have none in common. */
export function unitOf(values: readonly JsonValue[]): Unit | undefined {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length === 0 || texts.length < values.length) return undefined
  if (texts.every((text) => looseNumber(text) !== undefined)) return undefined
  if (texts.every((text) => duration(text) !== undefined)) return 'ms'
  return texts.every((text) => quantity(text) !== undefined) ? 'bytes' : undefined
}

/** The number a value is, in its unit. */
export function numberIn(value: JsonValue, unit?: Unit): number | undefined {
  if (typeof value !== 'string') return typeof value === 'number' ? value : undefined
  if (unit === undefined) return looseNumber(value)
  return unit === 'ms' ? duration(value) : quantity(value)
}

function numbersIn(values: readonly JsonValue[], unit: Unit | undefined): number[] {
  return values.map((value) => numberIn(value, unit)).filter((number) => number !== undefined)
}

/** Rounded to the decimals that the numbers have, after summing with compensation (Neumaier 1974). */
function sum(numbers: readonly number[]): number {
  let total = 0
  let lost = 0
  let decimals = 0
  for (const number of numbers) {
    const next = total + number
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total
    total = next
    decimals = Math.max(decimals, decimalsOf(number))
  }
  return rounded(total + lost, decimals)
}

function median(numbers: readonly number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const high = sorted[middle]
  if (high === undefined) return null
  const low = sorted[middle - 1] ?? high
  return sorted.length % 2 === 1
    ? high
    : rounded((low + high) / 2, Math.max(decimalsOf(low), decimalsOf(high)) + 1)
}

function rounded(value: number, decimals: number): number {
  return decimals > 20 || Math.abs(value) > 1e15 ? value : Number(value.toFixed(decimals))
}

function decimalsOf(number: number): number {
  if (Number.isInteger(number)) return 0
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent))
}

/** The smallest (-1) or largest (1) as it is in the data: numbers, durations, sizes and dates by value, else text. */
function extreme(values: readonly JsonValue[], direction: -1 | 1, unit: Unit | undefined): JsonValue {
  const plain = values.filter((value) => typeof value !== 'object')
  const read = [(value: JsonValue) => numberIn(value, unit), timeIn].find((reading) =>
    plain.every((value) => reading(value) !== undefined),
  )
  let chosen: JsonValue = null
  for (const value of plain) {
    const difference =
      chosen === null
        ? direction
        : read
          ? (read(value) ?? 0) - (read(chosen) ?? 0)
          : compareNaturally(String(value), String(chosen))
    if (difference * direction > 0) chosen = value
  }
  return chosen
}

function timeIn(value: JsonValue): number | undefined {
  return typeof value === 'string' && value.length > 4 ? parseDate(value)?.from : undefined
}
