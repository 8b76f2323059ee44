/** How long to wait before a stream is asked for again. */
import { backoff, DEFAULT_BACKOFF } from '../backoff.ts'

/** What is waited when the server does not say. */
const DEFAULT_RETRY_MS = 1000
/** A server that says "at once" is not asked without a breath. */
const MIN_RETRY_MS = 50
/** Longer than this no server can mean, and timers have an end. */
const MAX_RETRY_MS = 3_600_000

/** Milliseconds: what the server asked for, and longer when tries bring nothing. `fruitless` counts those in a row. */
export function waitBeforeResuming(
  retryMs: number | undefined,
  fruitless: number,
  random: () => number,
): number {
  const asked = Math.min(Math.max(retryMs ?? DEFAULT_RETRY_MS, MIN_RETRY_MS), MAX_RETRY_MS)
  return fruitless === 0 ? asked : Math.max(asked, backoff(fruitless, DEFAULT_BACKOFF, random))
}
