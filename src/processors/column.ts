/** One field of all records, read once: what the questions that go through every record are computed from. */
import type { JsonPrimitive, JsonValue } from '../protocol/json.ts'
import { newWork, type Path, pathKey, type Work } from './path/path.ts'
import { readValues, scalarAt, several } from './path/walk.ts'

/**
 * What a path reaches in each record, dictionary-encoded: records that hold the same scalar, and those that hold
 * nothing, share a code, so that a question about values is answered once a code instead of once a record. Records that
 * hold several values, lists or objects have a code each. Never changes.
 */
export interface Column {
  /** The code of each record, by its position. */
  readonly codes: Uint32Array
  /** Codes are 0 to `size`, that one not included, in the order in which they first occur. */
  readonly size: number
  /** The values that the path reaches in the records with a code, as `readValues` gives them. */
  values(code: number): readonly JsonValue[]
  /** The value where it is one scalar, undefined where there is none, `several` for all else. */
  scalar(code: number): JsonPrimitive | undefined | typeof several
  /** What `make` computes from the column, computed once for each `name`: ranks, numbers, dates by code. */
  derived<T>(name: string, make: () => T): T
}

/** Columns that are kept for one list of records, and their bytes, estimated. */
const mostKept = 32
const mostBytes = 32_000_000
/** Of a column and of what is derived from it; and of a value of those that are several. */
const bytesPerCode = 48
const bytesPerValue = 48
/** Lists as long as the records: their codes, and what belongs to which group. */
const copies = 3

const kept = new WeakMap<readonly JsonValue[], Map<string, WeakRef<ReadColumn>>>()

/**
 * The column of a path over a list of records, read at most once while it is in use: columns are kept with the list
 * until memory is needed, for they are soon read again. Throws a `Refusal` when the path looks at more values than `work` allows.
 */
export function columnOf(records: readonly JsonValue[], path: Path, work: Work = newWork()): Column {
  const name = pathKey(path)
  if (name === undefined) return conditionalColumn(records, path, work)
  const columns = kept.get(records) ?? new Map<string, WeakRef<ReadColumn>>()
  kept.set(records, columns)
  const before = columns.get(name)
  const there = before?.deref()
  const column = there ?? new ReadColumn(records, path, work)
  columns.delete(name)
  columns.set(name, there === undefined || before === undefined ? new WeakRef(column) : before)
  makeRoom(columns)
  return column
}

/** The column of a path without conditions where it was read before and is still kept. */
export function keptColumnOf(records: readonly JsonValue[], path: Path): Column | undefined {
  const name = pathKey(path)
  return name === undefined ? undefined : kept.get(records)?.get(name)?.deref()
}

const keptConditional = new WeakMap<readonly JsonValue[], WeakMap<Path, ReadColumn>>()

/** A path with a condition in it has no name to find it by: its column is found by the path itself. */
function conditionalColumn(records: readonly JsonValue[], path: Path, work: Work): Column {
  const columns = keptConditional.get(records) ?? new WeakMap<Path, ReadColumn>()
  keptConditional.set(records, columns)
  const column = columns.get(path) ?? new ReadColumn(records, path, work)
  columns.set(path, column)
  return column
}

/** Drops the columns that were not asked for the longest, but for the newest. */
function makeRoom(columns: Map<string, WeakRef<ReadColumn>>): void {
  const bytesOf = (column: WeakRef<ReadColumn>): number => column.deref()?.bytes ?? 0
  let bytes = 0
  for (const column of columns.values()) bytes += bytesOf(column)
  for (const [name, column] of columns) {
    if ((columns.size <= mostKept && bytes <= mostBytes) || columns.size === 1) return
    columns.delete(name)
    bytes -= bytesOf(column)
  }
}

class ReadColumn implements Column {
  readonly codes: Uint32Array
  readonly bytes: number
  /** By code: a scalar, undefined, or the values in a list of their own. */
  private readonly held: (JsonPrimitive | undefined | Several)[] = []
  private readonly made = new Map<string, unknown>()

  constructor(records: readonly JsonValue[], path: Path, work: Work) {
    this.codes = new Uint32Array(records.length)
    const codeOf = new Map<JsonPrimitive | undefined, number>()
    let listed = 0
    for (let at = 0; at < records.length; at++) {
      const record = records[at] ?? null
      const scalar = scalarAt(record, path)
      const found = scalar === several ? read(record, path, work) : scalar
      // To a map -0 is 0.
      const shared = found instanceof Several || Object.is(found, -0) ? undefined : codeOf.get(found)
      if (shared !== undefined) {
        this.codes[at] = shared
        continue
      }
      const code = this.held.push(found) - 1
      this.codes[at] = code
      if (found instanceof Several) listed += found.values.length
      else if (!Object.is(found, -0)) codeOf.set(found, code)
    }
    this.bytes = this.codes.byteLength * copies + this.held.length * bytesPerCode + listed * bytesPerValue
  }

  get size(): number {
    return this.held.length
  }

  values(code: number): readonly JsonValue[] {
    const held = this.held[code]
    if (held === undefined) return []
    return held instanceof Several ? held.values : [held]
  }

  scalar(code: number): JsonPrimitive | undefined | typeof several {
    const held = this.held[code]
    return held instanceof Several ? several : held
  }

  derived<T>(name: string, make: () => T): T {
    if (!this.made.has(name)) this.made.set(name, make())
    return this.made.get(name) as T
  }
}

/** Values that are not one scalar. */
class Several {
  readonly values: readonly JsonValue[]

  constructor(values: readonly JsonValue[]) {
    this.values = values
  }
}

/** What the walker finds; nothing and a single scalar are told apart from several values by it too. */
function read(record: JsonValue, path: Path, work: Work): JsonPrimitive | undefined | Several {
  const values: JsonValue[] = []
  readValues(record, path, values, work)
  const [only] = values
  if (values.length > 1 || (typeof only === 'object' && only !== null)) return new Several(values)
  return only as JsonPrimitive | undefined
}
