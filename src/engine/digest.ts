/** The first look at a result: how large is it for a model, and what does the model get to see of it. */
import { textsOf } from '../documents/blocks.ts'
import { conform } from '../documents/conform.ts'
import type { Document } from '../documents/document.ts'
import type { Template } from '../documents/fit.ts'
import { openResult } from '../documents/open.ts'
import { preview } from '../documents/preview.ts'
import { type ArrivingResult, scanResult } from '../documents/scan/result-scan.ts'
import { toJson } from '../documents/stringify.ts'
import { type Role, roleOf } from '../documents/structured.ts'
import { lengthOf, spoken } from '../documents/template.ts'
import { validates } from '../documents/validate.ts'
import { blocksOf, isReplaced, isText, textIn } from '../protocol/content.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { formatCount } from '../text/format.ts'
import { countTokens } from '../text/tokens.ts'
import { decodeResult, hashOf } from './content.ts'
import type { Arrival, Digest, DigestOptions } from './contract.ts'
import type { Views } from './views.ts'

/** A first response as far as it had to be opened to be measured. */
interface Look {
  /** As it is sent on. Its texts are not looked at any more, and may be missing. */
  result: JsonObject
  weight: Weight
  document(): Document
  /** The document is there for the preview alone. */
  isSketch: boolean
}

/**
 * Measures a first response and shapes it when it is too large. Never mutates; the kept bytes stay what they are. `arriving`: what was
 * read of it before all of it was there.
 */
export function digest(
  views: Views,
  { content, tool }: Arrival,
  options: DigestOptions,
  arriving?: ArrivingResult,
): Digest {
  const look = sketch(content, arriving) ?? open(content)
  // A long one is hashed while it is looked at, by whoever sent it here.
  const hash = look?.isSketch ? '' : hashOf(content)
  if (look === undefined) return { hash, characters: 0, tokens: 0, unreadable: true }
  const { result, weight } = look
  const { characters, tokens } = weight
  const passes: Digest = { hash, characters, tokens, ...(look.isSketch && { unopened: true }) }
  const always = options.always && result.isError !== true
  if (!always && !isTooLarge(result, weight, options)) return passes
  const structured = structuredFor(result, weight, options)
  const left = structured === undefined ? '' : toJson(structured)
  const document = look.document()
  const made = preview(document, {
    budget: Math.max(options.previewSize - left.length, Math.ceil(options.previewSize / 2)),
    tool,
    bytes: document.bytes,
    tokens,
    ...(options.taker && { taker: options.taker }),
    ...(options.dialect && { dialect: options.dialect }),
    ...(options.truncationMessage !== undefined && {
      notice: filled(options.truncationMessage, weight, options),
    }),
  })
  const text = spoken(made, options.dialect)
  const kept = blocksOf(result).filter((block) => !isReplaced(block))
  const untouched = kept.reduce((sum, block) => sum + (textIn(block)?.length ?? 0), 0)
  if (!always && lengthOf(text) + left.length + untouched >= characters) return passes
  if (!look.isSketch) views.keep(hash, document, content.byteLength, tokens)
  return {
    ...passes,
    shaped: { ...shape(result, structured, text), tokens: tokensOf(text) + countTokens(left) },
  }
}

/** One text of JSON with long lists, of which no objects are made. Undefined for all else. */
function sketch(content: Uint8Array, arriving: ArrivingResult | undefined): Look | undefined {
  const scanned = scanResult(content, arriving)
  if (scanned === undefined) return undefined
  const { result, text, document } = scanned
  const weight = { characters: text.length, tokens: countTokens(text), role: undefined }
  return { result, weight, document: () => document, isSketch: true }
}

function open(content: Uint8Array): Look | undefined {
  const decoded = decodeResult(content)
  if (decoded === undefined) return undefined
  const { sent, exact } = decoded
  const document = (): Document => openResult(exact, content.byteLength, content)
  return { result: sent, weight: weigh(exact), document, isSketch: false }
}

function isTooLarge(result: JsonObject, { characters, tokens }: Weight, options: DigestOptions): boolean {
  if (result.isError === true) return characters > options.maxErrorSize
  return (
    characters > options.maxResponseSize || tokens > (options.maxResponseTokens ?? Number.POSITIVE_INFINITY)
  )
}

/** The result with one hole where its texts were; everything else as the server sent it. */
function shape(
  result: JsonObject,
  structured: JsonValue | undefined,
  text: Template,
): { result: JsonObject; at: number; text: Template; block?: JsonObject } {
  const blocks = blocksOf(result)
  const first = blocks.findIndex(isReplaced)
  const { structuredContent: _, ...rest } = result
  const replaced = blocks[first]
  const shaped = {
    result: {
      ...rest,
      content: blocks.filter((block) => !isReplaced(block)),
      ...(structured !== undefined && { structuredContent: structured }),
    },
    at: Math.max(0, first),
    text,
  }
  if (!isText(replaced)) return shaped
  const { type: _type, text: _text, ...block } = replaced
  return Object.keys(block).length === 0 ? shaped : { ...shaped, block }
}

/**
 * What is sent of the structured content: all of it when it is small, what conforms when the client was promised a
 * schema, nothing when the preview describes it.
 */
function structuredFor(result: JsonObject, { role }: Weight, options: DigestOptions): JsonValue | undefined {
  const { structuredContent } = result
  const half = Math.floor(options.previewSize / 2)
  const schema = result.isError === true ? undefined : options.outputSchema
  if (structuredContent === undefined) return undefined
  if ((schema !== undefined || role === 'summary') && toJson(structuredContent).length <= half)
    return structuredContent
  if (schema === undefined) return undefined
  for (const budget of [half, options.previewSize, options.maxResponseSize]) {
    const conforming = conform(structuredContent, schema, budget)
    if (conforming !== undefined) return conforming
  }
  // Clients refuse a result that breaks its schema, so one that cannot be cut goes out whole, if it was valid at all.
  return validates(structuredContent, schema) ? structuredContent : undefined
}

/** The words of the configuration, but for the handle. */
function filled(message: string, { characters, tokens }: Weight, { maxResponseSize }: DigestOptions): string {
  return message
    .replaceAll('{size}', formatCount(characters))
    .replaceAll('{tokens}', formatCount(tokens))
    .replaceAll('{limit}', formatCount(maxResponseSize))
}

/** Stands in for a handle: it has 8 tokens, as handles have on average. */
const TYPICAL_HANDLE = 'd93c068c38eb'

/** Tokens of a text once its holes hold a handle. */
export function tokensOf(text: Template): number {
  return countTokens(text.join(TYPICAL_HANDLE))
}

// How much of a context a result takes.

interface Weight {
  /** Characters of all texts, and of structured content that does not repeat them. */
  characters: number
  tokens: number
  /** What the structured content is beside the texts. */
  role: Role | undefined
}

/** Images, audio and blobs weigh nothing here: they are never cut. */
function weigh(result: JsonObject): Weight {
  const texts = textsOf(result)
  const structured = result.structuredContent
  const role = typeof structured === 'object' && structured !== null ? roleOf(structured, texts) : undefined
  const counted =
    role === 'wrapper' || role === 'parsed' || structured === undefined
      ? texts
      : [...texts, toJson(structured)]
  return {
    characters: counted.reduce((sum, text) => sum + text.length, 0),
    tokens: counted.reduce((sum, text) => sum + countTokens(text), 0),
    role,
  }
}
