/** A value as written in a condition, with everything that it may mean, and how the values of records compare with it. */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { compareNaturally } from '../words/natural-order.ts'
import { dateOf } from './date-parts.ts'
import {
  type ClockSpan,
  clockOf,
  compactDate,
  type DateOrder,
  dateIn,
  epochIn,
  fromEpoch,
  parseClock,
  parseDate,
  parseWanted,
  type Span,
  sameCalendar,
  saysMoreThanYear,
} from './dates.ts'
import { amountOf, type Family } from './families.ts'
import { isSameLevel, orderOfLevels } from './levels.ts'
import {
  besideToTheDigit,
  duration,
  hasRemark,
  looseNumber,
  measured,
  plainNumber,
  quantity,
  saysNothing,
} from './quantities.ts'
import { ageAt } from './time-readers.ts'

/** The operand of a condition, in all the forms in which it can be read. */
export interface Operand {
  text: string
  lower: string
  quoted: boolean
  number: number | undefined
  /** The unit of a number that is neither a size nor a time: `km/h`. */
  measure: string | undefined
  /** Set when written with a unit. */
  size: number | undefined
  /** Milliseconds, when written with a unit of time. */
  duration: number | undefined
  /** Set where the field has one kind of units, such as g and kg: which, and how much that is. */
  amount?: { readonly family: Family; readonly number: number }
  date: Span | undefined
  /** The part that comes first in dates with slashes of the field. */
  dateOrder?: DateOrder
  /** Set where dates of the field have a year: what has none is no date there. */
  isDated?: true
  /** Set where values of the field are ages, as `2 days ago`: the time that they are counted from. */
  now?: number
  /** Set for four digits beside dates. */
  isYear?: true
  /** A time of day alone. */
  clock: ClockSpan | undefined
  boolean: boolean | undefined
}

/** `new Date("…")`, `date '…'`, `ISODate("…")`, `N'…'`: what programs put around a literal. */
const WRAPPER =
  /^(?:new\s+)?(?:date|datetime|datetime64|timestamp|timestamptz|time|iso_?date|to_?date|to_?datetime|to_?timestamp|parse_?date|from_?iso_?format|object_?id|uuid|str|string|text|int|integer|float|number|decimal|lower|upper|date\.parse|datetime\.fromisoformat|pd\.timestamp|[bnru])\s*\(?\s*(["'])(.*?)\1\s*(?:,[^()]*)?\)?$/is
const CAST = /^((["']).*\2)::\w+(?:\[\])?$/s

/** Reads what was written: in quotes, with a unit, as a number, as a date. */
export function operandOf(written: string): Operand {
  const trimmed = written.trim()
  const bare = CAST.exec(trimmed)?.[1] ?? trimmed
  const [, , literal] = WRAPPER.exec(bare) ?? []
  const quote = bare.charAt(0)
  const quoted =
    literal !== undefined ||
    (bare.length >= 2 && (quote === '"' || quote === "'" || quote === '`') && bare.endsWith(quote))
  const inner = literal ?? (quoted ? bare.slice(1, -1) : bare)
  return operandFor(quoted ? withoutEscapes(inner, bare.charAt(0)) : inner, quoted)
}

/** A text without its quotes, with everything that it may mean. */
export function operandFor(text: string, quoted: boolean): Operand {
  const lower = text.toLowerCase()
  // With a remark behind it the number is one of several texts, and one of them is meant.
  const amount = hasRemark(text) ? '' : text
  return {
    text,
    lower,
    quoted,
    number: looseNumber(amount.replaceAll(/(?<=\d)_(?=\d{3})/g, '')),
    measure: measured(amount)?.unit,
    size: quantity(amount),
    duration: duration(text),
    date: parseWanted(text),
    clock: parseClock(text),
    boolean: lower === 'true' ? true : lower === 'false' ? false : undefined,
  }
}

/** `\\'` and `''` within single quotes are one, and the same for the others. */
export function withoutEscapes(text: string, quote: string): string {
  if (!'"\'`'.includes(quote)) return text
  return text.replaceAll(`\\${quote}`, quote).replaceAll(quote + quote, quote)
}

/** True for a bare word that means an absent value. */
export function isNull({ lower, quoted }: Operand): boolean {
  return !quoted && (lower === 'null' || lower === 'none' || lower === 'undefined' || lower === 'nil')
}

/**
 * Whether text must be the same to the letter, or may differ in case and in the spelling of a number. `level`: it may also differ in the
 * word for one level.
 */
export type Strictness = 'exact' | 'loose' | 'level'

export function equals(value: JsonValue, operand: Operand, strictness: Strictness): boolean {
  switch (typeof value) {
    case 'number':
      return orderNumber(value, operand) === 0 || (isBoolean(operand) && value === Number(operand.boolean))
    case 'boolean':
      return value === (operand.boolean ?? YES_OR_NO.get(operand.lower))
    case 'string':
      if (operand.amount) return amountOf(operand.amount.family, value) === operand.amount.number
      return (
        value === operand.text ||
        (sameTime(value, operand) && !(strictness === 'exact' && isWorded(operand))) ||
        (strictness !== 'exact' && (sameText(value, operand) || sameBoolean(value, operand))) ||
        (strictness === 'level' && isSameLevel(value, operand.lower))
      )
    default: {
      if (value === null) return isNull(operand)
      const date = operand.date && dateIn(value)
      return date !== undefined && sameTime(date, operand)
    }
  }
}

/** The words for a boolean, as conditions ask for one. */
const YES_OR_NO: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])

/** The same as tables and databases write them. */
const WRITTEN_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...YES_OR_NO,
  ['y', true],
  ['t', true],
  ['on', true],
  ['n', false],
  ['f', false],
  ['off', false],
])

/** A bare `true` or `false`. */
function isBoolean({ boolean, quoted }: Operand): boolean {
  return boolean !== undefined && !quoted
}

/** `active = true` of "Yes", `active = no` of "N". A number is asked for as it is. */
function sameBoolean(value: string, { lower, quoted, number }: Operand): boolean {
  if (quoted || number !== undefined || value.length > 5) return false
  const wanted = YES_OR_NO.get(lower)
  return wanted !== undefined && WRITTEN_BOOLEANS.get(value.toLowerCase()) === wanted
}

/** Two parts with words behind them are a decimal: `4.07 out of 5, by 223 people`. */
const VERSION = /^v?\d+(?:(?:\.\d+){2}|\.\d+\S*$)/i

/** More digits than a double holds. */
const LONG = /^[-+]?\d{16,}$/

function sameText(value: string, operand: Operand): boolean {
  if (value.length === operand.text.length && value.toLowerCase() === operand.lower) return true
  if (LONG.test(value) && LONG.test(operand.text)) return sameRounded(value, operand.text)
  const { number, size, duration: time } = operand
  // Digits after a zero are a code: `01067` is not 1067.
  const isCode = /^0\d/.test(value) || /^0\d/.test(operand.text)
  if (number !== undefined && !isCode && (plainNumber(value) ?? looseNumber(value)) === number)
    return isOfMeasure(value, operand)
  if (size !== undefined && quantity(value) === size) return true
  if (time !== undefined && duration(value) === time) return true
  // The same letters may be written with combining marks.
  const isPlain = !/[^ -~]/.test(value)
  return !isPlain && value.normalize('NFC').toLowerCase() === operand.text.normalize('NFC').toLowerCase()
}

/** False where a unit was asked for and the value has another one. */
function isOfMeasure(value: string, { measure }: Operand): boolean {
  return !measure || (measured(value)?.unit || measure) === measure
}

/** A day, month or season in words. Where a field holds it to the letter it is a name there, as `2024 Jan-Feb` of an issue is. */
function isWorded({ text }: Operand): boolean {
  return /[a-z]{3}/i.test(text) && !/\d:\d\d/.test(text)
}

/** A number that went through a double ends in what the double makes of it; any other is meant to the digit. */
function sameRounded(value: string, wanted: string): boolean {
  const rounded = BigInt(wanted) === BigInt(Number(wanted)) && /0{2,}$/.test(wanted)
  return BigInt(value) === BigInt(wanted) || (rounded && Number(value) === Number(wanted))
}

/** A date is equal to the day or month it lies in, and to its time of day. Four digits are a year beside dates, else a number. */
function sameTime(value: string, operand: Operand): boolean {
  const { date, clock, text, isYear } = operand
  if (clock && value.length > text.length) {
    const time = clockOf(value)
    return time !== undefined && time.from >= clock.from && time.from < clock.to
  }
  if (!date || (/^\d{4}$/.test(text) && !isYear)) return false
  const instant = epochIn(value)
  if (instant !== undefined) return instant >= date.from && instant < date.to
  const [time, wanted] = timesOf(value, operand) ?? []
  if (!time || !wanted || time.to - time.from > wanted.to - wanted.from) return false
  return time.from >= wanted.from && time.from < wanted.to
}

/** Two times that can be compared, of a value and of the operand. */
function timesOf(
  value: string,
  { text, date, dateOrder, isDated, isYear, now }: Operand,
): [Span, Span] | undefined {
  const age = now === undefined ? undefined : ageAt(value, now)
  if (age !== undefined && date) return [{ from: age, to: age + 1 }, date]
  const [time, wanted] = sameCalendar(value, text, date, dateOrder) ?? []
  const bare = isYear && date && !time ? dateOf(value) : undefined
  if (bare && date) return [bare, date]
  const lacksYear = isDated && !date?.yearless && time && parseDate(value)?.yearless
  return time && wanted && !lacksYear ? [time, wanted] : undefined
}

/**
 * Negative, 0 or positive as `value` lies before, within or after the operand; NaN where the two have no order. A date
 * is within the day or month it is compared with.
 */
export function order(value: JsonValue, operand: Operand): number {
  if (typeof value === 'number') return orderNumber(value, operand)
  if (typeof value !== 'string') {
    const date = operand.date && dateIn(value)
    return date === undefined ? Number.NaN : order(date, operand)
  }
  if (operand.amount) return (amountOf(operand.amount.family, value) ?? Number.NaN) - operand.amount.number
  if (operand.date) {
    const [time, wanted] = timesOf(value, operand) ?? []
    if (time && wanted && (saysMoreThanYear(value) || saysMoreThanYear(operand.text)))
      return beside(time.from, wanted)
    const instant = epochIn(value)
    if (instant !== undefined && operand.text.length > 4) return beside(instant, operand.date)
  }
  const clock = operand.clock && clockOf(value)
  if (operand.clock && clock) {
    // `> 10:00` begins right after 10:00:00; only `=` means the whole minute.
    return clock.from - operand.clock.from
  }
  if (operand.duration !== undefined) {
    const time = duration(value)
    if (time !== undefined) return time - operand.duration
  }
  const wanted = operand.size ?? operand.number
  if (wanted !== undefined) {
    const number = quantity(value) ?? looseNumber(value)
    if (number !== undefined && !isOfMeasure(value, operand)) return Number.NaN
    if (number !== undefined) return beyond(number, wanted) || besideToTheDigit(value, operand.text)
    // A whole number asks for the first part of versions.
    const isOfVersion = VERSION.test(value) && /^\d{1,4}$/.test(operand.text) && !parseDate(value)
    if (isOfVersion || areVersions(value, operand)) return orderOfVersions(value, operand)
    const time = operand.size === undefined && wanted > 1e8 && value.length > 4 ? parseDate(value) : undefined
    return time ? time.from - fromEpoch(wanted) : Number.NaN
  }
  if (operand.date && !operand.date.yearless) return Number.NaN
  if (areVersions(value, operand)) return orderOfVersions(value, operand)
  const isOther = VERSION.test(operand.text) && !/^v?\d/i.test(value)
  if (isOther || (saysNothing(value) && !saysNothing(operand.text))) return Number.NaN
  return orderOfLevels(value, operand.lower) ?? compareNaturally(value.toLowerCase(), operand.lower)
}

function areVersions(value: string, { text }: Operand): boolean {
  return VERSION.test(value) && VERSION.test(text)
}

/** `v1.10.0` after `1.9`, with the letter or without. */
function orderOfVersions(value: string, { text }: Operand): number {
  return compareNaturally(value.replace(/^v/i, ''), text.replace(/^v/i, ''))
}

function orderNumber(value: number, operand: Operand): number {
  const wanted = operand.amount?.number ?? operand.size ?? operand.number
  if (wanted !== undefined) return beyond(value, wanted) || besideToTheDigit(value, operand.text)
  if (!operand.date) return Number.NaN
  const time = compactDate(value)?.from ?? fromEpoch(value)
  const year = operand.date.yearless ? new Date(time).getUTCFullYear() : Number.NaN
  return beside(time, (!Number.isNaN(year) && parseWanted(operand.text, year)) || operand.date)
}

/** 0 for the same number, also for numbers that no double holds. */
function beyond(value: number, wanted: number): number {
  return value === wanted ? 0 : value - wanted
}

function beside(time: number, { from, to }: Span): number {
  return time < from ? -1 : time >= to ? 1 : 0
}

/** A list has an element, an object a key, a text a part. Elements that are objects have what their fields hold. */
export function has(value: JsonValue, operand: Operand, strictness: Strictness): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(operand.lower)
  if (Array.isArray(value)) {
    return value.some(
      (element) =>
        equals(element, operand, strictness) ||
        (isObject(element) && Object.values(element).some((held) => equals(held, operand, strictness))),
    )
  }
  if (isObject(value)) {
    return Object.keys(value).some(
      (key) => key === operand.text || (strictness !== 'exact' && key.toLowerCase() === operand.lower),
    )
  }
  return equals(value, operand, strictness)
}

/** Like `has`, but a part of a text is enough everywhere. */
export function contains(value: JsonValue, operand: Operand): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(operand.lower)
  if (Array.isArray(value)) return value.some((element) => contains(element, operand))
  if (isObject(value)) {
    return Object.keys(value).some(
      (key) =>
        key.toLowerCase().includes(operand.lower) ||
        (typeof value[key] === 'string' && contains(value[key], operand)),
    )
  }
  return value !== null && String(value).includes(operand.text)
}
