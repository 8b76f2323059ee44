/** Amounts with units and times, where expressions compute with the fields that hold them. */
import type { Coded } from '../../documents/columns/column.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Operand } from '../../text/values/compare.ts'
import { DAY, epochIn, parseDate } from '../../text/values/dates.ts'
import { amountOf } from '../../text/values/families.ts'
import { nameOfUnit, READERS, type Reading, unitOf } from '../../text/values/reading.ts'
import { type Evaluate, Many, type Result } from '../language/compile.ts'
import type { Use } from '../language/functions.ts'
import { calendarOf, codedOf, columnOf, sharedReading, unitReading } from './reader.ts'
import type { Field, Records } from './records.ts'

/** The fields that are computed with. Where all of them have one kind of units, or one has its own, their texts are numbers in it. */
export class Amounts {
  readonly #records: Records
  readonly #fields = new Map<Field, Use>()
  readonly #compared: readonly Field[]

  constructor(records: Records, compared: readonly Field[]) {
    this.#records = records
    this.#compared = compared
  }

  /** Reads `found`, and gives a number where the field has a unit. A span of time is a term as it is. */
  read(field: Field, found: Evaluate, use: Use): Evaluate {
    if (this.#fields.get(field) !== 'number') this.#fields.set(field, use)
    let reading: Reading | undefined
    return (value, root, work) => {
      reading ??= this.#readingOf(field) ?? 'text'
      const isUnit = reading !== 'text' && !(reading === 'ms' && use === 'term')
      const result = found(value, root, work)
      return isUnit && result !== undefined ? asNumber(result, reading) : result
    }
  }

  /** The operand in the units of the field that it is compared with. */
  beside(field: Field, operand: Operand): Operand {
    const reading = this.#ownOf(field)
    const unit = reading && unitOf(reading)
    if (unit === undefined || unit === 'ms' || unit === 'bytes') return operand
    const number = amountOf(unit, operand.text)
    return number === undefined ? operand : { ...operand, amount: { family: unit, number } }
  }

  /** The reading in units that the fields share, or that one of them has. */
  get reading(): Reading | undefined {
    // Beside a computed number without fields, as a mean is, the one that is compared with it counts.
    const fields = this.#fields.size > 0 ? [...this.#fields.keys()] : this.#compared
    return fields.map((field) => this.#readingOf(field)).find((reading) => reading !== undefined)
  }

  /** Tells in which unit the fields are computed with. */
  remark(): string[] {
    const units = new Map<string, string[]>()
    for (const [field, use] of this.#fields) {
      const reading = this.#readingOf(field)
      const unit = reading && unitOf(reading)
      const isTold = unit !== 'ms' || use !== 'term'
      const isOwn = unit === 'bytes' ? this.#hasText(field, isOfBytes) : this.#hasText(field, () => true)
      const told = unit && isTold && isOwn ? nameOfUnit(unit) : undefined
      if (told !== undefined) units.set(told, [...(units.get(told) ?? []), `\`${field.name}\``])
    }
    return [...units].map(
      ([unit, names]) =>
        `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} computed with in ${unit}.`,
    )
  }

  #hasText({ path }: Field, test: (text: string) => boolean): boolean {
    const column = columnOf(this.#records.values, path)
    const some = Array.from({ length: Math.min(column.size, MOST_LOOKED_AT) }, (_, code) =>
      column.values(code),
    )
    return some.flat(2).some((value) => typeof value === 'string' && test(value))
  }

  /** Undefined where the field has no unit. Its own goes before a shared one, but for `53m` beside processors and `8.5B` beside millions. */
  #readingOf(field: Field): Reading | undefined {
    const [own, shared] = [this.#ownOf(field), this.#shared]
    const isLoose = (reading: Reading | undefined): boolean => reading === 'ms' || reading === 'bytes'
    const isApart = own !== undefined && own !== shared && !(isLoose(own) && shared && !isLoose(shared))
    return isApart ? own : (shared ?? own)
  }

  /** Undefined where the fields have no units, or units of several kinds. */
  get #shared(): Reading | undefined {
    const fields = [...this.#fields.keys(), ...this.#compared]
    if (fields.length < 2) return undefined
    const names = fields.map(({ name }) => name).join(' ')
    return this.#records.table.derived(`shared reading of ${names}`, () => ({
      reading: sharedReading(
        fields.map((field) => this.#codedOf(field)),
        names,
      ),
    })).reading
  }

  #ownOf(field: Field): Reading | undefined {
    return this.#records.table.derived(`unit reading of ${field.name}`, () => ({
      reading: unitReading(this.#codedOf(field), field.name),
    })).reading
  }

  #codedOf({ path }: Field): Coded {
    return codedOf(this.#records.values, path)
  }
}

/** A size with a word for bytes: `1.2K` may count anything. */
const isOfBytes = (text: string): boolean => /(?:[kmgtp]i?b|[kmgtp]i|bytes?|\d ?b)\s*$/i.test(text)

/** Each text of a result as the number that it stands for; any other as it is. */
function asNumber(result: Exclude<Result, undefined>, reading: Reading): Result {
  const numberIn = (value: JsonValue): JsonValue =>
    Array.isArray(value) ? value.map(numberIn) : numberAs(value, reading)
  if (!(result instanceof Many)) return numberIn(result)
  return new Many(result.values.map(numberIn), result.elements)
}

/** The number that a text stands for in a reading; any other value as it is. */
export function numberAs(value: JsonValue, reading: Reading): JsonValue {
  return typeof value === 'string' ? (READERS[reading](value) ?? value) : value
}

// ---- Times --------------------------------------------------------------------------------------------------------

const UNITS_OF_TIMES: ReadonlyMap<number, string> = new Map([
  [DAY, 'days'],
  [1_000, 'seconds'],
  [1, 'milliseconds'],
])

/** The name of what `unitOfTimes` gives. */
export function nameOfTimes(unit: number): string | undefined {
  return UNITS_OF_TIMES.get(unit)
}

/** The milliseconds of one in the difference of two times, by the first values of their field; undefined where they are none. */
export function unitOfTimes(records: Records, { name, path }: Field): number | undefined {
  const column = columnOf(records.values, path)
  const { order } = calendarOf(column)
  const unit = (value: JsonValue): number | undefined => {
    if (typeof value === 'string' && parseDate(value, undefined, order) !== undefined) return DAY
    const time = typeof value === 'string' && epochIn(value) !== undefined ? Number(value) : value
    if (typeof time !== 'number' || !mayBeTimes(name)) return undefined
    return [1_000, 1].find((factor) => time * factor > FIRST_TIME && time * factor < LAST_TIME)
  }
  return column.derived('unit of times', () => {
    const held: JsonValue[] = []
    for (let code = 0; code < column.size && held.length < MOST_LOOKED_AT; code++) {
      const [value = null] = column.values(code)
      if (value !== null && value !== '') held.push(value)
    }
    const [first, ...others] = new Set(held.map(unit))
    return others.length > 0 ? undefined : first
  })
}

/** True for a name of numbers that may be times: others are amounts, as large as they may be. */
export function mayBeTimes(name: string): boolean {
  return /(?:^|[_.\s])(?:time|timestamp|date|day|due|ts|epoch|created|updated|modified|started|ended|expires|start|end|begin|stop|since|on|at)$|[a-z](?:At|On|Time|Date|Timestamp)$/.test(
    name,
  )
}

/** Numbers are times where all lie between these, in seconds or milliseconds. */
const [FIRST_TIME, LAST_TIME] = [Date.UTC(2001), Date.UTC(2100)]

/** Values of a field that are looked at to tell whether they are times, or texts with units. */
const MOST_LOOKED_AT = 50
