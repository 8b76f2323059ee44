/** An answer that is one JSON document. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Watch } from '../../protocol/growing-bytes.ts'
import type { JsonRpcMessage } from '../../protocol/message.ts'
import { edgeOfStart, textOfParts } from '../../protocol/message-bytes.ts'
import { readMessages } from '../incoming.ts'
import { type BodyReader, IGNORED, WholeBody } from './body.ts'
import { tooLong } from './event-stream.ts'

export interface JsonBodyHandler {
  messages(messages: readonly JsonRpcMessage[]): void
  /** More than is kept; the rest need not come. The words follow "the server". */
  tooLong(words: string): void
  /** No JSON-RPC; how it begins. */
  unreadable(text: string): void
}

export function jsonBody(
  headers: IncomingHttpHeaders,
  { maxBytes, largeBytes, watch }: { maxBytes: number; largeBytes: number; watch?: Watch | undefined },
  handler: JsonBodyHandler,
): BodyReader {
  const announced = headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0
  if (announced > maxBytes) {
    handler.tooLong(tooLong(announced, maxBytes))
    return IGNORED
  }
  return new WholeBody(
    maxBytes,
    ({ parts, length, edges }) => {
      if (edges !== undefined) {
        handler.tooLong(`sent a message longer than the limit of ${maxBytes} bytes`)
        return
      }
      const bare = withoutMark(parts)
      const messages = readMessages(bare, bare === parts ? length : length - 3, largeBytes)
      if (messages === undefined) handler.unreadable(textOfParts([edgeOfStart(parts)]))
      else handler.messages(messages)
    },
    watch,
  )
}

/** JSON in UTF-8 may begin with a byte order mark, which is no JSON (RFC 8259, 8.1). */
function withoutMark(parts: readonly Buffer[]): readonly Buffer[] {
  const [first, ...rest] = parts
  return first && first.length > 3 && first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf
    ? [first.subarray(3), ...rest]
    : parts
}
