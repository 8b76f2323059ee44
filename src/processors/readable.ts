/** What a search reads of a document: of a page its words, of anything else what it is. */
import { fromText } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import { htmlText } from '../documents/formats/html-text.ts'

const known = new WeakMap<Document, Document>()

/** The text of a page without its tags, with headings and lists as Markdown has them; any other document itself. */
export function readable(document: Document): Document {
  if (document.format !== 'html') return document
  const before = known.get(document)
  if (before !== undefined) return before
  const page = fromText(htmlText(document.text))
  known.set(document, page)
  return page
}

/** Said where only the tags of a page match. */
export const sourceNote = 'The text of the page does not match; these are lines of its HTML source.'
