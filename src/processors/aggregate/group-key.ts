/** What `group_by` names: a field, or a part of a date. */

import type { Coded } from '../coded.ts'
import { type Field, resolveExactly, resolveField } from '../fields.ts'
import { acrossMap, holdsObjects, nameWithin } from '../inner-fields.ts'
import { parsePath } from '../path/parse.ts'
import type { Records } from '../records.ts'
import { fieldTitle } from './call.ts'
import { type DatePart, datePart, partOf } from '../../query/date-parts.ts'
import { identity } from './frequencies.ts'
import type { KeyCodes } from './members.ts'
import { elementsOf, encoded } from './values.ts'

/** A field, or the month and so on of a date. */
export interface GroupKey {
  /** As it is called in the groups: `state`, `created_at:month`. */
  name: string
  field: Field
  part: DatePart | undefined
}

/** `state`, or `created_at:month`. A field with a colon in its name comes first. Throws a `Refusal`. */
export function parseGroupKey(records: Records, reference: string): GroupKey {
  const exact = resolveExactly(records, parsePath(reference))
  if (exact && !holdsObjects(records, exact))
    return { name: fieldTitle(exact.name), field: exact, part: undefined }
  const [, plain = reference, alias] = /^(.+?)\s+as\s+["'`]?([\w -]{1,60}?)["'`]?$/is.exec(reference) ?? []
  const [name, part] = partIn(plain)
  const whole = resolveField(records, name)
  const within = holdsObjects(records, whole)
    ? (acrossMap(records, whole) ?? nameWithin(records, whole))
    : undefined
  const field = within ?? whole
  return { name: alias ?? fieldTitle(field.name) + (part ? `:${part}` : ''), field, part }
}

/** `created_at:month`, `created_at by month`, `month of created_at`, `month(created_at)`: what, and which part. */
function partIn(reference: string): [string, DatePart | undefined] {
  const [, before = '', after = ''] = /^(.*\S)\s*(?::|\sby\s|\sper\s)\s*([\w -]+)$/is.exec(reference) ?? []
  const trailing = datePart(after)
  if (trailing) return [before, trailing]
  const [, word = '', called, of] = /^(\w+)\s*(?:\(\s*(.+?)\s*\)|\sof\s+(.+))$/is.exec(reference) ?? []
  const leading = datePart(word)
  const inner = called ?? of
  if (leading && inner !== undefined) return [inner, leading]
  // `date_trunc('month', created_at)`, `extract(month from created_at)`.
  const [, first = '', second = ''] =
    /^(?:date_?trunc|extract|date_?part)\s*\(\s*(.+?)\s*(?:,|\sfrom\s)\s*(.+?)\s*\)$/is.exec(reference) ?? []
  const bare = (text: string): string => text.replace(/^["'`](.*)["'`]$/s, '$1')
  const either = datePart(bare(first))
  if (either) return [bare(second), either]
  const other = datePart(bare(second))
  return other ? [bare(first), other] : [reference, undefined]
}

/** What records are grouped by: the different values of each, null among them, or the part of each date. */
export function keyCodes({ column, codes, whole }: Coded, { part }: GroupKey): KeyCodes {
  const name = `group by ${part ?? 'value'}`
  const values = column.derived(name, () =>
    encoded(
      column,
      name,
      (found) => {
        const all = elementsOf(found)
        const parts = part ? all.flatMap((value) => partOf(value, part) ?? []) : all
        if (parts.length < 2) return parts
        return [...new Map(parts.map((value) => [identity(value), value])).values()]
      },
      identity,
    ),
  )
  return { values, codes, whole }
}
