/** Counts strings, numbers and words where they are written. What is rare is made a value and counted as `profile` does it. */
import type { JsonValue } from '../../protocol/json.ts'
import { countLength, countNumber, type Pass } from '../profile.ts'
import { type Box, MAX_DISTINCT_LENGTH, type Shape, type StringStats } from '../shape.ts'
import { isDate, isWeb, mayBeNumber, precedes } from './bytes.ts'
import { BACKSLASH, behindValue, giveUp, parsed, QUOTE, stringEnd, unescaped, wideIn } from './escaped.ts'
import type { Place } from './place.ts'

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
  #bytes: Uint8Array
  readonly #pass: Pass

  constructor(bytes: Uint8Array, pass: Pass, saved: number) {
    this.#bytes = bytes
    this.#pass = pass
    this.saved = saved
  }

  /** The same bytes, and more behind them. */
  more(bytes: Uint8Array): void {
    this.#bytes = bytes
  }

  /** From the backslash before the quote. Answers the offset behind the string, as the others do behind what they count. */
  string(place: Place, start: number, record: number, detail: boolean, depth: number): number {
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

  number(place: Place, start: number, record: number, detail: boolean, depth: number): number {
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
      return this.#longNumber(place, start, record, detail, depth)
    if (isNegative && whole === 0) return this.plain(place, start, record, detail, depth)
    const value = isNegative ? -whole : whole
    const { shape } = place
    shape.count += 1
    shape.numbers = countNumber(shape.numbers, value, record)
    if (detail && !shape.distinct.closed) this.#wholeNumber(place, shape, value, record)
    return at
  }

  /** Numbers of more digits, with decimals or with an exponent. */
  #longNumber(place: Place, start: number, record: number, detail: boolean, depth: number): number {
    const bytes = this.#bytes
    const isNegative = bytes[start] === MINUS
    const first = isNegative ? start + 1 : start
    let at = first
    let value = 0
    let byte = bytes[at] as number
    while (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO)
      byte = bytes[++at] as number
    }
    let digits = at - first
    if (digits > 1 && bytes[first] === ZERO) giveUp()
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
  word(place: Place, start: number, record: number, detail: boolean, depth: number): number {
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
  plain(place: Place, start: number, record: number, detail: boolean, depth: number): number {
    const end = behindValue(this.#bytes, start)
    const json = unescaped(this.#bytes, start, end)
    this.saved += end - start - json.length
    this.wide += wideIn(json)
    this.#count(place, parsed(json), record, detail, depth)
    return end
  }

  /** Dates that are known by their bytes become texts. */
  writeDates(place: Place): void {
    const { strings } = place.shape
    if (place.earliestAt < 0 || strings === undefined) return
    const text = (from: number, length: number) => unescaped(this.#bytes, from, from + length)
    strings.earliest = text(place.earliestAt, place.earliestLength)
    strings.latest = text(place.latestAt, place.latestLength)
    place.earliestAt = -1
  }

  /** A string with escapes or letters beyond ASCII, or one that may hold JSON. */
  #oddString(
    place: Place,
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

  #count(place: Place, value: JsonValue, record: number, detail: boolean, depth: number): void {
    this.writeDates(place)
    if (typeof value === 'string' && PLAIN.test(value)) place.isRespelled = true
    this.#pass.visit(place.shape, value, record, detail, depth)
  }

  #digits(place: Place, stats: StringStats, from: number, length: number, record: number): void {
    const bytes = this.#bytes
    if (isDate(bytes, from, length)) {
      this.#date(place, stats, from, length)
    } else if (mayBeNumber(bytes, from, from + length)) {
      this.#pass.digits(place.shape, stats, unescaped(bytes, from, from + length), record)
    }
  }

  #date(place: Place, stats: StringStats, from: number, length: number): void {
    const bytes = this.#bytes
    if (stats.dates > 0 && place.earliestAt < 0) {
      this.#pass.digits(place.shape, stats, unescaped(bytes, from, from + length), 0)
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

  #value(place: Place, shape: Shape, hash: number, from: number, length: number, record: number): void {
    const { distinct } = shape
    if (length > MAX_DISTINCT_LENGTH) return distinct.miss()
    const known = place.spelled.find(this.#bytes, hash, from, length)
    if (known !== undefined) {
      known.count += 1
      return
    }
    // What is written in one way only and has no box needs no name.
    if (distinct.overflow && !place.isRespelled) return distinct.miss()
    const box = distinct.add(unescaped(this.#bytes, from, from + length), 1, this.#pass.room, record)
    if (box !== undefined) place.spelled.add(hash, from, length, box)
  }

  #wholeNumber(place: Place, shape: Shape, value: number, record: number): void {
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

const letters = (word: string): Uint8Array => new Uint8Array(Buffer.from(word))
const [NULL, TRUE, FALSE] = [letters('null'), letters('true'), letters('false')]

function isWord(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at++) if (bytes[start + at] !== word[at]) return false
  return true
}
