/** Reads the JSON that a string of JSON holds, without making objects of its records. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import type { LongText } from '../../text/tokens.ts'
import {
  BACKSLASH,
  behindSpace,
  behindValue,
  giveUp,
  parsed,
  QUOTE,
  stringEnd,
  unescaped,
  wideIn,
} from './escaped.ts'
import { expectedCount, type Layout, type ScannedRecords, scannedList } from './lists.ts'
import { RecordsScan } from './records.ts'

/** JSON that was read, and its text, of which parts are made as they are asked for. */
export interface ScannedText {
  /** Long lists of records in it are `scannedList`s. */
  value: JsonValue
  text: LongText
  /** The UTF-8 bytes of the text. */
  bytes: number
  format: 'json' | 'ndjson'
}

/** Shorter lists are parsed, and so are lists that may be wrappers. */
const LONG = 32_768
const FEWEST = 4
/** A longer value that is no list of records is left to `JSON.parse`, with all that is around it. */
const MOST_PLAIN = 1_000_000
/** Records of more bytes, as the first ones have them, are parsed in less time than they are read. */
const LARGE = 4096
const MEASURED = 8
/** Objects around the records, and how many fields they have. */
const DEEPEST = 4
const MOST_KEYS = 1000

const [COMMA, COLON, OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x3a, 0x5b, 0x7b, 0x7d]

/** So far behind what was read there must be more, as long as more comes: most records are shorter. */
const AHEAD = 65_536
const NOTHING = new Uint8Array(0)

/**
 * Reads the inside of a string of JSON. `finish` alone reads it at once. While the bytes arrive, `advance` reads all bytes so far, as
 * often as more came. Both throw where they give up (`giveUp`, `SyntaxError`). Then the reader must be dropped. A text that failed before
 * its end may be read well from the beginning: a cut text looks like an odd one.
 */
export class TextScan {
  readonly #start: number
  readonly #lists: ScannedRecords[] = []
  readonly #steps: Generator<undefined, ScannedText, void>
  #bytes: Uint8Array = NOTHING
  /** All bytes are there. */
  #isWhole = false
  #end = 0
  #saved = 0
  #wide = 0
  #at: number

  /** `start`: the first byte of the text. */
  constructor(start: number) {
    this.#start = start
    this.#at = start
    this.#steps = this.#read()
  }

  advance(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#end = bytes.length
    if (this.#steps.next().done) giveUp()
  }

  /** `end`: the first byte behind the text. */
  finish(bytes: Uint8Array, end: number): ScannedText {
    this.#bytes = bytes
    this.#end = end
    this.#isWhole = true
    const { done, value } = this.#steps.next()
    return done ? value : giveUp()
  }

  *#read(): Generator<undefined, ScannedText, void> {
    yield* this.#some()
    this.#space()
    let value = yield* this.#value(0)
    yield* this.#some()
    this.#space()
    const isLines = this.#bytes[this.#at] === OPEN_OBJECT
    if (isLines) value = yield* this.#lines()
    while (!this.#isWhole) yield
    this.#space()
    if (this.#at !== this.#end || this.#lists.length === 0) giveUp()
    const length = this.#end - this.#start - this.#saved
    const text = {
      length,
      slice: (from: number, to: number) => this.#slice(from, Math.min(to, length)),
    }
    return { value, text, bytes: length + this.#wide, format: isLines ? 'ndjson' : 'json' }
  }

  /** Waits until there is something to read. */
  *#some(): Generator<undefined, void, void> {
    while (!this.#isWhole && this.#at + AHEAD > this.#bytes.length) yield
  }

  *#value(depth: number): Generator<undefined, JsonValue, void> {
    const byte = this.#bytes[this.#at]
    if (byte === OPEN_OBJECT && depth < DEEPEST) return yield* this.#object(depth)
    if (byte === OPEN_LIST && this.#bytes[behindSpace(this.#bytes, this.#at + 1)] === OPEN_OBJECT)
      return yield* this.#list()
    return this.#plain(behindValue(this.#bytes, this.#at))
  }

  *#object(depth: number): Generator<undefined, JsonObject, void> {
    const object: JsonObject = {}
    this.#at += 1
    this.#space()
    if (this.#bytes[this.#at] === CLOSE_OBJECT) {
      this.#at += 1
      return object
    }
    for (let count = 0; count < MOST_KEYS; count++) {
      yield* this.#some()
      const key = this.#key()
      setOwn(object, key, yield* this.#value(depth + 1))
      yield* this.#some()
      this.#space()
      const byte = this.#bytes[this.#at]
      this.#at += 1
      if (byte === CLOSE_OBJECT) return object
      if (byte !== COMMA) giveUp()
      this.#space()
    }
    return giveUp()
  }

  /** The key here. Its value follows. */
  #key(): string {
    const bytes = this.#bytes
    if (bytes[this.#at] !== BACKSLASH || bytes[this.#at + 1] !== QUOTE) giveUp()
    const key = this.#plain(stringEnd(bytes, this.#at + 2) + 2)
    this.#space()
    if (bytes[this.#at] !== COLON) giveUp()
    this.#at += 1
    this.#space()
    return String(key)
  }

  *#list(): Generator<undefined, JsonValue, void> {
    const start = this.#at
    if (this.#areLarge()) giveUp()
    const scanned = yield* this.#records(start, 'list')
    if (scanned.offsets.count < FEWEST || scanned.end - start < LONG) return this.#plain(scanned.end)
    return this.#listOf(scanned)
  }

  /** True where the list here begins with large records, and is not a short one. */
  #areLarge(): boolean {
    const first = behindSpace(this.#bytes, this.#at + 1)
    let at = first
    let count = 0
    for (; count < MEASURED && this.#bytes[at] === OPEN_OBJECT; count++) {
      at = behindSpace(this.#bytes, behindValue(this.#bytes, at))
      if (this.#bytes[at] === COMMA) at = behindSpace(this.#bytes, at + 1)
    }
    return at - first > Math.max(LONG, LARGE * count)
  }

  /** A second object stands behind the first: all that was read is a record, and so is all that follows. */
  *#lines(): Generator<undefined, JsonValue, void> {
    this.#lists.length = 0
    this.#saved = 0
    this.#wide = 0
    this.#at = this.#start
    this.#space()
    const scanned = yield* this.#records(this.#at, 'lines')
    return scanned.offsets.count < FEWEST ? giveUp() : this.#listOf(scanned)
  }

  #listOf(scanned: ScannedRecords): JsonValue {
    this.#lists.push(scanned)
    this.#saved = scanned.saved
    this.#wide += scanned.wide
    this.#at = scanned.end
    return scannedList(this.#bytes, scanned)
  }

  /** How many records there are decides of how many the values are counted, and is known for sure when they were read. */
  *#records(start: number, layout: Layout): Generator<undefined, ScannedRecords, void> {
    const expected = expectedCount(this.#bytes, start, this.#end, layout)
    const scan = new RecordsScan(this.#bytes, start, expected, this.#saved, layout)
    while (!scan.read(this.#isWhole ? this.#end : this.#bytes.length - AHEAD)) {
      if (this.#isWhole) giveUp()
      yield
      scan.more(this.#bytes)
    }
    return scan.finishedExactly(start, this.#saved)
  }

  /** The value that is written up to `end`. */
  #plain(end: number): JsonValue {
    if (end - this.#at > MOST_PLAIN) giveUp()
    const json = unescaped(this.#bytes, this.#at, end)
    this.#saved += end - this.#at - json.length
    this.#wide += wideIn(json)
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
