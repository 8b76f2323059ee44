/** Content blocks of tool results and prompts (MCP specification, server/tools, "Tool Result"). */
import { isObject, type JsonObject, type JsonValue, own } from './json.ts'

/** A block as it came: known kinds have a `type` we read, unknown kinds and fields pass untouched. */
type ContentBlock = JsonObject

/** Names of members from a block down to a string. */
type Path = readonly string[]

/** One kind of content block. All that the proxy knows of it is here; `docs/content.md` is made of it. */
export interface ContentKind {
  /** Its meaning, for the documentation. */
  readonly what: string
  /** How a preview calls it. */
  readonly label: string
  /** Where the text stands that a model reads: it counts, is searched and can be changed. */
  readonly text: Path
  /** The most characters of text with which the block stays beside a preview; with a longer text the preview stands for it. */
  readonly keptText: number
  /** Where the URI of a resource stands, which the proxy may rename. */
  readonly uri?: Path
  /** Where base64 stands. It counts as no text and is never cut. */
  readonly data?: Path
  /** Something to look at or to hear, also where its data is missing. */
  readonly isMedia?: boolean
}

/** The members that every block may hold besides, and all that is known of a kind that has no entry. */
const EMBEDDED = { text: ['resource', 'text'], keptText: 1000, data: ['resource', 'blob'] } as const

/** The kinds of content blocks by their `type`. A new one is an entry here. */
export const CONTENT_KINDS: Readonly<Record<string, ContentKind>> = {
  text: { what: 'Text.', label: 'text', text: ['text'], keptText: -1 },
  image: { ...EMBEDDED, what: 'A picture.', label: 'image', data: ['data'], isMedia: true },
  audio: { ...EMBEDDED, what: 'Sound.', label: 'audio', data: ['data'], isMedia: true },
  resource: { ...EMBEDDED, what: 'An embedded resource.', label: 'resource', uri: ['resource', 'uri'] },
  resource_link: {
    what: 'A link to a resource.',
    label: 'link',
    text: EMBEDDED.text,
    keptText: EMBEDDED.keptText,
    uri: ['uri'],
  },
}

/** A kind without an entry: it passes as it is, but what it embeds in the way of a resource counts. */
export const UNKNOWN_KIND: ContentKind = { ...EMBEDDED, what: 'Any other kind.', label: 'resource' }

/** The kind of a block. */
export function kindOf({ type }: ContentBlock): ContentKind {
  const known =
    typeof type === 'string' && Object.hasOwn(CONTENT_KINDS, type) ? CONTENT_KINDS[type] : undefined
  return known ?? UNKNOWN_KIND
}

/** The text of a block that a model reads; undefined when it has none. */
export function textIn(block: ContentBlock): string | undefined {
  return stringAt(block, kindOf(block).text) ?? stringAt(block, EMBEDDED.text)
}

/** The block with its text changed; the same block when the text stays the same or there is none. */
export function changeText(block: ContentBlock, change: (text: string) => string): ContentBlock {
  const { text } = kindOf(block)
  return changeAt(block, stringAt(block, text) === undefined ? EMBEDDED.text : text, change)
}

/** The block with the URI of its resource changed; the same block when the URI stays the same or there is none. */
export function changeUri(block: ContentBlock, change: (uri: string) => string): ContentBlock {
  const { uri } = kindOf(block)
  return uri === undefined ? block : changeAt(block, uri, change)
}

/** True for a block that a preview stands for. */
export function isReplaced(block: ContentBlock): boolean {
  const text = textIn(block)
  return text !== undefined && text.length > kindOf(block).keptText
}

/** True for a block to look at or to hear, and for one that carries a file. */
export function isMedia(block: ContentBlock): boolean {
  const { isMedia: always = false, data } = kindOf(block)
  return always || (data !== undefined && stringAt(block, data) !== undefined)
}

/** The base64 of a block; undefined when it has none. */
export function dataIn(block: ContentBlock): string | undefined {
  return stringAt(block, kindOf(block).data ?? EMBEDDED.data) ?? stringAt(block, EMBEDDED.data)
}

/** The string at the end of a path; undefined when there is none. */
export function stringAt(block: ContentBlock, path: Path): string | undefined {
  let value: JsonValue | undefined = block
  for (const name of path) value = isObject(value) ? own(value, name) : undefined
  return typeof value === 'string' ? value : undefined
}

function changeAt(holder: JsonObject, path: Path, change: (text: string) => string): JsonObject {
  const [name = '', ...rest] = path
  const value = own(holder, name)
  const changed =
    rest.length > 0 && isObject(value)
      ? changeAt(value, rest, change)
      : rest.length === 0 && typeof value === 'string'
        ? change(value)
        : value
  return changed === value || changed === undefined ? holder : { ...holder, [name]: changed }
}

/** True for a block of text. */
export function isText(block: JsonValue | undefined): block is JsonObject & { type: 'text'; text: string } {
  return isObject(block) && block.type === 'text' && typeof block.text === 'string'
}

/** The blocks of a CallToolResult; empty when the server sent none or something else. */
export function blocksOf(result: JsonObject): ContentBlock[] {
  return Array.isArray(result.content) ? result.content.filter(isObject) : []
}

/** All texts of a result in their order: text blocks and embedded resources that have one. Empty ones are left out. */
export function textsOf(result: JsonObject): string[] {
  return blocksOf(result)
    .map((block) => textIn(block) ?? '')
    .filter((text) => text !== '')
}

/** Characters of the same texts. */
export function textLength(result: JsonObject): number {
  return blocksOf(result).reduce((sum, block) => sum + (textIn(block)?.length ?? 0), 0)
}

/** A block that shows this text. */
export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** A tool's own failure, as the model sees it: a result, not a JSON-RPC error (MCP specification, "Error Handling"). */
export function errorResult(text: string): JsonObject {
  return { content: [textBlock(text)], isError: true }
}

/** An answer that is this text. */
export function plainAnswer(text: string): JsonObject {
  return { content: [textBlock(text)] }
}

/** Prefix of everything this proxy adds to `_meta` (MCP specification, basic, "_meta"). */
export const META = 'mcp-rlm-proxy/'

/** The `_meta` of params or a result; undefined when there is none. */
export function metaOf(holder: JsonObject | undefined): JsonObject | undefined {
  const meta = holder && own(holder, '_meta')
  return isObject(meta) ? meta : undefined
}

/** A copy with these members over those of its `_meta`. */
export function withMeta(holder: JsonObject | undefined, members: JsonObject): JsonObject {
  return { ...holder, _meta: { ...metaOf(holder), ...members } }
}

/**
 * A result too large to be worth parsing on the event loop: its JSON, byte for byte as the server sent it.
 * Workers read it without a copy because the bytes lie on a SharedArrayBuffer.
 */
export class LargeResult {
  /** UTF-8 JSON of the `result` member alone, without the envelope. */
  readonly bytes: Uint8Array<SharedArrayBuffer>

  constructor(bytes: Uint8Array<SharedArrayBuffer>) {
    this.bytes = bytes
  }

  /** Parses here and now, on the calling thread. Throws SyntaxError when the server sent no valid JSON. */
  json(): JsonObject {
    const value: unknown = JSON.parse(Buffer.from(this.bytes).toString('utf8'))
    if (!isObject(value)) throw new SyntaxError('the result is not a JSON object')
    return value
  }

  /** A message that is written whole carries the result as an object: `JSON.stringify` asks for it. Throws as `json` does. */
  toJSON(): JsonObject {
    return this.json()
  }
}

const IS_ERROR = '"isError"'

/** True when there is anything in the result that reads like `"isError": true`, which may also stand in a text. Does not parse. */
export function maySayError({ bytes }: LargeResult): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = text.indexOf(IS_ERROR); at >= 0; at = text.indexOf(IS_ERROR, at + 1)) {
    const after = at + IS_ERROR.length
    if (/^\s*:\s*t/.test(text.toString('latin1', after, after + 40))) return true
  }
  return false
}

/** The outcome of an exchange. */
export type Result = JsonObject | LargeResult

/** The result as an object, parsed when it was not yet. Cheap for ordinary results. */
export function plain(result: Result): JsonObject {
  return result instanceof LargeResult ? result.json() : result
}

/**
 * The questions that servers may ask clients, in the modern era by a result (MCP 2026-07-28, multi round-trip requests), which anything
 * else breaks.
 */
export const QUESTIONS: readonly string[] = ['sampling/createMessage', 'elicitation/create', 'roots/list']

/** Questions of one round. Each is a request to the client, and may be a dialog of its own. */
export const MAX_QUESTIONS = 64

/** Rounds of one call. A server that never has enough must not keep a person, or us, busy for ever. */
export const MAX_ROUNDS = 32

/** Larger questions cannot be: the client sends their state back, and no server takes so large a request. */
const LARGEST_QUESTION = 8 * 1024 * 1024

/** The beginning of a `requestState` of ours: the call waits in this process. */
export const PARKED = 'mcp-rlm-proxy.'

/** True for a result that asks for input in place of being one (MCP 2026-07-28, multi round-trip requests). */
export function isInputRequired(result: JsonObject): boolean {
  return own(result, 'resultType') === 'input_required'
}

/**
 * True for a result by which a server asks for input (MCP 2026-07-28, multi round-trip requests): the client answers it, and no model reads
 * it. A large result is parsed only when it may be one.
 */
export function asksForInput(result: Result): boolean {
  if (!(result instanceof LargeResult)) return isInputRequired(result)
  const { buffer, byteOffset, byteLength } = result.bytes
  if (byteLength > LARGEST_QUESTION) return false
  if (!Buffer.from(buffer, byteOffset, byteLength).includes('"input_required"')) return false
  try {
    return isInputRequired(result.json())
  } catch {
    return false
  }
}
