/** Where the records of a derived document stand in the kept result, so that the path of a hit can be asked for. */

import { pathStep } from '../documents/collections.ts'
import type { Document } from '../documents/document.ts'
import type { Provenance } from '../documents/table.ts'
import { isObject, type JsonValue, own } from '../protocol/json.ts'
import { formatPath, isDefinite, type Path } from './path/path.ts'

/** `$.items[3]`, `$.definitions["a b"]`. */
export function recordPath(document: Document, record: number): string {
  const { path, keys, alone, scattered } = document.provenance
  if (alone) return path
  if (scattered) return `${path} (record ${record})`
  const key = keys?.[record]
  return `${path}${key === undefined ? `[${record}]` : pathStep(key)}`
}

/** The origin of what a path reached: `values` of them, the first of which is `value`. */
export function originAt(content: Document, path: Path, value: JsonValue, values: number): Provenance {
  if (values !== 1 || !isDefinite(path)) return { path: formatPath(path), scattered: true }
  const place = `$${path.map(({ selectors: [step] }) => (step?.kind === 'name' ? pathStep(step.name) : step?.kind === 'index' ? `[${step.index}]` : '')).join('')}`
  const records = content.records()
  if (!records) return { path: place, alone: true }
  if (records.path !== '$') return { path: place + records.path.slice(1), keys: records.keys }
  if (!isObject(value)) return { path: place }
  const keys =
    records.keys ?? records.values.flatMap((row) => (isObject(row) ? [String(own(row, '_key') ?? '')] : []))
  const isMap = keys.length === records.values.length && keys.every((key) => Object.hasOwn(value, key))
  return isMap ? { path: place, keys } : { path: place, alone: true }
}
