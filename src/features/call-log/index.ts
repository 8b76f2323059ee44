/** A line of the debug log for each call: the tool that was run, whichever tool ran it, how long it took, and how it ended. */
import type { Logger } from '../../observe/log.ts'
import { fingerprint } from '../../observe/redact.ts'
import { LargeResult } from '../../protocol/content.ts'
import type { Middleware } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'

export interface CallLogOptions {
  logger: Logger
  /** The tool that a call ends at. */
  calledName(params: JsonObject): string
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
}

/** Outermost. Neither arguments nor results are written: they may hold anything. */
export function createCallLog({ logger, calledName, elapsed }: CallLogOptions): Middleware {
  return {
    name: 'call-log',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      const begun = elapsed()
      let ended: 'result' | 'isError' | 'error' = 'error'
      try {
        const result = await next(exchange)
        ended = !(result instanceof LargeResult) && result.isError === true ? 'isError' : 'result'
        return result
      } finally {
        const tool = calledName(exchange.params).slice(0, 200)
        const agent = fingerprint(exchange.agent.id)
        logger.debug({ tool, agent, ms: elapsed() - begun, ended }, 'call')
      }
    },
  }
}
