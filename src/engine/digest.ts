/** The first look at a result: how large is it for a model, and what does the model get to see of it. */
import { textsOf } from '../documents/blocks.ts'
import { type Form, frameFor } from '../documents/conform.ts'
import type { Document } from '../documents/document.ts'
import { type AheadReading, readAhead } from '../documents/fast/index.ts'
import type { Template } from '../documents/fit.ts'
import { openResult } from '../documents/open.ts'
import { preview, shapeOf } from '../documents/preview.ts'
import { toJson } from '../documents/stringify.ts'
import { asRead, readingOf } from '../documents/structured.ts'
import { lengthOf, spoken } from '../documents/template.ts'
import { askingTokens, isBetterWhole, wholeTable } from '../documents/whole.ts'
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
  /** True when that is not what came. */
  isRead?: boolean
  weight: Weight
  /** Characters of it as JSON, as far as a preview could change that. */
  json(): number
  /** What came, as it is explored. */
  exact?: JsonObject
  /** No number of it is one that JavaScript would change. */
  isExact?: boolean
  document(): Document
  /** The document is there for the preview alone. */
  isSketch: boolean
}

/**
 * Measures a first response and shapes it when it is too large. Never mutates; the kept bytes stay what they are. `begun`: what was
 * read of it before all of it was there. `name`: what its view is called until its hash is known.
 */
export function digest(
  views: Views,
  { content, tool }: Arrival,
  options: DigestOptions,
  begun?: AheadReading,
  name?: string,
): Digest {
  const look =
    (options.readAhead === false ? undefined : sketch(content, begun)) ??
    open(content, options.keeps === true)
  // One with a name is hashed while it is looked at, by whoever sent it here.
  const hash = look?.isSketch || name !== undefined ? '' : hashOf(content)
  if (look === undefined) return { hash, characters: 0, tokens: 0, unreadable: true }
  const { result, weight } = look
  const { characters, tokens } = weight
  const measured: Digest = { hash, characters, tokens, ...(look.isSketch && { unopened: true }) }
  const passes: Digest = look.isRead ? { ...measured, read: result } : measured
  const always = options.always && result.isError !== true
  if (!always && !isTooLarge(look, options)) return passes
  const form = result.isError === true ? undefined : options.form
  const document = look.document()
  const whole = always ? undefined : wholeFor(look, document, tool, options)
  if (whole === 'as it came') return passes
  const made =
    whole ??
    preview(document, {
      budget: options.previewSize,
      tool,
      bytes: document.bytes,
      tokens,
      ...(options.truncationMessage !== undefined && {
        notice: filled(options.truncationMessage, weight, options),
      }),
    })
  const text = spoken(made, options.dialect)
  const kept = blocksOf(result).filter((block) => !isReplaced(block))
  const untouched = kept.reduce((sum, block) => sum + (textIn(block)?.length ?? 0), 0)
  const sent = form === undefined ? lengthOf(text) : 2 * lengthOf(text)
  if (!always && sent + untouched >= characters) return passes
  if (!look.isSketch) views.keep(name ?? hash, document, content.byteLength, tokens)
  const structured = form?.at && besidePreview(look.exact?.structuredContent, form, text, options)
  return {
    ...measured,
    shaped: {
      ...shape(result, text),
      ...(structured && { structured }),
      shape: shapeOf(document),
      tokens:
        tokensOf(text) * (form === undefined ? 1 : 2) + (structured ? countTokens(toJson(structured)) : 0),
    },
  }
}

/** One text of JSON or NDJSON with long lists, of which no objects are made. Undefined for all else. */
function sketch(content: Uint8Array, begun = readAhead()): Look | undefined {
  const scanned = begun.finish(content)
  if (scanned === undefined) return undefined
  const { result, text, document } = scanned
  const weight = { characters: text.length, tokens: countTokens(text) }
  return { result, weight, json: () => content.byteLength, document: () => document, isSketch: true }
}

function open(content: Uint8Array, keeps: boolean): Look | undefined {
  const decoded = decodeResult(content)
  if (decoded === undefined) return undefined
  const { sent, exact } = decoded
  const document = (): Document => openResult(exact, content.byteLength, content)
  const reading = readingOf(exact, keeps)
  const result = reading ? asRead(sent, reading) : sent
  return {
    result,
    isRead: reading !== undefined,
    weight: weigh(reading ? asRead(exact, reading) : exact),
    json: () => jsonLength(result),
    exact,
    isExact: exact === sent,
    document,
    isSketch: false,
  }
}

function isTooLarge({ result, weight, json }: Look, options: DigestOptions): boolean {
  const { characters, tokens } = weight
  const { jsonLimit } = options
  if (jsonLimit !== undefined && characters > 0 && (characters > jsonLimit || json() > jsonLimit)) return true
  if (result.isError === true) return characters > options.maxErrorSize
  return (
    characters > options.maxResponseSize || tokens > (options.maxResponseTokens ?? Number.POSITIVE_INFINITY)
  )
}

/** What is over the limit and yet better read whole: as it came, or as the table that it is. Undefined: a preview helps more. */
function wholeFor(
  { result, weight, isExact, isSketch, json }: Look,
  document: Document,
  tool: string,
  { wholeTokens = 0, jsonLimit = Number.POSITIVE_INFINITY, ...options }: DigestOptions,
): 'as it came' | Template | undefined {
  if (wholeTokens === 0 || isSketch || result.isError === true) return undefined
  const { maxResponseSize, previewSize, truncationMessage } = options
  const fits = weight.characters <= jsonLimit && json() <= jsonLimit
  if (fits && isBetterWhole(document, weight.tokens, { most: wholeTokens, previewSize })) return 'as it came'
  const [only, ...others] = textsOf(result)
  if (!isExact || only === undefined || others.length > 0 || truncationMessage !== undefined) return undefined
  const table = wholeTable(document, tool, Math.min(maxResponseSize, jsonLimit))
  if (table === undefined || tokensOf(table) > Math.min(wholeTokens, askingTokens(previewSize)))
    return undefined
  return JSON.stringify(table.join('')).length > jsonLimit ? undefined : table
}

/** The result with one hole where its texts were; everything else as the server sent it. */
function shape(
  result: JsonObject,
  text: Template,
): { result: JsonObject; at: number; text: Template; block?: JsonObject } {
  const blocks = blocksOf(result)
  const first = blocks.findIndex(isReplaced)
  const { structuredContent: _, ...rest } = result
  const replaced = blocks[first]
  const shaped = {
    result: { ...rest, content: blocks.filter((block) => !isReplaced(block)) },
    at: Math.max(0, first),
    text,
  }
  if (!isText(replaced)) return shaped
  const { type: _type, text: _text, ...block } = replaced
  return Object.keys(block).length === 0 ? shaped : { ...shaped, block }
}

/** What stands in `structuredContent` beside the preview. */
function besidePreview(
  structured: JsonValue | undefined,
  form: Form,
  text: Template,
  { previewSize }: DigestOptions,
): JsonObject | undefined {
  return frameFor(structured, form, text.join(TYPICAL_HANDLE), Math.floor(previewSize / 2))
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
  /** Characters of what clients hand to their model: all texts, and the structured content that is sent beside them. */
  characters: number
  tokens: number
}

/** Images, audio and blobs weigh nothing here: they are never cut. */
function weigh(result: JsonObject): Weight {
  const texts = textsOf(result)
  const structured = result.structuredContent ?? undefined
  const counted = structured === undefined ? texts : [...texts, toJson(structured)]
  return {
    characters: counted.reduce((sum, text) => sum + text.length, 0),
    tokens: counted.reduce((sum, text) => sum + countTokens(text), 0),
  }
}

/** Characters of the result as JSON, images and the like left out: no preview makes those smaller. */
function jsonLength(result: JsonObject): number {
  return toJson({ ...result, content: blocksOf(result).filter(isReplaced) }).length
}
