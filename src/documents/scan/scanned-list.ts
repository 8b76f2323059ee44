/** A list of records whose objects are made one by one, when they are asked for. */
import type { JsonValue } from '../../protocol/json.ts'
import { behindValue, parsed, unescaped } from './escaped.ts'
import type { ScannedRecords } from './records-scan.ts'

const lists = new WeakMap<readonly JsonValue[], ScannedRecords>()

/** What is known of such a list; undefined for one of values. */
export function scannedOf(list: readonly JsonValue[]): ScannedRecords | undefined {
  return lists.get(list)
}

/** The list. To go through all of it takes longer than to parse it. Read only. */
export function scannedList(bytes: Uint8Array, scanned: ScannedRecords): JsonValue[] {
  const { offsets } = scanned
  const made = new Map<number, JsonValue>()
  const record = (index: number): JsonValue => {
    let value = made.get(index)
    if (value === undefined) {
      const from = offsets.from(index)
      value = parsed(unescaped(bytes, from, behindValue(bytes, from)))
      made.set(index, value)
    }
    return value
  }
  const isIndex = (key: string | symbol): key is string =>
    typeof key === 'string' && /^\d{1,10}$/.test(key) && Number(key) < offsets.count
  const list = new Proxy<JsonValue[]>([], {
    get: (target, key) => {
      if (key === 'length') return offsets.count
      return isIndex(key) ? record(Number(key)) : Reflect.get(target, key)
    },
    has: (target, key) => isIndex(key) || Reflect.has(target, key),
  })
  lists.set(list, scanned)
  return list
}
