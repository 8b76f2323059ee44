/** A key as it is written, from the quote that opens it to the colon, compared four bytes at a time. */
import { type Box, child, type Shape } from '../shape.ts'
import { BACKSLASH, giveUp, QUOTE, skipSpace, stringEnd, unescaped, wideIn } from './escaped.ts'

const WORD = 4

export class WrittenKey {
  /** In bytes; a word at least. */
  readonly length: number
  /** The words one after the other, and the last one, which may overlap the one before. */
  readonly #words: Int32Array

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.length = bytes.length
    const last = bytes.length - WORD
    this.#words = Int32Array.from({ length: Math.ceil(bytes.length / WORD) }, (_, index) =>
      view.getInt32(Math.min(index * WORD, last), true),
    )
  }

  /** True when it is written at this offset of a view of `size` bytes. */
  isAt(view: DataView, size: number, at: number): boolean {
    const words = this.#words
    const last = words.length - 1
    const end = at + this.length
    if (end > size) return false
    for (let index = 0; index < last; index++)
      if (view.getInt32(at + index * WORD, true) !== words[index]) return false
    return view.getInt32(end - WORD, true) === words[last]
  }
}

// Boxes of values by the bytes they are written in: what occurs again is counted without making a string of it.

const FIRST_SIZE = 64

/** A table with open addressing. Offsets and lengths are those of one array of bytes, which does not change. */
export class SpelledValues {
  #mask = FIRST_SIZE - 1
  #size = 0
  #boxes: (Box | undefined)[] = emptyBoxes(0)
  #hashes = new Int32Array(0)
  #froms = new Int32Array(0)
  #lengths = new Int32Array(0)

  /** The box of the bytes from `from` on, which have this hash. */
  find(bytes: Uint8Array, hash: number, from: number, length: number): Box | undefined {
    if (this.#size === 0) return undefined
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const box = this.#boxes[slot]
      if (box === undefined) return undefined
      if (
        this.#hashes[slot] === hash &&
        this.#lengths[slot] === length &&
        isSame(bytes, this.#froms[slot] as number, from, length)
      )
        return box
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

function isSame(bytes: Uint8Array, one: number, other: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (bytes[one + at] !== bytes[other + at]) return false
  return true
}

// A place in the records while their bytes are read: a node of the profile, and what finds it and its values again quickly.

export class FieldNode {
  readonly shape: Shape
  /** Undefined for what is no field. */
  readonly key: WrittenKey | undefined
  /** How many bytes of the key are no characters of the text. */
  readonly keySaved: number
  /** UTF-8 bytes of the key beyond one for each character. */
  readonly keyWide: number
  /** The fields of the objects here. */
  readonly byName = new Map<string, FieldNode>()
  /** The field that objects here begin with, as far as the last one tells. */
  first: FieldNode | undefined
  /** The field that comes behind this one, as far as the last object tells. */
  after: FieldNode | undefined
  /** What the arrays here hold. */
  elements: FieldNode | undefined
  /** How often a field was found in the objects here. */
  present = 0
  /** The number of the object it was last found in: an object that has a key twice is not read here. */
  holder = 0
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

  constructor(shape: Shape, key?: WrittenKey, keySaved = 0, keyWide = 0) {
    this.shape = shape
    this.key = key
    this.keySaved = keySaved
    this.keyWide = keyWide
  }
}

// Finds the field that a key stands for: by the bytes it is written in, where it comes as it came before, else by its name.

const COLON = 0x3a
/** Fields that a record may lack before the next of its keys is looked up by name. */
const LACKING = 3
/** Keys that an object of JavaScript puts elsewhere than they were written. */
const MOVED = /^(?:0|[1-9]\d*|__proto__)$/

export class FieldKeys {
  /** All places, also places that are no fields. */
  readonly places: FieldNode[] = []
  #bytes: Uint8Array
  #view: DataView
  readonly #counts: { saved: number; wide: number; breaks: number }

  /** `counts.saved`: bytes that are no characters; `wide`: those of the text beyond one for each character. */
  constructor(bytes: Uint8Array, counts: { saved: number; wide: number; breaks: number }) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.#counts = counts
  }

  /** The same bytes, and more behind them. */
  more(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  place(shape: Shape, key?: WrittenKey, keySaved?: number, keyWide?: number): FieldNode {
    const place = new FieldNode(shape, key, keySaved, keyWide)
    this.places.push(place)
    return place
  }

  /** True when the field that is expected has its key here. */
  isAt(field: FieldNode, at: number): boolean {
    return field.key?.isAt(this.#view, this.#bytes.byteLength, at) === true
  }

  /** The field with the key at `at`, after `before`: an expected one, a known one, or a new one. */
  at(place: FieldNode, at: number, before: FieldNode | undefined, record: number): FieldNode {
    let skipped = before === undefined ? place.first : before.after
    for (let count = 0; skipped !== undefined && count < LACKING; count++) {
      skipped = skipped.after
      if (skipped !== undefined && this.isAt(skipped, at)) return skipped
    }
    const field = this.#named(place, at, record)
    if (before === undefined) place.first = field
    else before.after = field
    return field
  }

  /** Behind the colon that follows the key, from the quote before it. */
  behind(field: FieldNode, start: number): number {
    if (this.isAt(field, start)) {
      this.#counts.saved += field.keySaved
      this.#counts.wide += field.keyWide
      return start + (field.key?.length ?? 0)
    }
    const bytes = this.#bytes
    const end = stringEnd(bytes, start + 2) + 2
    const written = unescaped(bytes, start, end)
    this.#counts.saved += end - start - written.length
    this.#counts.wide += wideIn(written)
    const colon = skipSpace(bytes, end, this.#counts)
    if (bytes[colon] !== COLON) giveUp()
    return colon + 1
  }

  #named(place: FieldNode, at: number, record: number): FieldNode {
    const bytes = this.#bytes
    if (bytes[at] !== BACKSLASH || bytes[at + 1] !== QUOTE) giveUp()
    const end = stringEnd(bytes, at + 2) + 2
    const written = unescaped(bytes, at, end)
    const name = JSON.parse(written) as string
    const known = place.byName.get(name)
    if (known !== undefined) return known
    if (MOVED.test(name)) giveUp()
    const key = bytes.slice(at, end + 1)
    key[end - at] = COLON
    const saved = end - at - written.length
    const field = this.place(child(place.shape, name), new WrittenKey(key), saved, wideIn(written))
    field.since = record
    place.byName.set(name, field)
    return field
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
