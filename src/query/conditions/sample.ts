/**
 * The form of the values of a field, by some of them. It gives an operand its meaning: a year among epochs, seconds among
 * milliseconds.
 */

import type { Column } from '../../documents/columns/column.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { formatCount } from '../../text/format.ts'
import { placesOver } from '../../text/spread.ts'
import { equals, isNull, type Operand, operandFor } from '../../text/values/compare.ts'
import { countLike } from '../../text/values/counts.ts'
import {
  type Calendar,
  compactDate,
  DAY,
  type DateOrder,
  epochIn,
  isYear,
  offset,
  parseClock,
  parseDate,
  saysMoreThanYear,
  zoneIn,
} from '../../text/values/dates.ts'
import { amountOf, familyOf, inUnitOf, toldIn } from '../../text/values/families.ts'
import { holdsLevels, levelAsNumber } from '../../text/values/levels.ts'
import {
  areUneven,
  areVersions,
  clockText,
  DOTTED,
  duration,
  hasRemark,
  looseNumber,
  measured,
  plainNumber,
  quantity,
  saysNothing,
} from '../../text/values/quantities.ts'
import { READERS, type Reading, readingOf, unitOf } from '../../text/values/reading.ts'
import { relativeSpan } from '../../text/values/relative.ts'
import { type Times, timesAmong } from '../../text/values/time-readers.ts'
import { mayBeTimes } from '../fields/amounts.ts'
import { calendarOf, dateOrderIn } from '../fields/reader.ts'
import type { Field, Records } from '../fields/records.ts'
import { holdsText } from '../fields/strictness.ts'
import { operatorOf } from '../language/operators.ts'
import { Refusal, shown } from '../refusal.ts'
import { type Asked, asksForNumber } from './comparison.ts'
import { ColumnTest, columnAt, elementsOf } from './verdict.ts'

/** The most records with values that are looked at. */
const MOST_SAMPLED = 500

/** Scalars of a field, some of them, but for booleans and null. */
export class Sample {
  readonly values: readonly JsonValue[]
  readonly numbers: readonly number[]
  readonly texts: readonly string[]
  #dates: readonly string[] | undefined
  #times: Times | undefined
  #plain: readonly number[] | undefined
  #unit: { unit: string | undefined } | undefined
  #reading: Reading | undefined
  readonly #column: Column | undefined

  constructor(values: readonly JsonValue[], column?: Column) {
    this.values = values
    this.#column = column
    this.numbers = values.filter((value) => typeof value === 'number')
    this.texts = values.filter((value) => typeof value === 'string')
  }

  /** The texts that are dates. */
  get dates(): readonly string[] {
    this.#dates ??= this.texts.filter(
      (text) => saysMoreThanYear(text) && parseDate(text, undefined, this.dateOrder) !== undefined,
    )
    return this.#dates
  }

  /** Of what most values are; undefined where there are none. */
  get kind(): 'dates' | 'numbers' | 'texts' | undefined {
    const most = this.values.length * MOST
    if (most === 0) return undefined
    if (this.dates.length > most) return 'dates'
    const read = this.texts.filter((text) => looseNumber(text) !== undefined)
    return this.numbers.length + read.length > most ? 'numbers' : 'texts'
  }

  /** The part that comes first in dates with slashes. */
  get dateOrder(): DateOrder | undefined {
    return this.#column && dateOrderIn(this.#column)
  }

  /** All values as numbers, where none is anything else; texts that hold no value aside. */
  get plain(): readonly number[] {
    this.#plain ??= plainNumbers(this.values)
    return this.#plain
  }

  /** How the times are written. */
  get times(): Times {
    this.#times ??= timesAmong(this.texts, this.dateOrder)
    return this.#times
  }

  /** The unit of size or time that every value is written with, but for zero and for nothing: `kB` of "8 kB", "0" and "-". */
  get unit(): string | undefined {
    this.#unit ??= { unit: this.texts.length === this.values.length ? sharedUnit(this.texts) : undefined }
    return this.#unit.unit
  }

  /** The reading of the values, of a field of that name. */
  reading(name: string): Reading {
    this.#reading ??= readingOf(this.texts, this.numbers.length, name)
    return this.#reading
  }

  /** True where some value of the whole field is the text. */
  holds(text: string): boolean {
    return this.#column !== undefined && holdsText(this.#column, text)
  }

  /** How the dates of the whole field are written. */
  get calendar(): Calendar {
    return this.#column ? calendarOf(this.#column) : {}
  }
}

export const emptySample = new Sample([])

/** Of records all over the list. Looked at once for each field. */
export function sampleOf(records: Records, { path }: Field): Sample {
  const column = columnAt(records.values, path)
  return column.derived('sample', () => {
    const values: JsonValue[] = []
    for (const at of placesOver(records.values.length, MOST_SAMPLED))
      for (const value of elementsOf(column.values(column.codes[at] ?? 0)))
        if (value !== null && typeof value !== 'object' && typeof value !== 'boolean') values.push(value)
    return new Sample(values, column)
  })
}

// ---- Operands beside them ----------------------------------------------------------------------------------------

/** `none` is a text where some record has it, and nothing where none has. */
export function ofNone(records: Records, comparison: Asked, field: Field): Asked {
  const [operand, another] = comparison.operands
  if (!operand || another || comparison.operator !== '=' || !isNull(operand)) return comparison
  const quoted: Operand = { ...operand, quoted: true }
  const test = new ColumnTest({
    holds: (values) =>
      elementsOf(values).some((value) => typeof value === 'string' && equals(value, quoted, 'loose')),
  })
  const isText = test.of(columnAt(records.values, field.path)).some()
  return isText ? { ...comparison, operands: [quoted] } : { ...comparison, operator: 'is null', operands: [] }
}

export function isOrdering({ operator }: Asked): boolean {
  return isOrder(operator)
}

function isOrder(operator: string): boolean {
  return operatorOf(operator).compares === 'order'
}

function plainNumbers(values: readonly JsonValue[]): number[] {
  const numbers: number[] = []
  for (const value of values) {
    const number = typeof value === 'string' ? plainNumber(value) : Number(value)
    if (number !== undefined) numbers.push(number)
    else if (!saysNothing(String(value))) return []
  }
  return numbers
}

function sharedUnit(texts: readonly string[]): string | undefined {
  let shared: string | undefined
  for (const text of texts) {
    if (text.trim() === '0' || saysNothing(text)) continue
    if (quantity(text) === undefined && duration(text) === undefined) return undefined
    const unit = /[a-zµ]+$/i.exec(text.trim())?.[0]
    if (unit === undefined || (shared !== undefined && unit !== shared)) return undefined
    shared = unit
  }
  return shared
}

/** A comparison beside the values of its field. */
interface Beside {
  readonly comparison: Asked
  /** Of the field. */
  readonly name: string
  readonly sample: Sample
  /** The unit of numbers in the field, in milliseconds. */
  readonly unit: number | undefined
  /** How the fields were read that the values are computed of. */
  readonly reading: Reading | undefined
  note(text: string): void
}

/** The comparison with its operands as the values of its field suggest. Throws a `Refusal` where the two have no order. */
export function adapted(
  comparison: Asked,
  { name, unit, reading }: Pick<Field, 'name' | 'unit' | 'reading'>,
  sample: Sample,
  note: (text: string) => void,
): Asked {
  if (comparison.measure !== undefined && asksForNumber(comparison)) return comparison
  if (!isOrdering(comparison) && comparison.operator !== '=' && comparison.operator !== 'in')
    return comparison
  const beside: Beside = { comparison, name, sample, unit: unitIn(name, TIMES) ?? unit, reading, note }
  const isSpan = comparison.computed && name.includes(' - ')
  const written = isSpan ? inSeconds(comparison.operands, beside) : comparison.operands
  const operands = inMinutes(written, beside).map((operand) =>
    [inOrder, fromNow, asValues, inZone, besideTimes].reduce((read, as) => as(read, beside), operand),
  )
  if (isOrdering(comparison)) for (const operand of operands) refuseUnordered(operand, beside)
  return { ...comparison, operands }
}

/** Dates with slashes are read as those of the field that can be read in one way only. */
function inOrder(operand: Operand, { sample: { dateOrder } }: Beside): Operand {
  if (dateOrder === undefined) return operand
  return { ...operand, dateOrder, date: operand.date ?? parseDate(operand.text, undefined, dateOrder) }
}

/** A time that is said from now on, of a field with times. */
function fromNow(operand: Operand, { comparison: { operator }, name, sample, note }: Beside): Operand {
  const { dated, ages } = sample.times
  const mayBeAges = ages > 0 && dated + ages > sample.texts.length * MOST
  // A length of time beside ages alone is an age as well.
  const areAges = mayBeAges && (operand.duration === undefined || dated > 0)
  if (mayBeAges && !areAges && isOrder(operator)) note(`\`${name}\` holds ages: the smallest is the newest.`)
  if (operand.date !== undefined || (!areTimes(sample) && !areAges)) return operand
  if (!isOrder(operator) && sample.holds(operand.text)) return operand
  const date = relativeSpan(operand.text, Date.now(), operator === '>' || operator === '>=')
  if (date === undefined || Number.isNaN(date.from)) return operand
  const [from, to] = [date.from, date.to].map((time) => new Date(time).toISOString())
  const midnight = /T00:00:00\.000Z$/
  const day = midnight.test(from ?? '') && midnight.test(to ?? '')
  const text = (day ? from?.slice(0, 10) : from?.replace(/\.\d+Z$/, 'Z')) ?? ''
  const end = day ? new Date(date.to - DAY).toISOString().slice(0, 10) : to?.replace(/\.\d+Z$/, 'Z')
  note(`\`${shown(operand.text, 40)}\` is ${text}${end === text ? '' : ` to ${end}`}.`)
  return {
    ...operandFor(text, operand.quoted),
    date,
    ...(operand.dateOrder && { dateOrder: operand.dateOrder }),
  }
}

const MOST = 0.6

/** True where most of what a field has are times. */
function areTimes({ dates, texts, numbers }: Sample): boolean {
  return dates.length > texts.length * MOST || (texts.length === 0 && numbers.some((value) => value > 1e9))
}

/** A value as those of the field are meant: in their unit, as a year, a version, a level. */
function asValues(operand: Operand, { name, sample, unit, reading, note }: Beside): Operand {
  const { values, texts } = sample
  if (reading !== undefined && texts.length === 0 && plainNumber(operand.text) === undefined) {
    const number = READERS[reading](operand.text)
    if (number !== undefined) {
      note(`\`${operand.text}\` read as ${formatCount(number)}.`)
      return { ...operand, number, size: undefined, duration: undefined }
    }
  }
  const amounts = texts.filter((text) => !saysNothing(text))
  const [first] = amounts
  const isNumbered = sample.numbers.length > 0
  // `> 5000 m` of kilometres alone: the two are of one kind.
  const own = unitOf(sample.reading(name))
  const family =
    first === undefined
      ? undefined
      : own !== undefined && own !== 'ms' && own !== 'bytes'
        ? own
        : operand.measure
          ? familyOf([...amounts, operand.text], isNumbered, name)
          : undefined
  if (first !== undefined && family !== undefined) {
    const number = family === 'counts' ? countLike(operand.text, amounts) : amountOf(family, operand.text)
    if (family === 'counts' && number !== undefined && operand.number !== undefined) {
      const share = number === operand.number ? '' : `, and \`${operand.text}\` as ${number}, its share`
      note(readAsNumber(name, first, `${amountOf(family, first)}${share}`))
    }
    if (family === 'clocks' && number !== undefined)
      note(
        `\`${name}\` read as durations: ${[first, operand.text].map((text) => `\`${text}\` as ${clockText(amountOf(family, text) ?? 0)}`).join(', ')}.`,
      )
    if (number !== undefined) return { ...operand, amount: { family, number } }
    // A sum or a mean of such amounts has no unit either.
    const plain = plainNumber(operand.text)
    const told = toldIn(family)
    if (told === undefined || plain === undefined) return operand
    if (plain !== 0) note(`\`${operand.text}\` read as ${operand.text} ${told}.`)
    return { ...operand, amount: { family, number: plain } }
  }
  const remarked = operand.number === undefined ? undefined : amounts.find(hasRemark)
  const beginning = remarked && (looseNumber(remarked) ?? quantity(remarked))
  if (remarked && beginning !== undefined) note(readAsNumber(name, remarked, beginning))
  if (isYear(operand.text) && areDates(sample)) return { ...operand, isYear: true }
  if (isYear(operand.text) && areBareTimes(sample, name)) {
    note(`\`${operand.text}\` read as a year: \`${name}\` holds times such as ${values[0]}.`)
    return { ...operand, isYear: true, number: undefined, size: undefined }
  }
  if (texts.length === values.length && areVersions(amounts)) {
    if (areUneven(amounts)) note(`\`${name}\` compared as versions: 1.10 is after 1.9.`)
    if (DOTTED.test(operand.text)) return { ...operand, number: undefined, size: undefined, date: undefined }
    if (/^v?\d{1,6}$/i.test(operand.text)) {
      const text = `${operand.text}.0`
      return { ...operand, text, lower: text.toLowerCase(), number: undefined, size: undefined }
    }
  }
  const shared = sample.unit
  if (shared !== undefined && !operand.quoted && !isWhole(operand.text, shared, texts)) {
    note(`\`${operand.text}\` read as ${operand.text} ${shared}, the unit of all of \`${name}\`.`)
    return operandFor(`${operand.text} ${shared}`, false)
  }
  const time = operand.clock === undefined && own === 'ms' ? plainNumber(operand.text) : undefined
  if (time !== undefined) {
    if (time !== 0) note(`\`${operand.text}\` read as ${operand.text} milliseconds.`)
    return { ...operand, duration: time }
  }
  const numbers = sample.numbers.length > 0 ? sample.numbers : sample.plain
  if (numbers.length === 0 || numbers.length < values.length / 2) return operand
  if (isYear(operand.text) && operand.date && areEpochs(sample.numbers, name)) {
    note(`\`${operand.text}\` read as a year, \`${name}\` as seconds or milliseconds since 1970.`)
    return { ...operand, number: undefined, size: undefined }
  }
  const share = /per_?c|pct|%/i.test(name) ? undefined : shareIn(operand, numbers)
  if (share !== undefined) {
    note(`\`${operand.text}\` read as ${share}: \`${name}\` is from 0 to 1.`)
    return operandFor(String(share), false)
  }
  const level = holdsLevels(name) ? levelAsNumber(operand.lower, numbers) : undefined
  if (level !== undefined) {
    note(`\`${operand.text}\` read as ${level}, the number of that level.`)
    const text = String(level)
    return { ...operand, text, lower: text, quoted: false, number: level, size: undefined }
  }
  const inUnit =
    unit === undefined || operand.duration === undefined
      ? inUnitOf(name, operand.text)
      : operand.duration / unit
  if (inUnit !== undefined) {
    note(`\`${operand.text}\` read as ${formatCount(inUnit)}, the unit of \`${name}\`.`)
    return { ...operand, number: inUnit, size: undefined }
  }
  const bare = withoutUnit(operand, name, numbers)
  if (bare !== undefined) {
    note(
      `\`${operand.text}\` read as ${formatCount(bare)}, without its unit: \`${name}\` holds plain numbers.`,
    )
    return { ...operand, number: bare, size: undefined }
  }
  if (operand.size === undefined || !/[a-z]/i.test(operand.text)) return operand
  const billions = billionsOf(operand.text, name, numbers)
  if (billions !== undefined) {
    note(`\`${operand.text}\` read as ${formatCount(billions)}.`)
    return { ...operand, size: billions }
  }
  const number = operand.size / (unitIn(name, SIZES) ?? 1)
  if (number !== operand.size || operand.size >= 1_000)
    note(`\`${operand.text}\` read as ${formatCount(number)}.`)
  return { ...operand, size: number }
}

const WEIGHTS = /weight|mass|grams?$|carb|protein|sugar|fib(?:re|er)/i
const LENGTHS = /dist|length|width|height|depth|elev|altitude/i

/**
 * 2 of `2 kg`, and 500 of `500g` in a field of weights, where 500 billions are far from all there is. Undefined for what may be a size or a
 * time.
 */
function withoutUnit(
  { text, number, size = 0 }: Operand,
  name: string,
  numbers: readonly number[],
): number | undefined {
  const [, amount, unit] = /^\s*([-+]?\d{1,15}(?:\.\d{1,9})?)\s?([gm])\s*$/.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) {
    const largest = numbers.reduce((most, one) => Math.max(most, Math.abs(one)), 0)
    const isMeant = (unit === 'g' ? WEIGHTS : LENGTHS).test(name) && unitIn(name, SIZES) === undefined
    return isMeant && Math.abs(size) > FAR * largest ? Number(amount) : undefined
  }
  const measure = measured(text)
  const isPlain = measure !== undefined && measure.number === number && measure.unit.length > 1
  return isPlain && !/bit|bytes/.test(measure.unit) ? measure.number : undefined
}

function readAsNumber(name: string, text: string, number: number | string): string {
  return `\`${name}\` holds texts read as numbers: ${shown(JSON.stringify(text), 40)} as ${number}.`
}

/** 0.5 of `50%`, in a field of which all are from 0 to 1, and some between them. */
function shareIn({ text }: Operand, numbers: readonly number[]): number | undefined {
  const [, percent] = /^\s*(\d{1,3}(?:\.\d{1,9})?)\s?%\s*$/.exec(text) ?? []
  const areShares = numbers.some((one) => one > 0 && one < 1) && numbers.every((one) => one >= 0 && one <= 1)
  return percent === undefined || !areShares ? undefined : Number((Number(percent) / 100).toPrecision(12))
}

/** True where nearly all values are dates, and some say more than their year. */
function areDates({ values, dates }: Sample): boolean {
  const held = values.map(String).filter((text) => !saysNothing(text))
  const years = held.filter(isYear).length
  return dates.length > 0 && dates.length + years >= held.length * 0.9
}

/** Times that have no mark of one stand for years between these. */
const YEARS = { first: Date.UTC(1990), last: Date.UTC(2100) }

/** True where all are days as `20240628`, or texts of seconds since 1970. */
function areBareTimes({ values }: Sample, name: string): boolean {
  const held = values.filter((value) => !saysNothing(String(value)))
  const isNamed = mayBeTimes(name)
  return (
    held.length > 0 &&
    held.every((value) => {
      const day = /^\d{8}$/.test(String(value)) ? compactDate(String(value))?.from : undefined
      const time = day ?? (typeof value === 'string' ? epochIn(value) : undefined)
      // Other numbers have no fraction of six digits.
      if (!isNamed && !/^\d{10}\.\d{6}$/.test(String(value))) return false
      return time !== undefined && time >= YEARS.first && time < YEARS.last
    })
  )
}

const OF_TIME = /time|date|last|since|epoch|(?:_a|A)t$|(?:^|_)ts$/
/** Seconds or milliseconds since 1970; 0 stands for never where the name says that they are times. */
function areEpochs(numbers: readonly number[], name: string): boolean {
  const isLeast = (value: number): boolean => value > 1e9 || (value === 0 && OF_TIME.test(name))
  return numbers.some((value) => value > 0) && numbers.every(isLeast)
}

/** `500B`, meant as billions: of a field that holds so much, and is not called after bytes. */
function billionsOf(text: string, name: string, numbers: readonly number[]): number | undefined {
  const [, written] = /^\s*([\d.]+)\s*B\s*$/i.exec(text) ?? []
  if (written === undefined || /byte|size|mem|disk|storage|capacity|length/i.test(name)) return undefined
  return numbers.some((number) => Math.abs(number) >= 1e9) ? Number(written) * 1e9 : undefined
}

/**
 * True for what is no plain number. True also for a number that is meant in bytes although the values have a unit. In that unit it would
 * be far beyond all of them (`memory > 1000000000` of "512Mi"), without one it is not.
 */
function isWhole(text: string, unit: string, texts: readonly string[]): boolean {
  const number = plainNumber(text)
  if (number === undefined) return true
  const held = texts.map((one) => quantity(one) ?? 0)
  const largest = Math.max(...held)
  const least = Math.min(...held.filter((one) => one > 0))
  const asWritten = quantity(`${number} ${unit}`) ?? 0
  return asWritten > FAR * largest && number >= least && number <= FAR * largest
}

/** So many times the largest value, and a number is no longer one of its kind. */
const FAR = 10

/** Ends of names that tell the unit, in milliseconds and in bytes. */
const TIMES: readonly (readonly [RegExp, number])[] = [
  [/(?:_ns|Ns|nanos(?:econds)?)$/i, 1e-6],
  [/(?:_us|_µs|micros(?:econds)?)$/i, 1e-3],
  [/(?:_ms|Ms|_msec|millis(?:econds)?)$/i, 1],
  [/(?:_s|_secs?|[a-z]Secs?|seconds)$/i, 1_000],
  [/(?:_mins?|minutes)$/i, 60_000],
  [/(?:_h|_hrs?|hours)$/i, 3_600_000],
  [/(?:_d|_days?|days)$/i, DAY],
]
const SIZES: readonly (readonly [RegExp, number])[] = [
  [/(?:_kb|KB|kilobytes)$/, 1e3],
  [/(?:_mb|MB|megabytes)$/, 1e6],
  [/(?:_gb|GB|gigabytes)$/, 1e9],
  [/(?:_kib|KiB)$/, 1024],
  [/(?:_mib|MiB|InMiB)$/, 1024 ** 2],
  [/(?:_gib|GiB|InGiB)$/, 1024 ** 3],
]

function unitIn(name: string, units: readonly (readonly [RegExp, number])[]): number | undefined {
  return units.find(([ending]) => ending.test(name))?.[1]
}

const RELATIVE =
  /^(?:now|today|yesterday|tomorrow|current_|curdate|getdate|sysdate|date\.now|(?:last|past|this|next|previous)\s|\d+\s+\w+\s+ago)|\bago$|^(?:start|end)of/i

const SHORT_CLOCK = /^\s*\d{1,4}:\d\d\s*$/

function refuseUnordered(operand: Operand, { comparison, name, sample }: Beside): void {
  const { text, number, size, duration, date, clock } = operand
  const { values, texts, numbers } = sample
  if (values.length === 0) return
  const held = texts.filter((one) => !saysNothing(one))
  const unit = operand.amount ? undefined : unitOf(sample.reading(name))
  const isRead = date !== undefined || clock !== undefined || number !== undefined || size !== undefined
  const isWhole = (): boolean => held.every((one) => READERS[sample.reading(name)](one) !== undefined)
  const isTimed = duration !== undefined || date !== undefined || clock !== undefined
  const isKnown = (unit === 'ms' && isTimed) || (unit === 'bytes' && isRead)
  if (unit !== undefined && !isKnown && isWhole())
    throw new Refusal(
      `\`${shown(text, 40)}\` is no amount such as \`${name}\` holds: ${shown(JSON.stringify(held[0]), 40)}.`,
    )
  if (isRead && (date || !RELATIVE.test(text))) return
  const { dates } = sample
  if (areTimes(sample) && RELATIVE.test(text) && !date)
    throw new Refusal(
      `\`${shown(text, 40)}\` is no time that can be read. Write \`${name} ${comparison.operator} now-7d\`, or the date as 2024-05-31. ${rangeOf(name, dates, numbers)}`,
    )
  if (isRead) return
  if (dates.length > texts.length * 0.6 && dates.length >= numbers.length)
    throw new Refusal(
      `\`${shown(text, 40)}\` is no date that can be read; write it as 2024-05-31. ${rangeOf(name, dates, numbers)}`,
    )
  const plain = numbers.length === values.length ? numbers : duration === undefined ? [] : sample.plain
  if (plain.length > 0) {
    const hint =
      duration === undefined ? 'is no number' : 'has a unit, the field has none: write the number alone'
    throw new Refusal(`\`${shown(text, 40)}\` ${hint}. ${rangeOf(name, dates, plain)}`)
  }
  if (duration !== undefined && held.length > 0 && held.every((one) => SHORT_CLOCK.test(one)))
    throw new Refusal(
      `\`${shown(text, 40)}\` has a unit, and \`${held[0]}\` of \`${name}\` may be hours or minutes: write the value as \`${name}\` does.`,
    )
}

function rangeOf(name: string, dates: readonly string[], numbers: readonly number[]): string {
  const held: readonly (string | number)[] =
    dates.length > 0 ? [...dates].sort() : [...numbers].sort((a, b) => a - b)
  return `\`${name}\` holds ${dates.length > 0 ? 'dates' : 'numbers'} such as ${held[0]} and ${held.at(-1)}.`
}

/** A time without a zone is one of the zone that all times of the field have, because so they are read. */
function inZone(operand: Operand, { name, sample, note }: Beside): Operand {
  const { date, text } = operand
  if (!date || date.yearless || zoneIn(text) !== undefined) return operand
  const { zone } = sample.calendar
  const shift = zone === undefined ? 0 : offset(zone)
  if (shift === 0) return operand
  note(`\`${text}\` read in the zone of \`${name}\`, ${zone}.`)
  return { ...operand, date: { ...date, from: date.from - shift, to: date.to - shift } }
}

const HOUR = 3_600_000
const TWO_PARTS = /^(\d{1,2}):(\d\d)$/
const THREE_PARTS = /^\d{1,2}:\d\d:\d\d/

/** `10:00` is ten minutes where all clocks of a field have seconds and lie below one hour. */
function inMinutes(operands: readonly Operand[], { name, sample, note }: Beside): readonly Operand[] {
  const { texts, values } = sample
  const isBeyond = operands.some(({ text, clock }) => TWO_PARTS.test(text) && (clock?.from ?? 0) >= HOUR)
  if (!isBeyond || texts.length === 0 || texts.length < values.length) return operands
  if (!texts.every((text) => THREE_PARTS.test(text) && (parseClock(text)?.from ?? HOUR) < HOUR))
    return operands
  return operands.map((operand) => {
    const [, minutes = '', seconds] = TWO_PARTS.exec(operand.text) ?? []
    if (seconds === undefined) return operand
    const text = `00:${minutes.padStart(2, '0')}:${seconds}`
    note(`\`${operand.text}\` read as ${text}: all of \`${name}\` are below one hour.`)
    return operandFor(text, operand.quoted)
  })
}

/** Beside what is computed of clocks, as `00:00:05.195`, a plain number is seconds. */
function inSeconds(operands: readonly Operand[], { name, sample, note }: Beside): readonly Operand[] {
  const { texts, values } = sample
  const areClocks =
    texts.length > 0 && texts.every((text) => text.includes(':') && duration(text) !== undefined)
  if (!areClocks || texts.length < values.length) return operands
  return operands.map((operand) => {
    const seconds = plainNumber(operand.text)
    if (seconds === undefined) return operand
    const text = clockText(seconds * 1_000)
    note(`\`${operand.text}\` read as ${text}: \`${shown(name, 40)}\` holds durations, as ${texts[0]}.`)
    return { ...operandFor(text, false), clock: undefined }
  })
}

/** A date of a field in which not all times are written with a year and a day. */
function besideTimes(operand: Operand, { comparison, name, sample, note }: Beside): Operand {
  const { date, text } = operand
  const { dated, yearless, ages } = sample.times
  if (date?.yearless && dated > 0) note(`\`${text}\` has no year: compared by month and day, in every year.`)
  if (!date || date.yearless || yearless + ages === 0) return operand
  if (ages > 0) note(`Ages in \`${name}\` are counted from now.`)
  if (yearless > 0 && dated === 0)
    note(`Dates of \`${name}\` have no year: \`${text}\` compared by month and day.`)
  else if (yearless > 0 && comparison.operator === '=' && !comparison.negated) {
    const example = sample.dates.find((one) => parseDate(one)?.yearless)
    note(`Dates of \`${name}\` without a year, as ${shown(JSON.stringify(example), 40)}, were left out.`)
  }
  return { ...operand, ...(dated > 0 && { isDated: true as const }), ...(ages > 0 && { now: Date.now() }) }
}

/** True when days are asked for of times that have several zones. */
export function hasZones({ operands }: Asked, sample: Sample): boolean {
  const day = operands.some(({ text, date }) => date !== undefined && text.length <= 10)
  return day && sample.calendar.hasZones === true
}
