/** Trying again, for as long as it may help. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Signal } from '../protocol/message.ts'
import { abortSignalOf } from '../protocol/peer.ts'

export interface RetryOptions {
  /** Attempts in all. */
  attempts: number
  signal: Signal | undefined
  /** Milliseconds; for tests. */
  wait?: (ms: number, signal: Signal | undefined) => Promise<void>
  random?: () => number
}

/** A failure that may pass. */
export class Transient extends Error {
  /** Milliseconds that the other side asked to wait. */
  readonly after: number | undefined

  constructor(message: string, after?: number, cause?: unknown) {
    super(message, { cause })
    this.after = after
  }
}

const FIRST_WAIT = 500
const LONGEST_WAIT = 20_000

/** Rejects with the last failure, at once with one that is not `Transient`, and with the signal's reason when it is aborted. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, signal, random = Math.random } = options
  const wait =
    options.wait ?? ((ms, until) => sleep(ms, undefined, until && { signal: abortSignalOf(until) }))
  for (let tried = 1; ; tried++) {
    signal?.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof Transient) || tried >= attempts) throw error
      const backoff = FIRST_WAIT * 2 ** (tried - 1) * (0.5 + random() / 2)
      await wait(Math.min(LONGEST_WAIT, error.after ?? backoff), signal)
    }
  }
}

/** The header Retry-After in milliseconds (RFC 9110, 10.2.3): seconds or a date. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
