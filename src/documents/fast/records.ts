/**
 * Profiles records where they are written, without making objects of them: a fraction of the time of parsing them, and no memory. It
 * gives the same as `profile`, or gives up. It gives up where keys are numbers or come twice, where objects look like maps, and at
 * anything that is not JSON.
 */

import { isObject } from '../../protocol/json.ts'
import { areKeys, isMap, MOST_FIELDS, SOME_FIELDS } from '../shape/collections.ts'
import { ALL_VALUES, Pass, sampled } from '../shape/profile.ts'
import { emptyShape, type Shape, Tally } from '../shape/shape.ts'
import { BACKSLASH, giveUp, parsed, QUOTE, skipSpace, unescaped } from './escaped.ts'
import { FieldKeys, type FieldNode, viewOf } from './fields.ts'
import type { Layout, ScannedRecords } from './lists.ts'
import { Offsets } from './lists.ts'
import { LeafCounts } from './values.ts'

const [COMMA, ZERO, NINE, MINUS] = [0x2c, 0x30, 0x39, 0x2d]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** In place of how many records are apart: of none the values are counted. */
const NEVER = 2 ** 30

/** Reads records step by step, for bytes of which more may come. Throws where it gives up. */
export class RecordsScan {
  readonly #layout: Layout
  #bytes: Uint8Array
  #view: DataView
  #size: number
  /** Of records so many apart the values are counted. */
  #every: number
  readonly #offsets: Offsets
  readonly #pass = new Pass()
  readonly #leaves: LeafCounts
  readonly #keys: FieldKeys
  readonly #root: FieldNode
  /** Where the next record begins, or the list has ended. */
  #at: number
  #ended = false
  /** Line breaks between records so far. */
  #breaks = 0
  /** Objects so far. */
  #holder = 0

  /**
   * The list, or the first line, begins at `start`. `expected`: about how many records there are. It decides for how many of them the
   * values are counted. `saved`: bytes before `start` that are no characters.
   */
  constructor(bytes: Uint8Array, start: number, expected: number, saved: number, layout: Layout = 'list') {
    this.#layout = layout
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.#size = bytes.byteLength
    this.#every = sampled(expected)
    this.#offsets = new Offsets(expected)
    this.#leaves = new LeafCounts(bytes, this.#pass, saved)
    this.#keys = new FieldKeys(bytes, this.#leaves)
    this.#root = this.#keys.place(emptyShape())
    this.#at = layout === 'list' ? start + 1 : start
  }

  /** The same bytes, and more behind them. */
  more(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.#size = bytes.byteLength
    this.#leaves.more(bytes)
    this.#keys.more(bytes)
  }

  /** Reads the records that begin before an offset. True when the list has ended. Throws where it gives up. */
  read(before: number): boolean {
    const bytes = this.#bytes
    const offsets = this.#offsets
    const root = this.#root
    let at = this.#at
    let every = this.#every
    while (at < before && !this.#ended) {
      at = this.#space(at)
      if (bytes[at] !== OPEN_OBJECT) giveUp()
      const { saved } = this.#leaves
      const { count } = offsets
      // There are more than was thought: what was counted of their values is not what is wanted.
      if (count === every * ALL_VALUES) every = NEVER
      const end = this.#object(root, at, count, count % every === 0, 0)
      offsets.add(at, saved)
      at = this.#layout === 'list' ? this.#behindComma(end) : this.#behindBreak(end)
    }
    this.#at = at
    this.#every = every
    return this.#ended
  }

  #behindComma(end: number): number {
    const at = this.#space(end)
    const byte = this.#bytes[at]
    if (byte === CLOSE_LIST) this.#ended = true
    else if (byte !== COMMA) giveUp()
    return at + 1
  }

  /** A record has no line break inside it, and one behind it, or the end of the text. */
  #behindBreak(end: number): number {
    if (this.#leaves.breaks !== this.#breaks) giveUp()
    const at = this.#space(end)
    this.#ended = this.#bytes[at] === QUOTE
    if (this.#leaves.breaks === this.#breaks && !this.#ended) giveUp()
    this.#breaks = this.#leaves.breaks
    return at
  }

  /** The list has ended, and of some of its records the values were counted. */
  finished(): ScannedRecords {
    const root = this.#root
    const { count } = this.#offsets
    for (const place of this.#keys.places) this.#leaves.writeDates(place)
    const profile = this.#pass.finished(root.shape, count, this.#every)
    const firstWithout = (name: string): number => {
      const place = root.byName.get(name)
      if (place === undefined) return -1
      return place.gap < 0 && place.shape.count < count ? place.shape.count : place.gap
    }
    const firstWith = (name: string): number => root.byName.get(name)?.since ?? -1
    return {
      profile,
      offsets: this.#offsets,
      firstWithout,
      firstWith,
      end: this.#at,
      saved: this.#leaves.saved,
      wide: this.#leaves.wide,
    }
  }

  /** The same, of which as many values were counted as of so many records they should be. `start` and `saved`: as they were at the beginning. */
  finishedExactly(start: number, saved: number): ScannedRecords {
    const { count } = this.#offsets
    const every = sampled(count)
    if (every === this.#every) return this.finished()
    if (this.#keys.places.some(({ shape }) => shape.held !== undefined)) {
      const again = new RecordsScan(this.#bytes, start, count, saved, this.#layout)
      again.read(this.#size)
      return again.finished()
    }
    const values = new RecordsScan(this.#bytes, start, count, 0, this.#layout)
    for (let index = 0; index < count; index += every)
      values.#object(values.#root, this.#offsets.from(index), index, true, 0)
    takeDistinct(this.#root.shape, values.#root.shape)
    this.#every = every
    return this.finished()
  }

  #value(place: FieldNode, at: number, record: number, detail: boolean, depth: number): number {
    const byte = this.#bytes[at] as number
    if (byte === BACKSLASH) return this.#leaves.string(place, at, record, detail, depth)
    if ((byte >= ZERO && byte <= NINE) || byte === MINUS)
      return this.#leaves.number(place, at, record, detail, depth)
    if (depth < this.#pass.maxDepth) {
      if (byte === OPEN_OBJECT) return this.#object(place, at, record, detail, depth)
      if (byte === OPEN_LIST) return this.#array(place, at, record, detail, depth)
    }
    return this.#leaves.word(place, at, record, detail, depth)
  }

  #object(place: FieldNode, start: number, record: number, detail: boolean, depth: number): number {
    const bytes = this.#bytes
    const { shape } = place
    shape.count += 1
    shape.objects += 1
    const holder = ++this.#holder
    let at = this.#space(start + 1)
    if (bytes[at] === CLOSE_OBJECT) return at + 1
    let seen = 0
    let keysSaved = 0
    let keysWide = 0
    let before: FieldNode | undefined
    for (;;) {
      let field = before === undefined ? place.first : before.after
      if (field?.key?.isAt(this.#view, this.#size, at) === true) {
        keysSaved += field.keySaved
        keysWide += field.keyWide
        at += field.key.length
      } else {
        field = this.#keys.at(place, at, before, record)
        at = this.#keys.behind(field, at)
      }
      if (field.holder === holder) giveUp()
      field.holder = holder
      before = field
      seen += 1
      if (depth === 0 && field.gap < 0 && field.shape.count !== record) field.gap = field.shape.count
      at = this.#space(this.#value(field, this.#space(at), record, detail, depth + 1))
      const byte = bytes[at]
      at += 1
      if (byte === CLOSE_OBJECT) break
      if (byte !== COMMA) giveUp()
      at = this.#space(at)
    }
    place.present += seen
    this.#leaves.saved += keysSaved
    this.#leaves.wide += keysWide
    if (seen > SOME_FIELDS && this.#isWide(start, at, seen, depth)) giveUp()
    if (place.byName.size > SOME_FIELDS && isMapLike(place)) giveUp()
    return at
  }

  #array(place: FieldNode, start: number, record: number, detail: boolean, depth: number): number {
    const bytes = this.#bytes
    const { shape } = place
    shape.count += 1
    let elements = place.elements
    if (elements === undefined) {
      shape.elements ??= emptyShape()
      elements = this.#keys.place(shape.elements)
      place.elements = elements
    }
    let length = 0
    let at = this.#space(start + 1)
    if (bytes[at] === CLOSE_LIST) {
      at += 1
    } else {
      for (;;) {
        length += 1
        at = this.#space(this.#value(elements, at, record, detail, depth + 1))
        const byte = bytes[at]
        at += 1
        if (byte === CLOSE_LIST) break
        if (byte !== COMMA) giveUp()
        at = this.#space(at)
      }
    }
    const stats = shape.arrays
    if (stats === undefined) {
      shape.arrays = { count: 1, min: length, max: length, total: length }
    } else {
      stats.count += 1
      stats.total += length
      if (length < stats.min) stats.min = length
      if (length > stats.max) stats.max = length
    }
    return at
  }

  #space(at: number): number {
    return skipSpace(this.#bytes, at, this.#leaves)
  }

  /** True for an object that `profile` takes for a map. */
  #isWide(start: number, end: number, count: number, depth: number): boolean {
    if (count > MOST_FIELDS || depth === 0) return count > MOST_FIELDS
    const value = parsed(unescaped(this.#bytes, start, end))
    return isObject(value) && isMap(value)
  }
}

/** Gives a profile the values that were counted in another of some of the same records. */
function takeDistinct(target: Shape, source: Shape | undefined): void {
  target.distinct = source?.distinct ?? new Tally()
  for (const [name, field] of target.fields) takeDistinct(field, source?.fields.get(name))
  if (target.elements !== undefined) takeDistinct(target.elements, source?.elements)
}

/** True where fields come and go, as in `profile`. */
function isMapLike({ shape, byName, present }: FieldNode): boolean {
  return areKeys(byName.size, shape.objects, present)
}
