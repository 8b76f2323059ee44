/** Changes the texts of a message; the message itself stays as it is. */

import { changeText } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import type { TextChange } from '../../text/change/change-rules.ts'
import type { Apply } from './change-strings.ts'
import { changeStrings } from './change-strings.ts'

/** The same object where no text was changed. */
export function changeTexts(message: JsonObject, where: TextChange['where'], apply: Apply): JsonObject {
  return where === 'strings'
    ? (changeStrings(message, apply, 'envelope') as JsonObject)
    : texts(message, apply)
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
    put('structuredContent', changeStrings(message.structuredContent, apply, 'texts'))
  return changed
}

function ofBlock(block: JsonValue, apply: Apply): JsonValue {
  return isObject(block) ? changeText(block, (text) => apply(text, 'prose')) : block
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
  const changed = apply(text, 'prose')
  return changed === text ? item : { ...item, [key]: changed }
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
