/** The elements of a list in records, which are grouped one by one. */
import type { JsonValue } from '../../protocol/json.ts'
import { type Coded, codedOf } from '../coded.ts'
import { newWork, type Path } from '../path/path.ts'
import { unwind } from '../unwind.ts'
import { elementsOf } from './elements.ts'

export interface Units {
  /** The record that each is of, by its position. */
  readonly records: Uint32Array
  /** A field as it is in each of them. */
  codes(path: Path): Coded
}

const mostWork = 20_000_000

/**
 * The elements of `list`. A record whose list is empty or absent has none, or is one as it is. `paths`: what will be asked for. Throws
 * a `Refusal` when there are too many.
 */
export function unitsOf(records: readonly JsonValue[], list: Path, paths: readonly Path[]): Units {
  return elementsOf(records, list, paths) ?? copiesOf(records, list)
}

/** Each element as the record it is in with that element alone, whatever the paths. */
function copiesOf(records: readonly JsonValue[], list: Path): Units {
  const work = newWork(mostWork)
  const rows: JsonValue[] = []
  const from: number[] = []
  for (let at = 0; at < records.length; at++) {
    for (const unit of unwind(records[at] ?? null, list, work, (element) => [element])) {
      rows.push(unit)
      from.push(at)
    }
  }
  return { records: Uint32Array.from(from), codes: (path) => codedOf(rows, path) }
}
