/**
 * Keeps a result that is too large for a context and lets a preview with its handle through, in `content` alone: every client shows that
 * to its model when there is no `structuredContent` beside it. Innermost of the layers: what is further out sees what the client will
 * see.
 */

import { createHash } from 'node:crypto'
import type { Config } from '../../config/schema.ts'
import { textLength } from '../../documents/blocks.ts'
import { type Form, formFor, promisedBy, withText } from '../../documents/conform.ts'
import { asRead, readingOf } from '../../documents/structured.ts'
import { hasReferences } from '../../engine/arguments.ts'
import type { Arrival, Digest, DigestOptions, Engine } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import { clientRule } from '../../protocol/client-rules.ts'
import {
  asksForInput,
  blocksOf,
  errorResult,
  LargeResult,
  META,
  type Result,
  textBlock,
  textIn,
} from '../../protocol/content.ts'
import type { Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { createListsInside, type ListedItems, onceForEach } from '../../protocol/lists.ts'
import { originOf } from '../../protocol/origin.ts'
import { hasView } from '../../protocol/uri-rewrite.ts'
import type { Feature } from '../../proxy/feature.ts'
import { dialectOf, PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import type { Keeper } from '../../store/result-store.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'

export interface ShapeOptions {
  engine: Engine
  keeper: Keeper
  logger: Logger
  /** False: everything passes as it came, but for what the proxy's own tools ask to be kept. */
  enabled: boolean
  /** Names of the proxy's own tools: their answers are bounded already. */
  exempt: ReadonlySet<string>
  /** Whether the operator wants the output schema and the structured content of a tool kept, by server and its own name. Absent: none. */
  keeps?(server: string, tool: string): boolean
  limits: Omit<DigestOptions, 'always' | 'keeps' | 'form' | 'jsonLimit'>
}

/** Characters of a result as JSON that whoever hands it on may add: which action it answers, which tool. */
const ADDED = 200

export function createShape(options: ShapeOptions): Middleware {
  const inside = createListsInside()
  const shownOf = onceForEach((listed) => shownIn(listed, options))

  async function list(exchange: Exchange, next: Handler): Promise<Result> {
    const listed = await inside.pass(exchange, next)
    const { result } = listed
    if (!options.enabled || exchange.client.via !== undefined || !Array.isArray(result.tools)) return result
    return { ...result, tools: shownOf(listed).tools }
  }

  /**
   * What the client was promised: a shaped answer has to fit that. A client that has got no list may have got one in an earlier run of
   * the proxy: the list of now says what it must have been.
   */
  async function promisesTo(exchange: Exchange, next: Handler): Promise<Promised | undefined> {
    if (!options.enabled) return undefined
    try {
      return shownOf(await inside.known('tools', exchange, next)).promised
    } catch {
      return undefined
    }
  }

  return {
    name: 'shape',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => async (exchange) => {
      if (exchange.method === 'tools/list') return list(exchange, next)
      return callTool(next, exchange, options, promisesTo)
    },
  }
}

/** Tools that keep their structured content, by exposed name, with what a shaped result has in its place. Undefined: the tool has no schema. */
type Promised = ReadonlyMap<string, Form | undefined>

/**
 * Output schemas are not listed, for a preview is no value of them and clients refuse a result that breaks its schema. No client shows
 * them to its model. They stay for tools with an interface and where the operator says so.
 */
function shownIn(
  { result }: ListedItems,
  { keeps = () => false }: ShapeOptions,
): { tools: JsonValue[]; promised: Promised } {
  const promised = new Map<string, Form | undefined>()
  const tools = (Array.isArray(result.tools) ? result.tools : []).map((tool) => {
    if (!isObject(tool) || typeof tool.name !== 'string') return tool
    const { outputSchema, ...rest } = tool
    const { server, name } = originOf(tool) ?? { server: '', name: tool.name }
    if (hasView(tool) || keeps(server, name)) {
      const form = isObject(outputSchema) ? formOf(outputSchema) : undefined
      promised.set(tool.name, form)
      return form === undefined || form.listed === outputSchema
        ? tool
        : { ...rest, outputSchema: form.listed }
    }
    return outputSchema === undefined ? tool : rest
  })
  return { tools, promised }
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
  promisesTo: (exchange: Exchange, next: Handler) => Promise<Promised | undefined>,
): Promise<Result> {
  const name = String(exchange.params.name)
  const result = await next(exchange)
  // The proxy nearest the client shapes: what this one cut would be cut again.
  if (options.exempt.has(name) || exchange.client.via !== undefined) return result
  const always = exchange.keep === true
  if (!always && !options.enabled) return result
  if (asksForInput(result)) return result
  const jsonLimit = jsonLimitOf(exchange)
  const isPlain = !(result instanceof LargeResult) && result.structuredContent === undefined
  if (isPlain && !always && !isLarge(result, options.limits, jsonLimit)) return result
  const kept = await promisesTo(exchange, next)
  const keeps = kept?.has(name) === true
  const read = result instanceof LargeResult || isPlain || always ? result : sentOn(result, keeps)
  if (!(read instanceof LargeResult) && !always && !isLarge(read, options.limits, jsonLimit)) return read
  const content = result instanceof LargeResult ? result.bytes : sharedBytes(JSON.stringify(result))
  const form = kept?.get(name)
  const digestOptions: DigestOptions = {
    ...options.limits,
    // A server that quotes in an error what it was sent by reference would send it to the model after all.
    ...(refers(exchange) && { maxErrorSize: options.limits.maxResponseSize }),
    always,
    keeps,
    ...(form && { form: { schema: form.schema, ...(form.at && { at: form.at }) } }),
    ...(jsonLimit !== undefined && { jsonLimit }),
  }
  const digest = await digestOrFallback(result, { content, tool: name }, digestOptions, options, exchange)
  if (digest.unreadable)
    return errorResult(
      `The server's answer to ${name} is not valid JSON, so nothing of it was kept. Ask it for less at once, or use another tool.`,
    )
  if (!digest.shaped) return digest.read ?? result
  const origin = {
    tool: name,
    arguments: isObject(exchange.params.arguments) ? exchange.params.arguments : {},
  }
  try {
    const look = { shape: digest.shaped.shape, tokens: digest.tokens || undefined }
    const entry = await options.keeper.keep(exchange.agent, { content, hash: digest.hash, origin, look })
    exchange.onKept?.(entry.handle)
    exchange.onSaved?.({
      originalCharacters: digest.characters,
      originalTokens: digest.tokens,
      deliveredTokens: digest.shaped.tokens,
    })
    return withPreview(digest.shaped, entry.handle, digestOptions.form)
  } catch (error) {
    // Too large is better than lost: the call may have changed something and cannot be made again.
    options.logger.error({ err: error, tool: name }, 'a result could not be kept and passes as it is')
    return result
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
  const limit = clientRule(client.info)?.jsonLimit
  return limit === undefined ? undefined : limit - ADDED
}

/** True when the result may be over a limit. Decided on lengths where they tell, for this is on the way of every call. */
function isLarge(result: JsonObject, limits: ShapeOptions['limits'], jsonLimit: number | undefined): boolean {
  const limit = Math.min(limits.maxResponseSize, limits.maxResponseTokens ?? Number.POSITIVE_INFINITY)
  const { structuredContent } = result
  let characters = textLength(result)
  if (structuredContent !== undefined) characters += JSON.stringify(structuredContent).length
  return characters > limit || (jsonLimit !== undefined && JSON.stringify(result).length > jsonLimit)
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
    return await engine.digest(source, digestOptions, exchange.signal)
  } catch (error) {
    if (exchange.signal.aborted) throw error
    logger.error({ err: error, tool: source.tool, bytes: source.content.length }, 'no preview could be made')
    return fallbackPreview(result, source, digestOptions)
  }
}

function withPreview(
  shaped: NonNullable<Digest['shaped']>,
  handle: string,
  form: Form | undefined,
): JsonObject {
  const content = blocksOf(shaped.result)
  const preview = shaped.text.join(handle)
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
  // What is not valid is refused with all that stands beside it; an error may be without.
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

export const shape: Feature = {
  name: 'shape',
  what: 'Keeps large results, puts previews in their place, and has tools that search what is kept.',
  when: 'always',
  layer: ({ settings, engine, keeper, logger, keepsStructured }) =>
    createShape({
      engine,
      keeper,
      logger,
      enabled: settings.enableAutoTruncation && !cutsBelow(settings),
      exempt: PROXY_TOOL_NAMES,
      keeps: keepsStructured,
      limits: {
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
