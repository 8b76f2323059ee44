/** Counts calls and what became of them, for whoever watches the proxy. */
import type { Middleware } from '../protocol/exchange.ts'
import { LargeResult } from '../protocol/result.ts'

export interface Counts {
  /** Calls that were answered or failed. */
  calls: number
  /** Of these: those whose result says that it is an error, and those that ended in one. */
  failed: number
  /** Calls at work now. */
  underway: number
}

/** The layer and its counts, which go on as it works. Outermost, so that it sees what goes out. */
export function createCount(): { layer: Middleware; counts: Readonly<Counts> } {
  const counts: Counts = { calls: 0, failed: 0, underway: 0 }
  const layer: Middleware = {
    name: 'count',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      counts.underway++
      let failed = true
      try {
        const result = await next(exchange)
        failed = !(result instanceof LargeResult) && result.isError === true
        return result
      } finally {
        counts.underway--
        counts.calls++
        if (failed) counts.failed++
      }
    },
  }
  return { layer, counts }
}
