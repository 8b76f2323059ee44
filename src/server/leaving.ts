/** How a gateway goes away and breaks no call: it says that it is not ready, is no longer reached, and waits for what runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Handler } from '../protocol/exchange.ts'

export interface Leaving {
  /** It is going away, or gone: no client should begin here. */
  readonly isLeaving: boolean
  /** Something runs from now on, until the result is called. */
  begin(): () => void
  /** The handler, with each of its exchanges as something that runs. */
  counting(handler: Handler): Handler
  /** Goes away. Resolves with how many calls still run when the time for them is over: 0 when all are done. */
  leave(how: LeavingOptions): Promise<number>
}

interface LeavingOptions {
  /** Milliseconds in which a balancer can see that it is not ready. */
  noticeMs: number
  /** Milliseconds that running calls may take after that. */
  callMs: number
  /** No connection is taken from now on: who tries is refused before it sent anything, and can go elsewhere. */
  stopListening: () => void
}

/** Milliseconds without a new request, after which it ends: a connection that was just taken may bring one. */
const QUIET_MS = 500
const LOOK_MS = 20

/** @param elapsed milliseconds by a monotonic clock */
export function createLeaving(elapsed: () => number): Leaving {
  let isLeaving = false
  let running = 0
  let lastBegun = Number.NEGATIVE_INFINITY

  function begin(): () => void {
    running++
    lastBegun = elapsed()
    return () => void running--
  }

  return {
    get isLeaving() {
      return isLeaving
    },
    begin,
    counting: (handler) => async (exchange) => {
      const end = begin()
      try {
        return await handler(exchange)
      } finally {
        end()
      }
    },
    async leave({ noticeMs, callMs, stopListening }) {
      isLeaving = true
      if (noticeMs > 0) await sleep(noticeMs)
      stopListening()
      const until = elapsed() + callMs
      while (elapsed() < until && (running > 0 || elapsed() - lastBegun < QUIET_MS)) await sleep(LOOK_MS)
      return running
    },
  }
}
