/** Records what a client receives, as it comes over the transport: before the SDK reads it, so that nothing is stripped. */
import { expect } from 'vitest'

/** A JSON-RPC message. */
export interface Message {
  id?: string | number
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

/** The part of a transport that both generations of the SDK have. */
interface Transport {
  send(message: never, options?: never): Promise<void>
  onmessage?: ((message: never, ...rest: never[]) => void) | undefined
}

/** The answers of the client's person, model and file system to a server. Undefined: the SDK answers. */
export type Answers = (method: string, params: Record<string, unknown>) => Record<string, unknown> | undefined

export interface Recorder {
  /** All that came since the last call, the answers to the client's own requests among it. */
  take(): Message[]
  /** Resolves to whether such a message came, since the last `take`; to false when it takes too long. */
  until(known: (message: Message) => boolean): Promise<boolean>
}

/** Milliseconds a message may take, on a machine that has much to do. */
const PATIENCE_MS = 60_000

/** Puts itself between a transport that is not connected yet and the client. Requests of the server it answers itself. */
export function record(transport: Transport, answers: Answers): Recorder {
  let seen: Message[] = []
  let deliver: ((message: never, ...rest: never[]) => void) | undefined
  const receive = (message: Message, ...rest: never[]): void => {
    seen.push(message)
    const asked = message.id !== undefined && message.method !== undefined
    const result = asked ? answers(message.method ?? '', message.params ?? {}) : undefined
    if (result === undefined) deliver?.(message as never, ...rest)
    else void transport.send({ jsonrpc: '2.0', id: message.id, result } as never)
  }
  Object.defineProperty(transport, 'onmessage', {
    get: () => deliver && receive,
    set: (next: typeof deliver) => {
      deliver = next
    },
  })
  return {
    take() {
      const taken = seen
      seen = []
      return taken
    },
    until: (known) =>
      expect
        .poll(() => seen.some(known), { timeout: PATIENCE_MS })
        .toBe(true)
        .then(
          () => true,
          () => false,
        ),
  }
}
