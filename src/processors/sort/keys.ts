/** What records are sorted by: by code, in the first reading that fits every text of the field. */
import type { JsonValue } from '../../protocol/json.ts'
import { compareNaturally } from '../../text/natural-order.ts'
import { type Coded, codesPresent } from '../coded.ts'
import type { Column } from '../column.ts'
import { longInteger } from '../long-integers.ts'
import { parseDate } from '../where/dates.ts'
import { duration, looseNumber, plainNumber, quantity } from '../where/quantity.ts'

/** Integers that a double does not hold are there to the digit. Undefined for a record that has no such field, or null. */
export type Key = Known | undefined
type Known = number | bigint | string

const versions = /^v?\d+(?:\.\d+){2,}/

/** A time in UTC to the millisecond, as most programs write it. */
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

/** What the texts of a field may mean; undefined for one that means nothing else. */
const readings = {
  instant: (text: string) => {
    const time = instant.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(time) ? undefined : time
  },
  size: (text: string) => plainNumber(text) ?? looseNumber(text) ?? quantity(text),
  duration,
  time: (text: string) => (text.length > 4 ? parseDate(text)?.from : undefined),
  /** Versions are no numbers, for `1.10` is after `1.9` there. */
  version: (): undefined => undefined,
  number: plainNumber,
}
export type Reading = keyof typeof readings

const wholly: readonly Reading[] = ['instant', 'size', 'duration', 'time']

/** The reading of the texts among the records at hand. */
export function readingOf(coded: Coded): Reading {
  const read = (): Reading => {
    const texts = textsIn(coded)
    const fitting = wholly.find((name) => texts.every((text) => readings[name](text) !== undefined))
    return fitting ?? (texts.some((text) => versions.test(text)) ? 'version' : 'number')
  }
  return coded.whole ? coded.column.derived('reading for order', read) : read()
}

function textsIn(coded: Coded): string[] {
  const texts: string[] = []
  for (const code of codesPresent(coded)) {
    const one = scalarOrList(coded.column, code)
    if (typeof one === 'string') texts.push(one)
    else if (Array.isArray(one)) for (const value of one) if (typeof value === 'string') texts.push(value)
  }
  return texts
}

/** Of several values the smallest counts, descending the largest. */
export function keyOf(column: Column, code: number, reading: Reading, descending: boolean): Key {
  const one = scalarOrList(column, code)
  if (!Array.isArray(one)) return one === undefined ? undefined : read(one, reading)
  let chosen: Key
  for (const value of one) {
    const key = read(value, reading)
    if (chosen === undefined || (descending ? ascending(key, chosen) > 0 : ascending(key, chosen) < 0))
      chosen = key
  }
  return chosen
}

/** One value as it is, several in a list; undefined for none, and for null. */
function scalarOrList(column: Column, code: number): JsonValue[] | Exclude<JsonValue, null> | undefined {
  const scalar = column.scalar(code)
  if (typeof scalar !== 'symbol') return scalar ?? undefined
  const values = column.values(code)
  const [only] = values
  if (values.length === 1 && !Array.isArray(only)) return only ?? undefined
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter((value) => value !== null)
}

function read(value: JsonValue, reading: Reading): Known {
  if (typeof value === 'number') return exact(value, value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return JSON.stringify(value)
  const number = readings[reading](value)
  return number === undefined ? value.toLowerCase() : exact(number, value)
}

function exact(number: number, value: number | string): number | bigint {
  return Math.abs(number) > Number.MAX_SAFE_INTEGER ? (longInteger(value) ?? number) : number
}

/** Numbers before text; text by the value of the numbers in it. */
export function ascending(a: Known, b: Known): number {
  if (typeof a === 'string') return typeof b === 'string' ? compareNaturally(a, b) : 1
  if (typeof b === 'string') return -1
  return a < b ? -1 : a > b ? 1 : 0
}
