/** Records that have the same names in the same order, as nearly all of one text have. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'

/** Lists of names that are known; the records of more are made name by name. */
const MOST_SHAPES = 1_000

/** Names in their order: those of a shorter list and one more. */
interface Shape {
  /** The last name, as the engine knows it: to set a property under another string of the same letters takes longer. */
  readonly name: string
  /** A record of these names, without values. */
  record: JsonObject | undefined
  /** The lists with one name more: of most there is one. */
  next: Shape | undefined
  others: Map<string, Shape> | undefined
}

/**
 * Makes records of names and values, one record after the other. A record is a copy of an empty one of the same names, which has room for
 * all of them. To copy takes a fraction of the time of setting one name after the other.
 */
export class RecordMaker {
  readonly #empty: Shape = shapeOf('')
  #shapes = 0
  /** Of the names that were added; undefined: there are too many. */
  #shape: Shape | undefined = this.#empty
  readonly #names: string[] = []
  readonly #values: JsonValue[] = []
  #count = 0

  /** Adds a value to the record. A name is added once at most. */
  add(name: string, value: JsonValue): void {
    this.#shape = this.#shape && this.#longer(this.#shape, name)
    this.#names[this.#count] = this.#shape?.name ?? name
    this.#values[this.#count++] = value
  }

  /** True where the name was added to this record. */
  has(name: string): boolean {
    for (let at = 0; at < this.#count; at++) if (this.#names[at] === name) return true
    return false
  }

  /** The record of what was added. The next one begins. */
  finish(): JsonObject {
    const [count, shape] = [this.#count, this.#shape]
    this.#count = 0
    this.#shape = this.#empty
    if (shape !== undefined) shape.record ??= emptyRecord(this.#names, count)
    const record: JsonObject = { ...shape?.record }
    for (let at = 0; at < count; at++)
      setOwn(record, this.#names[at] as string, this.#values[at] as JsonValue)
    return record
  }

  /** Undefined: there are too many. */
  #longer(shape: Shape, name: string): Shape | undefined {
    if (shape.next?.name === name) return shape.next
    const known = shape.others?.get(name)
    if (known !== undefined || this.#shapes === MOST_SHAPES) return known
    this.#shapes += 1
    const made = shapeOf(name)
    if (shape.next === undefined) shape.next = made
    else shape.others = (shape.others ?? new Map<string, Shape>()).set(name, made)
    return made
  }
}

/** A copy of it has room for all names, whatever their values are. */
export function emptyRecord(names: readonly string[], count: number): JsonObject {
  const record: JsonObject = {}
  for (let at = 0; at < count; at++) setOwn(record, names[at] as string, null)
  return record
}

function shapeOf(name: string): Shape {
  const [known = name] = Object.keys({ [name]: null })
  return { name: known, record: undefined, next: undefined, others: undefined }
}
