/** A clock that stands still until it is moved. */
import type { Later } from '../../../src/upstream/backoff.ts'

export interface Clock {
  now(): number
  later: Later
  /** Moves on and runs what is due, in order. */
  advance(ms: number): void
  /** How many timers wait. */
  readonly waiting: number
}

export function createClock(start = 1_700_000_000_000): Clock {
  let time = start
  const timers = new Set<{ at: number; run: () => void }>()
  return {
    now: () => time,
    later(ms, run) {
      const timer = { at: time + ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const until = time + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        time = next.at
        next.run()
      }
      time = until
    },
    get waiting() {
      return timers.size
    },
  }
}
