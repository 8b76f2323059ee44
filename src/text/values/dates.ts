/** Dates as servers write them: ISO 8601 whole or cut short, those of logs and of mail, and `31.12.2024`. */

import { isObject, type JsonValue, own } from '../../protocol/json.ts'

/** A span of time in milliseconds since 1970, UTC: a day, a month, an instant. `to` is exclusive. */
export interface Span {
  from: number
  to: number
  /** Written without a year, as in syslog: placed in the year that was asked for. */
  yearless?: true
}

const ISO =
  /^(\d{4})(?:[-/](\d\d)(?:[-/](\d\d)(?:(?:T| {1,2})(\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{0,9}))?)?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?(?: [A-Z]{3,5})?)?)?)?$/i
const LOG = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4})(?::(\d\d):(\d\d):(\d\d))?(?:\s*([+-]\d{4}))?$/
// `0503 08:00:00.123456` of klog, `05-03 08:00` of Android.
const MONTH_AND_DAY = /^(\d\d)-?(\d\d) (\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ T,]{1,2}(\d{1,2}):(\d\d)(?::(\d\d))?)?$/
/** `02.01.25`: a date only beside others of its field, since versions are written so as well. */
const SHORT_DOTTED =
  /^(0[1-9]|[12]\d|3[01])\.(0[1-9]|1[0-2])\.(\d\d)(?:[ T,]{1,2}(\d{1,2}):(\d\d)(?::(\d\d))?)?$/
/** Texts of a field that begin with a zero, and with no month, for these to be dates; and years between the first and the last. */
const LEAST_PROOFS = 3
const MOST_YEARS = 20
const SLASHED = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d\d)(?:[ T,]{1,2}(\d{1,2}):(\d\d)(?::(\d\d))?)?$/
// `2024/1/5`, which is also year, month and day.
const UNPADDED = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T,]{1,2}(\d{1,2}):(\d\d)(?::(\d\d))?)?$/
// `2024年1月5日`, `2024년 1월 5일`.
const EAST_ASIAN =
  /^(\d{4})[年년] ?(\d{1,2})[月월] ?(\d{1,2})[日일](?: ?(\d{1,2})[:時시] ?(\d\d)[分분]?(?:[: ]?(\d\d)[秒초]?)?)?$/
// `28-Dec-2024`, `28-DEC-24`.
const DASHED =
  /^(\d{1,2})[-/](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[-/](\d{4}|\d\d)(?:[ T,]{1,2}(\d{1,2}):(\d\d)(?::(\d\d))?)?$/i
const SLASHES = /^(\d{1,2})[/-](\d{1,2})[/-](?:\d{4}|\d\d)(?!\d)/
// `2024-W37` of ISO 8601.
const WEEK = /^(\d{4})-?W([0-5]\d)$/i
const HALF = /^(.+?\d)\s?([ap])\.?m$/i
// `Mon, 06 May 2024 10:00:00 +0200`, `Mon May 6 10:00:00 2024`, `Jan  7 06:10:33`, `March 2024`.
const NAMED =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\s+)?(?:(\d{1,2})(?:(?:st|nd|rd|th)(?:\s+of)?)?\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d:]))?(?:,?\s+(\d{4}))?(?:,?\s+(?:at\s+)?(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:\s?([ap])\.?m\.?(?![a-z]))?)?(?:\s+(?:(?:gmt|utc)(?=[+-]))?(z|utc|gmt|[ecmp][sd]t|cet|cest|jst|[+-]\d\d:?\d\d))?(?:\s+(\d{4}))?(?:\s+([+-]\d\d:?\d\d))?$/i
const MONTH_NAME =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
// `2024 Mar`, `2025 Jan 12`, `2024 Nov-Dec`, `2024 Dec-2025 Jan`, `2024 Mar 05 10:00:00`.
const YEAR_FIRST = new RegExp(
  String.raw`^(\d{4}) (${MONTH_NAME})\.?(?: {1,2}(\d{1,2})(?!\d)(?:[ T,]{1,2}(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?)?(?: ?[-–/] ?(?:(\d{4}) )?(${MONTH_NAME})\.?(?: (\d{1,2}))?)?$`,
  'i',
)
// `2024 Winter`, `Fall 2025`: a quarter of the year, as libraries count them.
const SEASON = /^(?:(\d{4}) )?(winter|spring|summer|autumn|fall)(?: (\d{4}))?$/i
const SEASONS: Readonly<Record<string, number>> = { winter: 0, spring: 3, summer: 6, autumn: 9, fall: 9 }
// `Q1 2024`, `2024-Q1`, `1Q24`, `Q1'24`, `H2 2024`: a quarter or a half of the year.
const PART_OF_YEAR =
  /^(?:([qh])([1-4])(?: ?['’](\d\d)|[ /-]((?:19|20)\d\d))|((?:19|20)\d\d)[ /-]?([qh])([1-4])|([1-4])(q) ?['’]?((?:19|20)\d\d|\d\d))$/i
// `03/2024`: a month.
const MONTH_OF_YEAR = /^(0[1-9]|1[0-2])\/((?:19|20)\d\d)$/
/** The zones of RFC 2822 §4.3 that have names, and some more that `date` writes. */
const ZONES: Readonly<Record<string, string>> = {
  est: '-0500',
  edt: '-0400',
  cst: '-0600',
  cdt: '-0500',
  mst: '-0700',
  mdt: '-0600',
  pst: '-0800',
  pdt: '-0700',
  cet: '+0100',
  cest: '+0200',
  jst: '+0900',
}
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The part that comes first in `2/8/2025`. */
export type DateOrder = 'day' | 'month'

/**
 * The order that dates of one field prove, as `22/12/2024` does; undefined where none does, or two differ. Texts such as `02.01.25` prove it
 * where all are written so, in years near each other. Several begin with a zero, as no version does, and several with no month.
 */
export function orderOfDates(texts: Iterable<string>): DateOrder | undefined {
  let found: DateOrder | undefined
  let [areDotted, zeros, days, first, last] = [true, 0, 0, 99, 0]
  for (const text of texts) {
    if (areDotted && text !== '') {
      areDotted = text.length <= 40 && SHORT_DOTTED.test(text)
      if (text.startsWith('0')) zeros += 1
      if (two(text, 0) > 12) days += 1
      first = Math.min(first, two(text, 6))
      last = Math.max(last, two(text, 6))
    }
    if (!isMark(text.charCodeAt(1)) && !isMark(text.charCodeAt(2))) continue
    const [, one, other] = (text.length <= 40 && SLASHES.exec(text)) || []
    const order = Number(one) > 12 ? 'day' : Number(other) > 12 ? 'month' : undefined
    if (found !== undefined && order !== undefined && order !== found) return undefined
    found ??= order
  }
  const isProved = areDotted && zeros >= LEAST_PROOFS && days >= LEAST_PROOFS && last - first <= MOST_YEARS
  return isProved ? 'day' : found
}

/** True where all are dates of which nothing proves whether the day or the month comes first. */
export function areUnclear(texts: readonly string[]): boolean {
  const areSlashed = texts.every((text) => text.length <= 40 && SLASHES.test(text))
  return areSlashed && texts.some((text) => !parseDate(text)) && orderOfDates(texts) === undefined
}

/** The order of parts between slashes, and the zone, as the dates of one field say them together. */
export interface Calendar {
  readonly order?: DateOrder | undefined
  /** The zone that all times with a zone are written with. */
  readonly zone?: string | undefined
  /** They are written with several, and told in UTC. */
  readonly hasZones?: true
}

/** The zone that times of one field are written with. */
export function zoneOfDates(texts: Iterable<string>): Pick<Calendar, 'zone' | 'hasZones'> {
  let zone: string | undefined
  for (const text of texts) {
    const own = zoneIn(text)
    if (own !== undefined && zone !== undefined && offset(own) !== offset(zone)) return { hasZones: true }
    zone ??= own
  }
  return { zone }
}

/** Milliseconds from UTC to the clock by which the parts of a time are told: that of its field, where it is written with a zone. */
export function toClock(value: JsonValue, { zone }: Calendar): number {
  return zone !== undefined && typeof value === 'string' && zoneIn(value) !== undefined ? offset(zone) : 0
}

/** A time as the clock of its field shows it, in the form of ISO 8601 without a zone; any other text as it is. */
export function onClock(text: string, calendar: Calendar): string {
  const ahead = toClock(text, calendar)
  const date = ahead === 0 ? undefined : parseDate(text)
  if (date) return new Date(date.from + ahead).toISOString().slice(0, -1)
  return calendar.order ? isoDate(text, calendar.order) : text
}

/** A date that is read by the order of its field in the form of ISO 8601; any other text as it is. */
export function isoDate(text: string, order: DateOrder): string {
  if (text.length > 40 || !(SLASHES.test(text) || SHORT_DOTTED.test(text))) return text
  const date = parseDate(text, undefined, order)
  if (!date) return text
  const iso = new Date(date.from).toISOString()
  return date.to - date.from === DAY ? iso.slice(0, 10) : iso
}

function isMark(code: number): boolean {
  return code === slash || code === dash
}

/**
 * The time that `text` names, as wide as it was written. Without a zone it is UTC. `order`: of the other dates of its field. Undefined when
 * it is no date, or two.
 */
export function parseDate(text: string, year = 2000, order?: DateOrder): Span | undefined {
  const first = text.charCodeAt(0)
  if (text.length < 3) return undefined
  if (text.endsWith(')')) return parseNamedZone(text, year, order) ?? wrapped(text) ?? beforeTail(text)
  if (text.length > 40) return beforeTail(text)
  if (first === 32) return parseDate(text.trimStart(), year, order)
  const last = text.charCodeAt(text.length - 1) | 32
  if (last === m && HALF.test(text)) return inHalf(text, year, order)
  if (first < 48 || first > 57)
    return namedSpan(text, year) ?? seasonSpan(text) ?? partOfYear(text) ?? wrapped(text)
  const usual = instant(text)
  if (usual) return usual
  const parts = ISO.exec(text)
  if (parts) return isoSpan(parts)
  const logged = LOG.exec(text)
  if (logged) {
    const [, day = '', name = '', year, hour = '', minute = '', second = '', zone] = logged
    const month = MONTHS.indexOf(name) + 1
    return span([Number(year), month, Number(day), ...given([hour, minute, second])], 0, zone)
  }
  const slashes = SLASHED.exec(text)
  if (slashes) {
    const [, one = '', other = '', ofYear = '', ...time] = slashes
    // Which of the two is the month is clear only where the other cannot be one.
    const isClear = Number(one) > 12 !== Number(other) > 12 || one === other
    if (!isClear && order === undefined) return undefined
    const isDayFirst = isClear ? Number(one) > 12 : order === 'day'
    const [month, day] = isDayFirst ? [other, one] : [one, other]
    return span(given([inFull(ofYear), month, day, ...time]), 0, undefined)
  }
  const [, day, month, ofYear, ...time] = DOTTED.exec(text) ?? (order && SHORT_DOTTED.exec(text)) ?? []
  if (ofYear !== undefined) return span(given([inFull(ofYear), month, day, ...time]), 0, undefined)
  const [, ...loose] = UNPADDED.exec(text) ?? EAST_ASIAN.exec(text) ?? []
  if (loose.length > 0) return span(given(loose), 0, undefined)
  const [, ownDay, name = '', ownYear = '', ...ownTime] = DASHED.exec(text) ?? []
  if (ownDay !== undefined)
    return span(given([inFull(ownYear), monthOf(name), ownDay, ...ownTime]), 0, undefined)
  const [, weekYear = '', week = ''] = WEEK.exec(text) ?? []
  if (week !== '') return isoWeek(Number(weekYear), Number(week))
  const [, ...early] = MONTH_AND_DAY.exec(text) ?? []
  if (early.length > 0) {
    const fraction = early[5]
    const milliseconds = Math.floor(Number(`0.${fraction ?? 0}`) * 1_000)
    const found = span(
      given([String(year), ...early.slice(0, 5)]),
      milliseconds,
      undefined,
      fraction !== undefined,
    )
    return found && { ...found, yearless: true }
  }
  const [, monthAlone, itsYear] = MONTH_OF_YEAR.exec(text) ?? []
  if (monthAlone !== undefined) return span([Number(itsYear), Number(monthAlone)], 0, undefined)
  return yearFirst(text) ?? namedSpan(text, year) ?? seasonSpan(text) ?? partOfYear(text) ?? beforeTail(text)
}

/** The zone by its name, behind a time: `10:00:00 +0000 (UTC)`, `GMT+0100 (Central European Standard Time)`. */
const ZONE_NAME = /^(.{8,60}[\dA-Z]) \([A-Z][A-Za-z ]{1,40}\)$/

function parseNamedZone(text: string, year: number, order: DateOrder | undefined): Span | undefined {
  const [, time] = (text.length <= LONGEST_WITH_TAIL && ZONE_NAME.exec(text)) || []
  return time === undefined ? undefined : parseDate(time, year, order)
}

/** The person or the age behind a date: `2025-10-01T08:00:00Z by Priya Nair`, `2025-10-01 08:00 (2 days ago)`. */
const TAIL = /^(\d{4}[-/]\d\d[-/]\d\d[T\d:.,Z +-]{0,28}?) (?:by \S.{0,80}|\([^()]{1,40}\))$/
const LONGEST_WITH_TAIL = 120

function beforeTail(text: string): Span | undefined {
  const [, date] = (text.length <= LONGEST_WITH_TAIL && TAIL.exec(text)) || []
  return date === undefined ? undefined : parseDate(date)
}

/** Two dates are all the time between them. */
function yearFirst(text: string): Span | undefined {
  const [, year, word = '', day, hour, minute, second, lastYear = year, lastWord, lastDay] =
    YEAR_FIRST.exec(text) ?? []
  if (word === '') return undefined
  const first = span(given([year, monthOf(word), day, hour, minute, second]), 0, undefined)
  if (lastWord === undefined) return first
  const last = span(given([lastYear, monthOf(lastWord), lastDay]), 0, undefined)
  return first && last && last.to > first.from ? { from: first.from, to: last.to } : undefined
}

function seasonSpan(text: string): Span | undefined {
  const [, before, name = '', after] = SEASON.exec(text) ?? []
  const month = SEASONS[name.toLowerCase()]
  if (month === undefined || (before === undefined) === (after === undefined)) return undefined
  const year = Number(before ?? after)
  return { from: utc(year, month, 1, 0, 0, 0), to: utc(year, month + 3, 1, 0, 0, 0) }
}

function partOfYear(text: string): Span | undefined {
  const [, before, first, short, long, year, kind, nth, lone, quarter, end] = PART_OF_YEAR.exec(text) ?? []
  const months = (before ?? kind ?? quarter)?.toLowerCase() === 'h' ? 6 : 3
  const place = Number(first ?? nth ?? lone) - 1
  if (!(place * months < 12)) return undefined
  const from = Number(inFull(short ?? long ?? year ?? end ?? ''))
  return { from: utc(from, place * months, 1, 0, 0, 0), to: utc(from, (place + 1) * months, 1, 0, 0, 0) }
}

/** The week that 4 January lies in is the first one of a year. */
function isoWeek(year: number, week: number): Span {
  const fourth = utc(year, 0, 4, 0, 0, 0)
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY
  const from = monday + (week - 1) * 7 * DAY
  return { from, to: from + 7 * DAY }
}

/** A time of twelve hours: `8:00 AM`. */
function inHalf(text: string, year: number, order: DateOrder | undefined): Span | undefined {
  const [, rest = '', half = ''] = HALF.exec(text) ?? []
  const date = parseDate(rest, year, order)
  const hour = Math.floor((clockOf(rest)?.from ?? Number.NaN) / HOUR)
  if (!date || !(hour >= 1 && hour <= 12)) return undefined
  const shift = ((hour % 12) + (/p/i.test(half) ? 12 : 0) - hour) * HOUR
  return { ...date, from: date.from + shift, to: date.to + shift }
}

/** `[09/Aug/2024:10:00:00 +0000]`, `/Date(1720000000000)/`. */
function wrapped(text: string): Span | undefined {
  const [, inner, ms] = /^(?:\[([^[\]]+)\]|\/Date\((\d{10,14})(?:[+-]\d{4})?\)\/)$/.exec(text) ?? []
  if (ms !== undefined) return { from: Number(ms), to: Number(ms) + 1 }
  return inner === undefined ? undefined : parseDate(inner)
}

/** The basic format of ISO 8601: `20240103`, `20240103T101500Z`, `20240103101500`. Digits alone may be a number, so only a comparison with a date reads them so. */
const COMPACT = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})?)?$/

/** True for four digits that are a year beside dates. */
export function isYear(text: string): boolean {
  return /^(?:1[5-9]|20|21)\d\d$/.test(text)
}

/** True of a text that says more than a year may: four digits alone are a number as well. */
export function saysMoreThanYear(text: string): boolean {
  return text.length > 4 || /\D/.test(text)
}

/** The date of a value that is known to be one. */
export function compactDate(value: string | number): Span | undefined {
  const text = String(value)
  if (isYear(text)) return span([Number(text)], 0, undefined)
  if (text.length < 8 || text.length > 20) return undefined
  const [, year, month, day, hour, minute, second, zone] = COMPACT.exec(text) ?? []
  return year === undefined ? undefined : span(given([year, month, day, hour, minute, second]), 0, zone)
}

/**
 * Milliseconds of a number of seconds, milli-, micro- or nanoseconds since 1970, told by its size. The next unit begins where the
 * one before would be in the year 5138.
 */
export function fromEpoch(value: number): number {
  let time = value > 1e11 ? value : value * 1_000
  while (time > 1e14) time /= 1_000
  return time
}

/** The same of digits in a string, as Slack and many others send them. */
export function epochIn(text: string): number | undefined {
  return /^\d{10}(?:\d{3}){0,3}(?:\.\d+)?$/.test(text) ? fromEpoch(Number(text)) : undefined
}

/**
 * The date that an object spells, as a text: `{"date-parts": [[2024, 1, 3]]}` of bibliographies, `{"year": 2024, "month": 1, "day": 3}` of
 * Google, `{"seconds": 1704240000, "nanos": 0}` of protobuf, `{"$date": …}` of MongoDB. Undefined of any other.
 */
export function dateIn(value: JsonValue): string | undefined {
  if (!isObject(value)) return undefined
  const keys = Object.keys(value)
  if (keys.length > 3) return undefined
  const [parts] = [own(value, 'date-parts')].flat()
  if (Array.isArray(parts)) return dateOfParts(parts)
  const year = own(value, 'year')
  if (typeof year === 'number' && keys.every((key) => /^(?:year|month|day)$/.test(key)))
    return dateOfParts([year, own(value, 'month') ?? 0, own(value, 'day') ?? 0])
  const seconds = own(value, 'seconds') ?? own(value, '_seconds')
  if (seconds !== undefined && keys.every((key) => /^_?(?:seconds|nanos|nanoseconds)$/.test(key)))
    return ofEpoch(Number(seconds) * 1_000)
  const held = own(value, '$date')
  if (held === undefined || keys.length > 1) return undefined
  if (typeof held === 'string') return held
  return ofEpoch(Number(isObject(held) ? own(held, '$numberLong') : held))
}

/** Year, month and day as far as they are given; 0 stands for none. */
function dateOfParts(parts: readonly JsonValue[]): string | undefined {
  const numbers = parts.slice(0, 3).map(Number)
  const given = numbers.slice(0, [...numbers, 0].indexOf(0))
  const [year = Number.NaN] = given
  if (!(year >= 1 && year <= 9999) || !given.every(Number.isInteger)) return undefined
  return given.map((part, at) => String(part).padStart(at === 0 ? 4 : 2, '0')).join('-')
}

function ofEpoch(time: number): string | undefined {
  return Math.abs(time) < 8e15 ? new Date(time).toISOString() : undefined
}

/** `1999` of "99", `2024` of "24". */
function inFull(year: string): string {
  return year.length > 2 ? year : String(Number(year) + (Number(year) < 70 ? 2000 : 1900))
}

function monthOf(name: string): string {
  return String(MONTHS.findIndex((month) => month.toLowerCase() === name.slice(0, 3).toLowerCase()) + 1)
}

/** `2024-05-01T10:00:00Z` and `2024-05-01T10:00:00.123Z`, as most programs write times, in a tenth of the time; undefined for all else. */
function instant(text: string): Span | undefined {
  const end = text.length - 1
  if (end < 19 || end > 29 || end === 20 || text.charCodeAt(end) !== Z || !hasMarks(text)) return undefined
  const [century, year] = [two(text, 0), two(text, 2)]
  const [month, day] = [two(text, 5), two(text, 8)]
  const [hour, minute, second] = [two(text, 11), two(text, 14), two(text, 17)]
  // Of what is no digit comes NaN, which is within no bounds.
  if (!(century >= 10 && year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return undefined
  if (!(hour <= 24 && minute <= 59 && second <= 60)) return undefined
  const whole = Date.UTC(century * 100 + year, month - 1, day, hour, minute, second)
  if (end === 19) return { from: whole, to: whole + 1_000 }
  const fraction = text.charCodeAt(19) === dot ? milliseconds(text, 20, end) : Number.NaN
  return Number.isNaN(fraction) ? undefined : { from: whole + fraction, to: whole + fraction + 1 }
}

const [dash, slash, colon, dot, T, Z, zero, m] = [45, 47, 58, 46, 84, 90, 48, 109]
const HOUR = 3_600_000
/** Milliseconds of a day. */
export const DAY = 24 * HOUR

function hasMarks(text: string): boolean {
  return (
    text.charCodeAt(4) === dash &&
    text.charCodeAt(7) === dash &&
    text.charCodeAt(10) === T &&
    text.charCodeAt(13) === colon &&
    text.charCodeAt(16) === colon
  )
}

/** The number that two digits make; NaN of anything else. */
function two(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - zero, text.charCodeAt(at + 1) - zero]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** The whole milliseconds in the digits of a fraction; NaN where there is anything else. */
function milliseconds(text: string, from: number, to: number): number {
  let [sum, unit] = [0, 100]
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - zero
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    if (at < from + 3) sum += digit * unit
    unit /= 10
  }
  return sum
}

function namedSpan(text: string, assumed: number): Span | undefined {
  const match = NAMED.exec(text)
  if (!match) return undefined
  const [, before, name = '', after, early, clock, minute, second, half, zone, late, offset] = match
  const hour = half === undefined ? clock : inFullDay(Number(clock), half)
  if (clock !== undefined && hour === undefined) return undefined
  const month = Number(monthOf(name))
  const [year, day] = [early ?? late, before ?? after]
  // A month alone is a word as well.
  if (year === undefined && day === undefined) return undefined
  const parts = [
    year ?? String(assumed),
    String(month),
    day,
    ...(day === undefined ? [] : [hour, minute, second]),
  ]
  const found = span(given(parts), 0, offset ?? zone)
  return found && year === undefined ? { ...found, yearless: true } : found
}

/** The hour of 24 for one of twelve; undefined for any other. */
function inFullDay(hour: number, half: string): string | undefined {
  return hour >= 1 && hour <= 12 ? String((hour % 12) + (/p/i.test(half) ? 12 : 0)) : undefined
}

/** Like `parseDate`; a month alone (`Feb`) is one as well, for what is compared with it are dates. */
export function parseWanted(text: string, year?: number): Span | undefined {
  const date = parseDate(text, year)
  if (date || !/^[a-z]{3,9}$/i.test(text)) return date
  const month = namedSpan(`1 ${text}`, year ?? 2000)
  if (!month) return undefined
  const end = new Date(month.from)
  end.setUTCMonth(end.getUTCMonth() + 1)
  return { ...month, to: end.getTime() }
}

/** The two on one calendar: what has no year is taken to be of the other's. `read`: what `parseWanted` makes of `wanted`. */
export function sameCalendar(
  value: string,
  wanted: string,
  read = parseWanted(wanted),
  order?: DateOrder,
): [Span, Span] | undefined {
  const other = read
  const one =
    other && (parseDate(value, undefined, order) ?? (/\D/.test(wanted) ? compactDate(value) : undefined))
  if (!one || !other || one.yearless === other.yearless) return one && other && [one, other]
  const [from, to] = one.yearless
    ? [parseDate(value, new Date(other.from).getUTCFullYear()), other]
    : [one, parseWanted(wanted, new Date(one.from).getUTCFullYear())]
  return from && to && [from, to]
}

/** The value's own second, minute and so on, for grouping: `2024-05` for a month. */
export function bucket(date: Span, unit: 'year' | 'month' | 'day' | 'hour'): string {
  const length = { year: 4, month: 7, day: 10, hour: 13 }[unit]
  return new Date(date.from)
    .toISOString()
    .slice(date.yearless ? 5 : 0, Math.max(length, date.yearless ? 7 : 0))
}

function isoSpan([, year, month, day, hour, minute, second, fraction = '', zone]: RegExpExecArray):
  | Span
  | undefined {
  const milliseconds = Math.floor(Number(`0.${fraction || 0}`) * 1_000)
  return span(given([year, month, day, hour, minute, second]), milliseconds, zone, fraction !== '')
}

function given(parts: readonly (string | undefined)[]): number[] {
  return parts.filter((part) => part !== undefined && part !== '').map(Number)
}

/** Year, month, day, hour, minute, second: as many as are known. */
function span(
  parts: readonly number[],
  milliseconds: number,
  zone: string | undefined,
  precise = false,
): Span | undefined {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60)
    return undefined
  const shift = offset(zone)
  const from = utc(year, month - 1, day, hour, minute, second) + milliseconds - shift
  if (precise) return { from, to: from + 1 }
  const next = [year, month - 1, day, hour, minute, second] as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const last = Math.max(0, Math.min(parts.length, 6) - 1)
  next[last] = (next[last] ?? 0) + 1
  return { from, to: utc(...next) - shift }
}

function utc(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  date.setUTCHours(hour, minute, second)
  return date.getTime()
}

const ZONED = /\d:\d\d(?:[.,:]\d+)*\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$/i

/** `Nov 3, 2025 09:00:00 CET`, `Mon Nov  3 09:00:00 CET 2025`. */
const ZONED_BY_NAME = new RegExp(
  `^[a-z\\d ][^-]*\\d:\\d\\d(?:[.:]\\d+)*\\s+(${Object.keys(ZONES).join('|')})(?:\\s+\\d{4})?$`,
  'i',
)

/** The zone of a time that is written with one. */
export function zoneIn(text: string): string | undefined {
  return text.length > 40 ? undefined : (ZONED.exec(text) ?? ZONED_BY_NAME.exec(text))?.[1]
}

/** Milliseconds ahead of UTC: of `+01:00`, an hour; databases write `+01`. */
export function offset(zone: string | undefined): number {
  const parts = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(ZONES[zone?.toLowerCase() ?? ''] ?? zone ?? '')
  if (!parts) return 0
  const [, sign, hours, minutes = 0] = parts
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** A time of day: `time > 10:00` is about the clock of each record, whatever its day. Milliseconds since midnight; `to` is exclusive. */
export interface ClockSpan {
  from: number
  to: number
}

const CLOCK_ALONE = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([ap]m)?$/i
const CLOCK_WITHIN = /(?<![\d.,])(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?([ap]m)\b)?/i

/** The time of day that a text is, as wide as it is written; undefined when it is more or something else. */
export function parseClock(text: string): ClockSpan | undefined {
  const full = text.replace(/^(\d{1,2})\s*(?=[ap]m$)/i, '$1:00 ')
  return full.length > 18 ? undefined : clockSpan(CLOCK_ALONE.exec(full))
}

/** The clock of a date and time, in its own zone; undefined when it has none. */
export function clockOf(text: string): ClockSpan | undefined {
  return text.length > 40 ? undefined : clockSpan(CLOCK_WITHIN.exec(text))
}

function clockSpan(match: RegExpExecArray | null): ClockSpan | undefined {
  if (!match) return undefined
  const [, hour = '', minute = '', second, fraction, half] = match
  let hours = Number(hour)
  if (half !== undefined) hours = (hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  if (hours > 24 || Number(minute) > 59 || Number(second ?? 0) > 60) return undefined
  const whole = ((hours * 60 + Number(minute)) * 60 + Number(second ?? 0)) * 1_000
  const from = whole + Math.floor(Number(`0.${fraction ?? 0}`) * 1_000)
  return { from, to: from + (fraction !== undefined ? 1 : second !== undefined ? 1_000 : 60_000) }
}
