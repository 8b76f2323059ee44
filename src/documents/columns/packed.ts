/** Records that repeat a text, packed: four bytes for each of their values, which are numbers, places in the text or known ones. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { NumberList } from '../../text/spans.ts'
import { emptyRecord } from './record-maker.ts'

/** The kind of a value, in the last three bits of its cell; the others are the number, or where it is found. */
const INTEGER = 0
const HELD = 1
const NEAR = 2
const FAR = 3
const NUMBER = 4
const KINDS = 8

/** Integers from `-OFFSET` to below `OFFSET` fit into a cell. */
const OFFSET = 2 ** 28
/** A near place begins less than `NEAR_LIMIT` from where its record begins, and is shorter than `SHORT_LIMIT`. */
const SHORT_BITS = 14
const SHORT_LIMIT = 2 ** SHORT_BITS
const NEAR_LIMIT = 2 ** 15

/** Values that are looked up to be held once; others are places, or held each by itself. */
const LONGEST_REPEATED = 40
const MOST_REPEATED = 5_000

/** More shapes than this, and than one for so many records: their names would take more than packing saves. */
const MOST_SHAPES = 1_000
const FEWEST_ALIKE = 16

/** Names in their order: those of another shape and one more. */
interface Shape {
  readonly number: number
  readonly shorter: Shape | undefined
  readonly name: string
  /** The shapes with one name more: of most there is one. */
  next: Shape | undefined
  others: Map<string, Shape> | undefined
}

/**
 * Packs records. `startOf` tells where in the text a record begins, if that is known: its strings are looked for from there
 * to the next one.
 * The returned function makes them again, equal to the letter, new objects each time. Undefined: too few are alike.
 */
export function packRecords(
  records: readonly JsonObject[],
  text: string,
  startOf: (record: JsonObject, index: number) => number | undefined,
): (() => JsonObject[]) | undefined {
  const packer = new Packer(text)
  let next = records[0] && startOf(records[0], 0)
  for (const [index, record] of records.entries()) {
    const start = next
    const after = records[index + 1]
    next = after && startOf(after, index + 1)
    packer.add(
      record,
      start ?? 0,
      start === undefined ? 0 : after === undefined ? text.length : (next ?? start),
    )
    if (packer.shapes > Math.max(MOST_SHAPES, index / FEWEST_ALIKE)) return undefined
  }
  return packer.unpacker()
}

class Packer {
  readonly #text: string
  readonly #empty: Shape = { number: 0, shorter: undefined, name: '', next: undefined, others: undefined }
  readonly #shapes: Shape[] = [this.#empty]
  readonly #ofRecord = new NumberList()
  readonly #starts = new NumberList()
  readonly #cells = new NumberList()
  readonly #far = new NumberList()
  readonly #numbers: number[] = []
  readonly #held: JsonValue[] = []
  readonly #known = new Map<JsonValue, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** How many lists of names there are. */
  get shapes(): number {
    return this.#shapes.length
  }

  add(record: JsonObject, start: number, end: number): void {
    const window = this.#text.slice(start, end)
    let shape = this.#empty
    for (const name of Object.keys(record)) {
      shape = this.#longer(shape, name)
      this.#cells.add(this.#cell(name, record[name] ?? null, window, start))
    }
    this.#ofRecord.add(shape.number)
    this.#starts.add(start)
  }

  unpacker(): () => JsonObject[] {
    const packed: Packed = {
      text: this.#text,
      shapes: namesOf(this.#shapes, this.#ofRecord.array()),
      ofRecord: this.#ofRecord.array(),
      starts: this.#starts.array(),
      cells: this.#cells.array(),
      far: this.#far.array(),
      numbers: Float64Array.from(this.#numbers),
      held: this.#held,
    }
    return unpacking(packed)
  }

  #longer(shape: Shape, name: string): Shape {
    if (shape.next?.name === name) return shape.next
    const known = shape.others?.get(name)
    if (known !== undefined) return known
    const number = this.#shapes.length
    const made: Shape = { number, shorter: shape, name, next: undefined, others: undefined }
    this.#shapes.push(made)
    if (shape.next === undefined) shape.next = made
    else shape.others = (shape.others ?? new Map<string, Shape>()).set(name, made)
    return made
  }

  #cell(name: string, value: JsonValue, window: string, start: number): number {
    if (typeof value === 'number') {
      const fits = Number.isInteger(value) && Math.abs(value) < OFFSET && !Object.is(value, -0)
      return fits ? cellOf(value + OFFSET, INTEGER) : cellOf(this.#numbers.push(value) - 1, NUMBER)
    }
    // Times are told once each.
    const repeats =
      typeof value === 'string'
        ? value.length <= LONGEST_REPEATED && name !== 'time'
        : typeof value === 'boolean' || value === null
    const known = repeats ? this.#known.get(value) : undefined
    if (known !== undefined) return cellOf(known, HELD)
    const mayRepeat = repeats && this.#known.size < MOST_REPEATED
    if (typeof value === 'string' && !mayRepeat) {
      const at = window.indexOf(value)
      if (at >= 0 && at < NEAR_LIMIT && value.length < SHORT_LIMIT)
        return cellOf(at * SHORT_LIMIT + value.length, NEAR)
      if (at >= 0) {
        this.#far.add(start + at)
        return cellOf(this.#far.add(value.length) - 2, FAR)
      }
    }
    const index = this.#held.push(value) - 1
    if (mayRepeat) this.#known.set(value, index)
    return cellOf(index, HELD)
  }
}

/** The names of the shapes that records have; of others none. */
function namesOf(shapes: readonly Shape[], ofRecord: Uint32Array): readonly (readonly string[])[] {
  const names: string[][] = []
  for (const number of new Set(ofRecord)) {
    const list: string[] = []
    for (let at = shapes[number]; at?.shorter !== undefined; at = at.shorter) list.push(at.name)
    names[number] = list.reverse()
  }
  return names
}

const cellOf = (bits: number, kind: number): number => bits * KINDS + kind

interface Packed {
  readonly text: string
  readonly shapes: readonly (readonly string[])[]
  readonly ofRecord: Uint32Array
  readonly starts: Uint32Array
  readonly cells: Uint32Array
  readonly far: Uint32Array
  readonly numbers: Float64Array
  readonly held: readonly JsonValue[]
}

/** Outside of the class, so that what served to pack is not kept. */
function unpacking({
  text,
  shapes,
  ofRecord,
  starts,
  cells,
  far,
  numbers,
  held,
}: Packed): () => JsonObject[] {
  const valueIn = (cell: number, start: number): JsonValue => {
    const bits = cell >>> 3
    switch (cell % KINDS) {
      case INTEGER:
        return bits - OFFSET
      case NEAR: {
        const from = start + (bits >>> SHORT_BITS)
        return text.slice(from, from + (bits % SHORT_LIMIT))
      }
      case FAR: {
        const from = far[bits] ?? 0
        return text.slice(from, from + (far[bits + 1] ?? 0))
      }
      case NUMBER:
        return numbers[bits] ?? 0
      default:
        return held[bits] ?? null
    }
  }
  return () => {
    const records: JsonObject[] = []
    const empty: JsonObject[] = []
    let at = 0
    for (let index = 0; index < ofRecord.length; index++) {
      const shape = ofRecord[index] ?? 0
      const start = starts[index] ?? 0
      const names = shapes[shape] ?? []
      empty[shape] ??= emptyRecord(names, names.length)
      const record: JsonObject = { ...empty[shape] }
      for (const name of names) {
        const value = valueIn(cells[at++] ?? 0, start)
        if (name === '__proto__') setOwn(record, name, value)
        else record[name] = value
      }
      records.push(record)
    }
    return records
  }
}
