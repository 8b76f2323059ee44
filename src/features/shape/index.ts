/**
 * Keeps a result that is too large for a context, and lets a preview with its handle through. The preview is only in `content`, because
 * every client shows that to its model when there is no `structuredContent`.
 * Innermost of the layers: what is further out sees what the client will
 * see.
 */

import { createHash } from 'node:crypto'
import type { Config } from '../../config/schema.ts'
import { mayHoldBase64 } from '../../documents/binary/base64.ts'
import { leastBase64, type UnpackLimits } from '../../documents/binary/limits.ts'
import { described, partsIn } from '../../documents/binary/parts.ts'
import { asRead, readingOf } from '../../documents/json/structured.ts'
import { type Form, formFor, promisedBy, withText } from '../../documents/output-schema/conform.ts'
import { hasReferences } from '../../engine/arguments.ts'
import { hashInSlices } from '../../engine/content.ts'
import type { Arrival, Digest, DigestOptions, Engine, Query, Unpacked } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import {
  asksForInput,
  blocksOf,
  dataIn,
  errorResult,
  isText,
  LargeResult,
  META,
  maySayError,
  type Result,
  textBlock,
  textIn,
  textLength,
} from '../../protocol/content.ts'
import { effectOf } from '../../protocol/effects.ts'
import type { Client, Exchange, Handler, Listed, Lists, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import { onceForEach } from '../../protocol/lists.ts'
import { originOf } from '../../protocol/origin.ts'
import { hasView } from '../../protocol/uri-rewrite.ts'
import type { Feature, ResultSettingsOf } from '../../proxy/feature.ts'
import { dialectOf, PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Entry } from '../../store/store.ts'
import type { TextChange } from '../../text/change/change-rules.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'
import { keptUri, readKept } from './kept-resources.ts'
import type { ResultSettings } from './options.ts'
import { createTold, type Repeats, type Told } from './repeats.ts'

export interface ShapeOptions {
  engine: Engine
  resultStore: ResultStore
  logger: Logger
  /** False: everything passes as it came, but for what the proxy's own tools ask to be kept. */
  enabled: boolean
  /** Names of the proxy's own tools: their answers are bounded already. */
  exempt: ReadonlySet<string>
  /** The current settings for results of single tools. Absent: what applies to all. */
  settings?(): ResultSettingsOf
  limits: Limits
  /** A result that passes unchanged is kept as well. Default: it is not. */
  keepsSmall?: boolean
  /** The remark on a large result that a client got before. Default: its preview again. */
  repeats?: Repeats
  /** `resources/read` is shaped as well. Default: it is not. */
  resources?: boolean
  /** Whether this result, which would get a preview, passes whole. Default: none does. */
  holdsOut?(): boolean
}

/** The settings for results of all tools. */
type Limits = Omit<
  DigestOptions,
  'always' | 'keeps' | 'form' | 'jsonLimit' | 'textLimit' | 'asked' | 'standing' | 'hasParts'
> &
  Partial<Omit<UnpackLimits, 'shrinksImages'>> & { images?: 'shrink' | 'link' | 'pass' }

/** Characters of JSON that an outer layer may add to a result: which action it answers, which tool. */
const ADDED = 200

export function createShape(options: ShapeOptions): Middleware {
  const shownOf = onceForEach((listed) => shownIn(listed, options))
  const usualLeast = leastBase64(blobLimits(options.limits))
  const told = createTold(options)

  /**
   * How the tool was listed to the client, which a shaped answer has to fit. A client that has got no list may have got one in an earlier
   * run of the proxy. The current list tells what that list must have been.
   */
  async function listedAs(exchange: Exchange, inside: Lists): Promise<Shown | undefined> {
    if (!options.enabled) return undefined
    try {
      return shownOf(await inside.known('tools', exchange)).shown.get(String(exchange.params.name))
    } catch {
      return undefined
    }
  }

  return {
    name: 'shape',
    methods: ['tools/list', 'tools/call', 'resources/read'],
    list: (listed, { client }) =>
      options.enabled && client.via === undefined ? shownOf(listed).tools : listed.items,
    wrap: (next, inside) => async (exchange) => {
      const listed = (): Promise<Shown | undefined> => listedAs(exchange, inside)
      if (exchange.method === 'resources/read') return readResource(next, exchange, options)
      if (options.keepsSmall !== true) return callTool(next, exchange, options, usualLeast, listed, told)
      let isKept = false
      const onKept = (handle: string): void => {
        isKept = true
        exchange.onKept?.(handle)
      }
      const result = await callTool(next, { ...exchange, onKept }, options, usualLeast, listed, told)
      if (!isKept) await keepQuietly(result, exchange, options)
      return result
    },
  }
}

/** A tool as it is listed. */
interface Shown {
  readonly settings: ResultSettings
  /** It keeps its structured content. */
  readonly keeps: boolean
  /** The form that a shaped result then has in its place. Absent: the tool has no schema. */
  readonly form?: Form
  readonly schema?: JsonObject
  /** It declares that it only reads. */
  readonly reads: boolean
  readonly server: string
}

/**
 * Output schemas are not listed, for a preview is no value of them and clients refuse a result that breaks its schema. No client shows
 * them to its model. They stay for tools with an interface and where the operator says so.
 */
function shownIn(
  { items }: Listed,
  { settings: settingsNow }: ShapeOptions,
): { tools: readonly JsonObject[]; shown: ReadonlyMap<string, Shown> } {
  const shown = new Map<string, Shown>()
  const settingsOf = settingsNow?.()
  const tools = items.map((tool) => {
    if (typeof tool.name !== 'string') return tool
    const { outputSchema, ...rest } = tool
    const { inputSchema } = tool
    const { server, name } = originOf(tool) ?? { server: '', name: tool.name }
    const settings = settingsOf?.(server, name) ?? {}
    const keeps = hasView(tool) || settings.structured === 'keep'
    const form = keeps && isObject(outputSchema) ? formOf(outputSchema) : undefined
    shown.set(tool.name, {
      settings,
      keeps,
      reads: effectOf(tool) === 'read',
      server,
      ...(form && { form }),
      ...(isObject(inputSchema) && { schema: inputSchema }),
    })
    if (!keeps) return outputSchema === undefined ? tool : rest
    return form === undefined || form.listed === outputSchema ? tool : { ...rest, outputSchema: form.listed }
  })
  return { tools, shown }
}

/** Schemas come from lists that are kept, so the same object is asked about again and again. */
const forms = new WeakMap<JsonObject, Form & { listed: JsonObject }>()

function formOf(schema: JsonObject): Form & { listed: JsonObject } {
  const known = forms.get(schema)
  if (known !== undefined) return known
  const form = formFor(schema)
  const listed = { ...form, listed: promisedBy(form) }
  forms.set(schema, listed)
  return listed
}

async function callTool(
  next: Handler,
  exchange: Exchange,
  options: ShapeOptions,
  usualLeast: number,
  listedAs: () => Promise<Shown | undefined>,
  told: Told,
): Promise<Result> {
  let standing: string | undefined
  const onCollected = (said: string): void => {
    standing = said
    exchange.onCollected?.(said)
  }
  const struck = striking()
  const result = await next({ ...exchange, onCollected, onStruck: struck.onStruck })
  return passesAtOnce(result, exchange, options, usualLeast)
    ? result
    : shapeResult(result, exchange, options, listedAs, told, struck, standing)
}

/** Whether it can be told without the settings of the tool that nothing of the result changes. So it is for most calls. */
function passesAtOnce(
  result: Result,
  exchange: Exchange,
  { exempt, enabled, settings, limits }: ShapeOptions,
  usualLeast: number,
): boolean {
  // The proxy nearest the client shapes: what this one cut would be cut again.
  if (exempt.has(String(exchange.params.name)) || exchange.client.via !== undefined) return true
  const always = exchange.keep === true
  if (!always && !enabled) return true
  if (asksForInput(result)) return true
  return (
    isPlainText(result) &&
    settings?.().differ !== true &&
    !always &&
    !isLarge(result, limits, jsonLimitOf(exchange)) &&
    !mayHoldBlobs(result, usualLeast)
  )
}

function isPlainText(result: Result): result is Exclude<Result, LargeResult> {
  return !(result instanceof LargeResult) && result.structuredContent === undefined
}

async function shapeResult(
  result: Result,
  exchange: Exchange,
  options: ShapeOptions,
  listedAs: () => Promise<Shown | undefined>,
  told: Told,
  struck: { changes(): readonly TextChange[] },
  standing: string | undefined,
): Promise<Result> {
  const name = String(exchange.params.name)
  const always = exchange.keep === true
  const jsonLimit = jsonLimitOf(exchange)
  const isPlain = isPlainText(result)
  const listed = await listedAs()
  const { settings = {}, keeps = false, form, schema, reads = false, server = '' } = listed ?? {}
  if (settings.whole === true && !always) return result
  const limits = limitsFor(settings, options.limits)
  const projects = settings.fields !== undefined && !keeps && !always && !mayBeError(result)
  const read = result instanceof LargeResult || isPlain || always ? result : sentOn(result, keeps)
  const mayUnpack = mayHoldBlobs(result, leastBase64(blobLimits(limits)))
  const passes = !mayUnpack && !(read instanceof LargeResult) && !always && !isLarge(read, limits, jsonLimit)
  if (passes && !projects) return read
  const came = result instanceof LargeResult ? result.bytes : sharedBytes(JSON.stringify(result))
  const unpacked = mayUnpack
    ? await unpackOrNot(
        { content: came, tool: name },
        { limits, changes: struck.changes() },
        options,
        exchange,
      )
    : undefined
  if (unpacked === undefined && isPlain && !always && !projects && !isLarge(result, limits, jsonLimit))
    return read
  const content = unpacked?.content ?? came
  const digestOptions: DigestOptions = {
    ...limits,
    // A server that quotes in an error what it was sent by reference would send it to the model after all.
    ...(refers(exchange) && { maxErrorSize: limits.maxResponseSize }),
    always: always || projects,
    asked: {
      args: argumentsOf(exchange),
      follows: reads && exchange.supplied === undefined,
      ...(schema && { schema }),
    },
    ...(standing !== undefined && { standing }),
    ...(unpacked && { hasParts: true }),
    keeps,
    ...(form && { form: { schema: form.schema, ...(form.at && { at: form.at }) } }),
    ...(jsonLimit !== undefined && { jsonLimit }),
    ...(exchange.client.rule?.textLimit && { textLimit: exchange.client.rule.textLimit }),
  }
  const digest = await digestOrFallback(result, { content, tool: name }, digestOptions, options, exchange)
  if (digest.unreadable)
    return errorResult(
      `The server's answer to ${name} is not valid JSON, so nothing of it was kept. Ask it for less at once, or use another tool.`,
    )
  if (!digest.shaped) return digest.read ?? result
  if (!always && !projects && unpacked === undefined && digest.tokens > 0 && options.holdsOut?.()) {
    const { characters: originalCharacters, tokens } = digest
    exchange.onSaved?.({
      originalCharacters,
      originalTokens: tokens,
      deliveredTokens: tokens,
      isHeldOut: true,
    })
    return read
  }
  const origin = {
    tool: name,
    arguments: argumentsOf(exchange),
  }
  try {
    const { shape, standing: known } = digest.shaped
    const look = {
      shape,
      tokens: digest.tokens || undefined,
      ...(known !== undefined && { standing: known }),
    }
    const keep = () => options.resultStore.keep(exchange.agent, { content, hash: digest.hash, origin, look })
    if (projects) {
      const projected = await projection(
        settings.fields ?? [],
        digest,
        await keep(),
        exchange,
        limits,
        options,
        unpacked,
      )
      if (projected !== undefined) return projected
      if (passes) return read
    }
    const entry = await keep()
    exchange.onKept?.(entry.handle)
    const { repeats = options.repeats ?? 'preview' } = settings
    const isPlainPreview = !always && !keeps && digest.shaped.result.isError !== true
    const { previewSize, dialect } = limits
    const sent = isPlainPreview
      ? await told.instead(entry, digest.shaped, { exchange, repeats, server, previewSize, dialect })
      : digest.shaped
    exchange.onSaved?.({
      originalCharacters: digest.characters,
      originalTokens: digest.tokens,
      deliveredTokens: sent.tokens,
    })
    return withLinks(
      withPreview(sent, entry.handle, digestOptions.form, options.resultStore),
      entry.handle,
      unpacked,
      exchange.client,
    )
  } catch (error) {
    // Too large is better than lost: the call may have changed something and cannot be made again.
    options.logger.error({ err: error, tool: name }, 'a result could not be kept and passes as it is')
    return result
  }
}

/** Keeps what passes, and says nothing of it. */
async function keepQuietly(
  result: Result,
  exchange: Exchange,
  { enabled, exempt, resultStore, logger }: ShapeOptions,
): Promise<void> {
  const tool = String(exchange.params.name)
  const isOurs = enabled && !exempt.has(tool) && exchange.client.via === undefined
  if (!isOurs || mayBeError(result) || asksForInput(result)) return
  try {
    const content = result instanceof LargeResult ? result.bytes : sharedBytes(JSON.stringify(result))
    const hash = await hashInSlices(content)
    await resultStore.keep(exchange.agent, {
      content,
      hash,
      origin: { tool, arguments: argumentsOf(exchange) },
    })
  } catch (error) {
    logger.error({ err: error, tool }, 'a result that passes could not be kept')
  }
}

function argumentsOf({ params }: Exchange): JsonObject {
  return isObject(params.arguments) ? params.arguments : {}
}

/** The limits of one tool. */
function limitsFor(settings: ResultSettings, limits: Limits): Limits {
  const {
    maxResponseSize = limits.maxResponseSize,
    previewSize = limits.previewSize,
    maxBlobSize,
    maxImageSize,
    images,
  } = settings
  return {
    ...limits,
    maxResponseSize,
    previewSize: Math.min(previewSize, maxResponseSize),
    ...(maxBlobSize !== undefined && { maxBlobSize }),
    ...(maxImageSize !== undefined && { maxImageSize }),
    ...(images !== undefined && { images }),
  }
}

function mayBeError(result: Result): boolean {
  return result instanceof LargeResult ? maySayError(result) : result.isError === true
}

/**
 * The fields of each record that the operator chose for this tool, where that is shorter than the result; images and the like stay.
 * Undefined: there are no such fields, or they are not shorter. A question that fails must not cost the result.
 */
async function projection(
  fields: readonly string[],
  { characters, tokens, shaped }: Digest,
  entry: Entry,
  exchange: Exchange,
  { maxResponseSize, dialect }: Limits,
  { engine, resultStore, logger }: ShapeOptions,
  unpacked: Required<Unpacked> | undefined,
): Promise<JsonObject | undefined> {
  const heading = `cache_id ${entry.handle} keeps the whole result of ${entry.tool}, with all fields. Shown here: ${fields.join(', ')}.\n`
  try {
    const budget = Math.max(200, Math.min(maxResponseSize, characters) - heading.length)
    const params = { fields: [...fields] }
    const query: Query = { kind: 'filter', params, budget, ...(dialect && { dialect }) }
    const answer = await engine.query([entry], query, exchange.signal)
    if (answer.failed) return undefined
    const own =
      answer.whole &&
      (await resultStore.keep(exchange.agent, {
        ...answer.whole,
        look: { shape: answer.whole.shape },
        origin: { tool: 'proxy_filter', arguments: { cache_id: entry.handle, ...params } },
      }))
    const text = heading + answer.text.join(own?.handle ?? '')
    if (text.length >= characters) return undefined
    exchange.onKept?.(entry.handle)
    exchange.onSaved?.({
      originalCharacters: characters,
      originalTokens: tokens,
      deliveredTokens: answer.answerTokens,
    })
    const rest = shaped === undefined ? [] : blocksOf(shaped.result)
    const reply = { content: [textBlock(text), ...rest], _meta: { [`${META}cache-id`]: entry.handle } }
    return withLinks(reply, entry.handle, unpacked, exchange.client)
  } catch (error) {
    if (exchange.signal.aborted) throw error
    logger.error({ err: error, tool: entry.tool }, 'the fields of a result could not be taken')
    return undefined
  }
}

function refers({ params, supplied }: Exchange): boolean {
  return supplied !== undefined || (isObject(params.arguments) && hasReferences(params.arguments))
}

function sentOn(result: JsonObject, keeps: boolean): JsonObject {
  const reading = readingOf(result, keeps)
  return reading ? asRead(result, reading) : result
}

/** Characters of JSON that the client does not cut, as far as it is in the table. */
function jsonLimitOf({ client }: Exchange): number | undefined {
  const limit = client.rule?.jsonLimit
  return limit === undefined ? undefined : limit - ADDED
}

/** True when the result may be over a limit. Decided on lengths where they tell, for this is on the way of every call. */
function isLarge(result: JsonObject, limits: Limits, jsonLimit: number | undefined): boolean {
  const limit = Math.min(limits.maxResponseSize, limits.maxResponseTokens ?? Number.POSITIVE_INFINITY)
  const { structuredContent } = result
  let characters = textLength(result)
  if (structuredContent !== undefined) characters += JSON.stringify(structuredContent).length
  return characters > limit || (jsonLimit !== undefined && JSON.stringify(result).length > jsonLimit)
}

/** Absent: nothing is too large. */
function blobLimits({
  maxBlobSize = Number.MAX_SAFE_INTEGER,
  maxImageSize = Number.MAX_SAFE_INTEGER,
  images,
}: Limits): UnpackLimits {
  return {
    maxBlobSize,
    maxImageSize: images === 'pass' ? Number.MAX_SAFE_INTEGER : maxImageSize,
    shrinksImages: images === 'shrink',
  }
}

/** True when there may be base64 of `least` characters that is too large to be sent. Decided on lengths and on samples of the bytes. */
function mayHoldBlobs(result: Result, least: number): boolean {
  if (result instanceof LargeResult) return mayHoldBase64(result.bytes, least)
  const holds = (text: string | undefined): boolean =>
    text !== undefined && text.length >= least && mayHoldBase64(Buffer.from(text, 'latin1'), least)
  const { structuredContent } = result
  return (
    blocksOf(result).some((block) => holds(dataIn(block)) || holds(textIn(block))) ||
    (structuredContent !== undefined && holds(JSON.stringify(structuredContent)))
  )
}

/**
 * Notes what layers further in strike out of texts, for texts that are read out of files. Pages are asked for in the same way: each change
 * is noted once.
 */
function striking(): { changes(): readonly TextChange[]; onStruck(change: object): void } {
  let changes: Set<TextChange> | undefined
  return {
    changes: () => [...(changes ?? [])],
    onStruck(change) {
      changes ??= new Set()
      changes.add(change as TextChange)
    },
  }
}

/**
 * The result as it is kept, its blobs as parts with what is inside of them. Undefined: it has none that is too large, or nothing can be told of
 * it. A file that cannot be read is a part nevertheless.
 */
async function unpackOrNot(
  arrival: Arrival,
  { limits, changes, isResource }: { limits: Limits; changes: readonly TextChange[]; isResource?: true },
  { engine, logger }: ShapeOptions,
  { agent, signal }: Exchange,
): Promise<Required<Unpacked> | undefined> {
  const source = { ...arrival, owner: agent.id }
  for (const reads of [true, false])
    try {
      const wanted = { limits: blobLimits(limits), changes, reads, ...(isResource && { isResource }) }
      const { content, pictures = [] } = await engine.unpack(source, wanted, signal)
      return content && { content, pictures }
    } catch (error) {
      if (signal.aborted) throw error
      logger.warn({ err: error, tool: arrival.tool, reads }, 'the files in a result could not be read')
    }
  return undefined
}

/** Clients since this version know links to resources (MCP 2025-06-18, server/tools, "Resource Links"). */
const KNOWS_LINKS = '2025-06-18'
const MOST_LINKS = 20

/** The reply with a link to each part of what is kept, where it was `unpacked`, and pictures as small as they are shown. */
function withLinks(
  reply: JsonObject,
  handle: string,
  unpacked: Required<Unpacked> | undefined,
  { protocolVersion }: Client,
): JsonObject {
  if (unpacked === undefined) return reply
  const shown = unpacked.pictures.map(({ type, bytes }) => ({
    type: 'image',
    data: Buffer.from(bytes).toString('base64'),
    mimeType: type,
  }))
  const parts = protocolVersion >= KNOWS_LINKS ? partsIn(unpacked.content) : []
  const links = parts.slice(0, MOST_LINKS).map((part, number) => ({
    type: 'resource_link',
    uri: `rlm://${handle}/${number}`,
    name: part.name ?? `part ${number}`,
    description: described(part),
    mimeType: part.type,
    size: part.bytes,
  }))
  return { ...reply, content: [...blocksOf(reply), ...shown, ...links] }
}

// `resources/read`: what it answers is kept and shown as a result of a tool is.

/** Interfaces are for a screen, not for a model (MCP Apps). */
const INTERFACE = /^ui:/i

async function readResource(next: Handler, exchange: Exchange, options: ShapeOptions): Promise<Result> {
  const kept = exchange.client.via === undefined ? keptUri(exchange.params.uri) : undefined
  if (kept !== undefined) return readKept(kept, exchange, options)
  const struck = striking()
  const result = await next({ ...exchange, onStruck: struck.onStruck })
  const { params, client, agent } = exchange
  const { uri } = params
  const { enabled, resources, limits, resultStore, logger } = options
  const isShaped = enabled && resources === true && client.via === undefined
  if (!isShaped || typeof uri !== 'string' || INTERFACE.test(uri) || asksForInput(result)) return result
  const came = result instanceof LargeResult ? result.bytes : sharedBytes(JSON.stringify(result))
  if (came.byteLength <= Math.min(limits.maxResponseSize, blobLimits(limits).maxBlobSize)) return result
  const tool = 'resources/read'
  const unpacked = await unpackOrNot(
    { content: came, tool },
    { limits, changes: struck.changes(), isResource: true },
    options,
    exchange,
  )
  if (unpacked === undefined) return result
  const { content } = unpacked
  const hasParts = partsIn(content).length > 0
  try {
    const source = { content, tool, owner: agent.id }
    const digest = await options.engine.digest(
      source,
      { ...limits, always: false, ...(hasParts && { hasParts }) },
      exchange.signal,
    )
    const { shaped, hash, tokens } = digest
    if (shaped === undefined) return result
    const look = { shape: shaped.shape, tokens: tokens || undefined }
    const entry = await resultStore.keep(agent, { content, hash, origin: { tool, arguments: { uri } }, look })
    exchange.onSaved?.({
      originalCharacters: digest.characters,
      originalTokens: tokens,
      deliveredTokens: shaped.tokens,
    })
    return asResource(withPreview(shaped, entry.handle, undefined, resultStore), uri)
  } catch (error) {
    if (exchange.signal.aborted) throw error
    logger.error({ err: error, uri }, 'a resource could not be kept and passes as it is')
    return result
  }
}

/** The same as the answer of `resources/read`. */
function asResource(reply: JsonObject, uri: string): JsonObject {
  const { content: _, ...rest } = reply
  const contents = blocksOf(reply).map((block) =>
    isText(block) ? { uri, mimeType: 'text/plain', text: block.text } : (block.resource ?? block),
  )
  return { ...rest, contents }
}

/** A result is never lost to a preview that failed: it is kept, and its first characters stand in. */
async function digestOrFallback(
  result: Result,
  source: Arrival,
  digestOptions: DigestOptions,
  { engine, logger }: ShapeOptions,
  exchange: Exchange,
): Promise<Digest> {
  try {
    return await engine.digest({ ...source, owner: exchange.agent.id }, digestOptions, exchange.signal)
  } catch (error) {
    if (exchange.signal.aborted) throw error
    logger.error({ err: error, tool: source.tool, bytes: source.content.length }, 'no preview could be made')
    return fallbackPreview(result, source, digestOptions)
  }
}

/** The next question may come to another replica. */
const NOT_SHARED =
  '\nNot shared: the store is away, or did not take it. Where this cache_id is answered as gone, ask again, or call the tool again.'

function withPreview(
  shaped: NonNullable<Digest['shaped']>,
  handle: string,
  form: Form | undefined,
  resultStore: Pick<ResultStore, 'isAlone'>,
): JsonObject {
  const content = blocksOf(shaped.result)
  const preview = shaped.text.join(handle) + (resultStore.isAlone(handle) ? NOT_SHARED : '')
  content.splice(shaped.at, 0, { ...textBlock(preview), ...shaped.block })
  const meta = isObject(shaped.result._meta) ? shaped.result._meta : {}
  return {
    ...shaped.result,
    content,
    ...(shaped.result.isError !== true && keptPromise(shaped.structured, handle, preview, form)),
    _meta: { ...meta, [`${META}cache-id`]: handle },
  }
}

/** The members by which a client that was promised structured content takes the result for valid. */
function keptPromise(
  structured: JsonObject | undefined,
  handle: string,
  preview: string,
  form: Form | undefined,
): JsonObject {
  if (form === undefined) return {}
  if (form.at === undefined) return { structuredContent: { cache_id: handle, preview } }
  // A value that is not valid is refused with all that stands beside it; an error may be without.
  return structured === undefined
    ? { isError: true }
    : { structuredContent: withText(structured, form.at, preview) }
}

/** A digest without understanding the content: the handle, the size, and the first characters as they came. */
function fallbackPreview(
  result: Result,
  { content }: Arrival,
  { previewSize }: Pick<DigestOptions, 'previewSize'>,
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
      result: result instanceof LargeResult ? { content: [] } : withoutTexts(result),
      at: 0,
      text: [
        'Kept whole as cache_id ',
        ` (${characters} bytes); no preview could be made. Ask proxy_search or proxy_filter with this cache_id. It begins:\n${start}`,
      ],
      tokens: 0,
    },
  }
}

/** Images and the like stay. */
function withoutTexts(result: JsonObject): JsonObject {
  const { structuredContent: _, ...rest } = result
  return { ...rest, content: blocksOf(result).filter((block) => textIn(block) === undefined) }
}

/** A text that is cut anyway to less than what passes whole gets no preview in its place. */
function cutsBelow({ truncateOutputLength, maxResponseSize }: Config['settings']): boolean {
  return truncateOutputLength !== undefined && truncateOutputLength <= maxResponseSize
}

/** Begins at any of them, so that runs with few results hold out as many as long ones. */
function everyNth(n: number): () => boolean {
  let nth = Math.floor(Math.random() * n)
  return () => nth++ % n === 0
}

export const shape: Feature = {
  name: 'shape',
  what: 'Keeps large results, puts previews in their place, and has tools that search what is kept.',
  when: 'always',
  layer: ({ settings, engine, resultStore, logger, live }) =>
    createShape({
      engine,
      resultStore,
      logger,
      enabled: settings.enableAutoTruncation && !cutsBelow(settings),
      exempt: PROXY_TOOL_NAMES,
      settings: () => live.resultSettings,
      keepsSmall: settings.keepSmallResults,
      resources: settings.shapeResources,
      repeats: settings.repeats,
      ...(settings.holdout > 0 && { holdsOut: everyNth(settings.holdout) }),
      limits: {
        maxBlobSize: settings.maxBlobSize,
        maxImageSize: settings.maxImageSize,
        images: settings.images,
        maxResponseSize: settings.maxResponseSize,
        maxErrorSize: settings.maxErrorSize,
        wholeTokens: settings.wholeTokens,
        dialect: dialectOf(settings),
        previewSize: Math.min(settings.previewSize, settings.maxResponseSize),
        ...(settings.maxResponseTokens !== undefined && { maxResponseTokens: settings.maxResponseTokens }),
        ...(settings.truncationMessage !== undefined && { truncationMessage: settings.truncationMessage }),
      },
    }),
}
