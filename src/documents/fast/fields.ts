/** A key as it is written, from the quote that opens it to the colon, compared four bytes at a time. */
import { child, type Shape } from '../shape/shape.ts'
import { SpelledPlace } from '../shape/spelled.ts'
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

// A place in the records while their bytes are read: a node of the profile, and what finds it and its values again quickly.

export class FieldNode extends SpelledPlace {
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
  /** The shape of the elements of the arrays here. */
  elements: FieldNode | undefined
  /** How often a field was found in the objects here. */
  present = 0
  /** The number of the object it was last found in: an object that has a key twice is not read here. */
  holder = 0
  constructor(shape: Shape, key?: WrittenKey, keySaved = 0, keyWide = 0) {
    super(shape)
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
