/** The functions of `aggregate`: from the values of a field to one value. */
import { toJson } from '../../documents/stringify.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { compareNaturally } from '../../text/natural-order.ts'
import { parseDate } from '../where/dates.ts'
import { duration, looseNumber, quantity } from '../where/quantity.ts'
import type { Call } from './call.ts'

/** Different values that are all listed beside `distinct`, and characters of all of them; else the most frequent few. */
const mostListed = 50
const mostCharacters = 1_500
const mostFrequent = 10

/** The number a value stands for, for this purpose; undefined for one that stands for none. */
export type Reading = (value: JsonValue) => number | undefined

/**
 * The value of a function over `values`, in which there are no nulls. Null where there is nothing to compute from. `percent` gives
 * the sum that is to be divided. `read`: how values are numbers; for min and max undefined where they are compared as text.
 */
export function compute(
  { name, rank }: Pick<Call, 'name' | 'rank'>,
  values: readonly JsonValue[],
  read: Reading | undefined = numberIn,
): JsonValue {
  if (name === 'count') return values.length
  if (name === 'distinct') return frequencies(values).size
  if (name === 'min' || name === 'max') return extreme(values, name === 'min' ? -1 : 1, read)
  const numbers = values.map((value) => read?.(value)).filter((number) => number !== undefined)
  if (name === 'sum' || name === 'percent')
    return numbers.length === 0 && values.length > 0 ? null : sum(numbers)
  if (name === 'stddev') return deviation(numbers)
  if (name === 'avg')
    return numbers.length === 0 ? null : Number((sum(numbers) / numbers.length).toPrecision(12))
  return percentile(numbers, name === 'median' ? 50 : (rank ?? 50))
}

/** Different values with their counts, most frequent first, and what they are: all of them, or the most frequent. */
export function listValues(values: readonly JsonValue[]): { title: string; counts: JsonValue[] } {
  const sorted = [...frequencies(values).values()].sort((a, b) => b.count - a.count)
  const characters =
    sorted.length > mostListed ? 0 : sorted.reduce((all, { value }) => all + toJson(value).length + 6, 0)
  const all = sorted.length <= mostFrequent || (sorted.length <= mostListed && characters <= mostCharacters)
  const shown = all ? sorted : sorted.slice(0, mostFrequent)
  return {
    title: all ? 'values' : `${mostFrequent} most frequent`,
    counts: shown.map(({ value, count }) => [value, count]),
  }
}

interface Frequency {
  value: JsonValue
  count: number
}

function frequencies(values: readonly JsonValue[]): Map<JsonValue, Frequency> {
  const counts = new Map<JsonValue, Frequency>()
  for (const value of values) {
    const key = identity(value)
    const known = counts.get(key)
    if (known) known.count += 1
    else counts.set(key, { value, count: 1 })
  }
  return counts
}

/** What stands for a value among others: itself, or its JSON where two that are equal are not the same. */
export function identity(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.charCodeAt(0) === 0 ? `\u0000"${value}` : value
  return typeof value === 'object' && value !== null ? `\u0000${toJson(value)}` : value
}

/** What all texts of a field are measured in: milliseconds (`97ms`, `1.2s`) or bytes (`10Mi`). */
export type Unit = 'ms' | 'bytes'

/** The unit of the values; undefined where they are plain numbers or have none in common. */
function unitOf(values: readonly JsonValue[]): Unit | undefined {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length === 0 || texts.length < values.length) return undefined
  if (texts.every((text) => looseNumber(text) !== undefined)) return undefined
  if (texts.every((text) => duration(text) !== undefined)) return 'ms'
  return texts.every((text) => quantity(text) !== undefined) ? 'bytes' : undefined
}

/** How all values of a column are read as numbers, and in which unit they then are. */
export function numbersOf(values: readonly JsonValue[]): { read: Reading; unit: Unit | undefined } {
  const unit = unitOf(values)
  const known = new Map<string, number | undefined>()
  return {
    unit,
    read(value) {
      if (typeof value !== 'string') return typeof value === 'number' ? value : undefined
      if (known.has(value)) return known.get(value)
      const number = numberIn(value, unit)
      if (known.size < mostKnown) known.set(value, number)
      return number
    },
  }
}

/** Texts whose number is remembered. */
const mostKnown = 100_000

function numberIn(value: JsonValue, unit?: Unit): number | undefined {
  if (typeof value !== 'string') return typeof value === 'number' ? value : undefined
  if (unit === undefined) return looseNumber(value)
  return unit === 'ms' ? duration(value) : quantity(value)
}

/** How values are compared for min and max: by `numbers` or as dates where most of them are such, else as text. */
export function comparison(values: readonly JsonValue[], numbers: Reading): Reading | undefined {
  const least = Math.max(1, values.length / 2)
  return [numbers, timeIn].find((read) => values.filter((value) => read(value) !== undefined).length >= least)
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

/** Between the two nearest values in proportion, as spreadsheets and numpy do. */
function percentile(numbers: readonly number[], rank: number): number | null {
  const sorted = Float64Array.from(numbers).sort()
  if (sorted.length === 0) return null
  const place = ((sorted.length - 1) * rank) / 100
  const low = sorted[Math.floor(place)] ?? 0
  const high = sorted[Math.ceil(place)] ?? low
  const share = place - Math.floor(place)
  if (share === 0 || low === high) return low
  const between = low * (1 - share) + high * share
  const decimals = Math.max(decimalsOf(low), decimalsOf(high))
  return share === 0.5 ? rounded(between, decimals + 1) : Number(between.toPrecision(12))
}

/** Of a sample (n − 1), as SQL and spreadsheets have it. */
function deviation(numbers: readonly number[]): number | null {
  if (numbers.length < 2) return null
  const mean = sum(numbers) / numbers.length
  const squares = numbers.reduce((all, number) => all + (number - mean) ** 2, 0)
  return Number(Math.sqrt(squares / (numbers.length - 1)).toPrecision(12))
}

function rounded(value: number, decimals: number): number {
  return decimals > 20 || Math.abs(value) > 1e15 ? value : Number(value.toFixed(decimals))
}

function decimalsOf(number: number): number {
  if (Number.isInteger(number)) return 0
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent))
}

/** The smallest (-1) or largest (1) as it is in the data; what has no number is left out, or all are compared as text. */
function extreme(values: readonly JsonValue[], direction: -1 | 1, read: Reading | undefined): JsonValue {
  let chosen: JsonValue = null
  let most = Number.NaN
  for (const value of values) {
    if (typeof value === 'object') continue
    if (!read) {
      if (chosen === null || compareNaturally(String(value), String(chosen)) * direction > 0) chosen = value
      continue
    }
    const number = read(value)
    if (number === undefined || (number - most) * direction <= 0) continue
    chosen = value
    most = number
  }
  return chosen
}

function timeIn(value: JsonValue): number | undefined {
  return typeof value === 'string' && value.length > 4 ? parseDate(value)?.from : undefined
}
