/** Records that were chosen from a list: where they stand in it, so that the columns of the whole list serve them too. */
import type { JsonValue } from '../protocol/json.ts'

/** Never changes. */
export interface Selection {
  /** The list they were chosen from; not itself chosen from another. */
  readonly list: readonly JsonValue[]
  /** The place of each in that list, in the order in which they were chosen. */
  readonly positions: Uint32Array
}

const selections = new WeakMap<readonly JsonValue[], Selection>()

/** The records at these positions of a list, as a list of which `selectionOf` knows where it is from. */
export function chooseFrom(list: readonly JsonValue[], positions: Uint32Array): readonly JsonValue[] {
  const chosen: JsonValue[] = []
  for (let nth = 0; nth < positions.length; nth++) chosen.push(list[positions[nth] as number] ?? null)
  const before = selections.get(list)
  const inWhole = before ? positions.map((at) => before.positions[at] ?? 0) : positions
  selections.set(chosen, { list: before?.list ?? list, positions: inWhole })
  return chosen
}

/** Where the records of a list were chosen from; undefined when it is a list of its own. */
export function selectionOf(records: readonly JsonValue[]): Selection | undefined {
  return selections.get(records)
}
