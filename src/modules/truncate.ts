/** Cuts long texts of results, for those who ask for it: what is cut is not kept. Outside of shaping, whose previews it leaves alone. */
import { blocksOf, isText, META } from '../protocol/content.ts'
import type { Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { plain, type Result } from '../protocol/result.ts'
import { truncateAll } from '../text/truncate.ts'

export interface TruncateOptions {
  /** The most characters that the texts of a result have together. */
  max: number
  /** Names of the proxy's own tools: their answers are bounded already. */
  exempt: ReadonlySet<string>
}

export function createTruncate({ max, exempt }: TruncateOptions): Middleware {
  return {
    name: 'truncate',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      const result = await next(exchange)
      return exchange.keep || exempt.has(String(exchange.params.name))
        ? result
        : truncated(plain(result), max)
    },
  }
}

/** Blocks that are no text stay, and so does structured content, which a client would refuse when it is cut. */
function truncated(result: JsonObject, max: number): Result {
  if (isObject(result._meta) && Object.hasOwn(result._meta, `${META}cache-id`)) return result
  const blocks = blocksOf(result)
  const texts = blocks.filter(isText).map(({ text }) => text)
  if (texts.reduce((sum, text) => sum + text.length, 0) <= max) return result
  const cut = truncateAll(texts, max)
  let at = 0
  const content = blocks.flatMap((block) => {
    if (!isText(block)) return [block]
    const text = cut[at++]
    return text === undefined ? [] : [{ ...block, text }]
  })
  return { ...result, content }
}
