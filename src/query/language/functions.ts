/**
 * The scalar functions: one table, from which calls are read and computed, and of which messages, the descriptions of parameters and the
 * documentation tell. A function is total: what has no meaning gives null, and nothing throws but a `Refusal` of a pattern that
 * cannot be read. Work and sizes are bounded.
 */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { compileLinear, type EachMatch } from '../../text/patterns/pattern.ts'
import {
  type DatePart,
  dateOf,
  datePart,
  PART_NUMBERS,
  partOf,
  WEEKDAYS,
} from '../../text/values/date-parts.ts'
import { DAY } from '../../text/values/dates.ts'
import { startOf, startsBetween, timeUnit, unitsBetween, unitsLater } from '../../text/values/intervals.ts'
import { amountIn, duration, longInteger, looseNumber } from '../../text/values/quantities.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { compareNaturally } from '../../text/words/natural-order.ts'
import { Refusal, shown } from '../refusal.ts'
import { byName, otherNames } from './table.ts'

type Value = JsonValue | undefined
type Args = readonly Value[]
/** The type of the outcome of a function. */
type Gives = 'text' | 'number' | 'date' | 'yes or no' | 'list' | 'any'

export interface ScalarFunction {
  readonly name: string
  /** Its names in other languages. Case, `_` and `-` aside, all names are alike. */
  readonly otherNames: readonly string[]
  /** Arguments. */
  readonly least: number
  readonly most: number
  readonly gives: Gives
  /** Its work, one sentence. */
  readonly text: string
  readonly example: string
  /** The value of the call. An argument that reaches several values comes as a list; undefined or null: nothing is there. */
  evaluate(args: Args): JsonValue | undefined
}

/** Characters of a text that are looked at, characters and elements that a function gives, and of a pattern. */
const LONGEST_TEXT = 100_000
const MOST_PARTS = 1_000
const LONGEST_PATTERN = 1_000
/** Patterns that are kept compiled. */
const MOST_PATTERNS = 64
/** Steps of bisection, digits: more are no help to a double. */
const MOST_DIGITS = 15
/** More arguments of `concat`, `coalesce`, `greatest` than anybody writes. */
const MANY = 50

// Arguments, read as the types that functions take.

function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) : value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return undefined
}

/** A list of one is its element. */
function numberOf(value: Value): number | undefined {
  if (Array.isArray(value)) return value.length === 1 ? numberOf(value[0]) : undefined
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'object' && value !== null) return amountIn(value)
  const number = typeof value === 'string' ? looseNumber(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

function wholeOf(value: Value): number | undefined {
  const number = numberOf(value)
  return number === undefined ? undefined : Math.trunc(number)
}

/** Milliseconds since 1970. */
function timeOf(value: Value): number | undefined {
  const from =
    value === undefined || value === null || typeof value === 'object' ? undefined : dateOf(value)?.from
  return from !== undefined && Math.abs(from) <= LAST_TIME ? from : undefined
}

const LAST_TIME = 8.64e15

/** The elements of a list; of anything else itself. Nulls are left out. */
function elementsOf(value: Value): JsonValue[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.slice(0, LONGEST_TEXT).filter((one) => one !== null) : [value]
}

// Parts that functions are made of.

/** A value to something; of a list, that of each element. */
function ofEach(make: (value: Value, rest: Args) => JsonValue | undefined): ScalarFunction['evaluate'] {
  const evaluate = ([first, ...rest]: Args): JsonValue | undefined =>
    Array.isArray(first)
      ? first.slice(0, MOST_PARTS).map((one) => evaluate([one, ...rest]) ?? null)
      : make(first, rest)
  return evaluate
}

function ofText(make: (text: string, rest: Args) => JsonValue | undefined): ScalarFunction['evaluate'] {
  return ofEach((value, rest) => {
    const text = textOf(value)
    return text === undefined ? null : make(text, rest)
  })
}

/** Numbers to a number; null where it is none. Of a list, that of each element. */
function ofNumber(
  make: (number: number, ...rest: (number | undefined)[]) => number,
): ScalarFunction['evaluate'] {
  const evaluate = ([first, ...rest]: Args): JsonValue => {
    if (Array.isArray(first) && first.length !== 1)
      return first.slice(0, MOST_PARTS).map((one) => evaluate([one, ...rest]))
    const number = numberOf(first)
    const found = number === undefined ? Number.NaN : make(number, ...rest.map(numberOf))
    return Number.isFinite(found) ? found : null
  }
  return evaluate
}

function ofDate(
  make: (time: number, rest: Args, value: JsonValue) => JsonValue | undefined,
): ScalarFunction['evaluate'] {
  return ofEach((value, rest) => {
    const time = timeOf(value)
    return time === undefined ? null : make(time, rest, value ?? null)
  })
}

function ofList(make: (elements: readonly JsonValue[], rest: Args) => JsonValue): ScalarFunction['evaluate'] {
  return ([first, ...rest]) => (first === undefined || first === null ? null : make(elementsOf(first), rest))
}

/** Rounded in decimals, half away from zero: 1.01 of 1.005. */
function rounded(number: number, digits: number): number {
  const places = Math.max(-MOST_DIGITS, Math.min(MOST_DIGITS, Math.trunc(digits)))
  if (Number.isInteger(number) && places >= 0) return number
  const [mantissa = '', exponent = '0'] = String(Math.abs(number)).split('e')
  const scaled = Math.round(Number(`${mantissa}e${Number(exponent) + places}`))
  const [whole = '', power = '0'] = String(scaled).split('e')
  const found = Number(`${whole}e${Number(power) - places}`)
  return number < 0 && found !== 0 ? -found : found
}

/** Without what a double adds to sums and quotients of decimals: 0.3 of 0.30000000000000004. */
function plain(number: number): number {
  return Number(number.toPrecision(MOST_DIGITS))
}

function sum(numbers: readonly number[]): number {
  return plain(numbers.reduce((all, one) => all + one, 0))
}

function numbersIn(elements: readonly JsonValue[]): number[] {
  return elements.flatMap((one) => numberOf(one) ?? [])
}

// Patterns.

const compiled = new Map<string, EachMatch>()

/** Compiled once. Throws a `Refusal` for what is no pattern. `i` among the flags: whatever the case. */
function patternOf(written: string, flags = ''): EachMatch {
  const [, inSlashes, own = ''] = /^\/(.+)\/([a-z]*)$/s.exec(written) ?? []
  const source = inSlashes ?? written
  const ignoreCase = (own + flags).includes('i')
  const key = `${ignoreCase ? 'i' : ''}/${source}`
  const before = compiled.get(key)
  if (before) return before
  let pattern: EachMatch
  try {
    if (source.length > LONGEST_PATTERN) throw new Error(`it has more than ${LONGEST_PATTERN} characters`)
    pattern = compileLinear(source, ignoreCase, true)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Refusal(
      `\`${shown(source)}\` cannot be read as a regular expression: ${shown(why, 120)}. Write like extract(title, '#(\\d+)', 1).`,
    )
  }
  if (compiled.size >= MOST_PATTERNS) compiled.delete([...compiled.keys()][0] ?? '')
  compiled.set(key, pattern)
  return pattern
}

interface Match {
  start: number
  end: number
  /** The whole match is the first. */
  groups: (string | null)[]
}

/** Thrown to look no further. */
const ENOUGH = Symbol('enough')

function matchesIn(text: string, pattern: EachMatch, most: number): Match[] {
  const found: Match[] = []
  const take: Parameters<EachMatch>[1] = (start, end, group) => {
    const groups: (string | null)[] = [text.slice(start, end)]
    for (let nth = 1; nth < MANY; nth++) {
      const one = group(String(nth))
      if (one === undefined) break
      groups.push(one)
    }
    found.push({ start, end, groups })
    if (found.length >= most) throw ENOUGH
  }
  try {
    pattern(text, take)
  } catch (error) {
    if (error !== ENOUGH) throw error
  }
  return found
}

/** The group that is asked for; where none is, the first one, else the whole match. */
function groupOf({ groups }: Match, wanted: Value): string | null {
  const nth = wholeOf(wanted)
  return groups[nth ?? (groups.length > 1 ? 1 : 0)] ?? null
}

/** `$1` and `\1` are groups, `$0` and `$&` the match. */
function replaced(text: string, pattern: EachMatch, by: string): string {
  let out = ''
  let from = 0
  for (const { start, end, groups } of matchesIn(text, pattern, LONGEST_TEXT)) {
    const put = by.replaceAll(/[$\\](\d|&)/g, (_, nth: string) => groups[nth === '&' ? 0 : Number(nth)] ?? '')
    out += text.slice(from, start) + put
    from = end
    if (out.length > LONGEST_TEXT) return out.slice(0, LONGEST_TEXT)
  }
  return (out + text.slice(from)).slice(0, LONGEST_TEXT)
}

// Dates.

/** `'days'`, `DAY`, `d`: `day`. */
function unitOf(value: Value): string | undefined {
  return timeUnit(textOf(value) ?? '')
}

/** A day where the time is midnight, else the instant. */
function dateText(time: number): string | null {
  if (!Number.isFinite(time) || Math.abs(time) > LAST_TIME) return null
  const text = new Date(time).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, -14) : text.replace('.000Z', 'Z')
}

/** `date_diff('day', from, to)`, `date_diff(to, from, 'day')`, `date_diff(to, from)` in days. */
const difference = (args: Args): JsonValue => apart(args, unitsBetween)

function apart([first, second, third]: Args, count: typeof unitsBetween): JsonValue {
  const leading = third === undefined ? undefined : unitOf(first)
  const [start, end, unit] = leading
    ? [second, third, leading]
    : [second, first, third === undefined ? 'day' : unitOf(third)]
  const [from, to] = [timeOf(start) ?? spanOf(start), timeOf(end) ?? spanOf(end)]
  if (from === undefined || to === undefined) return null
  if (unit === undefined) throw unknownUnit(third)
  return count(from, to, unit)
}

/** The last day of the month of a date. */
function lastDay(time: number): string | null {
  return dateText(unitsLater(unitsLater(startOf(time, 'month'), 1, 'month'), -1, 'day'))
}

const MOVE = /^([+-]?\d{1,9}(?:\.\d+)?)\s*([a-z]+)$/i
/** Modifiers that change no time in UTC, and the formats of `to_date`, which are not needed. */
const WITHOUT_EFFECT = /^(?:utc|localtime|unixepoch|auto|subsec(?:ond)?)$|^(?=.*(?:YY|%[ymd])).{2,40}$/i

/** A time after the modifiers of SQLite, `'+7 days'`, `'start of month'`, `'weekday 1'`. Undefined for what is no time. */
function moved(value: Value, modifiers: Args): number | undefined {
  let time = timeOf(value)
  for (const modifier of modifiers) {
    const text = (textOf(modifier) ?? '').trim()
    const [, count, unit = ''] = MOVE.exec(text) ?? []
    const [, start] = /^start\s+of\s+(\w+)$/i.exec(text) ?? []
    const [, weekday] = /^weekday\s+([0-6])$/i.exec(text) ?? []
    const [move, begin] = [timeUnit(unit), timeUnit(start ?? '')]
    if (time === undefined) return undefined
    if (count !== undefined && move !== undefined) time = unitsLater(time, Number(count), move)
    else if (begin !== undefined) time = startOf(time, begin)
    else if (weekday !== undefined)
      time = unitsLater(time, (Number(weekday) + 7 - new Date(time).getUTCDay()) % 7, 'day')
    else if (!WITHOUT_EFFECT.test(text))
      throw new Refusal(
        `\`${shown(text, 40)}\` changes no date. Write like date(created_at, 'start of month', '+7 days').`,
      )
  }
  return time
}

function dayOf(time: number | undefined): string | null {
  return time === undefined || Number.isNaN(time) ? null : dateText(startOf(time, 'day'))
}

/** Two times as a clock shows them differ by as much as those of one day. */
function spanOf(value: Value): number | undefined {
  const text = textOf(value)
  return text?.includes(':') ? duration(text) : undefined
}

function unknownUnit(value: Value): Refusal {
  return new Refusal(
    `\`${shown(textOf(value) ?? '')}\` is no unit of time. Write second, minute, hour, day, week, month, quarter or year: date_diff('day', created_at, closed_at).`,
  )
}

/** `date_trunc('month', date)` and `date_trunc(date, 'month')`. */
function truncated([first, second]: Args): JsonValue {
  const named = (value: Value): DatePart | undefined => {
    const word = textOf(value)
    return word === undefined ? undefined : datePart(unitOf(word) ?? word)
  }
  const leading = named(first)
  const [part, value] = leading ? [leading, second] : [named(second), first]
  if (part === undefined) throw unknownUnit(second ?? first)
  return ofEach((one) => partOf(one ?? null, part))([value]) ?? null
}

const NUMBERS: Readonly<Record<string, (time: Date) => number>> = PART_NUMBERS
/** The parts that a date without a year lacks. */
const OF_A_YEAR: ReadonlySet<string> = new Set(['year', 'week', 'dow', 'isodow', 'doy', 'epoch'])
/** The parts that a time of day has by itself. */
const CLOCKED: ReadonlySet<string> = new Set(['hour', 'minute', 'second'])
/** The parts that have functions of their own, with the other names of these. */
const PART_NAMES: readonly (readonly [part: string, otherNames: string])[] = [
  ['year', 'getfullyear getyear getutcfullyear'],
  ['quarter', ''],
  ['month', 'monthofyear'],
  ['week', 'weekofyear isoweek'],
  ['day', 'dayofmonth'],
  ['hour', 'gethours hourofday'],
  ['minute', ''],
  ['second', ''],
]
const PART_WORDS: ReadonlyMap<string, string> = new Map([
  ...PART_NAMES.flatMap(([part, others]) => otherNames(others).map((name) => [name, part] as const)),
  ['dayofweek', 'dow'],
  ['weekday', 'dow'],
  ['dayofyear', 'doy'],
])

/** `date_part('hour', date)`: a number. */
function numberOfPart([first, second]: Args): JsonValue {
  const named = (value: Value): string | undefined => {
    const word = bareName(textOf(value) ?? '')
    const one = PART_WORDS.get(word) ?? unitOf(word) ?? word
    return Object.hasOwn(NUMBERS, one) ? one : undefined
  }
  const leading = named(first)
  const [part, value] = leading === undefined ? [named(second), first] : [leading, second]
  if (part === undefined) throw unknownUnit(second)
  return partNumber(part, value)
}

function partNumber(part: string, value: Value): JsonValue {
  if (Array.isArray(value)) return value.slice(0, MOST_PARTS).map((one) => partNumber(part, one))
  const time = timeOf(value)
  if (time === undefined) {
    const clock =
      typeof value === 'string' && CLOCKED.has(part) ? partOf(value, 'second')?.split(':') : undefined
    return clock ? Number(clock[['hour', 'minute', 'second'].indexOf(part)]) : null
  }
  if (OF_A_YEAR.has(part) && typeof value === 'string' && dateOf(value)?.yearless === true) return null
  return NUMBERS[part]?.(new Date(time)) ?? null
}

const FORMATS: Readonly<Record<string, (time: Date) => string>> = {
  Y: (time) => String(time.getUTCFullYear()),
  y: (time) => String(time.getUTCFullYear()).slice(-2),
  m: (time) => time.toISOString().slice(-19, -17),
  d: (time) => time.toISOString().slice(-16, -14),
  H: (time) => time.toISOString().slice(-13, -11),
  M: (time) => time.toISOString().slice(-10, -8),
  i: (time) => time.toISOString().slice(-10, -8),
  S: (time) => time.toISOString().slice(-7, -5),
  s: (time) => time.toISOString().slice(-7, -5),
  F: (time) => time.toISOString().slice(0, 10),
  T: (time) => time.toISOString().slice(-13, -5),
  A: (time) => WEEKDAYS[time.getUTCDay()] ?? '',
  a: (time) => (WEEKDAYS[time.getUTCDay()] ?? '').slice(0, 3),
  B: (time) => new Date(time).toLocaleString('en', { month: 'long', timeZone: 'UTC' }),
  b: (time) => new Date(time).toLocaleString('en', { month: 'short', timeZone: 'UTC' }),
  j: (time) => String(PART_NUMBERS.doy(time)).padStart(3, '0'),
  Q: (time) => String(PART_NUMBERS.quarter(time)),
  V: (time) => String(PART_NUMBERS.week(time)).padStart(2, '0'),
  w: (time) => String(time.getUTCDay()),
  u: (time) => String(PART_NUMBERS.isodow(time)),
  e: (time) => String(time.getUTCDate()),
  h: (time) => new Date(time).toLocaleString('en', { month: 'short', timeZone: 'UTC' }),
  I: (time) => String(time.getUTCHours() % 12 || 12).padStart(2, '0'),
  p: (time) => (time.getUTCHours() < 12 ? 'AM' : 'PM'),
  R: (time) => time.toISOString().slice(-13, -8),
  f: (time) => time.toISOString().slice(-7, -1),
  Z: () => 'UTC',
  z: () => '+0000',
  '%': () => '%',
}

/** The patterns of SQL and Java, longest first, as those of `strftime`. */
const SQL_FORMATS: readonly (readonly [RegExp, string])[] = [
  [/^(?:YYYY|yyyy)/, 'Y'],
  [/^(?:YY|yy)(?![a-z])/i, 'y'],
  [/^(?:Month|MONTH|MMMM)/, 'B'],
  [/^(?:Mon|MON|MMM)/, 'b'],
  [/^MM/, 'm'],
  [/^(?:Day|DAY|EEEE|dddd)/, 'A'],
  [/^(?:Dy|DY|EEE|ddd)/, 'a'],
  [/^DDD/, 'j'],
  [/^(?:DD|dd)/, 'd'],
  [/^(?:HH24|HH12|HH|hh)/, 'H'],
  [/^(?:MI|mi|mm)/, 'M'],
  [/^(?:SS|ss)/, 'S'],
  [/^(?:IW|WW|ww)/, 'V'],
  [/^Q/, 'Q'],
]

/** A format as `strftime` has it: `%Y-%m` of `YYYY-MM`. */
function withPercents(format: string): string {
  if (format.includes('%')) return format
  let out = ''
  for (let at = 0; at < format.length; ) {
    const rest = format.slice(at)
    const [pattern, letter] = SQL_FORMATS.find(([one]) => one.test(rest)) ?? []
    const length = pattern?.exec(rest)?.[0].length ?? 1
    out += letter === undefined ? rest.charAt(0) : `%${letter}`
    at += length
  }
  return out
}

/** The date and the format, in either order. */
function formatted([first, second, ...modifiers]: Args): JsonValue {
  const leading = textOf(first)?.includes('%') === true || timeOf(first) === undefined
  const [format, value] = leading ? [textOf(first), second] : [textOf(second), first]
  const time = moved(value, modifiers)
  if (time === undefined || format === undefined) return null
  // `DATE_FORMAT(time, '%s')` has the seconds of the minute.
  return leading ? strftime(format, time) : dateAs(withPercents(format.slice(0, LONGEST_FORMAT)), time)
}

/** A time, in milliseconds since 1970, as `strftime` of C writes it; `%s` is the seconds since 1970. Throws a `Refusal` for an unknown part. */
export function strftime(format: string, time: number): string {
  const seconds = format.replaceAll('%s', String(Math.floor(time / 1_000)))
  return dateAs(withPercents(seconds.slice(0, LONGEST_FORMAT)), time)
}

function dateAs(format: string, time: number): string {
  const date = new Date(time)
  return format.replaceAll(/%([\w%])/g, (all, letter: string) => {
    if (!Object.hasOwn(FORMATS, letter)) throw unknownFormat(all)
    return FORMATS[letter]?.(date) ?? all
  })
}

function unknownFormat(letter: string): Refusal {
  const known = Object.keys(FORMATS).map((one) => `%${one}`)
  return new Refusal(`\`${letter}\` is no part of a date. There are ${known.join(', ')}.`)
}

const LONGEST_FORMAT = 200

// Choices.

/** Numbers by value, else text with the numbers in it by value. */
function extreme(args: Args, direction: 1 | -1): JsonValue {
  const held = args.flatMap(elementsOf)
  if (held.length === 0) return null
  const numbers = held.map(numberOf)
  const byNumber = numbers.every((number) => number !== undefined)
  return held.reduce((best, one) => {
    const order = byNumber
      ? (numberOf(one) ?? 0) - (numberOf(best) ?? 0)
      : compareNaturally(textOf(one) ?? '', textOf(best) ?? '')
    return order * direction > 0 ? one : best
  })
}

function isNothing(value: Value): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.every((one) => one === null))
}

function isSame(one: Value, other: Value): boolean {
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other)
  const [first, second] = [numberOf(one), numberOf(other)]
  if (first !== undefined && second !== undefined) return first === second
  return JSON.stringify(one) === JSON.stringify(other)
}

function holds(value: Value): boolean {
  return (
    value === true ||
    (typeof value === 'string' && /^(?:true|yes|1)$/i.test(value)) ||
    (typeof value === 'number' && value !== 0)
  )
}

/** Where a number lies among equal parts of a range: 1 to `count`, 0 below it, `count + 1` above. */
function place(number: number, low: number, high: number, count: number): number {
  const parts = Math.trunc(count)
  if (parts < 1 || low === high) return Number.NaN
  const share = (number - low) / (high - low)
  return share < 0 ? 0 : share >= 1 ? parts + 1 : Math.floor(share * parts) + 1
}

function part(text: string, [separator, nth]: Args): JsonValue {
  const between = textOf(separator) ?? ' '
  const parts = between === '' ? [...text] : text.split(between)
  const wanted = wholeOf(nth)
  if (nth === undefined) return parts.slice(0, MOST_PARTS)
  if (wanted === 0)
    throw new Refusal("`split` counts from 1: `split(path, '/', 1)` is the first part, -1 the last.")
  return elementAt(parts, wanted)
}

/** The text before the nth separator; behind the nth from the end where it is negative. */
function upTo(text: string, [separator, nth]: Args): JsonValue {
  const between = textOf(separator) ?? ''
  const count = wholeOf(nth)
  if (between === '' || count === undefined) return null
  const parts = text.split(between)
  return (count < 0 ? parts.slice(count) : parts.slice(0, count)).join(between)
}

/** A URL, its scheme left out or not, or an address of mail: the host, and the path behind it. */
const ADDRESS =
  /^\s*(?:(?:[a-z][a-z\d+.-]{0,30}:)?\/\/(?:[^/?#@\s]*@)?|[^/?#@\s]*@)?(\[[\da-f:.]+\]|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.?)(?::\d+)?(\/[^?#\s]*)?(?:[?#]|\s*$)/iu

/** A host in small letters, as it is written: with its `www.`. Null for a word that may be anything. */
function hostOf(text: string): JsonValue {
  const [whole = '', host = ''] = ADDRESS.exec(text.slice(0, LONGEST_URL)) ?? []
  return /\/\/|@/.test(whole) || host.includes('.') ? host.toLowerCase() : null
}

/** The path of a URL; of a text that begins with a slash, that without its query. */
function pathOfUrl(text: string): JsonValue {
  const url = text.slice(0, LONGEST_URL).trim()
  if (/^\/(?!\/)/.test(url)) return url.replace(/[?#].*$/s, '')
  return hostOf(url) === null ? null : (ADDRESS.exec(url)?.[2] ?? '/')
}

const LONGEST_URL = 8_192

/** From a position that counts from 1, as SQL does; from the end where it is negative. */
function partOfText(text: string, [start, length]: Args): JsonValue {
  const from = wholeOf(start) ?? 1
  const count = wholeOf(length)
  const first = from < 0 ? Math.max(0, text.length + from) : Math.max(0, from - 1)
  if (length !== undefined && length !== null && count === undefined) return null
  return count === undefined ? text.slice(first) : text.slice(first, first + Math.max(0, count))
}

function padded(text: string, [width, fill]: Args, atStart: boolean): JsonValue {
  const to = Math.min(wholeOf(width) ?? 0, MOST_PARTS)
  const by = textOf(fill) ?? ' '
  return atStart ? text.padStart(to, by) : text.padEnd(to, by)
}

type Row = [
  name: string,
  otherNames: string,
  arity: number | [number, number],
  gives: Gives,
  text: string,
  example: string,
  evaluate: ScalarFunction['evaluate'],
]

// biome-ignore format: a table, one function a line.
const ROWS: readonly Row[] = [
  // Text.
  ['lower', 'tolower tolowercase lcase asciidowncase downcase casefold', 1, 'text', 'In lower case.', 'lower(title)', ofText((text) => text.toLowerCase())],
  ['upper', 'toupper touppercase ucase asciiupcase upcase', 1, 'text', 'In upper case.', 'upper(code)', ofText((text) => text.toUpperCase())],
  ['initcap', 'capitalize titlecase', 1, 'text', 'Each word with a capital.', 'initcap(name)', ofText((text) => text.toLowerCase().replaceAll(/\b\p{L}/gu, (letter) => letter.toUpperCase()))],
  ['trim', 'strip btrim', 1, 'text', 'Without space at both ends.', 'trim(name)', ofText((text) => text.trim())],
  ['ltrim', 'lstrip trimstart', 1, 'text', 'Without space at the start.', 'ltrim(name)', ofText((text) => text.trimStart())],
  ['rtrim', 'rstrip trimend', 1, 'text', 'Without space at the end.', 'rtrim(name)', ofText((text) => text.trimEnd())],
  ['length', 'len size arraylength jsonarraylength cardinality charlength characterlength arraysize strlen', 1, 'number', 'Characters of a text, elements of a list, keys of an object.', 'length(labels)', ([value]) => (isNothing(value) ? null : lengthOf(value))],
  ['substr', 'substring mid slice', [2, 3], 'text', 'Part of a text: from a position (the first is 1, -1 the last), so many characters.', 'substr(code, 1, 2)', ofText(partOfText)],
  ['left', '', 2, 'text', 'The first characters.', 'left(code, 2)', ofText((text, [count]) => text.slice(0, Math.max(0, wholeOf(count) ?? 0)))],
  ['right', '', 2, 'text', 'The last characters.', 'right(code, 2)', ofText((text, [count]) => text.slice(Math.max(0, text.length - Math.max(0, wholeOf(count) ?? 0))))],
  ['split', 'splitpart stringtoarray strsplit stringsplit', [1, 3], 'list', 'The parts of a text between separators, or the nth of them (-1 the last).', "split(email, '@', 2)", ofText(part)],
  ['substring_index', '', 3, 'text', 'The text before the nth separator; behind the nth from the end where it is negative.', "substring_index(race, '_', 1)", ofText(upTo)],
  ['host', 'domain hostname netloc urlhost nethost urlextracthost parseurlhost', 1, 'text', 'The host of a URL or of an address of mail.', 'host(url)', ofText(hostOf)],
  ['url_path', 'path pathname urlextractpath', 1, 'text', 'The path of a URL, without its query.', 'url_path(url)', ofText(pathOfUrl)],
  ['replace', 'replaceall strreplace', 3, 'text', 'Each occurrence of a text by another; a pattern is written /like this/.', "replace(name, '-', ' ')", ofText((text, [from, to]) => replacedIn(text, textOf(from), textOf(to) ?? ''))],
  ['regexp_replace', 'regexreplace resub gsub', [3, 4], 'text', 'Each match of a pattern by a text, in which $1 is a group.', "regexp_replace(name, '\\d+', '#')", ofText((text, [from, to, flags]) => isNothing(from) ? null : replaced(text, patternOf(textOf(from) ?? '', textOf(flags)), textOf(to) ?? ''))],
  ['extract', 'regexpextract regexextract regexpsubstr regexpmatch capture', [2, 3], 'text', 'What a regular expression finds first: the group named by its number, else the first group.', "extract(title, '#(\\d+)', 1)", ofText((text, [pattern, group]) => extracted(text, pattern, group))],
  ['extract_all', 'regexpextractall regexpmatches findall scan', [2, 3], 'list', 'All that a regular expression finds.', "extract_all(text, '@(\\w+)')", ofText((text, [pattern, group]) => isNothing(pattern) ? null : matchesIn(text, patternOf(textOf(pattern) ?? ''), MOST_PARTS).map((match) => groupOf(match, group)))],
  ['regexp_count', 'countmatches', 2, 'number', 'How often a regular expression is found.', "regexp_count(text, 'error')", ofText((text, [pattern]) => isNothing(pattern) ? null : matchesIn(text, patternOf(textOf(pattern) ?? ''), LONGEST_TEXT).length)],
  ['concat', 'concatenate', [1, MANY], 'text', 'Values one after the other, as text; nulls are left out.', "concat(first, ' ', last)", (args) => args.flatMap(elementsOf).map(written).join('').slice(0, LONGEST_TEXT)],
  ['concat_ws', 'joinwith', [2, MANY], 'text', 'The same with a separator, which comes first.', "concat_ws('-', year, month)", ([separator, ...args]) => args.flatMap(elementsOf).map(written).join(textOf(separator) ?? '').slice(0, LONGEST_TEXT)],
  ['starts_with', 'hasprefix', 2, 'yes or no', 'Whether a text begins so.', "starts_with(name, 'web')", ofText((text, [start]) => (isNothing(start) ? null : text.startsWith(textOf(start) ?? '')))],
  ['ends_with', 'hassuffix', 2, 'yes or no', 'Whether a text ends so.', "ends_with(file, '.ts')", ofText((text, [end]) => (isNothing(end) ? null : text.endsWith(textOf(end) ?? '')))],
  ['position', 'strpos indexof instr', 2, 'number', 'Where a text occurs in another, from 1; 0 for nowhere.', "position(email, '@')", ofText((text, [wanted]) => (isNothing(wanted) ? null : text.indexOf(textOf(wanted) ?? '') + 1))],
  ['locate', 'charindex', 2, 'number', 'The same, with the text that is looked for first.', "locate('@', email)", ([wanted, text]) => ofText((held) => (isNothing(wanted) ? null : held.indexOf(textOf(wanted) ?? '') + 1))([text])],
  ['reverse', '', 1, 'text', 'From the end to the start.', 'reverse(code)', ofText((text) => [...text].reverse().join(''))],
  ['lpad', 'padstart padleft', [2, 3], 'text', 'Filled up at the start to a width.', "lpad(id, 5, '0')", ofText((text, rest) => padded(text, rest, true))],
  ['rpad', 'padend padright', [2, 3], 'text', 'Filled up at the end to a width.', 'rpad(name, 10)', ofText((text, rest) => padded(text, rest, false))],
  // Numbers.
  ['round', '', [1, 2], 'number', 'Rounded, to so many decimals.', 'round(price, 2)', ofNumber((number, digits = 0) => rounded(number, digits))],
  ['floor', '', 1, 'number', 'The whole number below.', 'floor(score)', ofNumber(Math.floor)],
  ['ceil', 'ceiling', 1, 'number', 'The whole number above.', 'ceil(score)', ofNumber(Math.ceil)],
  ['trunc', 'truncate toint int integer parseint', 1, 'number', 'The whole number before the point.', 'trunc(score)', ([value]) => (longInteger(value ?? null) === undefined ? ofNumber(Math.trunc)([value]) : value)],
  ['abs', 'absolute', 1, 'number', 'Without its sign.', 'abs(change)', ofNumber(Math.abs)],
  ['sign', 'signum', 1, 'number', '-1, 0 or 1.', 'sign(change)', ofNumber(Math.sign)],
  ['mod', 'modulo remainder', 2, 'number', 'What a division leaves.', 'mod(id, 10)', ofNumber((number, by = Number.NaN) => number % by)],
  ['pow', 'power', 2, 'number', 'A number to a power.', 'pow(size, 2)', ofNumber((number, to = Number.NaN) => number ** to)],
  ['sqrt', '', 1, 'number', 'The square root.', 'sqrt(area)', ofNumber(Math.sqrt)],
  ['exp', '', 1, 'number', 'e to a power.', 'exp(rate)', ofNumber(Math.exp)],
  ['log', 'ln logn', [1, 2], 'number', 'The natural logarithm, or that to a base, which comes first.', 'log(value)', ofNumber((number, second) => second === undefined ? Math.log(number) : Math.log(second) / Math.log(number))],
  ['log10', '', 1, 'number', 'The logarithm to base 10.', 'log10(value)', ofNumber(Math.log10)],
  ['log2', '', 1, 'number', 'The logarithm to base 2.', 'log2(value)', ofNumber(Math.log2)],
  ['bucket', 'bin histogram timebucket', 2, 'number', 'The start of the part of so wide that a number lies in.', 'bucket(price, 10)', ofNumber((number, width = Number.NaN) => width > 0 ? plain(Math.floor(plain(number / width)) * width) : Number.NaN)],
  ['width_bucket', '', 4, 'number', 'Which of equal parts of a range a number lies in: value, low, high, count.', 'width_bucket(age, 0, 100, 10)', ofNumber((number, low = 0, high = 0, count = 0) => place(number, low, high, count))],
  // Dates.
  ['date_diff', 'timestampdiff timediff', [2, 3], 'number', 'Time from one date to another in a unit, with fractions; without a unit the days from the second to the first.', "date_diff('day', created_at, closed_at)", difference],
  ['days_between', 'datediff', [2, 3], 'number', 'How many midnights lie between two dates, the later first, or how often another unit begins.', "days_between(closed_at, created_at)", (args) => apart(args, startsBetween)],
  ['age', '', [1, 3], 'number', 'Days from a date to now, or to another; a unit may follow.', "age(created_at, 'year')", aged],
  ['date_trunc', 'truncdate startof timestamptrunc', 2, 'date', 'The year, quarter, month, week, day, hour or minute of a date.', "date_trunc('month', created_at)", truncated],
  ['date_part', '', 2, 'number', 'A part of a date as a number: year, quarter, month, week, day, hour, minute, second, dow (Sunday 0), isodow (Sunday 7), doy, epoch.', "date_part('hour', created_at)", numberOfPart],
  ...PART_NAMES.map(([name, others]): Row => [name, others, 1, 'number', `The ${name} of a date as a number.`, `${name}(created_at)`, ([value]) => partNumber(name, value)]),
  ['month_name', '', 1, 'text', 'The month by its name.', 'month_name(created_at)', ofDate((time) => FORMATS.B?.(new Date(time)) ?? null)],
  ['weekday', 'dayname dayofweek', 1, 'text', 'The day of the week by its name.', 'weekday(created_at)', ofDate((_time, _rest, value) => partOf(value, 'weekday'))],
  ['date', 'todate', [1, MANY], 'date', 'The day of a time, moved as SQLite does.', "date(created_at, '+7 days')", ofDate((time, modifiers, value) => modifiers.length === 0 ? partOf(value, 'day') : dayOf(moved(time, modifiers)))],
  ['datetime', 'fromunixtime totimestamp strptime strtodate', [1, MANY], 'date', 'A time, moved as SQLite does.', "datetime(created_at, '-1 hour')", ofDate((time, modifiers) => dateText(moved(time, modifiers) ?? Number.NaN))],
  ['add_months', '', 2, 'date', 'A date so many months later.', 'add_months(due, 3)', ([date, count]) => later([date, count, 'month'])],
  ['months_between', '', 2, 'number', 'Months from the second date to the first, with fractions.', 'months_between(closed_at, created_at)', ([to, from]) => difference(['month', from, to])],
  ['day_of_year', 'doy', 1, 'number', 'The day of the year, from 1.', 'day_of_year(created_at)', ([value]) => partNumber('doy', value)],
  ['last_day', 'endofmonth eomonth', 1, 'date', 'The last day of the month of a date.', 'last_day(created_at)', ofDate(lastDay)],
  ['date_add', 'addtodate timestampadd', 3, 'date', 'A date so many units later: date, number, unit.', "date_add(due, 7, 'day')", later],
  ['date_format', 'strftime formatdate tochar', [2, MANY], 'text', 'A date in a format, %Y %m %d %H %M %S or YYYY MM DD HH24 MI SS.', "date_format(created_at, '%Y-%m')", formatted],
  ['epoch', 'unixtimestamp unixepoch tounixtime', 1, 'number', 'Seconds since 1970.', 'epoch(created_at)', ofDate((time) => time / 1_000)],
  ['julian_day', '', [1, MANY], 'number', 'Days, with fractions, since noon of 24 November 4714 BC.', 'julian_day(created_at)', ofDate((time, modifiers) => (moved(time, modifiers) ?? Number.NaN) / DAY + 2_440_587.5)],
  ['now', 'currenttimestamp getdate sysdate utcnow localtimestamp', 0, 'date', 'This moment, UTC.', 'now()', () => new Date().toISOString()],
  ['today', 'currentdate curdate', 0, 'date', 'This day, UTC.', 'today()', () => new Date().toISOString().slice(0, 10)],
  // Choices.
  ['coalesce', 'ifnull nvl firstnotnull', [1, MANY], 'any', 'The first that is not null.', "coalesce(nickname, name, '?')", (args) => args.find((one) => !isNothing(one)) ?? null],
  ['nullif', '', 2, 'any', 'Null where the two are equal, else the first.', 'nullif(total, 0)', ([one, other]) => (isNothing(one) || isSame(one, other) ? null : one)],
  ['if', 'iif iff', [2, 3], 'any', 'The second where the condition holds, else the third.', "if(score > 5, 'good', 'poor')", ([condition, then, otherwise]) => (holds(condition) ? then : otherwise) ?? null],
  ['nvl2', '', 3, 'any', 'The second where the first is not null, else the third.', "nvl2(closed_at, 'done', 'open')", ([one, then, otherwise]) => (isNothing(one) ? otherwise : then) ?? null],
  ['greatest', 'maxof', [1, MANY], 'any', 'The largest of several.', 'greatest(a, b)', (args) => extreme(args, 1)],
  ['least', 'minof', [1, MANY], 'any', 'The smallest of several.', 'least(a, b)', (args) => extreme(args, -1)],
  // Kinds.
  ['to_number', 'num number float parsefloat double decimal numeric tofloat', 1, 'number', 'The number that a text is: 1234.5 of "$1,234.50".', 'to_number(price)', ofNumber((number) => number)],
  ['to_text', 'tostring str string text varchar', 1, 'text', 'The text of a value.', 'to_text(id)', ([value]) => (isNothing(value) ? null : written(value ?? null).slice(0, LONGEST_TEXT))],
  ['type', 'typeof jsontypeof', 1, 'text', 'What a value is: null, boolean, number, string, list, object.', 'type(value)', ([value]) => kindOf(value)],
  // Lists.
  ['join', 'arraytostring arrayjoin listjoin implode', [1, 2], 'text', 'The elements of a list as one text.', "join(tags, ', ')", ofList((elements, [separator]) => elements.map(written).join(textOf(separator) ?? ', ').slice(0, LONGEST_TEXT))],
  ['element', 'elementat arrayelement nth getitem', 2, 'any', 'One element of a list: 1 the first, -1 the last.', 'element(tags, -1)', ofList((elements, [nth]) => elementAt(elements, wholeOf(nth)))],
  ['list_sum', 'arraysum listtotal', 1, 'number', 'The sum of the numbers of a list.', 'list_sum(items[].price)', ofList((elements) => sum(numbersIn(elements)))],
  ['list_avg', 'arrayavg listmean', 1, 'number', 'Their mean.', 'list_avg(scores)', ofList((elements) => mean(numbersIn(elements)))],
  ['list_max', 'arraymax', 1, 'any', 'The largest element.', 'list_max(scores)', ofList((elements) => extreme([[...elements]], 1))],
  ['list_min', 'arraymin', 1, 'any', 'The smallest element.', 'list_min(scores)', ofList((elements) => extreme([[...elements]], -1))],
  ['list_distinct', 'arraydistinct uniqueelements', 1, 'list', 'The elements, each once.', 'list_distinct(tags)', ofList((elements) => [...new Map(elements.map((one) => [JSON.stringify(one), one])).values()])],
  ['list_sort', 'arraysort sorted', 1, 'list', 'The elements in their order.', 'list_sort(tags)', ofList((elements) => [...elements].sort((a, b) => compareNaturally(written(a), written(b))))],
  ['keys', 'objectkeys mapkeys jsonobjectkeys jsonbobjectkeys arraykeys', 1, 'list', 'The names of the fields of an object, the keys of a map.', 'keys(dependencies)', ([value]) => (isObject(value) ? Object.keys(value).slice(0, MOST_PARTS) : null)],
]

/** All of them, in the order in which they are told. */
export const FUNCTIONS: readonly ScalarFunction[] = ROWS.map(
  ([name, others, arity, gives, text, example, evaluate]) => {
    const [least, most] = typeof arity === 'number' ? [arity, arity] : arity
    return { name, otherNames: otherNames(others), least, most, gives, text, example, evaluate }
  },
)

/** The functions that the description of parameters names; models guess the others, and the documentation lists them. */
export const TOLD_FUNCTIONS: readonly string[] = ['substr', 'extract', 'date_diff', 'date_trunc']

/** Names as they are written, and without `_` and `-`. A name of its own goes before another's other name. */
const BY_NAME = byName(FUNCTIONS, (name) => name)
const BY_BARE_NAME = byName(FUNCTIONS)

/** The function that a word names; where none is called just so, `_` and `-` aside. `date_diff` has fractions, `DATEDIFF` of SQL has none. */
export function functionNamed(word: string): ScalarFunction | undefined {
  return BY_NAME.get(word.toLowerCase()) ?? BY_BARE_NAME.get(bareName(word))
}

/** The functions that take a list as a whole, or several values of one. */
const OF_LISTS = new Set('length concat concat_ws greatest least type to_text join element keys'.split(' '))

/** True for a function that takes a list as a whole: of another one, a list is the list of what it gives for each element. */
export function takesLists({ name }: ScalarFunction): boolean {
  return OF_LISTS.has(name) || name.startsWith('list_')
}

const OF_INSTANTS = new Set(
  'date_diff days_between months_between add_months age julian_day datetime date_add epoch'.split(' '),
)
/** Of a time in UTC they make a date that is compared with other times. */
const OF_UTC = new Set('date date_trunc last_day date_format'.split(' '))
const OF_CLOCKS = new Set(
  'day_of_year date_part month_name year quarter month week day hour minute second weekday'.split(' '),
)

/** How dates are used: as moments, by what the calendar and the clock of their field show, or by those of UTC. */
type DateUse = 'instant' | 'clock' | 'utc'

/** How a value is used: as a date, as a number, or as a term. A term of a sum or of a comparison may be a number, a date or a span. */
export type Use = DateUse | 'term' | 'number'

const OF_NUMBERS = new Set(
  'round floor ceil trunc abs sign mod pow sqrt exp log log10 log2 bucket width_bucket to_number greatest least list_sum list_avg list_max list_min'.split(
    ' ',
  ),
)

/** How a function uses its arguments; undefined where it takes them as they are. */
export function useOf(fn: ScalarFunction): Use | undefined {
  return dateUse(fn) ?? (OF_NUMBERS.has(fn.name) ? 'number' : undefined)
}

/** How a function uses its arguments as dates; undefined where it does not. */
export function dateUse({ name }: ScalarFunction): DateUse | undefined {
  if (OF_UTC.has(name)) return 'utc'
  return OF_CLOCKS.has(name) ? 'clock' : OF_INSTANTS.has(name) ? 'instant' : undefined
}

/** True for a function that gives one of its arguments as it is. */
export function isChoice({ name }: ScalarFunction): boolean {
  return name === 'if' || name === 'coalesce' || name === 'nullif'
}

/** The function that is to one list what an aggregate is to all records. */
export function functionOfList(aggregate: string): string | undefined {
  return aggregate === 'count' ? 'length' : functionNamed(`list_${aggregate}`)?.name
}

/** The value of a call. Throws a `Refusal` for a number of arguments that it does not take. */
export function callFunction(fn: ScalarFunction, args: Args): JsonValue {
  if (args.length < fn.least || args.length > fn.most) {
    const wanted = fn.least === fn.most ? String(fn.least) : `${fn.least} to ${fn.most}`
    throw new Refusal(
      `\`${fn.name}\` takes ${wanted} arguments, not ${args.length}. Write like ${fn.example}.`,
    )
  }
  return fn.evaluate(args) ?? null
}

function written(value: JsonValue): string {
  return textOf(value) ?? (value === null ? '' : JSON.stringify(value))
}

function lengthOf(value: Value): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : String(value).length
}

function kindOf(value: Value): string {
  if (value === undefined || value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

function mean(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : plain(sum(numbers) / numbers.length)
}

function elementAt(elements: readonly JsonValue[], nth: number | undefined): JsonValue {
  if (nth === undefined || nth === 0) return null
  return elements[nth < 0 ? elements.length + nth : nth - 1] ?? null
}

function replacedIn(text: string, from: string | undefined, to: string): JsonValue {
  if (from === undefined) return null
  if (/^\/.+\/[a-z]*$/s.test(from)) return replaced(text, patternOf(from), to)
  if (from === '') return text
  // Each occurrence may grow: the text is cut, not the work.
  const most = Math.ceil(LONGEST_TEXT / Math.max(1, to.length)) + 1
  const parts = text.split(from, most + 1)
  return parts.join(to).slice(0, LONGEST_TEXT)
}

/** `extract(field, 'regex', group)`; a part of a date as well: `extract('year', date)`. */
function extracted(text: string, pattern: Value, group: Value): JsonValue {
  const source = textOf(pattern)
  if (source === undefined) return null
  if (/^[a-z]+$/i.test(text) && unitOf(text) !== undefined && timeOf(pattern) !== undefined)
    return numberOfPart([text, pattern])
  if (/^[a-z]+$/i.test(source) && unitOf(source) !== undefined && dateOf(text) !== undefined)
    return numberOfPart([source, text])
  const [match] = matchesIn(text, patternOf(source), 1)
  return match ? groupOf(match, group) : null
}

/** `age(date)`, `age(date, 'year')`, `age(later, earlier)`, `age(later, earlier, 'hour')`. */
function aged([first, second, third]: Args): JsonValue {
  const unit = second === undefined ? 'day' : unitOf(second)
  if (unit !== undefined) {
    const from = timeOf(first)
    return from === undefined ? null : unitsBetween(from, Date.now(), unit)
  }
  return difference([first, second, third ?? 'day'])
}

/** `date_add(date, 7, 'day')`, `dateadd('day', 7, date)`. */
function later([first, second, third]: Args): JsonValue {
  const leading = unitOf(first)
  const unit = leading ?? unitOf(third)
  const time = timeOf(leading === undefined ? first : third)
  const count = numberOf(second)
  if (time === undefined || count === undefined) return null
  if (unit === undefined) throw unknownUnit(third)
  return dateText(unitsLater(time, count, unit))
}
