/** Calls under way that several wait for: one is made, and it goes on for as long as somebody waits. */
import { ProxyError } from '../../protocol/errors.ts'
import type { Result } from '../../protocol/result.ts'

interface Flight {
  readonly result: Promise<Result>
  readonly abort: AbortController
  waiting: number
}

export interface Landed {
  result: Result
  /** Somebody else had begun it. */
  joined: boolean
}

export class Flights {
  readonly #underway = new Map<string, Flight>()

  /** Waits for the call under way with this key, else for `run`, whose signal aborts when nobody waits any more. */
  async share(
    key: string,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Landed> {
    if (signal.aborted) throw cancelled()
    const there = this.#underway.get(key)
    const flight = there ?? this.#begin(key, run)
    return { result: await this.#wait(key, flight, signal), joined: there !== undefined }
  }

  #begin(key: string, run: (signal: AbortSignal) => Promise<Result>): Flight {
    const abort = new AbortController()
    const flight: Flight = { abort, waiting: 0, result: run(abort.signal) }
    this.#underway.set(key, flight)
    const landed = (): void => this.#forget(key, flight)
    flight.result.then(landed, landed)
    return flight
  }

  #wait(key: string, flight: Flight, signal: AbortSignal): Promise<Result> {
    flight.waiting++
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(cancelled())
        flight.waiting--
        if (flight.waiting > 0) return
        this.#forget(key, flight)
        flight.abort.abort(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      const done = (): void => signal.removeEventListener('abort', leave)
      flight.result.then(resolve, reject).finally(done)
    })
  }

  #forget(key: string, flight: Flight): void {
    if (this.#underway.get(key) === flight) this.#underway.delete(key)
  }
}

function cancelled(): ProxyError {
  return new ProxyError('CANCELLED', 'the client cancelled', '')
}
