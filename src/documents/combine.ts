/** Several kept results as one, so that one question can be asked of all of them. */
import type { JsonValue } from '../protocol/json.ts'
import type { Document } from './document.ts'
import { makeDocument } from './make.ts'
import { keyedRecords, withField } from './records.ts'
import { toJson } from './stringify.ts'

/** A document and the handle it is kept under. */
export interface Part {
  readonly handle: string
  readonly document: Document
}

/**
 * One document of all records, each with the handle of its result in `_from`. What has no records gives its rows.
 * Texts stay text, each under a line that names its handle, and can still be asked for their lines as records.
 */
export function combine(parts: readonly Part[]): Document {
  const [only] = parts
  if (only && parts.length === 1) return only.document
  const texts = parts.every(({ document }) => document.records() === undefined)
  const whole = makeDocument({
    kind: texts ? 'text' : 'json',
    format: texts ? 'text' : 'json',
    bytes: parts.reduce((sum, { document }) => sum + document.bytes, 0),
    text: () => (texts ? joined(parts) : toJson(records(parts))),
    json: () => (texts ? undefined : records(parts)),
    asides: parts.flatMap(({ handle, document }) => document.asides.map((aside) => `${handle}: ${aside}`)),
  })
  combined.set(whole, parts)
  return whole
}

const combined = new WeakMap<Document, readonly Part[]>()

/** The documents that one was made of by `combine`; undefined for one that was not. */
export function partsOf(document: Document): readonly Part[] | undefined {
  return combined.get(document)
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ handle, document }) => `=== ${handle} ===\n${document.text}`).join('\n')
}

function records(parts: readonly Part[]): JsonValue[] {
  const all: JsonValue[] = []
  for (const { handle, document } of parts) {
    const collection = document.records()
    const items = collection ? keyedRecords(collection) : document.rows().items
    for (const item of items) all.push(withField('_from', handle, item))
  }
  return all
}
