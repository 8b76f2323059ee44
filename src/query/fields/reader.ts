/** The column of a path over a list of records. */
import { type Coded, type Column, columnsOf, type Reader, several } from '../../documents/columns/column.ts'
import { elementsOf } from '../../documents/columns/values.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { type Calendar, type DateOrder, offset, orderOfDates, zoneOfDates } from '../../text/values/dates.ts'
import { isAmount } from '../../text/values/families.ts'
import { duration, quantity, saysNothing } from '../../text/values/quantities.ts'
import { READERS, type Reading, readingOf, unitOf } from '../../text/values/reading.ts'
import { newWork, type Work } from '../work.ts'
import { type Path, pathKey } from './path.ts'
import { scalarAt, valuesAt } from './walk.ts'

export type { Column } from '../../documents/columns/column.ts'

/** Throws a `Refusal` when the path looks at more values than `work` allows. */
export function columnOf(records: readonly JsonValue[], path: Path, work: Work = newWork()): Column {
  return columnsOf(records).column(readerOf(path, work))
}

const unnamed = new WeakMap<Path, Reader>()

/** How a path is read as a column. A path with a condition in it has no name: it is found by the path itself. */
export function readerOf(path: Path, work: Work): Reader {
  const key = pathKey(path)
  const before = key === undefined ? unnamed.get(path) : undefined
  if (before) return before
  const reader: Reader = {
    key,
    scalar: (row) => scalarAt(row, path),
    values(row) {
      return valuesAt(row, path, work)
    },
  }
  if (key === undefined) unnamed.set(path, reader)
  return reader
}

/** Values that are looked at for one field of all records. */
const MOST_WORK = 20_000_000

/** A field of the records at hand as codes. Throws a `Refusal` when the path looks at too many values. */
export function codedOf(records: readonly JsonValue[], path: Path): Coded {
  return columnsOf(records).coded(readerOf(path, newWork(MOST_WORK)))
}

/** The part that comes first in the dates of a field, where some of them prove it. */
export function dateOrderIn(column: Column): DateOrder | undefined {
  return column.derived('date order', () => ({ order: orderOfDates(textsIn(column)) })).order
}

/** How the dates of a field are written. */
export function calendarOf(column: Column): Calendar {
  const zones = column.derived('zones', () => zoneOfDates(textsIn(column)))
  return { order: dateOrderIn(column), ...zones }
}

/** Says by which clock the parts of times are told, where it is not plain. */
export function zoneRemark(name: string, { zone, hasZones }: Calendar): string | undefined {
  if (hasZones) return `Parts of \`${name}\` are those of UTC.`
  return offset(zone) === 0 ? undefined : `Parts of \`${name}\` are those of its zone, ${zone}.`
}

function* textsIn(column: Column): Generator<string> {
  for (let code = 0; code < column.size; code++) {
    const alone = column.scalar(code)
    if (typeof alone === 'string') yield alone
    else if (alone === several)
      for (const value of column.values(code)) if (typeof value === 'string') yield value
  }
}

/** The reading of the values that fields have together, as one field of that name would have them. */
export function readingIn(fields: readonly Coded[], name = ''): Reading {
  const { texts, weights, numbers } = heldIn(fields)
  return readingOf(texts, numbers, name, weights)
}

/** The reading in units of the texts of a field; undefined where they have none. */
export function unitReading(field: Coded, name: string): Reading | undefined {
  if (!mayHaveUnits(field)) return undefined
  const reading = readingIn([field], name)
  return unitOf(reading) === undefined ? undefined : reading
}

/** The reading in units that all texts of several fields have together; undefined where some are something else. */
export function sharedReading(fields: readonly Coded[], name: string): Reading | undefined {
  if (!fields.some(mayHaveUnits)) return undefined
  const { texts, numbers } = heldIn(fields)
  const reading = readingOf(texts, numbers, name)
  const isWhole = (): boolean =>
    texts.every((text) => saysNothing(text) || READERS[reading](text) !== undefined)
  return unitOf(reading) !== undefined && isWhole() ? reading : undefined
}

/** True for a field without texts. */
export function areNumbers({ column }: Coded): boolean {
  for (let code = 0; code < column.size; code++)
    if (elementsOf(column.values(code)).some((value) => typeof value === 'string')) return false
  return true
}

/** Values of a field that are looked at to tell whether some have units. */
const MOST_LOOKED_AT = 40

/** Most fields have none, and reading all of their texts takes its time. */
function mayHaveUnits({ column }: Coded): boolean {
  const step = Math.max(1, Math.floor(column.size / MOST_LOOKED_AT))
  for (let code = 0; code < column.size; code += step)
    if (elementsOf(column.values(code)).some((value) => typeof value === 'string' && hasUnit(value)))
      return true
  return false
}

function hasUnit(text: string): boolean {
  if (!/\d ?[a-zµ]|:\d|^\s*-?P/i.test(text)) return false
  return isAmount(text) || quantity(text) !== undefined || duration(text) !== undefined
}

/** The different texts of fields with how often they occur, and how many numbers stand beside them. */
function heldIn(fields: readonly Coded[]): { texts: string[]; weights: number[]; numbers: number } {
  const texts = new Map<string, number>()
  let [numbers, found] = [0, 0]
  for (const coded of fields) {
    const before = texts.size
    found = 0
    const counts = new Uint32Array(coded.column.size)
    for (let at = 0; at < coded.codes.length; at++) {
      const code = coded.codes[at] as number
      counts[code] = (counts[code] as number) + 1
    }
    const add = (value: JsonValue | undefined, count: number): void => {
      if (typeof value === 'string') texts.set(value, (texts.get(value) ?? 0) + count)
      else if (typeof value === 'number') found += count
    }
    for (let code = 0; code < counts.length; code++) {
      const count = counts[code] as number
      if (count === 0) continue
      const alone = coded.column.scalar(code)
      if (alone === several) for (const value of elementsOf(coded.column.values(code))) add(value, count)
      else add(alone, count)
    }
    // A field of numbers alone has no unit, and takes none from others.
    if (fields.length === 1 || texts.size > before) numbers += found
  }
  return { texts: [...texts.keys()], weights: [...texts.values()], numbers }
}

/** True where all that a column holds are texts and nulls. */
export function holdsTextsAlone(column: Column): boolean {
  return column.derived('texts alone', () => {
    let some = false
    for (let code = 0; code < column.size; code++) {
      const value = column.scalar(code)
      if (typeof value === 'string') some = true
      else if (value !== null && value !== undefined) return false
    }
    return some
  })
}
