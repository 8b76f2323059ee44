/** Which records have the smallest or the largest value. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { identityOf } from '../leaf-hits.ts'
import type { Records } from '../records.ts'
import type { Column } from './column.ts'
import type { Gathered, Groups } from './group.ts'

/** `max(price) is of {"id":17,"name":"Lamp"}`; nothing for other functions, and for records without fields. */
export function describeHolders(
  records: Records,
  { name, call, field, at }: Column,
  { gathered }: Groups,
  row: JsonObject | undefined,
): string[] {
  const value = row && own(row, name)
  const over = gathered[at]
  if (
    (call.name !== 'min' && call.name !== 'max') ||
    !field ||
    !over ||
    value === undefined ||
    value === null
  )
    return []
  const find = (): Holders => holdersOf(over, value)
  const { first, count } = over.census.derived(`holders of ${JSON.stringify(value)}`, find)
  const holder = first === undefined ? undefined : records.values[first]
  if (!isObject(holder)) return []
  const identity = identityOf(holder, [], false)
  if (Object.keys(identity).length === 0) return []
  const others = count > 1 ? `${count} records, the first ` : ''
  return [`${name} is of ${others}${JSON.stringify(identity)}.`]
}

interface Holders {
  /** The position of the first record that holds the value, and how many do. */
  first: number | undefined
  count: number
}

function holdersOf({ values: { items, starts, ids }, codes }: Gathered, value: JsonValue): Holders {
  const wanted = new Uint8Array(items.length)
  for (let id = 0; id < items.length; id++) if (items[id] === value) wanted[id] = 1
  const holds = (code: number): boolean => {
    const end = starts[code + 1] as number
    for (let place = starts[code] as number; place < end; place++)
      if (wanted[ids[place] as number] === 1) return true
    return false
  }
  const found: Holders = { first: undefined, count: 0 }
  for (let record = 0; record < codes.length; record++) {
    if (!holds(codes[record] as number)) continue
    found.first ??= record
    found.count += 1
  }
  return found
}
