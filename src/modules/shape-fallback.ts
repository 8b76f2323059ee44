import { createHash } from 'node:crypto'
import type { Arrival, Digest, DigestOptions } from '../engine/operation.ts'
import { blocksOf, isText } from '../protocol/content.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { LargeResult, type Result } from '../protocol/result.ts'

/** A digest without understanding the content: the handle, the size, and the first characters as they came. */
export function fallbackPreview(
  result: Result,
  { content }: Arrival,
  { previewSize, outputSchema }: Pick<DigestOptions, 'previewSize' | 'outputSchema'>,
): Digest {
  const characters = content.length
  const start = Buffer.from(content.subarray(0, previewSize))
    .toString('utf8')
    .replace(/\uFFFD$/u, '')
  return {
    hash: createHash('sha256').update(content).digest('hex'),
    characters,
    tokens: 0,
    shaped: {
      result:
        result instanceof LargeResult ? { content: [] } : withoutTexts(result, outputSchema !== undefined),
      at: 0,
      text: [
        'Kept whole as cache_id ',
        ` (${characters} bytes); no preview could be made. Ask proxy_search or proxy_filter with this cache_id. It begins:\n${start}`,
      ],
      tokens: 0,
    },
  }
}

/** Images and the like stay, and so does structured content that the client was promised. */
function withoutTexts(result: JsonObject, promised: boolean): JsonObject {
  const { structuredContent, ...rest } = result
  const isLong = (block: JsonObject): boolean =>
    isText(block) || (isObject(block.resource) && typeof block.resource.text === 'string')
  return {
    ...rest,
    content: blocksOf(result).filter((block) => !isLong(block)),
    ...(promised && structuredContent !== undefined && { structuredContent }),
  }
}
