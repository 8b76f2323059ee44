/**
 * The questions of `profile` about values, asked where the values are written: of bytes, or of the characters of a text. A value that
 * occurs again is counted without making a string of it. A rare one is made and counted as `profile` does it.
 */
import type { JsonValue } from '../../protocol/json.ts'
import { countLength, countNumber, type Pass } from './profile.ts'
import { type Box, MAX_DISTINCT_LENGTH, type Shape, type StringStats } from './shape.ts'

/** Bytes, or UTF-16 code units. */
export type Units = Uint8Array | Uint16Array

/** The characters of a text, which its offsets are those of: a byte each where it is ASCII. */
export function unitsOf(text: string): Units {
  const isAscii = Buffer.byteLength(text) === text.length
  const units = isAscii ? new Uint8Array(text.length) : new Uint16Array(text.length)
  Buffer.from(units.buffer).write(text, isAscii ? 'latin1' : 'utf16le')
  return units
}

// Boxes of values by the bytes they are written in: a value that occurs again is counted without making a string of it.

const FIRST_SIZE = 64
/** Of so many values one in two must have occurred again, or all may as well be made strings. */
const JUDGED = 500

/** A table with open addressing. Offsets and lengths are those of one array of bytes, which does not change. */
export class SpelledValues {
  #mask = FIRST_SIZE - 1
  #size = 0
  #hits = 0
  #boxes: (Box | undefined)[] = emptyBoxes(0)
  #hashes = new Int32Array(0)
  #froms = new Int32Array(0)
  #lengths = new Int32Array(0)

  /** False where hardly any value occurs again. */
  get isWorthwhile(): boolean {
    return this.#size < JUDGED || this.#hits * 2 > this.#size
  }

  /** The box of the bytes from `from` on, which have this hash. */
  find(units: Units, hash: number, from: number, length: number): Box | undefined {
    if (this.#size === 0) return undefined
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const box = this.#boxes[slot]
      if (box === undefined) return undefined
      if (
        this.#hashes[slot] === hash &&
        this.#lengths[slot] === length &&
        isSame(units, this.#froms[slot] as number, from, length)
      ) {
        this.#hits += 1
        return box
      }
    }
  }

  add(hash: number, from: number, length: number, box: Box): void {
    if (this.#size * 2 >= this.#boxes.length) this.#grow()
    this.#put(hash, from, length, box)
    this.#size += 1
  }

  #put(hash: number, from: number, length: number, box: Box): void {
    let slot = hash & this.#mask
    while (this.#boxes[slot] !== undefined) slot = (slot + 1) & this.#mask
    this.#boxes[slot] = box
    this.#hashes[slot] = hash
    this.#froms[slot] = from
    this.#lengths[slot] = length
  }

  #grow(): void {
    const [boxes, hashes, froms, lengths] = [this.#boxes, this.#hashes, this.#froms, this.#lengths]
    const size = Math.max(FIRST_SIZE, boxes.length * 2)
    this.#mask = size - 1
    this.#boxes = emptyBoxes(size)
    this.#hashes = new Int32Array(size)
    this.#froms = new Int32Array(size)
    this.#lengths = new Int32Array(size)
    for (const [slot, box] of boxes.entries())
      if (box !== undefined)
        this.#put(hashes[slot] as number, froms[slot] as number, lengths[slot] as number, box)
  }
}

function emptyBoxes(size: number): (Box | undefined)[] {
  return new Array<Box | undefined>(size).fill(undefined)
}

/** True where the same is written at two places. */
export function isSame(units: Units, one: number, other: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (units[one + at] !== units[other + at]) return false
  return true
}

// A place in the records: a node of the profile, and what finds its values again quickly.

export class SpelledPlace {
  readonly shape: Shape
  /** The first record that has the field. */
  since = 0
  /** The first record that lacks the field, as far as is known; -1: none does. */
  gap = -1
  /** Boxes of small numbers, by the number. */
  readonly small: (Box | undefined)[] = []
  /** Boxes of strings. */
  readonly spelled = new SpelledValues()
  /** A string was counted that may be written in other bytes as well. */
  isRespelled = false
  yes: Box | undefined
  no: Box | undefined
  /** Where the earliest and the latest date are written, and how long they are; -1: not known by their bytes. */
  earliestAt = -1
  earliestLength = 0
  latestAt = -1
  latestLength = 0

  constructor(shape: Shape) {
    this.shape = shape
  }

  /** To be called before a value of the record at index `record` is counted. */
  met(record: number): void {
    const { count } = this.shape
    if (count === 0) this.since = record
    if (this.gap < 0 && count !== record) this.gap = count
  }

  /** Of `count` records, the first that has no value here; -1: there is none. */
  firstGap(count: number): number {
    return this.gap < 0 && this.shape.count < count ? this.shape.count : this.gap
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** `https://` or `http://`. */
export function isWeb(units: Units, from: number, length: number): boolean {
  const letters = units[from + 4] === 0x73 ? 5 : 4
  return (
    length >= letters + 3 &&
    units[from] === 0x68 &&
    units[from + 1] === 0x74 &&
    units[from + 2] === 0x74 &&
    units[from + 3] === 0x70 &&
    units[from + letters] === 0x3a &&
    units[from + letters + 1] === 0x2f &&
    units[from + letters + 2] === 0x2f
  )
}

/** Digits, a point and a minus: what may be a number in quotes. */
export function mayBeNumber(units: Units, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const byte = units[at]
    if (!isDigit(byte) && byte !== 0x2e && byte !== 0x2d) return false
  }
  return true
}

/** The digits of `2024-05-06T07:08`, by their offsets, and what stands between them. */
const DATE_DIGITS = [0, 1, 2, 3, 5, 6, 8, 9]

/** ISO 8601: a day, with minutes, seconds, a fraction of nine digits at most, and a zone as they please. */
export function isDate(units: Units, from: number, length: number): boolean {
  if (length < 10 || units[from + 4] !== 0x2d || units[from + 7] !== 0x2d) return false
  for (const digit of DATE_DIGITS) if (!isDigit(units[from + digit])) return false
  const end = from + length
  let at = from + 10
  if (at === end) return true
  if (units[at] !== 0x54 && units[at] !== 0x20) return false
  if (end - at < 6 || !isPair(units, at + 1) || units[at + 3] !== 0x3a || !isPair(units, at + 4)) return false
  at += 6
  if (end - at >= 3 && units[at] === 0x3a && isPair(units, at + 1)) {
    at += 3
    if (end - at >= 2 && (units[at] === 0x2e || units[at] === 0x2c) && isDigit(units[at + 1])) {
      const most = Math.min(end, at + 10)
      at += 1
      while (at < most && isDigit(units[at])) at += 1
    }
  }
  return at === end || isZone(units, at, end)
}

/** `Z`, `+02:00`, `-0700`. */
function isZone(units: Units, at: number, end: number): boolean {
  if (units[at] === 0x5a) return at + 1 === end
  if ((units[at] !== 0x2b && units[at] !== 0x2d) || end - at < 5 || !isPair(units, at + 1)) return false
  const minutes = units[at + 3] === 0x3a ? at + 4 : at + 3
  return minutes + 2 === end && isPair(units, minutes)
}

function isPair(units: Units, at: number): boolean {
  return isDigit(units[at]) && isDigit(units[at + 1])
}

/** True when the bytes of one ASCII text sort before those of another. */
export function precedes(
  units: Units,
  one: number,
  oneLength: number,
  other: number,
  otherLength: number,
): boolean {
  const most = Math.min(oneLength, otherLength)
  for (let at = 0; at < most; at++) {
    const difference = (units[one + at] as number) - (units[other + at] as number)
    if (difference !== 0) return difference < 0
  }
  return oneLength < otherLength
}

// Counts strings and whole numbers.

export const [ZERO, NINE, MINUS] = [0x30, 0x39, 0x2d]
export const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b]
/** Whole numbers below this find their box without a search. */
const SMALL = 4096
/** Strings that begin with a digit are looked into up to this length. */
const LONGEST_NUMBER = 35

export class SpelledCounts {
  protected units: Units
  protected readonly pass: Pass
  /** Characters of what is written in ASCII. */
  readonly #slice: (from: number, end: number) => string

  constructor(units: Units, pass: Pass, slice: (from: number, end: number) => string) {
    this.units = units
    this.pass = pass
    this.#slice = slice
  }

  /** Counts a string that is written as it is, and holds no JSON. `hash`: of its units, where its value is counted. */
  text(
    place: SpelledPlace,
    from: number,
    length: number,
    hash: number,
    record: number,
    isCounted: boolean,
  ): void {
    const { shape } = place
    shape.count += 1
    const stats = countLength(shape, length)
    const first = this.units[from] as number
    if (first === 0x68) {
      if (isWeb(this.units, from, length)) stats.urls += 1
    } else if ((first >= ZERO && first <= NINE && length <= LONGEST_NUMBER) || first === MINUS) {
      this.#digits(place, stats, from, length, record)
    }
    if (isCounted) this.#value(place, shape, hash, from, length, record)
  }

  /** Counts any value. `isRespelled`: a string that is written in another way elsewhere. */
  value(
    place: SpelledPlace,
    value: JsonValue,
    record: number,
    detail: boolean,
    depth: number,
    isRespelled: boolean,
  ): void {
    this.writeDates(place)
    if (isRespelled) place.isRespelled = true
    this.pass.visit(place.shape, value, record, detail, depth)
  }

  /** Dates that are known by their bytes become texts. */
  writeDates(place: SpelledPlace): void {
    const { strings } = place.shape
    if (place.earliestAt < 0 || strings === undefined) return
    strings.earliest = this.#slice(place.earliestAt, place.earliestAt + place.earliestLength)
    strings.latest = this.#slice(place.latestAt, place.latestAt + place.latestLength)
    place.earliestAt = -1
  }

  #digits(place: SpelledPlace, stats: StringStats, from: number, length: number, record: number): void {
    const { units } = this
    if (isDate(units, from, length)) {
      this.#date(place, stats, from, length)
    } else if (mayBeNumber(units, from, from + length)) {
      this.pass.digits(place.shape, stats, this.#slice(from, from + length), record)
    }
  }

  #date(place: SpelledPlace, stats: StringStats, from: number, length: number): void {
    const { units } = this
    if (stats.dates > 0 && place.earliestAt < 0) {
      this.pass.digits(place.shape, stats, this.#slice(from, from + length), 0)
      return
    }
    stats.dates += 1
    if (place.earliestAt < 0) {
      place.earliestAt = place.latestAt = from
      place.earliestLength = place.latestLength = length
    } else if (precedes(units, from, length, place.earliestAt, place.earliestLength)) {
      place.earliestAt = from
      place.earliestLength = length
    } else if (precedes(units, place.latestAt, place.latestLength, from, length)) {
      place.latestAt = from
      place.latestLength = length
    }
  }

  #value(
    place: SpelledPlace,
    shape: Shape,
    hash: number,
    from: number,
    length: number,
    record: number,
  ): void {
    const { distinct } = shape
    if (length > MAX_DISTINCT_LENGTH) return distinct.miss()
    if (!place.spelled.isWorthwhile) {
      distinct.add(this.#slice(from, from + length), 1, this.pass.room, record)
      return
    }
    const known = place.spelled.find(this.units, hash, from, length)
    if (known !== undefined) {
      known.count += 1
      return
    }
    // A value that is written in one way only and has no box needs no name.
    if (distinct.overflow && !place.isRespelled) return distinct.miss()
    const box = distinct.add(this.#slice(from, from + length), 1, this.pass.room, record)
    if (box === undefined) return
    place.spelled.add(hash, from, length, box)
    if (!place.spelled.isWorthwhile) place.isRespelled = true
  }

  wholeNumber(place: SpelledPlace, value: number, record: number, detail: boolean): void {
    const { shape, small } = place
    shape.count += 1
    shape.numbers = countNumber(shape.numbers, value, record)
    if (!detail || shape.distinct.closed) return
    const isSmall = value >= 0 && value < SMALL
    const known: Box | undefined = isSmall && value < small.length ? small[value] : undefined
    if (known !== undefined) {
      known.count += 1
      return
    }
    const box = shape.distinct.add(value, 1, this.pass.room, record)
    if (!isSmall || box === undefined) return
    while (small.length <= value) small.push(undefined)
    small[value] = box
  }
}
