/** The keys of records that were the values of a map. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { Remembered } from '../remembered.ts'

const known = new Remembered<ReadonlySet<string>>(1)

/** The texts that some record has as its `_key`. Listed once. */
export function keysIn(records: readonly JsonValue[]): ReadonlySet<string> {
  return known.of(records, '_key', () => {
    const keys = new Set<string>()
    for (const record of records) {
      const key = isObject(record) ? own(record, '_key') : undefined
      if (typeof key === 'string') keys.add(key)
    }
    return keys
  })
}
