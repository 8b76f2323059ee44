/** Sorting by how many elements, keys or characters a field has. */
import type { JsonValue } from '../../protocol/json.ts'
import { newWork, type Path, pathKey } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import { Remembered } from '../remembered.ts'
import type { Ranks } from './ranks.ts'

const mostWork = 20_000_000

const known = new Remembered<Int32Array>(8)

/** Ranks by the elements of a list or of all lists, the keys of an object, the characters of a text; nothing comes last. */
export function sizeRanks(records: readonly JsonValue[], path: Path, descending: boolean): Ranks {
  const sizes = sizesIn(records, path)
  let most = 0
  for (const size of sizes) if (size > most) most = size
  const ranks = new Uint32Array(sizes.length)
  for (let at = 0; at < ranks.length; at++) {
    const size = sizes[at] as number
    ranks[at] = size === NOTHING ? most + 1 : descending ? most - size : size
  }
  return { ranks, codes: undefined, count: most + 2 }
}

const NOTHING = -1

/** By record, once for a list of records. */
function sizesIn(records: readonly JsonValue[], path: Path): Int32Array {
  const name = pathKey(path)
  return name === undefined ? read(records, path) : known.of(records, name, () => read(records, path))
}

function read(records: readonly JsonValue[], path: Path): Int32Array {
  const work = newWork(mostWork)
  const values: JsonValue[] = []
  return Int32Array.from(records, (record) => {
    values.length = 0
    const many = readValues(record, path, values, work)
    let size = NOTHING
    for (const value of values) if (value !== null) size = Math.max(size, 0) + sizeOf(value, many)
    return size === NOTHING && many ? 0 : size
  })
}

function sizeOf(value: Exclude<JsonValue, null>, many: boolean): number {
  if (Array.isArray(value)) return value.length
  if (typeof value === 'object') return Object.keys(value).length
  return many ? 1 : String(value).length
}
