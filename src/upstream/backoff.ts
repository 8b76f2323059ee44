/** How long to wait before connecting again. */

export interface BackoffOptions {
  initialMs: number
  maxMs: number
  factor: number
}

export const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 500, maxMs: 30_000, factor: 2 }

/**
 * Milliseconds before attempt number `failures` + 1: exponential, capped, and the upper half of it random, so that
 * many proxies do not come back in step. `random` yields [0, 1).
 */
export function backoff(failures: number, options: BackoffOptions, random: () => number): number {
  const { initialMs, maxMs, factor } = options
  const full = Math.min(maxMs, initialMs * factor ** Math.max(0, failures - 1))
  return full / 2 + (full / 2) * random()
}

/** Runs something later; the function returned takes it back. */
export type Later = (ms: number, run: () => void) => () => void

/** Timers that do not keep the process alive. */
export const later: Later = (ms, run) => {
  const timer = setTimeout(run, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
