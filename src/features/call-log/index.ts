/**
 * Writes a line of the log for each call. It has the client, the tool that ran, the tool that ran it, the time, about the sizes, and the
 * end.
 */
import { callerOf, type Logger, lengthAbout } from '../../observe/log.ts'
import { LargeResult } from '../../protocol/content.ts'
import type { Middleware } from '../../protocol/exchange.ts'
import type { Feature } from '../../proxy/feature.ts'
import { type CalledName, calledNameIn } from '../../proxy/own-tools.ts'

export interface CallLogOptions {
  logger: Logger
  /** The tool that a call ends at; by default the one it names. */
  calledName?: CalledName | undefined
  /** Milliseconds by a monotonic clock. */
  elapsed: () => number
}

/** Outermost. Neither arguments nor results are written: they may hold anything. */
export function createCallLog({
  logger,
  calledName = ({ name }) => String(name),
  elapsed,
}: CallLogOptions): Middleware {
  return {
    name: 'call-log',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      const begun = elapsed()
      let ended: 'result' | 'isError' | 'error' = 'error'
      let characters = 0
      try {
        const result = await next(exchange)
        characters = result instanceof LargeResult ? result.bytes.byteLength : lengthAbout(result)
        ended = !(result instanceof LargeResult) && result.isError === true ? 'isError' : 'result'
        return result
      } finally {
        const tool = calledName(exchange.params).slice(0, 200)
        const { client, agent } = callerOf(exchange.client)
        const asked = lengthAbout(exchange.params.arguments)
        const { name: by } = exchange.agent
        const line = { client, agent, tool, ms: elapsed() - begun, ended, asked, answered: characters }
        logger.info(by === undefined ? line : { ...line, by }, 'call')
      }
    },
  }
}

export const callLog: Feature = {
  name: 'call-log',
  what: 'Logs every call: client, tool, time, sizes and end.',
  when: '`log.level` is `info` or `debug`',
  layer: ({ settings, logger, elapsed }) =>
    ['debug', 'info'].includes(settings.log.level)
      ? createCallLog({ logger, elapsed, calledName: calledNameIn(settings) })
      : undefined,
}
