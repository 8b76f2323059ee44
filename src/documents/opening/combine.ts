/** Several kept results as one, so that one question can be asked of all of them. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Document } from '../document.ts'
import { toJson } from '../json/stringify.ts'
import { keyedRecords, withField } from '../shape/collections.ts'
import { readDocument } from './read.ts'

/** A document and the handle it is kept under. */
export interface Part {
  readonly handle: string
  /** The name that a question gives to its records. */
  readonly name?: string
  readonly document: Document
}

/**
 * One document of all records, each with the handle of its result in `_from`. A document without records gives its rows.
 * Texts stay text, each under a line that names its handle, and can still be asked for their lines as records.
 */
export function combine(parts: readonly Part[]): Document {
  const [only] = parts
  if (only && parts.length === 1) return only.document
  const before = only && latest.get(only.document)?.deref()
  if (before && isOf(before, parts)) return before
  const texts = parts.every(({ document }) => document.records() === undefined)
  const whole = readDocument({
    format: texts ? 'text' : 'json',
    bytes: parts.reduce((sum, { document }) => sum + document.bytes, 0),
    text: () => (texts ? joined(parts) : toJson(records(parts))),
    json: () => (texts ? undefined : records(parts)),
    asides: parts.flatMap(({ handle, document }) => document.asides.map((aside) => `${handle}: ${aside}`)),
  })
  combined.set(whole, parts)
  if (only) latest.set(only.document, new WeakRef(whole))
  return whole
}

const combined = new WeakMap<Document, readonly Part[]>()

/**
 * The document that was last made with a document in front: the next question about the same documents finds what the one before has
 * read. Held weakly, for it keeps all its documents.
 */
const latest = new WeakMap<Document, WeakRef<Document>>()

function isOf(whole: Document, parts: readonly Part[]): boolean {
  const own = combined.get(whole) ?? []
  return (
    own.length === parts.length &&
    own.every(({ handle, name, document }, at) => {
      const part = parts[at]
      return handle === part?.handle && name === part.name && document === part.document
    })
  )
}

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
