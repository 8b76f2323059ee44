/** A client of this process, over a transport that it hands in: one of the MCP SDK, or any that has its members. */
import { plain } from '../protocol/content.ts'
import type { JsonRpcMessage, Transport } from '../protocol/message.ts'

/**
 * The transport as the server side uses it. Messages are copied as JSON, as they are between processes: neither side can change the
 * objects of the other. Large results are parsed on the way out. The `via` of a message is the transport's own and is not handed on.
 */
export function copying(far: Transport): Transport {
  return {
    start: () => far.start(),
    send: (message, options) =>
      far.send(
        copyOf('result' in message ? { ...message, result: plain(message.result) } : message),
        options,
      ),
    close: () => far.close(),
    set onmessage(handler: Transport['onmessage']) {
      far.onmessage = handler && ((message) => handler(copyOf(message)))
    },
    set onclose(handler: Transport['onclose']) {
      far.onclose = handler
    },
    set onerror(handler: Transport['onerror']) {
      far.onerror = handler
    },
  }
}

function copyOf(message: JsonRpcMessage): JsonRpcMessage {
  return JSON.parse(JSON.stringify(message)) as JsonRpcMessage
}
