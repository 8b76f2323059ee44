/** From the bytes of what a server sent to messages. Large answers are handed on unparsed. */
import { isObject } from '../protocol/json.ts'
import type { JsonRpcMessage } from '../protocol/message.ts'
import { edgeOfEnd, edgeOfStart, textOfParts } from '../protocol/message-bytes.ts'
import { LargeResult } from '../protocol/result.ts'
import { findEnvelope, onShared } from './envelope.ts'
import { localFailure } from './upstream-transport.ts'

/**
 * The messages of one line, body or event: one or (MCP 2025-03-26) a batch; undefined when it is not JSON-RPC. The result of an
 * answer longer than `largeBytes` comes as a LargeResult.
 */
export function readMessages(
  parts: readonly Buffer[],
  length: number,
  largeBytes: number,
): JsonRpcMessage[] | undefined {
  if (length > largeBytes) {
    const envelope = findEnvelope(edgeOfStart(parts), edgeOfEnd(parts), length)
    if (envelope !== undefined) {
      const { id, start, end } = envelope
      return [{ jsonrpc: '2.0', id, result: new LargeResult(onShared(parts, start, end)) }]
    }
  }
  return messagesOf(textOfParts(parts))
}

function messagesOf(text: string): JsonRpcMessage[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(value)) {
    const message = messageOf(value)
    return message && [message]
  }
  const messages = value.map(messageOf)
  return messages.every((message) => message !== undefined) ? messages : undefined
}

/** A message, or undefined. An answer that holds no object fails the request it answers. */
function messageOf(value: unknown): JsonRpcMessage | undefined {
  if (!isObject(value)) return undefined
  const { id, method } = value
  if (Object.hasOwn(value, 'method')) {
    return typeof method === 'string' ? (value as unknown as JsonRpcMessage) : undefined
  }
  if (isObject(value.result) || isObject(value.error)) return value as unknown as JsonRpcMessage
  if (typeof id !== 'number' && typeof id !== 'string') return undefined
  return localFailure(id, 'UPSTREAM_PROTOCOL', 'sent an answer whose result is not an object')
}
