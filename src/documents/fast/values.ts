/** Counts the strings, numbers and words of JSON where they are written. */
import type { JsonValue } from '../../protocol/json.ts'
import { countNumber, type Pass } from '../shape/profile.ts'
import { MINUS, NINE, OPEN_LIST, OPEN_OBJECT, SpelledCounts, ZERO } from '../shape/spelled.ts'
import { BACKSLASH, behindValue, giveUp, parsed, QUOTE, stringEnd, unescaped, wideIn } from './escaped.ts'
import type { FieldNode } from './fields.ts'

const [POINT, SMALL_E, LARGE_E] = [0x2e, 0x65, 0x45]
/** Digits that a double holds, whatever they are, and the powers of ten that it holds: their quotient is the nearest double. */
const DIGITS = 15
const POWERS = Array.from({ length: DIGITS + 1 }, (_, power) => 10 ** power)
/** Digits of whole numbers that fit into 31 bits, whatever they are. */
const INTEGER = 9
/** Strings that need no escape, short enough to be counted by their value. */
const PLAIN = /^[ !#-[\]-~]{0,120}$/

export class LeafCounts extends SpelledCounts {
  /** Bytes of what was read that are no characters of the text: of escapes, and of UTF-8. */
  saved: number
  /** UTF-8 bytes of the text beyond one for each of its characters. */
  wide = 0
  /** Ends of lines between values. */
  breaks = 0
  #bytes: Uint8Array
  #view: Buffer

  constructor(bytes: Uint8Array, pass: Pass, saved: number) {
    super(bytes, pass, (from, end) => this.#view.toString('latin1', from, end))
    this.#bytes = bytes
    this.#view = bufferOf(bytes)
    this.saved = saved
  }

  /** The same bytes, and more behind them. */
  more(bytes: Uint8Array): void {
    this.units = bytes
    this.#bytes = bytes
    this.#view = bufferOf(bytes)
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
    this.text(place, from, end - from, hash, record, isCounted)
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
    this.wholeNumber(place, value, record, detail)
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
      shape.distinct.add(isNegative ? -value : value, 1, this.pass.room, record)
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
      else if (yes) place.yes = shape.distinct.add(true, 1, this.pass.room, record)
      else place.no = shape.distinct.add(false, 1, this.pass.room, record)
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
    this.value(place, value, record, detail, depth, typeof value === 'string' && PLAIN.test(value))
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
