/** Reads the JSON that a string of JSON holds, without making objects of its records. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import type { LongText } from '../../text/tokens.ts'
import { sampled } from '../profile.ts'
import {
  BACKSLASH,
  behindSpace,
  behindValue,
  giveUp,
  parsed,
  QUOTE,
  stringEnd,
  unescaped,
} from './escaped.ts'
import { expectedCount } from './expected-count.ts'
import { type ScannedRecords, scanRecords } from './records-scan.ts'
import { scannedList } from './scanned-list.ts'

/** JSON that was read, and its text, of which parts are made as they are asked for. */
export interface ScannedText {
  /** Long lists of records in it are `scannedList`s. */
  value: JsonValue
  text: LongText
}

/** Shorter lists are parsed, and so are those that may be wrappers. */
const LONG = 32_768
const FEWEST = 4
/** A longer value that is no list of records is left to `JSON.parse`, with all that is around it. */
const MOST_PLAIN = 1_000_000
/** Objects around the records, and how many fields they have. */
const DEEPEST = 4
const MOST_KEYS = 1000

const [COMMA, COLON, OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x3a, 0x5b, 0x7b, 0x7d]

/** Reads bytes `start` to `end` of the inside of a string of JSON. Throws where it gives up (`giveUp`, `SyntaxError`). */
export function scanText(bytes: Uint8Array, start: number, end: number): ScannedText {
  return new TextScan(bytes, start, end).read()
}

class TextScan {
  readonly #bytes: Uint8Array
  readonly #start: number
  readonly #end: number
  readonly #lists: ScannedRecords[] = []
  #saved = 0
  #at: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#start = start
    this.#end = end
    this.#at = start
  }

  read(): ScannedText {
    this.#space()
    const value = this.#value(0)
    this.#space()
    if (this.#at !== this.#end || this.#lists.length === 0) giveUp()
    const length = this.#end - this.#start - this.#saved
    return { value, text: { length, slice: (from, to) => this.#slice(from, Math.min(to, length)) } }
  }

  #value(depth: number): JsonValue {
    const byte = this.#bytes[this.#at]
    if (byte === OPEN_OBJECT && depth < DEEPEST) return this.#object(depth)
    if (byte === OPEN_LIST && this.#bytes[behindSpace(this.#bytes, this.#at + 1)] === OPEN_OBJECT)
      return this.#list()
    return this.#plain(behindValue(this.#bytes, this.#at))
  }

  #object(depth: number): JsonObject {
    const bytes = this.#bytes
    const object: JsonObject = {}
    this.#at += 1
    this.#space()
    if (bytes[this.#at] === CLOSE_OBJECT) {
      this.#at += 1
      return object
    }
    for (let count = 0; count < MOST_KEYS; count++) {
      if (bytes[this.#at] !== BACKSLASH || bytes[this.#at + 1] !== QUOTE) giveUp()
      const key = this.#plain(stringEnd(bytes, this.#at + 2) + 2)
      this.#space()
      if (bytes[this.#at] !== COLON) giveUp()
      this.#at += 1
      this.#space()
      setOwn(object, String(key), this.#value(depth + 1))
      this.#space()
      const byte = bytes[this.#at]
      this.#at += 1
      if (byte === CLOSE_OBJECT) return object
      if (byte !== COMMA) giveUp()
      this.#space()
    }
    return giveUp()
  }

  #list(): JsonValue {
    const start = this.#at
    const scanned = this.#records(start)
    if (scanned.offsets.count < FEWEST || scanned.end - start < LONG) return this.#plain(scanned.end)
    this.#lists.push(scanned)
    this.#saved = scanned.saved
    this.#at = scanned.end
    return scannedList(this.#bytes, scanned)
  }

  /** How many records there are decides of how many the values are counted, and is known for sure when they were read. */
  #records(start: number): ScannedRecords {
    const expected = expectedCount(this.#bytes, start, this.#end)
    const scanned = scanRecords(this.#bytes, start, expected, this.#saved)
    const { count } = scanned.offsets
    return sampled(count) === sampled(expected)
      ? scanned
      : scanRecords(this.#bytes, start, count, this.#saved)
  }

  /** What is written up to `end`, as a value. */
  #plain(end: number): JsonValue {
    if (end - this.#at > MOST_PLAIN) giveUp()
    const json = unescaped(this.#bytes, this.#at, end)
    this.#saved += end - this.#at - json.length
    this.#at = end
    return parsed(json)
  }

  #space(): void {
    const end = behindSpace(this.#bytes, this.#at)
    for (; this.#at < end; this.#at++) if (this.#bytes[this.#at] === BACKSLASH) this.#saved += 1
  }

  /** From a record before to a record behind, between which nothing is cut that is one character. */
  #slice(from: number, to: number): string {
    let first = { byte: this.#start, character: 0 }
    let end = this.#end
    for (const { offsets } of this.#lists) {
      first = offsets.before(from, this.#start) ?? first
      end = Math.min(end, offsets.behind(to, this.#start) ?? end)
    }
    return unescaped(this.#bytes, first.byte, end).slice(from - first.character, to - first.character)
  }
}
