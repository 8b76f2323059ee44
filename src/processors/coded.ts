/** A field of the records at hand as codes. */
import { type Coded, columnsOf } from '../documents/column.ts'
import type { JsonValue } from '../protocol/json.ts'
import { readerOf } from './column.ts'
import { newWork, type Path } from './path/path.ts'

export { type Coded, codesPresent } from '../documents/column.ts'

/** Values that are looked at for one field of all records. */
const MOST_WORK = 20_000_000

/** Throws a `Refusal` when the path looks at too many values. */
export function codedOf(records: readonly JsonValue[], path: Path): Coded {
  return columnsOf(records).coded(readerOf(path, newWork(MOST_WORK)))
}
