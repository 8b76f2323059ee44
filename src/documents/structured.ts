/** What `structuredContent` is beside the text of a result (MCP specification, server/tools, "Structured Content"). */
import { blocksOf, isText } from '../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
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
