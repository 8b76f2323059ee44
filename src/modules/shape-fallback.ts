import { createHash } from 'node:crypto'
import type { Digest } from '../engine/operation.ts'
import { isObject } from '../protocol/json.ts'
import { LargeResult, type Result } from '../protocol/result.ts'

/** A digest without understanding the content: the handle, the size, and the first characters as they came. */
export function fallbackPreview(
  result: Result,
  { content }: { content: Uint8Array },
  previewSize: number,
): Digest {
  const characters = content.length
  const start = Buffer.from(content.subarray(0, previewSize))
    .toString('utf8')
    .replace(/\uFFFD$/u, '')
  const rest = result instanceof LargeResult ? {} : { isError: result.isError === true, _meta: result._meta }
  return {
    hash: createHash('sha256').update(content).digest('hex'),
    characters,
    tokens: 0,
    shaped: {
      result: {
        content: [],
        ...(rest.isError && { isError: true }),
        ...(isObject(rest._meta) && { _meta: rest._meta }),
      },
      at: 0,
      text: [
        'Kept whole as cache_id "',
        `" (${characters} bytes); no preview could be made. Ask proxy_search or proxy_filter with this cache_id. It begins:\n${start}`,
      ],
      tokens: 0,
    },
  }
}
