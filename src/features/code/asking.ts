/**
 * The questions of a program to its client: a person's consent, or an answer of the client's model. The clock of the program stands still
 * meanwhile.
 */
import { plain } from '../../protocol/content.ts'
import { RpcError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Request, Signal } from '../../protocol/message.ts'
import { abortSignalOf } from '../../protocol/peer.ts'
import { Fault } from './fault.ts'

/** One program's way to its client. */
export interface Asking {
  /** Whether the client says that it can be asked so. */
  can(capability: 'elicitation' | 'sampling'): boolean
  /** Rejects with a Fault when the client refuses, or when all that is asked takes too long together. */
  ask(request: Request): Promise<JsonObject>
  /** Milliseconds for which the program has waited for its client. */
  waited(): number
}

/** @param patienceMs for all that the program asks together */
export function createAsking(exchange: Exchange, patienceMs: number): Asking {
  let under = 0
  let since = 0
  let before = 0
  const waited = (): number => before + (under > 0 ? performance.now() - since : 0)

  async function timed<T>(work: (signal: Signal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(Math.max(0, Math.ceil(patienceMs - waited())))
    if (under++ === 0) since = performance.now()
    try {
      return await work(AbortSignal.any([abortSignalOf(exchange.signal), late]))
    } catch (error) {
      if (late.aborted && !exchange.signal.aborted)
        throw new Fault(
          `No person answered in ${patienceMs / 1000} s, the longest that a program may wait for its client.`,
        )
      throw error
    } finally {
      if (--under === 0) before += performance.now() - since
    }
  }

  return {
    can: (capability) =>
      exchange.ask !== undefined && isObject(own(exchange.client.capabilities, capability)),
    ask: (request) =>
      timed(async (signal) => {
        if (exchange.ask === undefined) throw new Fault('This client cannot be asked for anything.')
        try {
          return plain(await settledBy(exchange.ask(request, signal), signal))
        } catch (error) {
          if (error instanceof RpcError && !signal.aborted)
            throw new Fault(`The client refused: ${error.message}`)
          throw error
        }
      }),
    waited,
  }
}

/** The service that answers may ignore the signal. */
function settledBy<T>(answer: Promise<T>, signal: Signal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason)
    signal.addEventListener('abort', aborted, { once: true })
    if (signal.aborted) aborted()
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted))
  })
}
