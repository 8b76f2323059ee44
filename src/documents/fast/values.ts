/** What `profile` asks of strings, asked of their bytes. */
import type { JsonValue } from '../../protocol/json.ts'
import { countLength, countNumber, type Pass } from '../profile.ts'
import { type Box, MAX_DISTINCT_LENGTH, type Shape, type StringStats } from '../shape.ts'
import { BACKSLASH, behindValue, giveUp, parsed, QUOTE, stringEnd, unescaped, wideIn } from './escaped.ts'
import type { FieldNode } from './fields.ts'

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** `https://` or `http://`. */
export function isWeb(bytes: Uint8Array, from: number, length: number): boolean {
  const letters = bytes[from + 4] === 0x73 ? 5 : 4
  return (
    length >= letters + 3 &&
    bytes[from] === 0x68 &&
    bytes[from + 1] === 0x74 &&
    bytes[from + 2] === 0x74 &&
    bytes[from + 3] === 0x70 &&
    bytes[from + letters] === 0x3a &&
    bytes[from + letters + 1] === 0x2f &&
    bytes[from + letters + 2] === 0x2f
  )
}

/** Digits, a point and a minus: what may be a number in quotes. */
export function mayBeNumber(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const byte = bytes[at]
    if (!isDigit(byte) && byte !== 0x2e && byte !== 0x2d) return false
  }
  return true
}

/** The digits of `2024-05-06T07:08`, by their offsets, and what stands between them. */
const DATE_DIGITS = [0, 1, 2, 3, 5, 6, 8, 9]

/** ISO 8601: a day, with minutes, seconds, a fraction of nine digits at most, and a zone as they please. */
export function isDate(bytes: Uint8Array, from: number, length: number): boolean {
  if (length < 10 || bytes[from + 4] !== 0x2d || bytes[from + 7] !== 0x2d) return false
  for (const digit of DATE_DIGITS) if (!isDigit(bytes[from + digit])) return false
  const end = from + length
  let at = from + 10
  if (at === end) return true
  if (bytes[at] !== 0x54 && bytes[at] !== 0x20) return false
  if (end - at < 6 || !isPair(bytes, at + 1) || bytes[at + 3] !== 0x3a || !isPair(bytes, at + 4)) return false
  at += 6
  if (end - at >= 3 && bytes[at] === 0x3a && isPair(bytes, at + 1)) {
    at += 3
    if (end - at >= 2 && (bytes[at] === 0x2e || bytes[at] === 0x2c) && isDigit(bytes[at + 1])) {
      const most = Math.min(end, at + 10)
      at += 1
      while (at < most && isDigit(bytes[at])) at += 1
    }
  }
  return at === end || isZone(bytes, at, end)
}

/** `Z`, `+02:00`, `-0700`. */
function isZone(bytes: Uint8Array, at: number, end: number): boolean {
  if (bytes[at] === 0x5a) return at + 1 === end
  if ((bytes[at] !== 0x2b && bytes[at] !== 0x2d) || end - at < 5 || !isPair(bytes, at + 1)) return false
  const minutes = bytes[at + 3] === 0x3a ? at + 4 : at + 3
  return minutes + 2 === end && isPair(bytes, minutes)
}

function isPair(bytes: Uint8Array, at: number): boolean {
  return isDigit(bytes[at]) && isDigit(bytes[at + 1])
}

/** True when the bytes of one ASCII text sort before those of another. */
export function precedes(
  bytes: Uint8Array,
  one: number,
  oneLength: number,
  other: number,
  otherLength: number,
): boolean {
  const most = Math.min(oneLength, otherLength)
  for (let at = 0; at < most; at++) {
    const difference = (bytes[one + at] as number) - (bytes[other + at] as number)
    if (difference !== 0) return difference < 0
  }
  return oneLength < otherLength
}

// Counts strings, numbers and words where they are written. What is rare is made a value and counted as `profile` does it.

const [ZERO, NINE, MINUS, POINT, SMALL_E, LARGE_E] = [0x30, 0x39, 0x2d, 0x2e, 0x65, 0x45]
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b]
/** Digits that a double holds, whatever they are, and the powers of ten that it holds: their quotient is the nearest double. */
const DIGITS = 15
const POWERS = Array.from({ length: DIGITS + 1 }, (_, power) => 10 ** power)
/** Digits of whole numbers that fit into 31 bits, whatever they are. */
const INTEGER = 9
/** Whole numbers below this find their box without a search. */
const SMALL = 4096
/** Strings that begin with a digit are looked into up to this length. */
const LONGEST_NUMBER = 35
/** Strings that need no escape, short enough to be counted by their value. */
const PLAIN = /^[ !#-[\]-~]{0,120}$/

export class LeafCounts {
  /** Bytes of what was read that are no characters of the text: of escapes, and of UTF-8. */
  saved: number
  /** UTF-8 bytes of the text beyond one for each of its characters. */
  wide = 0
  /** Ends of lines between values. */
  breaks = 0
  #bytes: Uint8Array
  #view: Buffer
  readonly #pass: Pass

  constructor(bytes: Uint8Array, pass: Pass, saved: number) {
    this.#bytes = bytes
    this.#view = bufferOf(bytes)
    this.#pass = pass
    this.saved = saved
  }

  /** The same bytes, and more behind them. */
  more(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#view = bufferOf(bytes)
  }

  /** What is written in ASCII, without escapes. */
  #ascii(from: number, length: number): string {
    return this.#view.toString('latin1', from, from + length)
  }

  /** From the backslash before the quote. Answers the offset behind the string, as the others do behind what they count. */
  string(place: FieldNode, start: number, record: number, detail: boolean, depth: number): number {
    const bytes = this.#bytes
    const from = start + 2
    if (bytes[start + 1] !== QUOTE) giveUp()
    const { shape } = place
    const isCounted = detail && !shape.distinct.closed
    let end = from
    let hash = 0
    let all = 0
    let byte = bytes[end] as number
    if (isCounted) {
      while (byte !== BACKSLASH && byte >= 0x20 && byte !== QUOTE) {
        all |= byte
        hash = (Math.imul(hash, 31) + byte) | 0
        byte = bytes[++end] as number
      }
    } else {
      while (byte !== BACKSLASH && byte >= 0x20 && byte !== QUOTE) {
        all |= byte
        byte = bytes[++end] as number
      }
    }
    if (byte !== BACKSLASH) giveUp()
    const first = bytes[from] as number
    if (bytes[end + 1] !== QUOTE || all >= 0x80 || first === OPEN_LIST || first === OPEN_OBJECT)
      return this.#oddString(place, start, stringEnd(bytes, end), record, detail, depth)
    this.saved += 2
    const length = end - from
    shape.count += 1
    const stats = countLength(shape, length)
    if (first === 0x68) {
      if (isWeb(bytes, from, length)) stats.urls += 1
    } else if ((first >= ZERO && first <= NINE && length <= LONGEST_NUMBER) || first === MINUS) {
      this.#digits(place, stats, from, length, record)
    }
    if (isCounted) this.#value(place, shape, hash, from, length, record)
    return end + 2
  }

  number(place: FieldNode, start: number, record: number, detail: boolean, depth: number): number {
    const bytes = this.#bytes
    const isNegative = bytes[start] === MINUS
    const first = isNegative ? start + 1 : start
    let at = first
    let whole = 0
    let byte = bytes[at] as number
    while (byte >= ZERO && byte <= NINE && at < first + INTEGER) {
      whole = (whole * 10 + (byte - ZERO)) | 0
      byte = bytes[++at] as number
    }
    if (at === first || (at > first + 1 && bytes[first] === ZERO)) giveUp()
    if ((byte >= ZERO && byte <= NINE) || byte === POINT || byte === SMALL_E || byte === LARGE_E)
      return this.#longNumber(place, start, at, whole, record, detail, depth)
    if (isNegative && whole === 0) return this.plain(place, start, record, detail, depth)
    const value = isNegative ? -whole : whole
    const { shape } = place
    shape.count += 1
    shape.numbers = countNumber(shape.numbers, value, record)
    if (detail && !shape.distinct.closed) this.#wholeNumber(place, shape, value, record)
    return at
  }

  /** Goes on with a number of more digits, with decimals or with an exponent, from its first digits on. */
  #longNumber(
    place: FieldNode,
    start: number,
    from: number,
    whole: number,
    record: number,
    detail: boolean,
    depth: number,
  ): number {
    const bytes = this.#bytes
    const isNegative = bytes[start] === MINUS
    const first = isNegative ? start + 1 : start
    let at = from
    let value = whole
    let byte = bytes[at] as number
    while (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO)
      byte = bytes[++at] as number
    }
    let digits = at - first
    if (byte === POINT) {
      const point = at
      byte = bytes[++at] as number
      while (byte >= ZERO && byte <= NINE) {
        value = value * 10 + (byte - ZERO)
        byte = bytes[++at] as number
      }
      const decimals = at - point - 1
      if (decimals === 0) giveUp()
      digits += decimals
      if (digits <= DIGITS) value /= POWERS[decimals] as number
    }
    if (digits > DIGITS || byte === SMALL_E || byte === LARGE_E || (isNegative && value === 0))
      return this.plain(place, start, record, detail, depth)
    const { shape } = place
    shape.count += 1
    shape.numbers = countNumber(shape.numbers, isNegative ? -value : value, record)
    if (detail && !shape.distinct.closed)
      shape.distinct.add(isNegative ? -value : value, 1, this.#pass.room, record)
    return at
  }

  /** `true`, `false`, `null`. */
  word(place: FieldNode, start: number, record: number, detail: boolean, depth: number): number {
    const bytes = this.#bytes
    const { shape } = place
    const first = bytes[start]
    if (first === 0x6e && isWord(bytes, start, NULL)) {
      shape.count += 1
      shape.nulls += 1
      return start + NULL.length
    }
    const yes = first === 0x74
    const word = yes ? TRUE : FALSE
    if (!isWord(bytes, start, word)) return this.plain(place, start, record, detail, depth)
    shape.count += 1
    shape.booleans += 1
    if (detail && !shape.distinct.closed) {
      const box = yes ? place.yes : place.no
      if (box !== undefined) box.count += 1
      else if (yes) place.yes = shape.distinct.add(true, 1, this.#pass.room, record)
      else place.no = shape.distinct.add(false, 1, this.#pass.room, record)
    }
    return start + word.length
  }

  /** Any value, by `JSON.parse`. */
  plain(place: FieldNode, start: number, record: number, detail: boolean, depth: number): number {
    const end = behindValue(this.#bytes, start)
    const json = unescaped(this.#bytes, start, end)
    this.saved += end - start - json.length
    this.wide += wideIn(json)
    this.#count(place, parsed(json), record, detail, depth)
    return end
  }

  /** Dates that are known by their bytes become texts. */
  writeDates(place: FieldNode): void {
    const { strings } = place.shape
    if (place.earliestAt < 0 || strings === undefined) return
    strings.earliest = this.#ascii(place.earliestAt, place.earliestLength)
    strings.latest = this.#ascii(place.latestAt, place.latestLength)
    place.earliestAt = -1
  }

  /** A string with escapes or letters beyond ASCII, or one that may hold JSON. */
  #oddString(
    place: FieldNode,
    start: number,
    end: number,
    record: number,
    detail: boolean,
    depth: number,
  ): number {
    const json = unescaped(this.#bytes, start, end + 2)
    this.saved += end + 2 - start - json.length
    this.wide += wideIn(json)
    this.#count(place, JSON.parse(json) as JsonValue, record, detail, depth)
    return end + 2
  }

  #count(place: FieldNode, value: JsonValue, record: number, detail: boolean, depth: number): void {
    this.writeDates(place)
    if (typeof value === 'string' && PLAIN.test(value)) place.isRespelled = true
    this.#pass.visit(place.shape, value, record, detail, depth)
  }

  #digits(place: FieldNode, stats: StringStats, from: number, length: number, record: number): void {
    const bytes = this.#bytes
    if (isDate(bytes, from, length)) {
      this.#date(place, stats, from, length)
    } else if (mayBeNumber(bytes, from, from + length)) {
      this.#pass.digits(place.shape, stats, this.#ascii(from, length), record)
    }
  }

  #date(place: FieldNode, stats: StringStats, from: number, length: number): void {
    const bytes = this.#bytes
    if (stats.dates > 0 && place.earliestAt < 0) {
      this.#pass.digits(place.shape, stats, this.#ascii(from, length), 0)
      return
    }
    stats.dates += 1
    if (place.earliestAt < 0) {
      place.earliestAt = place.latestAt = from
      place.earliestLength = place.latestLength = length
    } else if (precedes(bytes, from, length, place.earliestAt, place.earliestLength)) {
      place.earliestAt = from
      place.earliestLength = length
    } else if (precedes(bytes, place.latestAt, place.latestLength, from, length)) {
      place.latestAt = from
      place.latestLength = length
    }
  }

  #value(place: FieldNode, shape: Shape, hash: number, from: number, length: number, record: number): void {
    const { distinct } = shape
    if (length > MAX_DISTINCT_LENGTH) return distinct.miss()
    const known = place.spelled.find(this.#bytes, hash, from, length)
    if (known !== undefined) {
      known.count += 1
      return
    }
    // What is written in one way only and has no box needs no name.
    if (distinct.overflow && !place.isRespelled) return distinct.miss()
    const box = distinct.add(this.#ascii(from, length), 1, this.#pass.room, record)
    if (box !== undefined) place.spelled.add(hash, from, length, box)
  }

  #wholeNumber(place: FieldNode, shape: Shape, value: number, record: number): void {
    const { small } = place
    const isSmall = value >= 0 && value < SMALL
    const known: Box | undefined = isSmall && value < small.length ? small[value] : undefined
    if (known !== undefined) {
      known.count += 1
      return
    }
    const box = shape.distinct.add(value, 1, this.#pass.room, record)
    if (!isSmall || box === undefined) return
    while (small.length <= value) small.push(undefined)
    small[value] = box
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const letters = (word: string): Uint8Array => new Uint8Array(Buffer.from(word))
const [NULL, TRUE, FALSE] = [letters('null'), letters('true'), letters('false')]

function isWord(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at++) if (bytes[start + at] !== word[at]) return false
  return true
}
