/** Results that go to a file: the reply says where, how large, and how they begin. */
import type { FindableTool } from '../../discovery/finder.ts'
import { encodeResult } from '../../engine/content.ts'
import { hashOf } from '../../engine/hash.ts'
import type { Export } from '../../engine/operation.ts'
import { META, textBlock } from '../../protocol/content.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import { LargeResult, plain, type Result } from '../../protocol/result.ts'
import type { Entry } from '../../store/store.ts'
import { head } from '../../text/cut.ts'
import { formatCount } from '../../text/format.ts'
import type { DispatchParts, Situation } from './actions.ts'
import type { DispatchParams } from './params.ts'

/** Names at the top of an object that are told, and characters of them all. */
const mostKeys = 12
const longestKeys = 120

/** Undefined: the result stays where it is. An error is an answer, and never goes to a file. */
export async function spillIfWanted(
  result: Result,
  tool: FindableTool,
  args: JsonObject,
  params: DispatchParams,
  situation: Situation,
  parts: DispatchParts,
): Promise<JsonObject | undefined> {
  const { settings } = parts
  // 0 for this call is said on purpose: it is not to go to a file by itself.
  const threshold = params.resultSizeThreshold ?? settings.spill.threshold
  const asked = params.resultToFile === true
  if (!asked && threshold === 0) return undefined
  if (!(result instanceof LargeResult)) {
    if (result.isError === true) return undefined
    if (!asked && isSurelyWithin(result, threshold)) return undefined
  }
  const entry = await keptAs(result, tool, args, situation, parts)
  if (!entry) return undefined
  const toon = settings.spill.format === 'toon' && threshold > 0
  const made = await parts.engine.export(entry, toon, situation.exchange.signal)
  const size = made.content.byteLength
  if (!asked && size <= threshold) return undefined
  const extension = made.format === 'text' ? 'txt' : made.format
  try {
    const path = await parts.spills.write(situation.exchange.agent, entry.handle, made.content, extension)
    return spilled(path, made, entry, asked ? undefined : threshold)
  } catch (error) {
    return keptOnly(made, entry, error)
  }
}

/** Without measuring: a preview stands for more than it shows, anything else is no longer than its texts. */
function isSurelyWithin(result: JsonObject, threshold: number): boolean {
  if (handleIn(result) !== undefined) return false
  return Buffer.byteLength(JSON.stringify(result)) <= threshold
}

function handleIn({ _meta: meta }: JsonObject): string | undefined {
  const handle = isObject(meta) ? meta[`${META}cache-id`] : undefined
  return typeof handle === 'string' ? handle : undefined
}

/** The kept result that the preview stands for; one that was not kept is kept now. */
async function keptAs(
  result: Result,
  tool: FindableTool,
  args: JsonObject,
  { exchange }: Situation,
  { keeper }: DispatchParts,
): Promise<Entry | undefined> {
  if (!(result instanceof LargeResult)) {
    const handle = handleIn(result)
    if (handle !== undefined) return keeper.get(exchange.agent, handle)
  }
  const content = result instanceof LargeResult ? result.bytes : encodeResult(plain(result))
  return keeper.keep(exchange.agent, {
    content,
    hash: hashOf(content),
    origin: { tool: tool.name, arguments: args },
  })
}

function spilled(path: string, made: Export, entry: Entry, threshold: number | undefined): JsonObject {
  const reason =
    threshold === undefined
      ? `Result written to temporary ${kindOf(made)} file: ${path}`
      : `Result auto-spilled to temporary ${kindOf(made)} file (exceeded ${threshold} bytes): ${path}`
  const text = [
    `${reason} (auto-deleted at shutdown).`,
    ...about(made, entry),
    'Read parts with readresult (stat, head, tail, slice, grep, read), or ask by cache_id.',
  ].join('\n')
  return {
    resultFile: path,
    ...(threshold !== undefined && { autoSpilled: true }),
    content: [textBlock(text)],
    _meta: metaOf(entry, made),
  }
}

/** The disk refused. The call was made and its result is kept: it must not be made again for that. */
function keptOnly(made: Export, entry: Entry, error: unknown): JsonObject {
  const code = (error as NodeJS.ErrnoException).code ?? 'an error'
  const why = code === 'ENOSPC' ? 'the disk is full' : `the file could not be written (${code})`
  const text = [
    `No file: ${why}. The result is kept in memory; do not call again.`,
    ...about(made, entry),
  ].join('\n')
  return { content: [textBlock(text)], _meta: metaOf(entry, made) }
}

function about(made: Export, { handle }: Entry): string[] {
  const size = `Size: ${made.content.byteLength} bytes (~${made.tokens} tokens). cache_id ${handle}`
  const keys =
    made.keys === undefined
      ? made.elements === undefined
        ? []
        : [`Elements: ${formatCount(made.elements)}`]
      : [`Top-level keys: [${keysText(made.keys)}]`]
  return [size, ...keys, `Format: ${made.format}. Preview: ${made.preview}`]
}

function keysText(keys: readonly string[]): string {
  const shown = head(keys.slice(0, mostKeys).join(', '), longestKeys)
  return keys.length > mostKeys ? `${shown}, … ${keys.length} in all` : shown
}

function kindOf({ format }: Export): string {
  return format === 'json' ? 'JSON' : format === 'toon' ? 'TOON' : 'text'
}

function metaOf({ handle }: Entry, { tokens }: Export): JsonObject {
  return { [`${META}cache-id`]: handle, [`${META}savings`]: { originalTokens: tokens } }
}
