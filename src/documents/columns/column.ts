/**
 * The columns of a list of rows: each is read once, on first use, and kept with the list while memory allows. A question about values is
 * answered once for each different value, not once for each row.
 */

import type { JsonPrimitive, JsonValue } from '../../protocol/json.ts'
import { keptFor } from '../../text/kept.ts'

/** Marks a value that is not one scalar: a list, an object, several values. */
export const several = Symbol('several')

/** How a column is read: a path, or an expression. */
export interface Reader {
  /** Readers with one key read the same. Undefined: it has no name, and its column is kept for this reader alone. */
  readonly key: string | undefined
  /** The value where it is one scalar; undefined where there is none. May answer `several` for anything. */
  scalar(row: JsonValue, at: number): JsonPrimitive | undefined | typeof several
  /** All values, asked where `scalar` answers `several`. */
  values(row: JsonValue, at: number): readonly JsonValue[]
}

/** Findings about something that never changes, each made once while it is kept. */
export interface Derives {
  /** The outcome of `make`, computed once for each `name`. An error of `make` is not kept. */
  derived<T>(name: string, make: () => T): T
}

/**
 * The values that a reader finds in each row, dictionary-encoded: rows that hold the same scalar, and empty rows, share a code.
 * Rows that hold several values, lists or objects have a code each. Never changes.
 */
export interface Column extends Derives {
  /** The code of each row, by its position. */
  readonly codes: Uint32Array
  /** Codes are 0 to `size`, that one not included, in the order in which they first occur. */
  readonly size: number
  /** The values of the rows with a code. */
  values(code: number): readonly JsonValue[]
  /** The value where it is one scalar, undefined where there is none, `several` for all else. */
  scalar(code: number): JsonPrimitive | undefined | typeof several
}

/** A column as the rows at hand have it: of all rows, where these were chosen from them. */
export interface Coded {
  readonly column: Column
  /** The code of each row at hand, by its position among them. */
  readonly codes: Uint32Array
  /** True: the column is of these rows, of all of them and of no others. */
  readonly whole: boolean
}

/** Columns that are kept for one list of rows, and their bytes, estimated. */
const MOST_KEPT = 32
const MOST_BYTES = 32_000_000
/** Findings that are kept for one list of rows. */
const MOST_FOUND = 1_000
/** The column of all rows is read when so many of them were chosen, as a share. */
const WORTHWHILE = 1 / 8

/** A list of rows with its columns. Two lists of the same values are two; a list has one `Columns`, see `columnsOf`. */
export class Columns implements Derives {
  /** The rows these were chosen from; these themselves where they were not chosen. */
  readonly whole: Columns
  /** The place of each row in the whole; undefined where none was chosen. */
  readonly positions: Uint32Array | undefined
  #rows: readonly JsonValue[] | undefined
  /** By key, those asked for last at the end. Let go of where memory is needed. */
  readonly #read = new Map<string, WeakRef<ReadColumn>>()
  readonly #unnamed = new WeakMap<Reader, ReadColumn>()
  readonly #found = new Findings(MOST_FOUND)

  constructor(rows: readonly JsonValue[] | undefined, chosen?: { whole: Columns; positions: Uint32Array }) {
    this.#rows = rows
    this.whole = chosen?.whole ?? this
    this.positions = chosen?.positions
  }

  get count(): number {
    return this.positions?.length ?? this.rows.length
  }

  /** The rows, never to be changed. Chosen rows are put together on first use. */
  get rows(): readonly JsonValue[] {
    if (this.#rows === undefined) {
      this.#rows = Array.from(this.positions ?? [], (at) => this.whole.rows[at] ?? null)
      ofRows.set(this.#rows, this)
    }
    return this.#rows
  }

  /** One row, without putting together the others. */
  row(at: number): JsonValue {
    if (this.positions === undefined || this.#rows !== undefined) return this.rows[at] ?? null
    return this.whole.rows[this.positions[at] ?? -1] ?? null
  }

  /** The rows at these positions, in their order. */
  choose(positions: Uint32Array): Columns {
    const own = this.positions
    const inWhole = own ? positions.map((at) => own[at] ?? 0) : positions
    return new Columns(undefined, { whole: this.whole, positions: inWhole })
  }

  /** The column of these rows. Throws what the reader throws. */
  column(reader: Reader): Column {
    const { key } = reader
    if (key === undefined) {
      const column = this.#unnamed.get(reader) ?? new ReadColumn(this.rows, reader)
      this.#unnamed.set(reader, column)
      return column
    }
    const before = this.#read.get(key)
    const there = before?.deref()
    const column = there ?? new ReadColumn(this.rows, reader)
    this.#read.delete(key)
    this.#read.set(key, there === undefined || before === undefined ? new WeakRef(column) : before)
    this.#makeRoom()
    return column
  }

  /** The column where it was read before and is still there. */
  kept(key: string | undefined): Column | undefined {
    return key === undefined ? undefined : this.#read.get(key)?.deref()
  }

  /** The codes of these rows, from the column of the whole where it is there or worth reading. Throws what the reader throws. */
  coded(reader: Reader): Coded {
    const { positions } = this
    const column = positions && this.#ofWhole(reader, positions.length)
    if (positions && column) {
      const codes = new Uint32Array(positions.length)
      for (let at = 0; at < codes.length; at++) codes[at] = column.codes[positions[at] as number] as number
      return { column, codes, whole: false }
    }
    const own = this.column(reader)
    return { column: own, codes: own.codes, whole: true }
  }

  derived<T>(name: string, make: () => T): T {
    return this.#found.of(name, make)
  }

  /** The value that was derived under this name before. */
  found<T>(name: string): T | undefined {
    return this.#found.before(name) as T | undefined
  }

  /** Undefined when few of the rows were chosen, or reading all of them is refused. */
  #ofWhole(reader: Reader, chosen: number): Column | undefined {
    const known = this.whole.kept(reader.key)
    if (known || chosen < this.whole.count * WORTHWHILE) return known
    try {
      return this.whole.column(reader)
    } catch {
      return undefined
    }
  }

  /** Drops the columns that were not asked for the longest, but for the newest. */
  #makeRoom(): void {
    const bytesOf = (column: WeakRef<ReadColumn>): number => column.deref()?.bytes ?? 0
    let bytes = 0
    for (const column of this.#read.values()) bytes += bytesOf(column)
    for (const [key, column] of this.#read) {
      if ((this.#read.size <= MOST_KEPT && bytes <= MOST_BYTES) || this.#read.size === 1) return
      this.#read.delete(key)
      bytes -= bytesOf(column)
    }
  }
}

/** The one thing that is found by the data itself: the steps hand lists of rows to each other. */
const ofRows = new WeakMap<readonly JsonValue[], Columns>()

/** The columns of a list of rows, the same each time. */
export function columnsOf(rows: readonly JsonValue[]): Columns {
  return keptFor(ofRows, rows, () => new Columns(rows))
}

/** Named findings, of which those not asked for the longest go first. */
export class Findings {
  readonly #kept = new Map<string, unknown>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  before(name: string): unknown {
    return this.#kept.get(name)
  }

  of<T>(name: string, make: () => T): T {
    const found = this.#kept.has(name) ? (this.#kept.get(name) as T) : make()
    this.#kept.delete(name)
    this.#kept.set(name, found)
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= this.#most) break
      this.#kept.delete(oldest)
    }
    return found
  }
}

/** The codes that occur, each once, in the order in which they first do. */
export function codesPresent({ column, codes, whole }: Coded): Uint32Array {
  if (whole)
    return column.derived('all codes', () => Uint32Array.from({ length: column.size }, (_, code) => code))
  const seen = new Uint8Array(column.size)
  const present = new Uint32Array(Math.min(column.size, codes.length))
  let count = 0
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number
    if (seen[code] === 1) continue
    seen[code] = 1
    present[count++] = code
  }
  return present.subarray(0, count)
}

/** Bytes by code, of a column and what is derived from it; and bytes of each value in a row of several. */
const BYTES_PER_CODE = 48
const BYTES_PER_VALUE = 48
/** Lists as long as the rows: their codes, and what belongs to which group. */
const COPIES = 3

/** Values that are not one scalar. */
class Several {
  readonly values: readonly JsonValue[]

  constructor(values: readonly JsonValue[]) {
    this.values = values
  }
}

class ReadColumn implements Column {
  readonly codes: Uint32Array
  readonly bytes: number
  /** By code: a scalar, undefined, or the values in a list of their own. */
  readonly #held: (JsonPrimitive | undefined | Several)[] = []
  readonly #made = new Map<string, unknown>()

  constructor(rows: readonly JsonValue[], reader: Reader) {
    this.codes = new Uint32Array(rows.length)
    const codeOf = new Map<JsonPrimitive | undefined, number>()
    let listed = 0
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] ?? null
      const scalar = reader.scalar(row, at)
      const found = scalar === several ? together(reader.values(row, at)) : scalar
      // To a map -0 is 0.
      const shared = found instanceof Several || Object.is(found, -0) ? undefined : codeOf.get(found)
      if (shared !== undefined) {
        this.codes[at] = shared
        continue
      }
      const code = this.#held.push(found) - 1
      this.codes[at] = code
      if (found instanceof Several) listed += found.values.length
      else if (!Object.is(found, -0)) codeOf.set(found, code)
    }
    this.bytes =
      this.codes.byteLength * COPIES + this.#held.length * BYTES_PER_CODE + listed * BYTES_PER_VALUE
  }

  get size(): number {
    return this.#held.length
  }

  values(code: number): readonly JsonValue[] {
    const held = this.#held[code]
    if (held === undefined) return []
    return held instanceof Several ? held.values : [held]
  }

  scalar(code: number): JsonPrimitive | undefined | typeof several {
    const held = this.#held[code]
    return held instanceof Several ? several : held
  }

  derived<T>(name: string, make: () => T): T {
    if (!this.#made.has(name)) this.#made.set(name, make())
    return this.#made.get(name) as T
  }
}

/** Nothing and a single scalar are told apart from several values. */
function together(values: readonly JsonValue[]): JsonPrimitive | undefined | Several {
  const [only] = values
  if (values.length > 1 || (typeof only === 'object' && only !== null)) return new Several(values)
  return only as JsonPrimitive | undefined
}
