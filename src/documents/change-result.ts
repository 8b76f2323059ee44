/** Changes the texts of a message; the message itself stays as it is. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'
import type { TextChange } from '../text/change.ts'

/** `isData`: the text is a value of data, not something to be read by itself. */
type Apply = (text: string, isData: boolean) => string

/** The same object where no text was changed. */
export function changeTexts(message: JsonObject, where: TextChange['where'], apply: Apply): JsonObject {
  return where === 'strings' ? (strings(message, apply, 0) as JsonObject) : texts(message, apply)
}

/** Only what a model reads. */
function texts(message: JsonObject, apply: Apply): JsonObject {
  let changed = message
  const put = (key: string, value: JsonValue | undefined): void => {
    if (value !== undefined && value !== message[key]) changed = { ...changed, [key]: value }
  }
  if (Array.isArray(message.content))
    put(
      'content',
      each(message.content, (block) => ofBlock(block, apply)),
    )
  if (Array.isArray(message.contents))
    put(
      'contents',
      each(message.contents, (item) => member(item, 'text', apply)),
    )
  if (Array.isArray(message.messages))
    put(
      'messages',
      each(message.messages, (item) => prompt(item, apply)),
    )
  if (message.structuredContent !== undefined)
    put('structuredContent', strings(message.structuredContent, apply, 0))
  return changed
}

function ofBlock(block: JsonValue, apply: Apply): JsonValue {
  if (!isObject(block)) return block
  if (block.type === 'text') return member(block, 'text', apply)
  if (!isObject(block.resource)) return block
  const resource = member(block.resource, 'text', apply)
  return resource === block.resource ? block : { ...block, resource }
}

function prompt(item: JsonValue, apply: Apply): JsonValue {
  if (!isObject(item)) return item
  const { content } = item
  const changed = Array.isArray(content)
    ? each(content, (block) => ofBlock(block, apply))
    : content && ofBlock(content, apply)
  return changed === content || changed === undefined ? item : { ...item, content: changed }
}

function member(item: JsonValue, key: string, apply: Apply): JsonValue {
  if (!isObject(item)) return item
  const text = item[key]
  if (typeof text !== 'string') return item
  const changed = apply(text, false)
  return changed === text ? item : { ...item, [key]: changed }
}

/** What other members go by, and what is no text. */
const NO_TEXTS: ReadonlySet<string> = new Set([
  'name',
  'uri',
  'uriTemplate',
  'type',
  'mimeType',
  'role',
  'method',
  'cursor',
  'nextCursor',
  'blob',
  'progressToken',
  'requestState',
  'resultType',
  'protocolVersion',
  '$ref',
  '$schema',
  '$id',
])

/** Deeper than any message: what is nested deeper is left as it is. */
const DEEPEST = 200

function strings(value: JsonValue, apply: Apply, depth: number): JsonValue {
  if (typeof value === 'string') return apply(value, true)
  if (typeof value === 'number') return bare(value, apply)
  if (depth > DEEPEST) return value
  if (Array.isArray(value)) return each(value, (item) => strings(item, apply, depth + 1))
  if (!isObject(value)) return value
  let changed: JsonObject | undefined
  for (const [key, inner] of Object.entries(value)) {
    if (depth > 0 || !isObject(inner)) {
      if (NO_TEXTS.has(key) && !isObject(inner)) continue
      if (key === 'data' && typeof value.mimeType === 'string') continue
    }
    const now = strings(inner, apply, depth + 1)
    if (now === inner) continue
    changed ??= { ...value }
    setOwn(changed, key, now)
  }
  return changed ?? value
}

/** A number that is something to hide is 0 from then on: what was promised to be a number still is one. */
function bare(value: number, apply: Apply): number {
  if (!Number.isSafeInteger(value) || value < 1e11) return value
  const text = String(value)
  return apply(text, true) === text ? value : 0
}

function each(items: JsonValue[], change: (item: JsonValue) => JsonValue): JsonValue[] {
  let changed: JsonValue[] | undefined
  items.forEach((item, index) => {
    const now = change(item)
    if (now === item) return
    changed ??= [...items]
    changed[index] = now
  })
  return changed ?? items
}
