/** Parts of dates to group by: each month, each day of the week. By the clock of their field, or UTC. */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { bareName } from '../words/bare-name.ts'
import {
  bucket,
  type Calendar,
  compactDate,
  DAY,
  type DateOrder,
  dateIn,
  epochIn,
  fromEpoch,
  parseDate,
  type Span,
  toClock,
} from './dates.ts'

/** The parts that dates can be grouped by. */
export const DATE_PARTS = [
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'hour',
  'minute',
  'second',
  'weekday',
  'hour_of_day',
  'month_of_year',
  'day_of_month',
] as const
export type DatePart = (typeof DATE_PARTS)[number]

const SYNONYMS: Readonly<Record<string, DatePart>> = {
  date: 'day',
  yearmonth: 'month',
  dayofweek: 'weekday',
  dow: 'weekday',
  hod: 'hour_of_day',
  hourofday: 'hour_of_day',
  dayhour: 'hour_of_day',
  monthofyear: 'month_of_year',
  dayofmonth: 'day_of_month',
  min: 'minute',
  sec: 'second',
}

/** The part that a word names, whatever its case, plural and marks. */
export function datePart(word: string): DatePart | undefined {
  const plain = bareName(word)
    .replace(/ly$|s$/, '')
    .replace(/^dai$/, 'day')
  const part = DATE_PARTS.find((one) => one.replaceAll('_', '') === plain)
  return part ?? (Object.hasOwn(SYNONYMS, plain) ? SYNONYMS[plain] : undefined)
}

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/**
 * `2024`, `2024-Q2`, `2024-05`, `2024-W18` (ISO 8601), `2024-05-06`, `2024-05-06T10`, `2024-05-06T10:30`, `Monday`, `10`. Dates without a
 * year are given without one; undefined where the part is not known without it, or `value` is no date. Numbers are seconds or
 * milliseconds since 1970. `calendar`: of the field.
 */
export function partOf(value: JsonValue, part: DatePart, calendar: Calendar = {}): string | undefined {
  const clock = typeof value === 'string' && OF_CLOCK.has(part) ? CLOCK.exec(value) : null
  if (clock) {
    const [, hour = '', minute = '', second = '00'] = clock
    const parts = [hour.padStart(2, '0'), minute, second]
    return parts.slice(0, part === 'minute' ? 2 : part === 'second' ? 3 : 1).join(':')
  }
  const date = dateOf(value, calendar.order)
  if (!date || !Number.isFinite(date.from) || Math.abs(date.from) > 8.64e15) return undefined
  const from = date.from + toClock(value, calendar)
  const time = new Date(from)
  const yearless = date.yearless === true
  if (yearless && needsYear(part)) return undefined
  switch (part) {
    case 'weekday':
      return WEEKDAYS[time.getUTCDay()]
    case 'hour_of_day':
      return time.toISOString().slice(11, 13)
    case 'month_of_year':
      return time.toISOString().slice(5, 7)
    case 'day_of_month':
      return time.toISOString().slice(8, 10)
    case 'quarter':
      return `${yearless ? '' : `${time.getUTCFullYear()}-`}Q${PART_NUMBERS.quarter(time)}`
    case 'week':
      return isoWeek(time)
    case 'minute':
      return time.toISOString().slice(yearless ? -19 : 0, -8)
    case 'second':
      return time.toISOString().slice(yearless ? -19 : 0, -5)
    default:
      return bucket({ ...date, from }, part)
  }
}

/** A time of day alone; timetables count on behind 24:00. */
const CLOCK = /^\s*(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?\s*$/
const OF_CLOCK: ReadonlySet<DatePart> = new Set(['hour', 'hour_of_day', 'minute', 'second'])

const OF_YEARS: ReadonlySet<DatePart> = new Set(['year', 'week', 'weekday'])

/** True for what cannot be told of a date without its year. */
export function needsYear(part: DatePart): boolean {
  return OF_YEARS.has(part)
}

/** True for a date that was written without its year, as in syslog. */
export function isYearless(value: JsonValue): boolean {
  return dateOf(value)?.yearless === true
}

export function dateOf(value: JsonValue, order?: DateOrder): Span | undefined {
  if (isObject(value)) return dateOf(dateIn(value) ?? null, order)
  if (typeof value === 'string')
    return parseDate(value.trim(), undefined, order) ?? moment(epochIn(value)) ?? compactDate(value)
  if (typeof value === 'number' && value < 1e8) return compactDate(value)
  return typeof value === 'number' && value < 1e19 ? moment(fromEpoch(value)) : undefined
}

/** The numbers of the parts of a time, by the calendar of UTC. */
export const PART_NUMBERS = {
  year: (time: Date) => time.getUTCFullYear(),
  quarter: (time: Date) => Math.floor(time.getUTCMonth() / 3) + 1,
  month: (time: Date) => time.getUTCMonth() + 1,
  week: (time: Date) => Number(isoWeek(time).slice(-2)),
  day: (time: Date) => time.getUTCDate(),
  hour: (time: Date) => time.getUTCHours(),
  minute: (time: Date) => time.getUTCMinutes(),
  second: (time: Date) => time.getUTCSeconds(),
  dow: (time: Date) => time.getUTCDay(),
  isodow: (time: Date) => time.getUTCDay() || 7,
  doy: (time: Date) => Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / DAY) + 1,
  epoch: (time: Date) => time.getTime() / 1_000,
} as const

/** The number of the year, month, day or hour of a time, by the clock of its field; none of what is no time. */
export function partNumber(
  value: JsonValue,
  unit: 'year' | 'month' | 'day' | 'hour',
  calendar: Calendar = {},
): number[] {
  const date = dateOf(value, calendar.order)
  const time = new Date((date?.from ?? Number.NaN) + toClock(value, calendar))
  const isKnown = !Number.isNaN(time.getTime()) && !(unit === 'year' && date?.yearless)
  return isKnown ? [PART_NUMBERS[unit](time)] : []
}

function moment(time: number | undefined): Span | undefined {
  return time === undefined ? undefined : { from: Math.floor(time), to: Math.floor(time) }
}

/** The week of the Thursday next to the day (ISO 8601). */
function isoWeek(time: Date): string {
  const thursday = new Date(time.getTime() + (4 - (time.getUTCDay() || 7)) * DAY)
  const year = thursday.getUTCFullYear()
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY / 7) + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}
