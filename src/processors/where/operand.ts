/** What a condition compares with, and how: numbers as numbers, dates as dates, sizes as sizes, text as text. */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { compareNaturally } from '../../text/natural-order.ts'
import { type ClockSpan, clockOf, parseClock } from './clock.ts'
import { parseWanted, type Span, sameCalendar } from './dates.ts'
import { orderOfLevels } from './levels.ts'
import { duration, looseNumber, plainNumber, quantity } from './quantity.ts'

/** A value as written in a condition, with everything that it may mean. */
export interface Operand {
  text: string
  lower: string
  quoted: boolean
  number: number | undefined
  /** Set when written with a unit. */
  size: number | undefined
  /** Milliseconds, when written with a unit of time. */
  duration: number | undefined
  date: Span | undefined
  /** A time of day alone. */
  clock: ClockSpan | undefined
  boolean: boolean | undefined
}

export function operandOf(written: string): Operand {
  const trimmed = written.trim()
  const quote = trimmed.charAt(0)
  const quoted =
    trimmed.length >= 2 && (quote === '"' || quote === "'" || quote === '`') && trimmed.endsWith(quote)
  const text = quoted ? trimmed.slice(1, -1) : trimmed
  const lower = text.toLowerCase()
  return {
    text,
    lower,
    quoted,
    number: looseNumber(text),
    size: quantity(text),
    duration: duration(text),
    date: parseWanted(text),
    clock: parseClock(text),
    boolean: lower === 'true' ? true : lower === 'false' ? false : undefined,
  }
}

export function isNull({ lower, quoted }: Operand): boolean {
  return !quoted && (lower === 'null' || lower === 'none' || lower === 'undefined')
}

/**
 * Whether text must be the same to the letter, or may differ in case and in how a number is written; `level`: in the
 * word for one level as well.
 */
export type Strictness = 'exact' | 'loose' | 'level'

export function equals(value: JsonValue, operand: Operand, strictness: Strictness): boolean {
  switch (typeof value) {
    case 'number':
      return orderNumber(value, operand) === 0
    case 'boolean':
      return value === (operand.boolean ?? yesOrNo.get(operand.lower))
    case 'string':
      return (
        value === operand.text ||
        sameTime(value, operand) ||
        (strictness !== 'exact' && sameText(value, operand)) ||
        (strictness === 'level' && orderOfLevels(value, operand.lower) === 0)
      )
    default:
      return value === null && isNull(operand)
  }
}

/** What a boolean may be called beside `true` and `false`. */
const yesOrNo: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['1', true],
  ['no', false],
  ['0', false],
])

function sameText(value: string, operand: Operand): boolean {
  if (value.length === operand.text.length && value.toLowerCase() === operand.lower) return true
  return operand.number !== undefined && plainNumber(value) === operand.number
}

/** A date is equal to the day or month it lies in, and to its time of day; four digits alone are a number. */
function sameTime(value: string, { date, clock, text }: Operand): boolean {
  if (clock && value.length > text.length) {
    const time = clockOf(value)
    return time !== undefined && time.from >= clock.from && time.from < clock.to
  }
  if (!date || /^\d{4}$/.test(text) || value.length < text.length) return false
  const [time, wanted] = sameCalendar(value, text) ?? []
  return time !== undefined && wanted !== undefined && time.from >= wanted.from && time.from < wanted.to
}

/**
 * Negative, 0 or positive as `value` lies before, within or after the operand; NaN where the two have no order. A date
 * is within the day or month it is compared with.
 */
export function order(value: JsonValue, operand: Operand): number {
  if (typeof value === 'number') return orderNumber(value, operand)
  if (typeof value !== 'string') return Number.NaN
  if (operand.date) {
    const [time, wanted] = sameCalendar(value, operand.text) ?? []
    if (time && wanted && (value.length > 4 || operand.text.length > 4)) {
      return time.from < wanted.from ? -1 : time.from >= wanted.to ? 1 : 0
    }
  }
  const clock = operand.clock && clockOf(value)
  if (operand.clock && clock) {
    return clock.from < operand.clock.from ? -1 : clock.from >= operand.clock.to ? 1 : 0
  }
  if (operand.duration !== undefined) {
    const time = duration(value)
    if (time !== undefined) return time - operand.duration
  }
  const wanted = operand.size ?? operand.number
  if (wanted !== undefined) return (quantity(value) ?? looseNumber(value) ?? Number.NaN) - wanted
  if (operand.date && !operand.date.yearless) return Number.NaN
  return orderOfLevels(value, operand.lower) ?? compareNaturally(value.toLowerCase(), operand.lower)
}

function orderNumber(value: number, operand: Operand): number {
  const wanted = operand.size ?? operand.number
  if (wanted !== undefined) return value - wanted
  if (!operand.date) return Number.NaN
  const time = value > 1e11 ? value : value * 1_000
  return time < operand.date.from ? -1 : time >= operand.date.to ? 1 : 0
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
