import { createHash } from 'node:crypto'
import { conform } from '../documents/conform.ts'
import type { Arrival, Digest, DigestOptions } from '../engine/operation.ts'
import { blocksOf, isText } from '../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { LargeResult, type Result } from '../protocol/result.ts'

/** Bytes of a result that may be read on the event loop, because no worker could: one that is longer would hold up everybody. */
const READABLE = 8 * 1024 * 1024

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
        result instanceof LargeResult
          ? promisedOf(result, outputSchema, previewSize)
          : withoutTexts(result, outputSchema !== undefined),
      at: 0,
      text: [
        'Kept whole as cache_id ',
        ` (${characters} bytes); no preview could be made. Ask proxy_search or proxy_filter with this cache_id. It begins:\n${start}`,
      ],
      tokens: 0,
    },
  }
}

/** What the client was promised, shortened. Without it only an error is no broken promise: clients reject any other answer. */
function promisedOf(result: LargeResult, outputSchema: JsonObject | undefined, budget: number): JsonObject {
  if (outputSchema === undefined) return { content: [] }
  const structuredContent = shortened(result, outputSchema, budget)
  return { content: [], ...(structuredContent === undefined ? { isError: true } : { structuredContent }) }
}

function shortened(result: LargeResult, schema: JsonObject, budget: number): JsonValue | undefined {
  if (result.bytes.length > READABLE) return undefined
  try {
    const { structuredContent } = result.json()
    return structuredContent === undefined ? undefined : conform(structuredContent, schema, budget)
  } catch {
    return undefined
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
