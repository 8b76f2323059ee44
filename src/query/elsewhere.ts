/** Conditions about records that are not those of the main collection. */
import type { Document } from '../documents/document.ts'
import type { Bound } from './comparison.ts'
import { type Binding, bind } from './evaluate.ts'
import { formatPath } from './path.ts'
import { otherRecords, type Records } from './records.ts'
import { Refusal } from './refusal.ts'

/** The conditions bound to `records`; when these have no such fields, to the one other collection that has them. */
export function bindSomewhere(
  conditions: readonly string[],
  records: Records,
  document: Document,
): { records: Records; binding: Binding } {
  try {
    return { records, binding: bind(conditions, records) }
  } catch (error) {
    if (!(error instanceof Refusal) || document.json() === undefined) throw error
    const places = otherRecords(document).flatMap((other) => boundTo(other, conditions))
    const [place, another] = places
    if (!place || another) throw error
    const path = `$.${formatPath(place.records.path)}`
    place.binding.notes.unshift(`Only the records of \`${path}\` have these fields, so those were filtered.`)
    return place
  }
}

function boundTo(records: Records, conditions: readonly string[]): { records: Records; binding: Binding }[] {
  try {
    const binding = bind(conditions, records)
    return binding.comparisons.length > 0 && binding.comparisons.every(isNamed) ? [{ records, binding }] : []
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

/** False for a field that was found by a slip of the pen: another collection has to have it as it is called. */
function isNamed({ comparison, field }: Bound): boolean {
  const last = (name: string): string =>
    (/([^.[\]"*]+)[\]"*[]*$/.exec(name)?.[1] ?? name).toLowerCase().replaceAll(/[\s_-]/g, '')
  return last(comparison.field) === last(field.name)
}
