/** Units of time, and times so many units apart. All by the calendar of UTC. */
import { DAY } from './dates.ts'

/** The units of one length, in milliseconds. */
const MILLISECONDS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY,
  week: 7 * DAY,
}
/** The units that the calendar decides, in months. */
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 }
const SHORT_UNITS: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  sec: 'second',
  m: 'minute',
  min: 'minute',
  mi: 'minute',
  h: 'hour',
  hr: 'hour',
  hh: 'hour',
  d: 'day',
  dd: 'day',
  w: 'week',
  wk: 'week',
  mm: 'month',
  mon: 'month',
  q: 'quarter',
  y: 'year',
  yr: 'year',
  yy: 'year',
  yyyy: 'year',
}
/** A fraction of a unit has so many digits. */
const DIGITS = 1e6
/** Ten thousand years. */
const MOST_MONTHS = 120_000

/** The unit that a word names: `day` of `'days'`, `DAY` and `d`. Undefined for any other. */
export function timeUnit(text: string): string | undefined {
  const word = text.trim().toLowerCase()
  const one = Object.hasOwn(SHORT_UNITS, word) ? SHORT_UNITS[word] : word.replace(/s$/, '')
  const name = one !== undefined && Object.hasOwn(SHORT_UNITS, one) ? SHORT_UNITS[one] : one
  return name !== undefined && (Object.hasOwn(MILLISECONDS, name) || Object.hasOwn(MONTHS, name))
    ? name
    : undefined
}

/** From one time to another in a unit of `timeUnit`, with fractions. */
export function unitsBetween(from: number, to: number, unit: string): number {
  const length = MILLISECONDS[unit]
  if (length !== undefined) return Math.round(((to - from) / length) * DIGITS) / DIGITS
  let whole = monthOf(to) - monthOf(from)
  if (monthsLater(from, whole) > to) whole -= 1
  const start = monthsLater(from, whole)
  const rest = (to - start) / (monthsLater(from, whole + 1) - start)
  return Math.round(((whole + rest) / (MONTHS[unit] ?? 1)) * DIGITS) / DIGITS
}

/** How often a unit begins between two times: midnights for days, as `DATEDIFF` of SQL Server and MySQL counts them. */
export function startsBetween(from: number, to: number, unit: string): number {
  const months = MONTHS[unit]
  if (months !== undefined) return Math.floor(monthOf(to) / months) - Math.floor(monthOf(from) / months)
  return Math.round((startOf(to, unit) - startOf(from, unit)) / (MILLISECONDS[unit] ?? 1))
}

/** So many units later; of months the same day and time, or the last day of one that is shorter. NaN where no calendar goes. */
export function unitsLater(time: number, count: number, unit: string): number {
  const length = MILLISECONDS[unit]
  if (length !== undefined) return time + count * length
  const months = Math.trunc(count) * (MONTHS[unit] ?? 1)
  return Math.abs(months) > MOST_MONTHS ? Number.NaN : monthsLater(time, months)
}

/** The beginning of the unit that a time lies in. Weeks begin on Monday, as in ISO 8601. */
export function startOf(time: number, unit: string): number {
  const months = MONTHS[unit]
  if (months !== undefined) return monthsLater(0, Math.floor(monthOf(time) / months) * months - monthOf(0))
  const length = MILLISECONDS[unit] ?? 1
  // 1 January 1970 was a Thursday.
  const first = unit === 'week' ? -3 * DAY : 0
  return Math.floor((time - first) / length) * length + first
}

function monthOf(time: number): number {
  const date = new Date(time)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function monthsLater(time: number, months: number): number {
  const date = new Date(time)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return date.getTime()
}
