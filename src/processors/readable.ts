/** The form of a document that a search reads: of a page its words, of XML its values, of anything else the content itself. */
import { fromText, fromValue } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'

const known = new WeakMap<Document, Document>()

/** The text of a page without its tags, with headings and lists as Markdown has them; XML as data; any other document itself. */
export function readable(document: Document): Document {
  if (document.traits.readable === undefined) return document
  const before = known.get(document)
  if (before !== undefined) return before
  const value = document.traits.readable(document)
  const read = typeof value === 'string' ? fromText(value) : fromValue(value ?? null)
  known.set(document, read)
  return read
}

/** Said where only the tags match. */
export function sourceNote(document: Document): string {
  return document.traits.source ?? ''
}
