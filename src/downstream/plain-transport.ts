import type { JsonRpcMessage } from '../protocol/message.ts'
import { plain } from '../protocol/result.ts'
import type { Transport } from '../protocol/transport.ts'

/**
 * The transports of the SDK write messages as objects: large results are parsed on the way out. `received` is told of every
 * message after it was handled.
 */
export function plainTransport(
  transport: object,
  received: (message: JsonRpcMessage) => void = () => {},
): Transport {
  const sdk = transport as Transport
  return {
    start: () => sdk.start(),
    send: (message, options) =>
      sdk.send('result' in message ? { ...message, result: plain(message.result) } : message, options),
    close: () => sdk.close(),
    set onmessage(handler: Transport['onmessage']) {
      sdk.onmessage = (message) => {
        handler?.(message)
        received(message)
      }
    },
    set onclose(handler: Transport['onclose']) {
      sdk.onclose = handler
    },
    set onerror(handler: Transport['onerror']) {
      sdk.onerror = handler
    },
  }
}
