/** The places in results and lists where URIs of resources stand. Whatever holds none that changes is handed back as it is. */

import { CONTENT_KINDS, changeUri, kindOf, LargeResult, plain, type Result } from './content.ts'
import { isObject, type JsonObject, type JsonValue, own } from './json.ts'

export type Rename = (uri: string) => string

/** Members of `_meta` that name the resource which shows a tool's result, besides `ui.resourceUri` (MCP Apps; Apps SDK). */
export const VIEW_MEMBERS = ['ui/resourceUri', 'openai/outputTemplate'] as const

/** Longer results are not parsed on the event loop. */
const MOST_BYTES = 256 * 1024

/** Renames in results that are small enough to be read here; a longer one keeps its URIs. */
export function renameInAny(result: Result, rename: Rename): Result {
  if (!(result instanceof LargeResult)) return renameInResult(result, rename)
  if (result.bytes.length > MOST_BYTES) return result
  const object = parsed(result)
  const changed = object && renameInResult(object, rename)
  return changed === undefined || changed === object ? result : changed
}

/** Undefined when a server sent no JSON: that is found out, and said, where results are shaped. */
function parsed(result: LargeResult): JsonObject | undefined {
  try {
    return plain(result)
  } catch {
    return undefined
  }
}

/** True when a result may name resources, by its outermost form alone. */
export function mayNameResources(result: Result): boolean {
  if (result instanceof LargeResult) {
    const { buffer, byteOffset, byteLength } = result.bytes
    if (byteLength > MOST_BYTES) return false
    const bytes = Buffer.from(buffer, byteOffset, byteLength)
    return NAMING.some((begin) => bytes.includes(begin))
  }
  return isNaming(result.content) || (Array.isArray(result.messages) && result.messages.some(isNamingMessage))
}

/** The parts of a result that name resources: members and kinds of blocks that begin with `resource`, and the other kinds with a URI. */
const NAMING: readonly string[] = [
  '"resource',
  ...Object.entries(CONTENT_KINDS)
    .filter(([type, { uri }]) => uri !== undefined && !type.startsWith('resource'))
    .map(([type]) => `"${type}"`),
]

function isNamingMessage(message: unknown): boolean {
  return isObject(message) && isNaming(isObject(message.content) ? [message.content] : message.content)
}

function isNaming(blocks: unknown): boolean {
  if (!Array.isArray(blocks)) return false
  return blocks.some((block) => isObject(block) && kindOf(block).uri !== undefined)
}

/** An item of `resources/list` or of `contents`: what has its URI in `uri`. */
export function renameUri(
  holder: JsonObject,
  rename: Rename,
  member: 'uri' | 'uriTemplate' = 'uri',
): JsonObject {
  const uri = own(holder, member)
  if (typeof uri !== 'string') return holder
  const renamed = rename(uri)
  return renamed === uri ? holder : { ...holder, [member]: renamed }
}

/** The resources that show what a tool answers, in the `_meta` of a tool or a result (MCP Apps; Apps SDK). */
export function renameViews(holder: JsonObject, rename: Rename): JsonObject {
  const meta = own(holder, '_meta')
  if (!isObject(meta)) return holder
  let renamed = meta
  const ui = own(meta, 'ui')
  if (isObject(ui)) renamed = put(renamed, 'ui', renameMember(ui, 'resourceUri', rename))
  for (const member of VIEW_MEMBERS) renamed = renameMember(renamed, member, rename)
  return renamed === meta ? holder : { ...holder, _meta: renamed }
}

/** True when an interface shows what the tool answers, by the `_meta` of the tool (MCP Apps; Apps SDK). */
export function hasView(tool: JsonObject): boolean {
  const meta = own(tool, '_meta')
  if (!isObject(meta)) return false
  return isObject(own(meta, 'ui')) || VIEW_MEMBERS.some((member) => typeof own(meta, member) === 'string')
}

/** A result of tools/call or tasks/result, prompts/get or resources/read. */
export function renameInResult(result: JsonObject, rename: Rename): JsonObject {
  let renamed = put(result, 'content', renameBlocks(own(result, 'content'), rename))
  renamed = put(
    renamed,
    'contents',
    each(own(result, 'contents'), (content) => renameUri(content, rename)),
  )
  const messages = each(own(result, 'messages'), (message) =>
    put(message, 'content', renameBlocks(own(message, 'content'), rename)),
  )
  return renameViews(put(renamed, 'messages', messages), rename)
}

function renameBlocks(content: JsonValue | undefined, rename: Rename): JsonValue | undefined {
  return isObject(content) ? changeUri(content, rename) : each(content, (block) => changeUri(block, rename))
}

function renameMember(holder: JsonObject, member: string, rename: Rename): JsonObject {
  const uri = own(holder, member)
  return typeof uri === 'string' ? put(holder, member, rename(uri)) : holder
}

/** The list with its objects changed; the same list when none did. */
function each(list: JsonValue | undefined, change: (item: JsonObject) => JsonObject): JsonValue | undefined {
  if (!Array.isArray(list)) return list
  let changed: JsonValue[] | undefined
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    if (!isObject(item)) continue
    const after = change(item)
    if (after === item) continue
    changed ??= [...list]
    changed[index] = after
  }
  return changed ?? list
}

/** A copy with this member, or the object itself when it has it already. */
function put(holder: JsonObject, member: string, value: JsonValue | undefined): JsonObject {
  return value === undefined || holder[member] === value ? holder : { ...holder, [member]: value }
}

/** Deeper arguments are left alone. */
const MAX_DEPTH = 16

/** Arguments in which a whole string is a URI of the client's, as the server knows it. */
export function renameInArguments(value: JsonValue, rename: Rename, depth = 0): JsonValue {
  if (typeof value === 'string') return rename(value)
  if (depth === MAX_DEPTH || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const renamed = value.map((item) => renameInArguments(item, rename, depth + 1))
    return renamed.some((item, index) => item !== value[index]) ? renamed : value
  }
  const entries = Object.entries(value)
  const renamed = entries.map(([key, item]): [string, JsonValue] => [
    key,
    renameInArguments(item, rename, depth + 1),
  ])
  return renamed.some(([, item], index) => item !== entries[index]?.[1]) ? Object.fromEntries(renamed) : value
}
