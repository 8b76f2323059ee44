import { plain } from '../protocol/result.ts'
import type { Transport } from '../protocol/transport.ts'

/** The transports of the SDK write messages as objects: large results are parsed on the way out. */
export function plainTransport(transport: object): Transport {
  const sdk = transport as Transport
  return {
    start: () => sdk.start(),
    send: (message, options) =>
      sdk.send('result' in message ? { ...message, result: plain(message.result) } : message, options),
    close: () => sdk.close(),
    set onmessage(handler: Transport['onmessage']) {
      sdk.onmessage = handler
    },
    set onclose(handler: Transport['onclose']) {
      sdk.onclose = handler
    },
    set onerror(handler: Transport['onerror']) {
      sdk.onerror = handler
    },
  }
}
