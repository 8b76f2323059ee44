/**
 * Keeps a result that is too large for a context and lets a preview with its handle through. Innermost of the layers: what
 * is further out sees what the client will see.
 */

import { createHash } from 'node:crypto'
import { textLength } from '../../documents/blocks.ts'
import { canConform, conform } from '../../documents/conform.ts'
import { hasReferences } from '../../engine/arguments.ts'
import type { Arrival, Digest, DigestOptions, Engine } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import {
  asksForInput,
  blocksOf,
  errorResult,
  LargeResult,
  META,
  plain,
  type Result,
  textBlock,
  textIn,
} from '../../protocol/content.ts'
import type { Client, Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import type { Keeper } from '../../store/result-store.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'
import { type Taker, takerIn } from './taker.ts'

export interface ShapeOptions {
  engine: Engine
  keeper: Keeper
  logger: Logger
  /** False: everything passes as it came, but for what the proxy's own tools ask to be kept. */
  enabled: boolean
  /** Names of the proxy's own tools: their answers are bounded already. */
  exempt: ReadonlySet<string>
  limits: Omit<DigestOptions, 'always' | 'outputSchema' | 'taker'>
}

export function createShape(options: ShapeOptions): Middleware {
  /** What each client was told last, by exposed name: a shaped answer has to fit that. */
  const promised = new WeakMap<Client, Promised>()
  return {
    name: 'shape',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => async (exchange) => {
      if (exchange.method === 'tools/list') return listTools(next, exchange, options, promised)
      return callTool(next, exchange, options, promised)
    },
  }
}

/** Output schemas by the names of their tools, and a tool that could take a result. */
interface Promised {
  schemas: ReadonlyMap<string, JsonObject>
  taker: Taker | undefined
}

async function listTools(
  next: Handler,
  exchange: Exchange,
  { enabled, exempt }: ShapeOptions,
  promised: WeakMap<Client, Promised>,
): Promise<Result> {
  const result = plain(await next(exchange))
  if (!enabled || exchange.client.via !== undefined || !Array.isArray(result.tools)) return result
  const schemas = new Map<string, JsonObject>()
  const tools = result.tools.map((tool) => {
    if (!isObject(tool) || typeof tool.name !== 'string' || !isObject(tool.outputSchema)) return tool
    if (conforms(tool.outputSchema)) {
      schemas.set(tool.name, tool.outputSchema)
      return tool
    }
    // A promise that a shaped answer could not keep is not made: clients reject answers that break it.
    const { outputSchema: _, ...rest } = tool
    return rest
  })
  promised.set(exchange.client, { schemas, taker: takerIn(tools, exempt) })
  return { ...result, tools }
}

/**
 * What the client was promised. One that was not met before may have been told in an earlier life: its list says what it must
 * have been, and is at hand.
 */
async function promisesTo(
  next: Handler,
  exchange: Exchange,
  options: ShapeOptions,
  promised: WeakMap<Client, Promised>,
): Promise<Promised | undefined> {
  if (!promised.has(exchange.client)) {
    const { _meta } = exchange.params
    const params = _meta === undefined ? {} : { _meta }
    await listTools(next, { ...exchange, method: 'tools/list', params }, options, promised).catch(() => {})
  }
  return promised.get(exchange.client)
}

/** Schemas come from lists that are kept, so the same object is asked about again and again. */
const verdicts = new WeakMap<JsonObject, boolean>()

function conforms(schema: JsonObject): boolean {
  const known = verdicts.get(schema)
  if (known !== undefined) return known
  const verdict = canConform(schema)
  verdicts.set(schema, verdict)
  return verdict
}

async function callTool(
  next: Handler,
  exchange: Exchange,
  options: ShapeOptions,
  promised: WeakMap<Client, Promised>,
): Promise<Result> {
  const name = String(exchange.params.name)
  const result = await next(exchange)
  // The proxy nearest the client shapes: what this one cut would be cut again.
  if (options.exempt.has(name) || exchange.client.via !== undefined) return result
  const always = exchange.keep === true
  if (!always && !options.enabled) return result
  if (asksForInput(result)) return result
  const large = result instanceof LargeResult ? result.bytes : jsonIfLarge(result, options.limits, always)
  if (large === undefined) return result
  const content = typeof large === 'string' ? sharedBytes(large) : large
  const { schemas, taker } = (await promisesTo(next, exchange, options, promised)) ?? {}
  const outputSchema = schemas?.get(name)
  const digestOptions: DigestOptions = {
    ...options.limits,
    // A server that quotes in an error what it was sent by reference would send it to the model after all.
    ...(refers(exchange) && { maxErrorSize: options.limits.maxResponseSize }),
    always,
    ...(outputSchema && { outputSchema }),
    ...(taker && { taker }),
  }
  const digest = await digestOrFallback(result, { content, tool: name }, digestOptions, options, exchange)
  if (digest.unreadable)
    return errorResult(
      `The server's answer to ${name} is not valid JSON, so nothing of it was kept. Ask it for less at once, or use another tool.`,
    )
  if (!digest.shaped) return result
  const origin = {
    tool: name,
    arguments: isObject(exchange.params.arguments) ? exchange.params.arguments : {},
  }
  try {
    const entry = await options.keeper.keep(exchange.agent, { content, hash: digest.hash, origin })
    exchange.onKept?.(entry.handle)
    return withPreview(digest.shaped, entry.handle, digest)
  } catch (error) {
    // Too large is better than lost: the call may have changed something and cannot be made again.
    options.logger.error({ err: error, tool: name }, 'a result could not be kept and passes as it is')
    return result
  }
}

function refers({ params, supplied }: Exchange): boolean {
  return supplied !== undefined || (isObject(params.arguments) && hasReferences(params.arguments))
}

/**
 * The result as JSON when it may be over the limit, or is `wanted` whatever its size. Decided on lengths where they tell, for this
 * is on the way of every call; what has to be written out for it is written once.
 */
function jsonIfLarge(
  result: JsonObject,
  limits: ShapeOptions['limits'],
  wanted: boolean,
): string | undefined {
  const limit = Math.min(limits.maxResponseSize, limits.maxResponseTokens ?? Number.POSITIVE_INFINITY)
  if (wanted || textLength(result) > limit) return JSON.stringify(result)
  if (result.structuredContent === undefined) return undefined
  const json = JSON.stringify(result)
  return json.length > limit ? json : undefined
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

function withPreview(shaped: NonNullable<Digest['shaped']>, handle: string, digest: Digest): JsonObject {
  const content = blocksOf(shaped.result)
  content.splice(shaped.at, 0, { ...textBlock(shaped.text.join(handle)), ...shaped.block })
  const meta = isObject(shaped.result._meta) ? shaped.result._meta : {}
  return {
    ...shaped.result,
    content,
    _meta: {
      ...meta,
      [`${META}cache-id`]: handle,
      [`${META}savings`]: {
        originalCharacters: digest.characters,
        originalTokens: digest.tokens,
        deliveredTokens: shaped.tokens,
      },
    },
  }
}

/** Bytes of a result that may be read on the event loop, because no worker could: one that is longer would hold up everybody. */
const READABLE = 8 * 1024 * 1024

/** A digest without understanding the content: the handle, the size, and the first characters as they came. */
function fallbackPreview(
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
  return {
    ...rest,
    content: blocksOf(result).filter((block) => textIn(block) === undefined),
    ...(promised && structuredContent !== undefined && { structuredContent }),
  }
}
