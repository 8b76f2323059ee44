/** How the size of records spreads over their fields. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { toJson } from '../json/stringify.ts'

const SAMPLE = 40

/** How large a field is in the JSON of the records. */
export interface Share {
  name: string
  share: number
}

/** The share of each field in the JSON of the records, the largest first, judged by a few records. */
export function shares(values: readonly JsonValue[]): Share[] {
  return measure(values).fields
}

/** The same, and the mean size of a record in characters. */
export function measure(values: readonly JsonValue[]): { fields: Share[]; mean: number } {
  const sizes = new Map<string, number>()
  let all = 0
  let looked = 0
  const step = Math.max(1, Math.floor(values.length / SAMPLE))
  for (let index = 0; index < values.length; index += step) {
    const record = values[index]
    if (!isObject(record)) continue
    looked += 1
    for (const key of Object.keys(record).slice(0, 200)) {
      const size = toJson(own(record, key) ?? null).length + key.length + 4
      sizes.set(key, (sizes.get(key) ?? 0) + size)
      all += size
    }
  }
  const fields = [...sizes]
    .map(([name, size]) => ({ name, share: size / all }))
    .sort((one, other) => other.share - one.share)
  return { fields, mean: looked === 0 ? 0 : all / looked }
}
