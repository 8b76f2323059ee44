/** The first look at a result: how large is it for a model, and what does the model get to see of it. */

import { BLOBS, described, PARTS, type Part, partsIn } from '../documents/binary/parts.ts'
import type { Document } from '../documents/document.ts'
import { type ResultReader, readAhead } from '../documents/fast/index.ts'
import { toJson } from '../documents/json/stringify.ts'
import { asRead, readingOf, repeatsTexts } from '../documents/json/structured.ts'
import { decodeUtf8 } from '../documents/json/utf8.ts'
import { openResult } from '../documents/opening/open.ts'
import { type Form, frameFor } from '../documents/output-schema/conform.ts'
import { hasPages, restOf } from '../documents/paging/next.ts'
import { recognisePart } from '../documents/paging/recognise.ts'
import { standingOf } from '../documents/paging/standing.ts'
import { preview, type Standing, shapeOf } from '../documents/reply/preview.ts'
import { askingTokens, isBetterWhole, wholeTable } from '../documents/reply/whole.ts'
import {
  concat,
  HOLE,
  LONGEST_HANDLE,
  lengthOf,
  lines,
  spoken,
  type Template,
  TYPICAL_HANDLE,
} from '../documents/template.ts'
import { blocksOf, isReplaced, isText, textBlock, textIn, textsOf } from '../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { formatCount } from '../text/format.ts'
import { countTokens } from '../text/tokens.ts'
import { decodeResult, hashOf } from './content.ts'
import type { Arrival, Digest, DigestOptions, Missing } from './contract.ts'
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
  /** The arrived value, as it is explored. */
  exact?: JsonObject
  /** No number of it is one that JavaScript would change. */
  isExact?: boolean
  document(): Document
  /** Blocks of the result that hold the text of its parts. */
  inParts?: ReadonlySet<JsonObject>
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
  begun?: ResultReader,
  name?: string,
): Digest {
  const parts = options.hasParts ? partsIn(content) : []
  const look =
    (options.readAhead === false || parts.length > 0 ? undefined : sketch(content, begun)) ??
    open(content, options.keeps === true, parts)
  // The sender hashes a result with a name, while this looks at it.
  const hash = look?.isSketch || name !== undefined ? '' : hashOf(content)
  if (look === undefined) return { hash, characters: 0, tokens: 0, unreadable: true }
  return judge(views, look, { hash, name: name ?? hash, tool, bytes: content.byteLength }, options, {
    parts,
    ...weighMoved(content, parts),
  })
}

/** The same of a result that is open under its hash, and is one text. */
export function digestOpen(
  views: Views,
  { hash, bytes }: { hash: string; bytes: number },
  tool: string,
  options: DigestOptions,
): Digest | Missing {
  if (!views.has(hash)) return { missing: true }
  const { document } = views.open({ hash, content: new Uint8Array() })
  const result = { content: [textBlock(document.text)] }
  const look: Look = {
    result,
    weight: weigh(result),
    json: () => jsonLength(result),
    exact: result,
    isExact: true,
    document: () => document,
    isSketch: false,
  }
  return judge(views, look, { hash, name: hash, tool, bytes }, options, NO_PARTS)
}

/** Files of a result, and what they weighed as texts. */
interface Moved extends Weight {
  readonly parts: readonly Part[]
}

const NO_PARTS: Moved = { parts: [], characters: 0, tokens: 0 }

/** Whether it is too large, and its preview where it is. `name`: what its view is called. */
function judge(
  views: Views,
  look: Look,
  { hash, name, tool, bytes }: { hash: string; name: string; tool: string; bytes: number },
  options: DigestOptions,
  { parts, ...moved }: Moved,
): Digest {
  const { result, weight } = look
  const { characters, tokens } = weight
  const measured: Digest = {
    hash,
    characters: characters + moved.characters,
    tokens: tokens + moved.tokens,
    ...(look.isSketch && { unopened: true }),
  }
  const passes: Digest = look.isRead ? { ...measured, read: result } : measured
  const always = options.always && result.isError !== true
  const fits = !always && !isTooLarge(look, options)
  if (fits && parts.length === 0) return passes
  const form = result.isError === true ? undefined : options.form
  const document = look.document()
  const standing = standingIn(document, options)
  const beside = partLines(parts)
  const isWhole = fits && form === undefined
  const whole = isWhole
    ? besideParts(look, beside)
    : always || parts.length > 0
      ? undefined
      : wholeFor(look, document, tool, options)
  if (whole === 'as it came') return passes
  const made =
    whole ??
    preview(document, {
      budget: options.previewSize,
      ...(parts.length > 0 && { beside }),
      ...(standing !== undefined && { standing }),
      tool,
      bytes: document.bytes,
      tokens,
      ...(options.truncationMessage !== undefined && {
        notice: filled(options.truncationMessage, weight, options),
      }),
    })
  const text = spoken(made, options.dialect)
  const isShown = (block: JsonObject): boolean =>
    look.inParts?.has(block) !== true && (isWhole || !isReplaced(block))
  const kept = blocksOf(result).filter(isShown)
  const untouched = kept.reduce((sum, block) => sum + (textIn(block)?.length ?? 0), 0)
  const sent = form === undefined ? lengthOf(text) : 2 * lengthOf(text)
  if (!always && parts.length === 0 && sent + untouched >= characters) return passes
  if (!look.isSketch) views.keep(name, document, bytes, tokens)
  const structured = form?.at && besidePreview(look.exact?.structuredContent, form, text, options)
  return {
    ...measured,
    shaped: {
      ...shape(result, text, isShown),
      ...(structured && { structured }),
      shape: shapeOf(document),
      ...(standing !== undefined && { standing: standing.said }),
      tokens:
        tokensOf(text) * (form === undefined ? 1 : 2) + (structured ? countTokens(toJson(structured)) : 0),
    },
  }
}

/** Whether the document is all of its collection, with the question that brings the rest where its tool can be asked for that. */
function standingIn(document: Document, { standing, asked }: DigestOptions): Standing | undefined {
  if (standing !== undefined) return { said: standing }
  if (asked === undefined) return undefined
  try {
    const { args, schema, follows } = asked
    const part = recognisePart(document, hasPages(args, schema))
    const said = standingOf(part, args)
    const all = follows === true && part !== undefined && restOf(part, args, schema) !== undefined
    return said === undefined ? undefined : { said, ...(all && { all }) }
  } catch {
    // It is a remark: nothing depends on it.
    return undefined
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

function open(content: Uint8Array, keeps: boolean, parts: readonly Part[]): Look | undefined {
  const decoded = decodeResult(content)
  if (decoded === undefined) return undefined
  const inParts = new Set<JsonObject>()
  const sent = withoutBlobs(decoded.sent, parts, inParts)
  const exact = decoded.exact === decoded.sent ? sent : withoutBlobs(decoded.exact, parts, inParts)
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
    ...(parts.length > 0 && { inParts }),
  }
}

// A result with parts: what is left of it without their data, and the lines that tell of them.

/** Texts of parts are left, as blocks that are put into `inParts`. */
function withoutBlobs(result: JsonObject, parts: readonly Part[], inParts: Set<JsonObject>): JsonObject {
  if (parts.length === 0) return result
  const { [BLOBS]: _, [PARTS]: _table, ...rest } = result
  const positions = new Set(parts.map(({ block }) => block))
  const all = Array.isArray(result.content) ? result.content : []
  const content = all.flatMap((block, position): JsonValue[] => {
    if (!isObject(block) || !positions.has(position)) return [block]
    if (!isObject(block.resource) || typeof block.resource.text !== 'string') return []
    const { blob: _blob, ...resource } = block.resource
    const text = { ...block, resource }
    inParts.add(text)
    return [text]
  })
  return { ...rest, content }
}

/** The weight of parts as texts. Data of a block was no text. */
function weighMoved(content: Uint8Array, parts: readonly Part[]): Weight {
  const weight = { characters: 0, tokens: 0 }
  for (const { from, to, block } of parts) {
    if (block !== undefined) continue
    weight.characters += to - from
    weight.tokens += countTokens(decodeUtf8(content.subarray(from, to)))
  }
  return weight
}

/** Parts that a reply names. */
const MOST_NAMED = 8

function partLines(parts: readonly Part[]): Template[] {
  const named = parts.slice(0, MOST_NAMED).map((part, number) => {
    const { name, isRead, unread, shown } = part
    const what = [...(name === undefined ? [] : [name]), described(part)].join(', ')
    const text = isRead
      ? '; its text is read, and can be asked about by the cache_id'
      : unread !== undefined
        ? `; its text was not read: ${unread}`
        : shown === undefined
          ? ''
          : `; shown here at ${shown}`
    return concat('rlm://', HOLE, `/${number}: ${what}${text}`)
  })
  const left = parts.length - named.length
  return left <= 0
    ? named
    : [...named, concat(`… and ${left} more, up to rlm://`, HOLE, `/${parts.length - 1}`)]
}

/** A part that fits is shown as it is. The content of parts comes after the lines that tell of them. */
function besideParts({ result, inParts }: Look, beside: readonly Template[]): Template {
  const texts = blocksOf(result).flatMap((block) => (inParts?.has(block) ? [textIn(block) ?? ''] : []))
  return lines([concat('cache_id ', HOLE, ' keeps:'), ...beside, ...texts])
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

/** A result that is over the limit and yet better read whole: as it came, or as the table that it is. Undefined: a preview helps more. */
function wholeFor(
  { result, weight, isExact, isSketch, json }: Look,
  document: Document,
  tool: string,
  {
    wholeTokens = 0,
    jsonLimit = Number.POSITIVE_INFINITY,
    textLimit = Number.POSITIVE_INFINITY,
    ...options
  }: DigestOptions,
): 'as it came' | Template | undefined {
  if (wholeTokens === 0 || isSketch || result.isError === true) return undefined
  const { maxResponseSize, previewSize, truncationMessage } = options
  const { characters, tokens } = weight
  const fits = (): boolean => characters <= Math.min(jsonLimit, textLimit) && json() <= jsonLimit
  // To write a large result takes as long as to read it.
  if (isBetterWhole(document, tokens, { most: wholeTokens, previewSize }) && fits()) return 'as it came'
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
  isShown: (block: JsonObject) => boolean,
): { result: JsonObject; at: number; text: Template; block?: JsonObject } {
  const blocks = blocksOf(result)
  const first = blocks.findIndex((block) => !isShown(block))
  const { structuredContent: _, ...rest } = result
  const replaced = blocks[first]
  const shaped = {
    result: { ...rest, content: blocks.filter(isShown) },
    // Nothing is replaced where only data was taken out.
    at: first < 0 ? blocks.length : first,
    text,
  }
  if (!isText(replaced)) return shaped
  const { type: _type, text: _text, ...block } = replaced
  return Object.keys(block).length === 0 ? shaped : { ...shaped, block }
}

/** The `structuredContent` beside the preview. */
function besidePreview(
  structured: JsonValue | undefined,
  form: Form,
  text: Template,
  { previewSize }: DigestOptions,
): JsonObject | undefined {
  return frameFor(structured, form, text.join(LONGEST_HANDLE), Math.floor(previewSize / 2))
}

/** The words of the configuration, but for the handle. */
function filled(message: string, { characters, tokens }: Weight, { maxResponseSize }: DigestOptions): string {
  return message
    .replaceAll('{size}', formatCount(characters))
    .replaceAll('{tokens}', formatCount(tokens))
    .replaceAll('{limit}', formatCount(maxResponseSize))
}

/** Tokens of a text once its holes hold a handle. */
export function tokensOf(text: Template): number {
  return countTokens(text.join(TYPICAL_HANDLE))
}

// How much of a context a result takes.

interface Weight {
  /** Characters of what is sent for a model: all texts, and the structured content beside them. */
  characters: number
  /** The tokens that a model reads of that: clients show structured content that repeats the texts in their place, or not at all. */
  tokens: number
}

/** Images, audio and blobs weigh nothing here: they are never cut. */
function weigh(result: JsonObject): Weight {
  const texts = textsOf(result)
  const structured = result.structuredContent ?? undefined
  const sent = structured === undefined ? texts : [...texts, toJson(structured)]
  const isTwice = typeof structured === 'object' && texts.length > 0 && repeatsTexts(structured, texts)
  return {
    characters: sent.reduce((sum, text) => sum + text.length, 0),
    tokens: (isTwice ? texts : sent).reduce((sum, text) => sum + countTokens(text), 0),
  }
}

/** Characters of the result as JSON, images and the like left out: no preview makes those smaller. */
function jsonLength(result: JsonObject): number {
  const members = Object.entries({ ...result, content: blocksOf(result).filter(isReplaced) })
  // One by one: a member that is too deep to be written fast was written before.
  return members.reduce((sum, [name, value]) => sum + toJson(name).length + toJson(value).length + 2, 1)
}
