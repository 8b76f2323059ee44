/** Keeps a server that is never content from sending the proxy round in circles. */

const MOST = 5
const WINDOW_MS = 60_000

export class Attempts {
  readonly #now: () => number
  #times: number[] = []

  /** `now` gives milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts one more. False: there were too many lately, and this one is not to be made. */
  add(): boolean {
    const now = this.#now()
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS)
    if (this.#times.length >= MOST) return false
    this.#times.push(now)
    return true
  }
}
