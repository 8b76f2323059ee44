/** Whether a result is all of its collection, in the words of the first line of its preview. */
import type { JsonObject } from '../../protocol/json.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { asksForLater } from './next.ts'
import type { Part } from './recognise.ts'

/** `PARTIAL: 30 of 1,214`, `COMPLETE: 30 records`; undefined where the result does not tell. */
export function standingOf(part: Part | undefined, args: JsonObject): string | undefined {
  if (part === undefined) return undefined
  const { shown, total, more, page, pages, cursor, next, nextPage, nextOffset } = part
  if (total !== undefined && shown !== undefined && shown < total)
    return shown === 0 && !asksForLater(args)
      ? undefined
      : `PARTIAL: ${formatCount(shown)} of ${formatCount(total)}`
  if (page !== undefined && pages !== undefined && page > 0 && pages > 1)
    return `PARTIAL: page ${formatCount(page)} of ${formatCount(pages)}`
  const follows =
    more ?? (cursor !== undefined || next !== undefined || nextPage !== undefined || nextOffset !== undefined)
  const records = shown === undefined ? '' : formatPlural(shown, 'record')
  if (follows) return `PARTIAL: ${records === '' ? '' : `${records}, and `}more follow`
  if (asksForLater(args)) return more === false ? `PARTIAL: the last ${records || 'part'}` : undefined
  const isAll = more === false || (total !== undefined && shown === total)
  return isAll ? `COMPLETE${records === '' ? '' : `: ${records}`}` : undefined
}

/** True for a kept result that is a part of its collection. */
export function isPartial({ standing }: { readonly standing?: string | undefined }): boolean {
  return standing?.startsWith('PARTIAL') === true
}

/**
 * A line for each of these kept results that is a part of its collection. It says so, because a count in that result is not a count of
 * the whole.
 */
export function partialLines(
  results: readonly { readonly handle: string; readonly standing?: string | undefined }[],
): string[] {
  return results.filter(isPartial).map(({ handle, standing }) => `cache_id ${handle} is ${standing}.`)
}
