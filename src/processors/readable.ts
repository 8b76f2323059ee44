/** What a search reads of a document: of a page its words, of XML its values, of anything else what it is. */
import { fromText, fromValue } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import { htmlText } from '../documents/formats/html-text.ts'

const known = new WeakMap<Document, Document>()

/** The text of a page without its tags, with headings and lists as Markdown has them; XML as data; any other document itself. */
export function readable(document: Document): Document {
  if (document.format !== 'html' && document.format !== 'xml') return document
  const before = known.get(document)
  if (before !== undefined) return before
  const data = document.format === 'xml' ? document.json() : undefined
  const read = data === undefined ? fromText(htmlText(document.text)) : fromValue(data)
  known.set(document, read)
  return read
}

/** Said where only the tags match. */
export function sourceNote(document: Document): string {
  return document.format === 'xml'
    ? 'No value matches; these are lines of the XML source.'
    : 'The text of the page does not match; these are lines of its HTML source.'
}
