/** Replies: what the model reads is the text; the members beside it are for programs. */
import { errorResult, textBlock } from '../../protocol/content.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'

/** An answer that is data: its JSON is the text, and its small members stand beside that. */
export function dataReply(action: string, data: JsonObject): JsonObject {
  const small = Object.entries(data).filter(([, value]) => typeof value !== 'object' || value === null)
  return {
    action,
    ...(Object.fromEntries(small) as Record<string, JsonValue>),
    content: [textBlock(JSON.stringify({ action, ...data }))],
  }
}

export function failureReply(action: string, text: string): JsonObject {
  return { action, ...errorResult(text) }
}
