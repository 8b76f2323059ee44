/** The text of a tool result that clients hand to their model, as pure functions: one for each way that was seen in real clients. */
import { blocksOf, isText } from '../../src/protocol/content.ts'
import { isObject, type JsonObject } from '../../src/protocol/json.ts'

export type ClientView = (result: JsonObject) => string

function texts(result: JsonObject): string {
  return blocksOf(result)
    .map((block) =>
      isText(block) ? block.text : isObject(block.resource) ? String(block.resource.text) : '',
    )
    .filter((text) => text !== '')
    .join('\n')
}

function structured(result: JsonObject): string {
  return result.structuredContent === undefined ? '' : JSON.stringify(result.structuredContent)
}

/** Its middle is left out where it is longer. */
export function cutTo(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  return `${text.slice(0, half)}[truncated ${text.length - most} chars]${text.slice(-half)}`
}

/** Gemini CLI: the first text is parsed where there is no structured content, and what is no object is refused. */
export function parsedFirst(result: JsonObject): string {
  const first = blocksOf(result).find(isText)?.text
  if (result.structuredContent === undefined && result.isError !== true && first !== undefined) {
    let parsed: unknown = {}
    try {
      parsed = JSON.parse(first)
    } catch {
      // No JSON: then there is no structured content.
    }
    if (!isObject(parsed)) throw new TypeError('expected record')
  }
  return texts(result)
}

/** By the kind of client. `Shows` of the proxy's table of clients, and what single clients do besides. */
export const VIEWS = {
  structured: (result) => structured(result) || texts(result),
  content: texts,
  'content-first': (result) => texts(result) || structured(result),
  both: (result) => texts(result) + structured(result),
  json: (result) => JSON.stringify(result),
  'json, cut': (result) => cutTo(JSON.stringify(result), 8000),
  'first text': (result) => blocksOf(result).find(isText)?.text ?? '',
  parsed: parsedFirst,
} as const satisfies Record<string, ClientView>
