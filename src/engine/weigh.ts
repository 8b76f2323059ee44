/** How much of a context a result takes. */
import { textsOf } from '../documents/blocks.ts'
import { toJson } from '../documents/stringify.ts'
import { type Role, roleOf } from '../documents/structured.ts'
import { isText } from '../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { countTokens } from '../text/tokens.ts'

export interface Weight {
  /** Characters of all texts, and of structured content that does not repeat them. */
  characters: number
  tokens: number
  /** What the structured content is beside the texts. */
  role: Role | undefined
}

/** Images, audio and blobs weigh nothing here: they are never cut. */
export function weigh(result: JsonObject): Weight {
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

/** An embedded text up to this length stays where it is; a longer one is part of what the preview stands for. */
const SMALL_RESOURCE = 1000

/** True for the blocks that a preview stands for. */
export function isReplaced(block: JsonValue): boolean {
  return isText(block) || embeddedText(block).length > SMALL_RESOURCE
}

/** The text of an embedded resource; empty for other blocks. */
export function embeddedText(block: JsonValue): string {
  const resource = isObject(block) ? block.resource : undefined
  return isObject(resource) && typeof resource.text === 'string' ? resource.text : ''
}
