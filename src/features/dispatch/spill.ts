/** Results in files. One that goes to a file is answered with where it is, how large, and how it begins; `readresult` reads parts of it. */
import type { FindableTool } from '../../discovery/finder.ts'
import { encodeResult, hashInSlices } from '../../engine/content.ts'
import type { Engine, Export, Readback, ReadbackResult } from '../../engine/contract.ts'
import {
  blocksOf,
  isMedia,
  LargeResult,
  META,
  plain,
  plainAnswer,
  type Result,
  textBlock,
} from '../../protocol/content.ts'
import { messageOf, ProxyError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { Refused } from '../../spill/confined.ts'
import type { Entry } from '../../store/store.ts'
import { formatCount, goneWords } from '../../text/format.ts'
import { ellipsis, head } from '../../text/shorten.ts'
import { type Action, type DispatchParts, dataReply, failureReply, type Situation } from './actions.ts'
import type { DispatchParams } from './params.ts'

/** The call and its arguments. */
interface Call {
  tool: FindableTool
  args: JsonObject
  /** Under which its result is kept, where it is: the result is then a preview. */
  handle: string | undefined
}

/** A call, and where its result may go. */
interface Called extends Call {
  situation: Situation
  parts: DispatchParts
  /** Bytes above which it goes to a file. Undefined: it goes there whatever its size. */
  threshold: number | undefined
  toon: boolean
}

/** Undefined: the result stays what it is. An error is an answer, and never goes to a file. */
export async function spillIfWanted(
  result: Result,
  call: Call,
  params: DispatchParams,
  situation: Situation,
  parts: DispatchParts,
): Promise<JsonObject | undefined> {
  const { spill } = parts.settings
  // 0 for this call is said on purpose: it is not to go to a file by itself.
  const limit = params.resultSizeThreshold ?? spill.threshold
  const threshold = params.resultToFile === true ? undefined : limit
  if (threshold === 0) return undefined
  const toon = spill.format === 'toon' && limit > 0
  if (!(result instanceof LargeResult)) {
    if (result.isError === true) return undefined
    // A preview stands for more than it shows.
    const isWhole = call.handle === undefined
    if (isWhole && threshold !== undefined && isSurelyWithin(result, threshold, toon)) return undefined
  }
  try {
    return await toFile(result, { ...call, situation, parts, threshold, toon })
  } catch (error) {
    if (situation.exchange.signal.aborted) throw error
    // The call was made: what it gave is not lost to a file that could not be made of it.
    return withNote(plain(result), `No file: ${error instanceof ProxyError ? error.text : messageOf(error)}`)
  }
}

/** Without writing it out as a file, which is no longer than its texts. */
function isSurelyWithin(result: JsonObject, threshold: number, toon: boolean): boolean {
  const blocks = blocksOf(result)
  const others = blocks.filter((block) => !isMedia(block))
  // TOON indents: what is deep may become longer.
  if (toon && others.length === blocks.length) return false
  // Pictures and sound do not count as long text.
  return Buffer.byteLength(JSON.stringify({ ...result, content: others })) <= threshold
}

async function toFile(result: Result, called: Called): Promise<JsonObject | undefined> {
  const { tool, args, handle, situation, parts, threshold, toon } = called
  const { agent, signal } = situation.exchange
  const kept = handle === undefined ? undefined : await parts.resultStore.get(agent, handle)
  if (handle !== undefined && !kept) return undefined
  const content =
    kept?.content ?? (result instanceof LargeResult ? result.bytes : encodeResult(plain(result)))
  const made = await parts.engine.export(content, toon, signal)
  const size = made.content.byteLength
  if (made.failed || (threshold !== undefined && size <= threshold)) return undefined
  const origin = { tool: tool.name, arguments: args }
  const entry =
    kept ?? (await parts.resultStore.keep(agent, { content, hash: await hashInSlices(content), origin }))
  const extension = made.format === 'text' ? 'txt' : made.format
  try {
    const path = await parts.spills.write(agent, entry.handle, made.content, extension)
    return await spilled(path, made, entry, result, called)
  } catch (error) {
    const why = `No file: ${reasonOf(error)}.`
    const isShown = !kept && !(result instanceof LargeResult)
    return isShown
      ? withNote(result, `${why} This is the result; do not call again.`)
      : keptOnly(why, made, entry, called)
  }
}

async function spilled(
  path: string,
  made: Export,
  entry: Entry,
  result: Result,
  called: Called,
): Promise<JsonObject> {
  const { threshold, parts } = called
  const isAutomatic = threshold !== undefined
  const reason = isAutomatic
    ? `Result auto-spilled to temporary ${kindOf(made)} file (exceeded ${threshold} bytes): ${path}`
    : `Result written to temporary ${kindOf(made)} file: ${path}`
  const first = `${reason} (auto-deleted at shutdown).`
  const last = `Format: ${made.format}. Read parts by readresult (op stat, head, tail, slice, grep, read), or ask by cache_id ${entry.handle} (filter, search_result, explore).`
  const { text, tokens } = await spillText({ first, last, made }, parts.engine)
  tellSavings(called, made, tokens)
  const media = isAutomatic && !(result instanceof LargeResult) ? blocksOf(result).filter(isMedia) : []
  return {
    resultFile: path,
    cache_id: entry.handle,
    ...(isAutomatic && { autoSpilled: true }),
    content: [textBlock(text), ...media],
    _meta: metaOf(entry),
  }
}

/** The disk refused. The call was made and its result is kept: it must not be made again for that. */
async function keptOnly(why: string, made: Export, entry: Entry, called: Called): Promise<JsonObject> {
  const first = `${why} The result is kept in memory; do not call again.`
  const last = `Format: ${made.format}. Ask by cache_id ${entry.handle} (readresult, filter, search_result, explore).`
  const { text, tokens } = await spillText({ first, last, made }, called.parts.engine)
  tellSavings(called, made, tokens)
  return { cache_id: entry.handle, content: [textBlock(text)], _meta: metaOf(entry) }
}

function withNote(result: JsonObject, note: string): JsonObject {
  return { ...result, content: [...blocksOf(result), textBlock(note)] }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'a file may not be that long here',
  EACCES: 'the directory may not be written to',
  EPERM: 'the directory may not be written to',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') return messageOf(error)
  return `${REASONS[code] ?? 'it could not be written'} (${code})`
}

function kindOf({ format }: Export): string {
  return format === 'json' ? 'JSON' : format === 'toon' ? 'TOON' : 'text'
}

function metaOf({ handle }: Entry): JsonObject {
  return { [`${META}cache-id`]: handle }
}

function tellSavings({ situation }: Called, made: Export, deliveredTokens: number): void {
  situation.exchange.onSaved?.({
    originalCharacters: made.characters,
    originalTokens: made.tokens,
    deliveredTokens,
  })
}

// The reply for a model about a result that went to a file. It has all that the model needs to go on, in few tokens.

/** Tokens of the text. */
const mostTokens = 200

/** Characters of the preview and of the names, the first that fit: it is written in scripts that take a token for each, too. */
const SIZES: readonly (readonly [preview: number, keys: number])[] = [
  [Number.POSITIVE_INFINITY, 120],
  [260, 120],
  [220, 120],
  [180, 120],
  [150, 120],
  [120, 100],
  [90, 80],
  [60, 60],
  [40, 30],
  [20, 15],
  [0, 0],
]

/** `first` and `last` are never cut: they say where the result is. */
interface Told {
  first: string
  last: string
  made: Export
}

async function spillText(
  told: Told,
  { countTokens }: Pick<Engine, 'countTokens'>,
): Promise<{ text: string; tokens: number }> {
  const texts = SIZES.map(([preview, keys]) => written(told, preview, keys))
  const counts = await countTokens(texts)
  const fitting = counts.findIndex((count) => count <= mostTokens)
  const chosen = fitting < 0 ? texts.length - 1 : fitting
  return { text: texts[chosen] ?? '', tokens: counts[chosen] ?? 0 }
}

function written({ first, last, made }: Told, preview: number, keys: number): string {
  const lines = [first, `Size: ${made.content.byteLength} bytes (~${made.tokens} tokens).`]
  const { length } = made.preview
  const begun = length <= preview ? made.preview : preview === 0 ? '' : `${head(made.preview, preview)}...`
  return [...lines, ...top(made, keys), ...(begun === '' ? [] : [`Preview: ${begun}`]), last].join('\n')
}

function top({ keys, keyCount = 0, elements }: Export, room: number): string[] {
  if (elements !== undefined) return [`Elements: ${formatCount(elements)}`]
  if (keys === undefined) return []
  const shown: string[] = []
  let left = room
  for (const key of keys) {
    const name = ellipsis(
      key.replaceAll(/[\s\p{Cc}]+/gu, ' ').replaceAll(/\p{Cs}/gu, '\uFFFD'),
      Math.min(left, 40),
    )
    left -= name.length + 2
    if (name === '') break
    shown.push(name)
    if (left <= 0) break
  }
  if (shown.length === keyCount) return [`Top-level keys: [${shown.join(', ')}]`]
  return [`Top-level keys: [${[...shown, `… ${formatCount(keyCount)} in all`].join(', ')}]`]
}

// `readresult`: parts of a result in a file. Its answers are bounded and never become files themselves.

/** Characters of a reply that say how to go on. */
const forNext = 160

export const readresult: Action = async (params, situation, parts) => {
  const { resultFile, cache_id, op = params.pattern === undefined ? 'stat' : 'grep' } = params
  if ((resultFile === undefined) === (cache_id === undefined))
    return failureReply(
      'readresult',
      'readresult needs resultFile (a path from an earlier reply) or cache_id: {"action":"readresult","resultFile":"…","op":"head","lines":20}.',
    )
  const { maxChars, grepMaxMatches } = parts.settings.readback
  const wanted = {
    ...params,
    op,
    maxChars: Math.max(maxChars - forNext, 1),
    maxMatches: Math.min(params.limit ?? grepMaxMatches, grepMaxMatches),
  }
  try {
    const answer = await answerTo(wanted, params, situation, parts)
    if (answer === undefined) return { action: 'readresult', ...plainAnswer(goneText(cache_id ?? '')) }
    if ('error' in answer) return failureReply('readresult', answer.error)
    return reply(answer, {
      op,
      ...(resultFile === undefined ? { cache_id: cache_id ?? '' } : { resultFile }),
    })
  } catch (error) {
    if (error instanceof Refused) return failureReply('readresult', error.message)
    if (error instanceof ProxyError && error.code !== 'CANCELLED')
      return failureReply('readresult', error.text)
    throw error
  }
}

async function answerTo(
  wanted: Readback,
  { resultFile, cache_id }: DispatchParams,
  { exchange }: Situation,
  { spills, resultStore, engine }: DispatchParts,
): Promise<ReadbackResult | undefined> {
  const { agent, signal } = exchange
  if (resultFile !== undefined)
    return engine.readback(await spills.read(agent, resultFile), false, wanted, signal)
  const entry = await resultStore.get(agent, cache_id ?? '')
  return entry && engine.readback(entry.content, true, wanted, signal)
}

function reply(answer: Exclude<ReadbackResult, { error: string }>, heading: JsonObject): JsonObject {
  if ('byteSize' in answer) {
    const { byteSize, lineCount, tokens } = answer
    return dataReply('readresult', { ...heading, byteSize, lineCount, estimatedTokens: tokens })
  }
  const { text, next } = answer
  const shown = text === '' ? '(empty)' : text
  return {
    action: 'readresult',
    ...heading,
    ...(next !== undefined && { truncated: true }),
    content: [textBlock(next === undefined ? shown : `${shown}\n[cut; next: ${next}]`)],
  }
}

function goneText(handle: string): string {
  return `${goneWords(handle)} Do not retry it; call the tool that gave it again. What is still kept: {"action":"explore"}`
}
