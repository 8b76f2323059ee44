/** Where the links of a page go, told beside what was found: the words of a page do not say it. */
import type { Document } from '../../documents/document.ts'
import { linksOfRecord, type PageLink } from '../../documents/formats/html.ts'
import { listOf } from '../../documents/overview/markup.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { ellipsis } from '../../text/shorten.ts'

/** Links that are told, characters of each text and address, and rows that are told with their links. */
const MOST = 5
const LONGEST_TEXT = 60
const LONGEST_ADDRESS = 200
export const FEW_ROWS = 3

/** A note on the links with a text that matches a search; without any, on the links with a matching address. */
export function linkNotes(page: Document, finds: (text: string) => boolean): string[] {
  if (page.format !== 'html') return []
  const links = listOf(page.json(), 'links') as unknown as PageLink[]
  const byText = links.filter(({ text }) => text !== '' && finds(text))
  return told(byText.length > 0 ? byText : links.filter(({ href }) => finds(href)))
}

/** A note on the links in a few rows of a table. */
export function rowLinkNotes(rows: readonly JsonValue[]): string[] {
  return told(rows.flatMap((row) => (isObject(row) ? linksOfRecord(row) : [])))
}

function told(links: readonly PageLink[]): string[] {
  const all = [
    ...new Set(
      links
        .filter(({ href }) => !href.startsWith('#'))
        .map(({ text, href }) =>
          `${ellipsis(text, LONGEST_TEXT)} → ${ellipsis(href, LONGEST_ADDRESS)}`.trim(),
        ),
    ),
  ]
  if (all.length === 0) return []
  const more = all.length > MOST ? `; ${all.length - MOST} more in $.links` : ''
  return [`Links: ${all.slice(0, MOST).join('; ')}${more}.`]
}
