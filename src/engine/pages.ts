/** The work on pages of a collection: each is read for the arguments of the next one, and all are joined at the end. */
import { fromJson } from '../documents/opening/derive.ts'
import { openResult } from '../documents/opening/open.ts'
import { joinPages } from '../documents/paging/join.ts'
import { hasPages, restOf } from '../documents/paging/next.ts'
import { recognisePart } from '../documents/paging/recognise.ts'
import { standingOf } from '../documents/paging/standing.ts'
import { textsOf } from '../protocol/content.ts'
import type { JsonObject } from '../protocol/json.ts'
import { decodeResult, encodeResult, hashOf } from './content.ts'
import type { AskedPage, JoinedPages, Page } from './contract.ts'
import type { Views } from './views.ts'

/** The statement of a result about its collection, and the calls for the rest of it. Never throws on what a server sent. */
export function lookAtPage(content: Uint8Array, { args, schema }: AskedPage): Page {
  const decoded = decodeResult(content)
  if (decoded === undefined) return {}
  const part = recognisePart(openResult(decoded.exact, content.byteLength), hasPages(args, schema))
  if (part === undefined) return {}
  const rest = restOf(part, args, schema)
  const standing = standingOf(part, args)
  return {
    ...(part.place && { place: part.place }),
    ...(part.shown !== undefined && { shown: part.shown }),
    ...(part.total !== undefined && { total: part.total }),
    ...(standing !== undefined && { standing }),
    ...(rest && { rest }),
  }
}

/** Contents in the order of their pages; all of them results. Data stays open under its hash: it is measured and asked about next. */
export function joinContents(
  views: Views,
  contents: readonly Uint8Array[],
  place: Page['place'],
): JoinedPages {
  const pages: JsonObject[] = []
  for (const content of contents) {
    const decoded = decodeResult(content)
    if (decoded !== undefined) pages.push(decoded.exact)
  }
  const { result, value, ...counts } = joinPages(pages, place)
  const content = encodeResult(result)
  if (value === undefined) return { ...counts, content }
  const hash = hashOf(content)
  views.keep(hash, fromJson(textsOf(result)[0] ?? '', value), content.byteLength)
  return { ...counts, content, hash }
}
