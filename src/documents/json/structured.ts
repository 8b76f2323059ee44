/** The relation of `structuredContent` to the text of a result (MCP specification, server/tools, "Structured Content"). */
import { blocksOf, isText, textBlock, textsOf } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue, valueOfJson } from '../../protocol/json.ts'
import { parseJson, toJson } from './stringify.ts'

/**
 * `wrapper`: the text again, as in `{content: "<the text>"}`; `parsed`: the text is its JSON; both are one thing and
 * counted once. `data`: what the result is about, which the text renders. `summary`: a few fields beside a long text.
 */
export type Role = 'wrapper' | 'parsed' | 'data' | 'summary'

/** Below this share of the text, structured content is a summary of it. */
const SUMMARY = 0.15

/** Judges structured content beside the texts of its result. */
export function roleOf(structured: JsonObject | JsonValue[], texts: readonly string[]): Role {
  const text = texts.join('\n')
  if (text === '') return 'data'
  if (isObject(structured)) {
    const [wrapped, ...others] = Object.values(structured)
    if (others.length === 0 && wrapped !== undefined && sameText(wrapped, text, texts)) return 'wrapper'
  }
  const json = toJson(structured)
  if (sameJson(json, text)) return 'parsed'
  return json.length < text.length * SUMMARY ? 'summary' : 'data'
}

/** True when structured content says what the texts say, so that it is one thing that a model reads. */
export function repeatsTexts(structured: JsonObject | JsonValue[], texts: readonly string[]): boolean {
  const role = roleOf(structured, texts)
  if (role === 'wrapper' || role === 'parsed') return true
  if (role === 'summary' || !isObject(structured)) return false
  const [wrapped, ...others] = Object.values(structured)
  return others.length === 0 && Array.isArray(wrapped) && sameJson(toJson(wrapped), texts.join('\n'))
}

/** A wrapped value that is the text: as a string, or as content blocks. */
function sameText(wrapped: JsonValue, text: string, texts: readonly string[]): boolean {
  if (typeof wrapped === 'string') return wrapped === text
  if (!Array.isArray(wrapped)) return false
  const inner = blocksOf({ content: wrapped }).filter(isText)
  return inner.length === texts.length && inner.every((block, index) => block.text === texts[index])
}

/** True when the text is this JSON, whatever its layout. */
function sameJson(json: string, text: string): boolean {
  if (text.length === json.length) return text === json
  if (text.length < json.length || !/^\s*[[{]/.test(text)) return false
  const parsed = parseJson(text)
  return parsed !== undefined && toJson(parsed.value) === json
}

/** The changes of a result that make every client show its model all of it, and once. */
export interface Reading {
  /** `structuredContent` is left out: a text says the same. */
  readonly drops?: true
  /** A text that is added, because clients that show texts alone would show nothing. */
  readonly adds?: string
}

/**
 * How a result with structured content is sent on. Undefined: as it came. `keeps`: the client was promised the structured content. It
 * also stays where it differs from the text, and where the first text parses as JSON that is no object: Gemini CLI takes that for
 * structured content when there is none, and refuses the result.
 */
export function readingOf(result: JsonObject, keeps: boolean): Reading | undefined {
  const { structuredContent: structured } = result
  if (structured === undefined || structured === null || result.isError === true) return undefined
  const texts = textsOf(result)
  const blocks = blocksOf(result)
  if (texts.length === 0 && blocks.every(isText))
    return { adds: toJson(structured), ...(!keeps && isObject(structured) && { drops: true }) }
  if (keeps || typeof structured !== 'object') return undefined
  if (texts.length === 0) return wrapsBlocks(structured, blocks) ? { drops: true } : undefined
  const role = roleOf(structured, texts)
  const repeats = role === 'wrapper' || role === 'parsed'
  return repeats && !parsesAsOther(blocks.find(isText)?.text ?? '') ? { drops: true } : undefined
}

/** True for the blocks again, images and all, as in `{content: [<the image>]}`. */
function wrapsBlocks(structured: JsonObject | JsonValue[], blocks: readonly JsonObject[]): boolean {
  const [wrapped, ...others] = Object.values(structured)
  return (
    others.length === 0 &&
    Array.isArray(wrapped) &&
    wrapped.length === blocks.length &&
    toJson(wrapped) === toJson([...blocks])
  )
}

/** The result as it is sent on. Blocks stay as they are, in their order. */
export function asRead(result: JsonObject, { drops, adds }: Reading): JsonObject {
  const { structuredContent, ...rest } = result
  const sent = drops ? rest : { ...rest, ...(structuredContent !== undefined && { structuredContent }) }
  if (adds === undefined) return sent
  return { ...sent, content: [...(Array.isArray(result.content) ? result.content : []), textBlock(adds)] }
}

/** True when the text is JSON, and no object. */
function parsesAsOther(text: string): boolean {
  const value = /^\s*[[\d"tfn-]/.test(text) ? valueOfJson(text) : undefined
  return value !== undefined && !isObject(value)
}
