/** The form of a document that a search reads: of a page its words, of XML its values, of anything else the content itself. */

import type { Document } from '../../documents/document.ts'
import { fromText, fromValue, withRecords } from '../../documents/opening/derive.ts'
import { keptFor } from '../../text/kept.ts'

const known = new WeakMap<Document, Document>()

/**
 * The text of a page without its tags, with headings and lists as Markdown has them; XML as data; any other document itself. Records that
 * were put together are searched as they were sent: a label that several of them share is there once.
 */
export function readable(document: Document): Document {
  const { readable: read } = document.traits
  if (read === undefined) return asSent(document)
  return keptFor(known, document, () => {
    const value = read(document)
    return typeof value === 'string' ? fromText(value) : asSent(fromValue(value ?? null))
  })
}

function asSent(document: Document): Document {
  const from = document.traits.search === 'values' ? document.records()?.gathered?.from : undefined
  return from ? withRecords(document, from) : document
}

/**
 * The units that a search of data counts: its records, or its values where it has none. Where the records of the `given` document were put
 * together, values count as well: the search goes through what was `sent`.
 */
export function unitsIn(
  given: Document,
  sent: Document,
  values: number,
): { noun: 'record' | 'value'; total: number } {
  const records = given.records()?.gathered ? undefined : sent.records()
  return records ? { noun: 'record', total: records.values.length } : { noun: 'value', total: values }
}
