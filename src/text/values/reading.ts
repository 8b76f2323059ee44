/**
 * How the values of one field are read where they are put in order or computed with. They are numbers, amounts in one unit, times, words of
 * a scale, versions, or texts.
 */
import type { JsonValue } from '../../protocol/json.ts'
import { compareNaturally } from '../words/natural-order.ts'
import { compactDate, fromEpoch, orderOfDates, parseClock, parseDate } from './dates.ts'
import { FAMILIES, FAMILY_READERS, type Family, familyOf, isAmount, toldIn } from './families.ts'
import { SCALE_NAMES, SCALE_READERS, type Scale } from './levels.ts'
import {
  areVersions,
  duration,
  longInteger,
  looseNumber,
  placeOfVersion,
  plainNumber,
  quantity,
  saysNothing,
} from './quantities.ts'
import { ageAt, mixOf, TIME_READERS } from './time-readers.ts'

/** A time in UTC to the millisecond, as most programs write it. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

/** Dates without a year are by themselves, after all that have one. */
const LAST_YEAR = 9999

function inLastYear(text: string): number | undefined {
  return parseDate(text, LAST_YEAR)?.from
}

/** The number that a text stands for, by each of the readings; undefined for one that means nothing else. */
export const READERS = {
  plain: looseNumber,
  /** Milliseconds. */
  ms: duration,
  bytes: (text: string) => quantity(text) ?? looseNumber(text),
  ...FAMILY_READERS,
  instant: (text: string) => {
    const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(time) ? undefined : time
  },
  ...TIME_READERS,
  dated: (text: string) => TIME_READERS.dated(text) ?? inLastYear(text),
  datedDayFirst: (text: string) => TIME_READERS.datedDayFirst(text) ?? inLastYear(text),
  datedMonthFirst: (text: string) => TIME_READERS.datedMonthFirst(text) ?? inLastYear(text),
  ...SCALE_READERS,
  /** Milliseconds since midnight. */
  clock: (text: string) => parseClock(text)?.from,
  version: placeOfVersion,
  text: plainNumber,
} as const satisfies Record<string, (text: string) => number | undefined>

export type Reading = keyof typeof READERS

/** The unit that the numbers of a reading are in: milliseconds, bytes, or that of a family. */
export type Unit = 'ms' | 'bytes' | Family

/** The unit of a reading; undefined for plain numbers and for what is no amount. */
export function unitOf(reading: Reading): Unit | undefined {
  const isUnit = reading === 'ms' || reading === 'bytes' || FAMILIES.some((family) => family === reading)
  return isUnit ? (reading as Unit) : undefined
}

/** The name of a unit, for remarks; none where numbers are told as they are. */
export function nameOfUnit(unit: Unit): string | undefined {
  return unit === 'ms' ? 'milliseconds' : unit === 'bytes' ? unit : toldIn(unit)
}

export const isScale = (reading: Reading): reading is Scale => SCALE_NAMES.some((name) => name === reading)

const isTime = (reading: Reading): boolean => reading === 'instant' || Object.hasOwn(TIME_READERS, reading)

/** The kinds of amounts that all texts of a field may be, in this order. */
const AMOUNTS = ['plain', 'ms', 'bytes'] as const

const VERSION = /^v?\d+(?:\.\d+){2,}/
/** A version among so many numbers is a slip. */
const FEW = 10
/** So many of the values are read, where others are of another kind: codes such as `1B` and `3d` may be amounts by chance. */
const MOST = 0.5
const MOST_OF_UNITS = 0.7
/** Texts by which a reading is ruled out. */
const SAMPLED = 400

/**
 * The reading of these different texts, beside so many values that are numbers. `name`: of their field. `weights`: how often each text
 * occurs; then `numbers` are counted so as well.
 */
export function readingOf(
  texts: readonly string[],
  numbers: number,
  name = '',
  weights?: readonly number[],
): Reading {
  const held = texts.filter((text) => !saysNothing(text))
  if (held.length === 0) return numbers > 0 ? 'plain' : 'text'
  const whole = (reading: Reading): boolean => held.every((text) => READERS[reading](text) !== undefined)
  if (whole('instant')) return 'instant'
  const family = familyOf(held, numbers > 0, name)
  if (family !== undefined) return family
  if (numbers === 0 && areVersions(held)) return whole('version') ? 'version' : 'text'
  const amount = AMOUNTS.find(whole)
  if (amount !== undefined) return amount
  // Numbers among words would be taken for places on their scale.
  const scale = numbers > 0 ? undefined : [...SCALE_NAMES, 'clock' as const].find(whole)
  if (scale !== undefined) return scale
  const order = orderOfDates(held)
  const mix = mixOf(held, order)
  if (mix !== undefined) return mix
  if (whole('time')) return 'time'
  const dates = order === undefined ? 'time' : (`${order}First` as const)
  if (whole(dates)) return dates
  if (held.filter((text) => VERSION.test(text)).length * FEW > held.length) return 'text'
  const amounts = held.filter(isAmount)
  const unit = familyOf(amounts, numbers > 0, name)
  const readings: readonly Reading[] = [...(unit === undefined ? [] : [unit]), ...AMOUNTS, dates]
  return mostly(readings, texts, numbers, weights) ?? 'text'
}

/** The reading that most of the values have; of several that read as many the first. */
function mostly(
  readings: readonly Reading[],
  texts: readonly string[],
  numbers: number,
  weights: readonly number[] | undefined,
): Reading | undefined {
  const step = Math.max(1, Math.floor(texts.length / SAMPLED))
  const sample: { text: string; weight: number }[] = []
  for (let at = 0; at < texts.length; at += step) {
    const text = texts[at] ?? ''
    if (!saysNothing(text)) sample.push({ text, weight: weights?.[at] ?? 1 })
  }
  const whole = sample.reduce((sum, { weight }) => sum + weight, 0) + numbers / step
  const read = readings.map((reading) =>
    sample.reduce((sum, { text, weight }) => sum + (READERS[reading](text) === undefined ? 0 : weight), 0),
  )
  const best = read.indexOf(Math.max(...read))
  const reading = readings[best]
  const least = reading !== undefined && unitOf(reading) !== undefined ? MOST_OF_UNITS : MOST
  return ((read[best] ?? 0) + numbers / step) / whole >= least ? reading : undefined
}

/** A value in the order of its field. Integers that a double does not hold are there to the digit. */
export type Key = number | bigint | string

/** The key of a value that is no list; undefined for null, and for what is no value of the reading. */
export function keyOf(value: JsonValue, reading: Reading): Key | undefined {
  if (typeof value === 'number') return isTime(reading) ? timeOf(value) : exact(value, value)
  if (typeof value === 'boolean') return reading === 'text' ? Number(value) : undefined
  if (typeof value !== 'string') return value === null ? undefined : JSON.stringify(value)
  if (reading === 'version') return versionKey(value)
  const number = READERS[reading](value)
  if (number !== undefined) return exact(number, value)
  const isText = reading === 'text' && (value.length > LONGEST_MARK || !MARK.test(value))
  return isText ? value.toLowerCase() : undefined
}

/** Marks that stand for no text. Words such as `none` and `pending` may be values among texts. */
const MARK = /^\s*(?:[-–—]{0,3}|n\/a|n\.a\.)\s*$/i
const LONGEST_MARK = 8

/** A day, or seconds or milliseconds since 1970; undefined for a number that is too small for them. */
function timeOf(number: number): number | undefined {
  return compactDate(number)?.from ?? (number >= FIRST_SECOND ? fromEpoch(number) : undefined)
}

const FIRST_SECOND = 1e8

/** A text that is in natural order among others: `2.0.0-rc.1` before `2.0.0`, and both before `2.0.0.1` (Semantic Versioning 2.0.0, 11). */
function versionKey(text: string): string | undefined {
  const [, numbers, rest = ''] = VERSION_PARTS.exec(text.trim()) ?? []
  return numbers === undefined
    ? undefined
    : `${numbers}${rest.startsWith('-') ? ' ' : '!'}${rest.toLowerCase()}`
}

const VERSION_PARTS = /^v?(\d+(?:\.\d+)+)(.*)$/is

function exact(number: number, value: number | string): number | bigint {
  return Math.abs(number) > Number.MAX_SAFE_INTEGER ? (longInteger(value) ?? number) : number
}

/** Negative, 0 or positive: numbers before text; text by the value of the numbers in it. */
export function ascending(a: Key, b: Key): number {
  if (typeof a === 'string') return typeof b === 'string' ? compareNaturally(a, b) : 1
  if (typeof b === 'string') return -1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Says which times of a field were read in a way that is not plain, where it is put in order. */
export function timesRemark(
  name: string,
  reading: Reading,
  texts: () => readonly string[],
): string | undefined {
  if (reading.startsWith('dated'))
    return `Dates of \`${name}\` without a year are taken to be later than those with one.`
  if (reading.startsWith('aged')) return `Ages in \`${name}\` are counted from now.`
  const areAges = reading === 'ms' && texts().some((text) => ageAt(text, 0) !== undefined)
  return areAges ? `\`${name}\` holds ages: the smallest is the newest.` : undefined
}
