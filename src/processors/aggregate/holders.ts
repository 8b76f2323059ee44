/** Which records have the smallest or the largest value. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { identityOf } from '../leaf-hits.ts'
import { newWork } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import type { Column } from './column.ts'

/** `max(price) is of {"id":17,"name":"Lamp"}`; nothing for other functions, and for records without fields. */
export function describeHolders(
  records: Records,
  { name, call, field }: Column,
  row: JsonObject | undefined,
): string[] {
  const value = row && own(row, name)
  if ((call.name !== 'min' && call.name !== 'max') || !field || value === undefined || value === null)
    return []
  const work = newWork(20_000_000)
  let first: JsonValue | undefined
  let count = 0
  for (const record of records.values) {
    const found: JsonValue[] = []
    readValues(record, field.path, found, work)
    if (!found.some((one) => one === value || (Array.isArray(one) && one.includes(value)))) continue
    count += 1
    first ??= record
  }
  if (!isObject(first)) return []
  const identity = identityOf(first, [], false)
  if (Object.keys(identity).length === 0) return []
  const others = count > 1 ? `${count} records, the first ` : ''
  return [`${name} is of ${others}${JSON.stringify(identity)}.`]
}
