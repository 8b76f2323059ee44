/** A column of an aggregated table: a function and the field it is over. */
import { type Field, resolveField } from '../fields.ts'
import { acrossMap, holdsObjects, textWithin } from '../inner-fields.ts'
import type { Records } from '../records.ts'
import { type Call, columnName, parseCall } from './call.ts'

export interface Column {
  /** Its key in the rows: `count`, `sum(items.price)`. */
  name: string
  call: Call
  /** Undefined: the column is about the records themselves. */
  field: Field | undefined
  /** Where its values are among what is collected. */
  at: number
}

/** A column for each call, under names of their own. Throws a `Refusal`. */
export function columnsOf(records: Records, written: readonly string[], taken: readonly string[]): Column[] {
  const names = new Set(taken)
  let collected = 0
  const itself = records.values.length > 0 && records.names().size === 0
  return written.map((text) => {
    const call = parseCall(text, itself)
    const field = call.field === undefined ? undefined : measured(records, call.field)
    const { alias: _, ...unnamed } = call
    const wanted = columnName(call, field?.name)
    const plain = names.has(wanted) ? columnName(unnamed, field?.name) : wanted
    // Grouped by a field that is called `count` itself.
    const name = names.has(plain) ? `${plain}()` : plain
    names.add(name)
    return { name, call, field, at: field ? collected++ : -1 }
  })
}

/** Objects have nothing to compute from; the values of a map may have a field of that name, and an element with attributes a text. */
function measured(records: Records, reference: string): Field {
  const field = resolveField(records, reference)
  if (!holdsObjects(records, field)) return field
  return acrossMap(records, field) ?? textWithin(records, field) ?? field
}
