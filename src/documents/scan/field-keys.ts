/** Finds the field that a key stands for: by the bytes it is written in, where it comes as it came before, else by its name. */
import { child, type Shape } from '../shape.ts'
import { BACKSLASH, giveUp, QUOTE, stringEnd, unescaped, wideIn } from './escaped.ts'
import { Place } from './place.ts'
import { skipSpace } from './skip-space.ts'
import { WrittenKey } from './written-key.ts'

const COLON = 0x3a
/** Fields that a record may lack before the next of its keys is looked up by name. */
const LACKING = 3
/** Keys that an object of JavaScript puts elsewhere than they were written. */
const MOVED = /^(?:0|[1-9]\d*|__proto__)$/

export class FieldKeys {
  /** All places, those that are no fields included. */
  readonly places: Place[] = []
  #bytes: Uint8Array
  #view: DataView
  readonly #counts: { saved: number; wide: number }

  /** `counts.saved`: bytes that are no characters; `wide`: those of the text beyond one for each character. */
  constructor(bytes: Uint8Array, counts: { saved: number; wide: number }) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
    this.#counts = counts
  }

  /** The same bytes, and more behind them. */
  more(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  place(shape: Shape, key?: WrittenKey, keySaved?: number, keyWide?: number): Place {
    const place = new Place(shape, key, keySaved, keyWide)
    this.places.push(place)
    return place
  }

  /** True when the field that is expected has its key here. */
  isAt(field: Place, at: number): boolean {
    return field.key?.isAt(this.#view, this.#bytes.byteLength, at) === true
  }

  /** The field whose key begins at `at`, behind `before`: one of those that are expected, one that is known, or a new one. */
  at(place: Place, at: number, before: Place | undefined, record: number): Place {
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
  behind(field: Place, start: number): number {
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

  #named(place: Place, at: number, record: number): Place {
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
