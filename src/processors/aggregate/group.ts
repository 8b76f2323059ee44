/** `group_by`: what records are grouped by, and the groups. */
import type { JsonValue } from '../../protocol/json.ts'
import { type Field, resolveExactly, resolveField } from '../fields.ts'
import { holdsObjects, nameWithin } from '../inner-fields.ts'
import { parsePath } from '../path/parse.ts'
import { newWork } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { Refusal } from '../refusal.ts'
import { bucket, parseDate } from '../where/dates.ts'

type Unit = 'year' | 'month' | 'day' | 'hour'

/** A field, or the month and so on of a date. */
export interface GroupKey {
  /** As it is called in the groups: `state`, `created_at:month`. */
  name: string
  field: Field
  unit: Unit | undefined
}

/** Records that have the same values in the fields they are grouped by. */
export interface Group {
  /** In the order of the group keys. */
  values: JsonValue[]
  records: JsonValue[]
}

export interface Groups {
  groups: Group[]
  /** Per group key: the records that have no value there, which are in no group. */
  missing: number[]
  /** True when a record has several values and is therefore in several groups. */
  several: boolean
}

/** `state`, or `created_at:month`. A field with a colon in its name comes first. Throws a `Refusal`. */
export function parseGroupKey(records: Records, reference: string): GroupKey {
  const exact = resolveExactly(records, parsePath(reference))
  if (exact && !holdsObjects(records, exact)) return { name: exact.name, field: exact, unit: undefined }
  const [, name = '', word] = bucketOf(reference)
  const lower = word?.toLowerCase()
  const unit = lower === 'date' ? 'day' : (lower as Unit | undefined)
  const whole = resolveField(records, unit ? name : reference)
  const field = (holdsObjects(records, whole) && nameWithin(records, whole)) || whole
  return { name: unit ? `${field.name}:${unit}` : field.name, field, unit }
}

/** `created_at:month`, `created_at by month`, `month(created_at)`: what, and how wide. */
function bucketOf(reference: string): [string, string, string] | [] {
  const [, name, word] = /^(.*?)\s*(?::|\sby\s)\s*(year|month|day|date|hour)$/is.exec(reference) ?? []
  if (name !== undefined && word !== undefined) return [reference, name, word]
  const [, called, inner] = /^(year|month|day|date|hour)\s*\((.+)\)$/is.exec(reference) ?? []
  return called !== undefined && inner !== undefined ? [reference, inner, called] : []
}

/** Groups in the order in which they first occur. */
export function groupRecords(records: Records, keys: readonly GroupKey[]): Groups {
  const groups = new Map<string, Group>()
  const missing = keys.map(() => 0)
  const work = newWork(20_000_000)
  let several = false
  if (keys.length === 0) return { groups: [{ values: [], records: [...records.values] }], missing, several }
  for (const record of records.values) {
    let rows: JsonValue[][] = [[]]
    for (const [at, key] of keys.entries()) {
      const values = distinctValues(record, key, work)
      if (values.length === 0) missing[at] = (missing[at] ?? 0) + 1
      several ||= values.length > 1
      rows = rows.flatMap((row) => values.map((value) => [...row, value]))
    }
    work.left -= rows.length
    if (work.left < 0)
      throw new Refusal(
        'These fields make too many groups. Group by fewer, or narrow down with `where` first.',
      )
    for (const values of rows) {
      const id = JSON.stringify(values)
      const group = groups.get(id)
      if (group) group.records.push(record)
      else groups.set(id, { values, records: [record] })
    }
  }
  return { groups: [...groups.values()], missing, several }
}

function distinctValues(record: JsonValue, { field, unit }: GroupKey, work: { left: number }): JsonValue[] {
  const found: JsonValue[] = []
  readValues(record, field.path, found, work)
  const flat = found.flatMap((value) => (Array.isArray(value) ? value : [value]))
  const values = unit ? flat.flatMap((value) => inBucket(value, unit)) : flat
  if (values.length < 2) return values
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

/** Seconds or milliseconds since 1970 count as dates too. */
function inBucket(value: JsonValue, unit: Unit): string[] {
  if (typeof value === 'number' && value > 1e8 && value < 1e14) {
    const from = value > 1e11 ? value : value * 1_000
    return [bucket({ from, to: from }, unit)]
  }
  const date = typeof value === 'string' ? parseDate(value) : undefined
  return date ? [bucket(date, unit)] : []
}
