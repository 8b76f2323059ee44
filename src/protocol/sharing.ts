/** Work that callers share: who comes while it is under way joins it, and it is aborted when the last of them leaves. */
import { cancelled } from './errors.ts'
import type { Signal } from './message.ts'
import { Cancellation } from './peer.ts'

/** One run of the work. */
interface Flight<T> {
  /**
   * The outcome, or a rejection with CANCELLED as soon as the signal aborts. The flight goes on for as long as one who joined still
   * waits; when the last one leaves it is aborted for that one's reason.
   */
  join(signal: Signal): Promise<T>
}

/** Flights by the keys that they answer; one may answer several. */
export class SingleFlight<T> {
  readonly #underWay = new Map<string, Aloft<T>>()

  /** The flight that can be joined for this key: none once it has landed or was aborted. */
  find(key: string): Flight<T> | undefined {
    return this.#underWay.get(key)
  }

  /** Begins the work at once. Later callers find it under each of the keys, in place of earlier work. */
  begin(keys: readonly string[], work: (signal: Signal) => Promise<T>): Flight<T> {
    const flight = new Aloft(work, () => {
      for (const key of keys) if (this.#underWay.get(key) === flight) this.#underWay.delete(key)
    })
    for (const key of keys) this.#underWay.set(key, flight)
    return flight
  }

  /** Aborts all that is under way. Callers that wait get what the work makes of that. */
  abort(): void {
    for (const flight of this.#underWay.values()) flight.abort()
  }
}

class Aloft<T> implements Flight<T> {
  readonly #cancellation = new Cancellation()
  readonly #outcome: Promise<T>
  readonly #over: () => void
  #waiting = 0

  constructor(work: (signal: Signal) => Promise<T>, over: () => void) {
    this.#over = over
    this.#outcome = work(this.#cancellation).finally(over)
    // All callers may be gone when it fails.
    this.#outcome.catch(() => {})
  }

  join(signal: Signal): Promise<T> {
    this.#waiting++
    return unlessAborted(this.#outcome, signal, () => {
      this.#waiting--
      if (this.#waiting === 0) this.abort(signal.reason)
    })
  }

  abort(reason?: unknown): void {
    this.#over()
    this.#cancellation.abort(reason)
  }
}

// Waiting that ends when the one who waits leaves.

/**
 * The promise, or a rejection with CANCELLED as soon as the signal aborts: who leaves does not end what others wait for.
 * Without a signal the promise itself.
 *
 * @param left is called once, when the signal ended the wait.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: Signal | undefined,
  left?: () => void,
): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => {
      reject(cancelled(signal))
      left?.()
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
