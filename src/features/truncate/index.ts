/** Cuts long texts of results where the configuration says so: what is cut is not kept. Outside of shaping; it leaves previews alone. */
import { blocksOf, isText, plain, type Result, textBlock } from '../../protocol/content.ts'
import type { Listed, Middleware } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Feature } from '../../proxy/feature.ts'
import { PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import { truncate, truncateAll } from '../../text/shorten.ts'

export interface TruncateOptions {
  /** The most characters that the texts of a result have together, and its structured content as JSON. */
  max: number
  /** Names of the proxy's own tools: their answers are bounded already. */
  exempt: ReadonlySet<string>
}

export function createTruncate({ max, exempt }: TruncateOptions): Middleware {
  return {
    name: 'truncate',
    methods: ['tools/list', 'tools/call'],
    list: withoutPromises,
    wrap: (next) => async (exchange) => {
      if (exchange.keep || exempt.has(String(exchange.params.name))) return next(exchange)
      let isPreview = false
      const onKept = (handle: string): void => {
        isPreview = true
        exchange.onKept?.(handle)
      }
      const result = await next({ ...exchange, onKept })
      return isPreview ? result : truncated(plain(result), max)
    },
  }
}

/** No tool promises structured content: what is too long of it is left out, and clients reject an answer without what was promised. */
function withoutPromises({ items }: Listed): readonly JsonObject[] {
  return items.map((tool) => {
    if (!Object.hasOwn(tool, 'outputSchema')) return tool
    const { outputSchema: _, ...rest } = tool
    return rest
  })
}

/** Blocks that are no text stay. Structured content cannot be cut and stay what it is: it stays whole or goes. */
function truncated(result: JsonObject, max: number): Result {
  const { structuredContent, ...rest } = result
  const json = structuredContent === undefined ? '' : JSON.stringify(structuredContent)
  const blocks = blocksOf(result)
  const texts = blocks.filter(isText).map(({ text }) => text)
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= max && json.length <= max) return result
  const kept = json.length > max ? rest : result
  // It was said nowhere else.
  if (texts.length === 0) return { ...kept, content: [...blocks, textBlock(truncate(json, max))] }
  const cut = truncateAll(texts, max)
  let at = 0
  const content = blocks.flatMap((block) => {
    if (!isText(block)) return [block]
    const text = cut[at++]
    return text === undefined ? [] : [{ ...block, text }]
  })
  return { ...kept, content }
}

export const truncation: Feature = {
  name: 'truncate',
  what: 'Cuts long texts and keeps nothing of them.',
  when: '`truncateOutputLength` is set',
  layer: ({ settings: { truncateOutputLength: max } }) =>
    max === undefined ? undefined : createTruncate({ max, exempt: PROXY_TOOL_NAMES }),
}
