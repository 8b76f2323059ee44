/** The elements of a list in records, each as the record it is in with that element alone. */
import type { JsonValue } from '../../protocol/json.ts'
import { newWork, type Path } from '../path/path.ts'
import { unwind } from '../unwind.ts'

export interface Units {
  readonly rows: readonly JsonValue[]
  /** The record that each is of, by its position. */
  readonly records: Uint32Array
}

const mostWork = 20_000_000

/** A record whose list is empty or absent is one unit as it is. Throws a `Refusal` when there are too many. */
export function unitsOf(records: readonly JsonValue[], list: Path): Units {
  const work = newWork(mostWork)
  const rows: JsonValue[] = []
  const from: number[] = []
  for (let at = 0; at < records.length; at++) {
    for (const unit of unwind(records[at] ?? null, list, work, (element) => [element])) {
      rows.push(unit)
      from.push(at)
    }
  }
  return { rows, records: Uint32Array.from(from) }
}
