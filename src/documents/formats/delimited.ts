/** Rows of cells with a delimiter between them (RFC 4180): where they are, what is in their columns, and their records. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { emptyRecord } from '../columns/record-maker.ts'
import { MOST_FIELDS, SOME_FIELDS } from '../shape/collections.ts'
import { knownList } from '../shape/known-list.ts'
import { Pass, sampled } from '../shape/profile.ts'
import { child, emptyShape } from '../shape/shape.ts'
import {
  isSame,
  NINE,
  OPEN_LIST,
  OPEN_OBJECT,
  SpelledCounts,
  SpelledPlace,
  type Units,
  unitsOf,
  ZERO,
} from '../shape/spelled.ts'
import { exactNumber, namesOf } from './cells.ts'

/** How a text is parted. */
export interface Parting {
  readonly delimiter: string
  /** The first row names the columns. */
  readonly named: boolean
  /** Rows that begin with `#` are none. */
  readonly commented: boolean
  /** A delimiter with a blank behind it is part of a text. */
  readonly isTight?: boolean
}

/** Where the rows of records are, and of which columns all cells are exact numbers, or empty. */
export interface Layout {
  readonly text: string
  readonly units: Units
  readonly parting: Parting
  readonly names: readonly string[]
  readonly numeric: readonly boolean[]
  /** The offset of each record. */
  readonly starts: Int32Array
  /** The fewest cells of a record. */
  readonly fewest: number
  /** Some records have more cells than the columns have names. */
  readonly isLonger: boolean
}

const [RETURN, BREAK, BLANK, QUOTE, HASH, BYTE_ORDER_MARK] = [0x0d, 0x0a, 0x20, 0x22, 0x23, 0xfeff]

/** Goes from cell to cell. */
class Cells {
  readonly #units: Units
  readonly #delimiter: number
  readonly #isTight: boolean
  /** Where the next cell begins. */
  at = 0
  /** The content of the cell, without its quotes. */
  from = 0
  end = 0
  /** It holds quotes, each written twice. */
  isDoubled = false
  /** It ends its row. */
  isLast = false

  constructor(units: Units, { delimiter, isTight = false }: Parting) {
    this.#units = units
    this.#delimiter = delimiter.charCodeAt(0)
    this.#isTight = isTight
  }

  get isOver(): boolean {
    return this.at >= this.#units.length
  }

  /** False where quotes stand as RFC 4180 does not say. */
  next(): boolean {
    const units = this.#units
    const delimiter = this.#delimiter
    let { at } = this
    this.isDoubled = false
    if (units[at] === QUOTE) return this.#quoted()
    this.from = at
    let unit = units[at]
    while (unit !== delimiter && unit !== BREAK && unit !== undefined) unit = units[++at]
    if (this.#isTight)
      while (unit === delimiter && units[at + 1] === BLANK) {
        unit = units[++at]
        while (unit !== delimiter && unit !== BREAK && unit !== undefined) unit = units[++at]
      }
    this.isLast = unit !== delimiter
    this.end = this.isLast && at > this.from && units[at - 1] === RETURN ? at - 1 : at
    this.at = at + 1
    return true
  }

  #quoted(): boolean {
    const units = this.#units
    let at = this.at + 1
    this.from = at
    for (; ; at++) {
      const unit = units[at]
      if (unit === undefined) return false
      if (unit !== QUOTE) continue
      if (units[at + 1] !== QUOTE) break
      this.isDoubled = true
      at += 1
    }
    this.end = at
    const behind = units[at + 1] === RETURN && units[at + 2] === BREAK ? at + 2 : at + 1
    this.isLast = units[behind] !== this.#delimiter
    this.at = behind + 1
    return !this.isLast || behind >= units.length || units[behind] === BREAK
  }

  /** Goes behind the row. */
  skip(): boolean {
    while (!this.isLast) if (!this.next()) return false
    return true
  }

  /** The cell as it was before it was quoted. */
  written(text: string): string {
    const cell = text.slice(this.from, this.end)
    return this.isDoubled ? cell.replaceAll('""', '"') : cell
  }
}

/**
 * Reads where the rows are. Some servers quote no text. Where rows have too many cells, a delimiter with a blank behind it parts none, if
 * then all rows have as many as the header.
 */
export function layoutOf(text: string, parting: Parting): Layout | undefined {
  const found = readLayout(text, parting)
  if (!found?.isLonger || parting.delimiter === '\t') return found
  const tight = readLayout(text, { ...parting, isTight: true })
  const isEven = tight && !tight.isLonger && tight.fewest === tight.names.length
  return isEven && tight.names.length === found.names.length ? tight : found
}

/** Undefined where quotes stand as RFC 4180 does not say, and where two columns have one name. Linear. */
function readLayout(text: string, parting: Parting): Layout | undefined {
  const units = unitsOf(text)
  const cells = new Cells(units, parting)
  if (units[0] === BYTE_ORDER_MARK) cells.at = 1
  const names: string[] = []
  const isText: boolean[] = []
  const numbers: number[] = []
  let starts = new Int32Array(Math.max(16, text.length >> 6))
  let count = 0
  let fewest = Number.POSITIVE_INFINITY
  let isLonger = false
  while (!cells.isOver) {
    const start = cells.at
    if (!cells.next()) return undefined
    const isNone =
      (cells.isLast && cells.from === cells.end) || (parting.commented && units[cells.from] === HASH)
    if (isNone) {
      if (!cells.skip()) return undefined
      continue
    }
    if (names.length === 0) {
      const first = [cells.written(text)]
      while (!cells.isLast) {
        if (!cells.next()) return undefined
        first.push(cells.written(text))
      }
      names.push(...namesOf(first, parting.named))
      // Without names it is the first record as well.
      if (!parting.named) {
        cells.at = start
        cells.isLast = false
      }
      continue
    }
    let column = 0
    for (; ; column++) {
      if (column < names.length && isText[column] !== true && cells.from < cells.end) {
        if (wholeIn(units, cells.from, cells.end) >= 0 || exactNumber(cells.written(text)) !== undefined)
          numbers[column] = (numbers[column] ?? 0) + 1
        else isText[column] = true
      }
      if (cells.isLast) break
      if (!cells.next()) return undefined
    }
    if (column + 1 < fewest) fewest = column + 1
    if (column >= names.length) isLonger = true
    if (count === starts.length) {
      const larger = new Int32Array(count * 2)
      larger.set(starts)
      starts = larger
    }
    starts[count++] = start
  }
  if (new Set(names).size < names.length) return undefined
  const numeric = names.map((_, column) => isText[column] !== true && (numbers[column] ?? 0) > 0)
  return { text, units, parting, names, numeric, starts: starts.slice(0, count), fewest, isLonger }
}

/** Digits of whole numbers that are numbers at sight. */
const FEW_DIGITS = 9

/** The whole number that a cell is; -1 where it is none, or has to be looked at closely. */
function wholeIn(units: Units, from: number, end: number): number {
  if (end - from > FEW_DIGITS || (units[from] === ZERO && end - from > 1)) return -1
  let number = 0
  for (let at = from; at < end; at++) {
    const digit = units[at] as number
    if (digit < ZERO || digit > NINE) return -1
    number = number * 10 + (digit - ZERO)
  }
  return number
}

/** Equal short cells of a column are one string. */
const LONGEST_REPEATED = 40
const REPEATED = 64
/** Cells beyond the last column. */
const MORE = '_more'

/** The record of each row, or of some rows. Cells beyond the last column go to `_more`. */
export function recordsIn(
  { text, units, parting, names, numeric }: Layout,
  starts: Int32Array,
): JsonObject[] {
  const cells = new Cells(units, parting)
  const known = new Array<string>(starts.length < REPEATED ? 0 : names.length * REPEATED).fill('')
  const places = new Int32Array(known.length)
  const textIn = (column: number): string => {
    const { from, end } = cells
    const length = end - from
    if (length === 0 || length > LONGEST_REPEATED || cells.isDoubled || known.length === 0)
      return cells.written(text)
    const slot =
      column * REPEATED +
      (((units[from] as number) * 7 + (units[end - 1] as number) * 31 + length) % REPEATED)
    const before = known[slot] as string
    if (before.length === length && isSame(units, places[slot] as number, from, length)) return before
    const cell = text.slice(from, end)
    known[slot] = cell
    places[slot] = from
    return cell
  }
  /** By their cells: a copy of one has room for all names, and takes a fraction of the time. */
  const empty: JsonObject[] = []
  const values: JsonValue[] = []
  const records = new Array<JsonObject>(starts.length)
  for (let at = 0; at < starts.length; at++) {
    cells.at = starts[at] as number
    let count = 0
    do {
      cells.next()
      if (count < names.length && numeric[count]) values[count] = numberIn(units, cells, text)
      else values[count] = count < names.length ? textIn(count) : cells.written(text)
      count += 1
    } while (!cells.isLast)
    empty[count] ??= emptyRecord(names, Math.min(names.length, count))
    const record: JsonObject = { ...empty[count] }
    for (let column = 0; column < count && column < names.length; column++)
      setOwn(record, names[column] as string, values[column] as JsonValue)
    if (count > names.length) record[MORE] = values.slice(names.length, count)
    records[at] = record
  }
  return records
}

/** The number that a cell is; null where it is empty. */
function numberIn(units: Units, cells: Cells, text: string): number | null {
  const { from, end } = cells
  if (from === end) return null
  const whole = wholeIn(units, from, end)
  return whole >= 0 ? whole : (exactNumber(cells.written(text)) ?? null)
}

/** Names that an object of JavaScript puts elsewhere than they were written. */
const MOVED = /^(?:0|[1-9]\d*|__proto__)$/

/**
 * The records, made one by one, with the profile that all of them have, counted where they are written. Undefined where names would change
 * places, and where columns may come and go.
 */
export function glimpseOf(layout: Layout): JsonValue[] | undefined {
  const { text, units, parting, names, numeric, starts, fewest, isLonger } = layout
  const isEven = fewest >= names.length
  if (names.length >= MOST_FIELDS || (names.length >= SOME_FIELDS && !isEven)) return undefined
  if (names.some((name) => MOVED.test(name)) || (isLonger && names.includes(MORE))) return undefined
  const cells = new Cells(units, parting)
  const pass = new Pass()
  const counts = new SpelledCounts(units, pass, (from, end) => text.slice(from, end))
  const cell = new CellCounter(counts, cells, units, text)
  const root = emptyShape()
  const places: SpelledPlace[] = []
  const placeOf = (column: number): SpelledPlace => {
    const place = new SpelledPlace(child(root, names[column] ?? MORE))
    places[column] = place
    return place
  }
  const every = sampled(starts.length)
  for (let record = 0; record < starts.length; record++) {
    const detail = record % every === 0
    cells.at = starts[record] as number
    let column = 0
    for (let isLast = false; !isLast && column < names.length; column++) {
      cells.next()
      isLast = cells.isLast
      const place = places[column] ?? placeOf(column)
      place.met(record)
      if (numeric[column]) cell.number(place, record, detail)
      else cell.text(place, record, detail)
    }
    if (cells.isLast) continue
    const spare: string[] = []
    while (!cells.isLast) {
      cells.next()
      spare.push(cells.written(text))
    }
    const place = places[names.length] ?? placeOf(names.length)
    place.met(record)
    counts.value(place, spare, record, detail, 1, false)
  }
  root.count = root.objects = starts.length
  for (const place of places) counts.writeDates(place)
  const placeNamed = (name: string): SpelledPlace | undefined =>
    places[name === MORE && isLonger ? names.length : names.indexOf(name)]
  const known = {
    profile: pass.finished(root, starts.length, every),
    firstWithout: (name: string) => placeNamed(name)?.firstGap(starts.length) ?? -1,
    firstWith: (name: string) => placeNamed(name)?.since ?? -1,
  }
  return knownList(
    starts.length,
    known,
    (index) => recordsIn(layout, starts.subarray(index, index + 1))[0] ?? null,
  )
}

/** Counts the cell that was read last, where it is written. */
class CellCounter {
  readonly #counts: SpelledCounts
  readonly #cells: Cells
  readonly #units: Units
  readonly #text: string

  constructor(counts: SpelledCounts, cells: Cells, units: Units, text: string) {
    this.#counts = counts
    this.#cells = cells
    this.#units = units
    this.#text = text
  }

  number(place: SpelledPlace, record: number, detail: boolean): void {
    const value = numberIn(this.#units, this.#cells, this.#text)
    if (value !== null && Number.isInteger(value)) this.#counts.wholeNumber(place, value, record, detail)
    else this.#counts.value(place, value, record, detail, 1, false)
  }

  text(place: SpelledPlace, record: number, detail: boolean): void {
    const { from, end, isDoubled } = this.#cells
    const units = this.#units
    const first = units[from]
    if (isDoubled || first === OPEN_LIST || first === OPEN_OBJECT)
      return this.#counts.value(place, this.#cells.written(this.#text), record, detail, 1, true)
    const isCounted = detail && !place.shape.distinct.closed
    let hash = 0
    if (isCounted)
      for (let at = from; at < end; at++) hash = (Math.imul(hash, 31) + (units[at] as number)) | 0
    this.#counts.text(place, from, end - from, hash, record, isCounted)
  }
}
