/** A field of the records at hand as codes, from the column of all records where these were chosen from them. */
import type { JsonValue } from '../protocol/json.ts'
import { type Column, columnOf, keptColumnOf } from './column.ts'
import { newWork, type Path } from './path/path.ts'
import { Refusal } from './refusal.ts'
import { selectionOf } from './selection.ts'

export interface Coded {
  readonly column: Column
  /** The code of each record at hand, by its position among them. */
  readonly codes: Uint32Array
  /** True: the column is of these records, of all of them and of no others. */
  readonly whole: boolean
}

/** Values that are looked at for one field of all records. */
const mostWork = 20_000_000

/** A column is read for all records when so many of them were chosen, as a share of all. */
const worthwhile = 1 / 8

/** Throws a `Refusal` when the path looks at too many values. */
export function codedOf(records: readonly JsonValue[], path: Path): Coded {
  const selection = selectionOf(records)
  const column = selection && columnOfAll(selection.list, path, records.length)
  if (selection && column) {
    const { positions } = selection
    const codes = new Uint32Array(positions.length)
    for (let at = 0; at < codes.length; at++) codes[at] = column.codes[positions[at] as number] as number
    return { column, codes, whole: false }
  }
  const own = columnOf(records, path, newWork(mostWork))
  return { column: own, codes: own.codes, whole: true }
}

/** Undefined when few of the records are asked about, or all of them hold too much to be looked at. */
function columnOfAll(list: readonly JsonValue[], path: Path, chosen: number): Column | undefined {
  const known = keptColumnOf(list, path)
  if (known || chosen < list.length * worthwhile) return known
  try {
    return columnOf(list, path, newWork(mostWork))
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
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
