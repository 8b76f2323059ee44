/** Documents of data that somebody sent: their records are found in it. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Document } from '../document.ts'
import { type Collection, mainCollection } from '../shape/collections.ts'
import { type DocumentParts, makeDocument, traitsOfParts } from './make.ts'
import { operationsIn } from './operations.ts'
import { pointsIn } from './series.ts'

/** A document with the records of its data: the part that its format names, operations of an API, points of series, or its main collection. */
export function readDocument(parts: Omit<DocumentParts, 'records'>): Document {
  const { mainPart } = traitsOfParts(parts)
  const records = (value: JsonValue | undefined): Collection | undefined =>
    mainPart?.(value) ?? recordsIn(value)
  return makeDocument({ ...parts, records: (json) => records(json()) })
}

function recordsIn(value: JsonValue | undefined): Collection | undefined {
  if (value === undefined) return undefined
  const main = mainCollection(value)
  return operationsIn(value) ?? (main && pointsIn(value, main)) ?? main
}
