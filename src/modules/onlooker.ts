/** A module that only looks on: what it would have done is logged. */
import { messageOf } from '../protocol/errors.ts'
import type { Destination, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject } from '../protocol/json.ts'
import { LargeResult, type Result } from '../protocol/result.ts'
import type { Logger } from '../telemetry/log.ts'
import { isRefusal, ModuleTimeout } from './failure.ts'
import type { GuardOptions } from './guard.ts'
import type { Module } from './module.ts'
import { kindOfList } from './roster.ts'
import { createTimeLimit } from './time-limit.ts'

type Wrap = NonNullable<Module['wrap']>

/** The message goes its way; the module sees it, and what it would have done is logged. */
export function onlooker(wrap: Wrap, next: Handler, { logger, timeoutMs }: GuardOptions): Handler {
  return (exchange) => {
    const places: Destination[] = []
    const real = next({
      ...exchange,
      admit(place) {
        places.push(place)
        return exchange.admit?.(place)
      },
    })
    void observe(wrap, exchange, next, real, places, logger, timeoutMs)
    return real
  }
}

async function observe(
  wrap: Wrap,
  exchange: Exchange,
  next: Handler,
  real: Promise<Result>,
  places: readonly Destination[],
  logger: Logger,
  timeoutMs: number | undefined,
): Promise<void> {
  const { method } = exchange
  const limit = createTimeLimit(timeoutMs)
  let asked: Exchange | undefined
  const tracked: Handler = (sent) => {
    limit.stop()
    // It may want to know what is listed, which changes nothing.
    if (sent.method !== method && kindOfList(sent.method) !== undefined)
      return next(sent).finally(() => limit.start())
    asked = sent
    return real.finally(() => limit.start())
  }
  try {
    limit.start()
    const result = await Promise.race([wrap(tracked)({ ...exchange, notify() {} }), limit.reached])
    if (asked === undefined)
      logger.info({ method }, 'audit: the module would have answered in place of the server')
    else if (asked.params !== exchange.params || asked.method !== exchange.method)
      logger.info({ method }, 'audit: the module would have changed the request')
    const before = await real
    for (const place of places) await asked?.admit?.(place)
    if (!same(before, result)) logger.info({ method }, 'audit: the module would have changed the result')
  } catch (error) {
    // The server's own failure is none of the module's.
    const own = await real.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error === own) return
    const level = error instanceof ModuleTimeout || !isRefusal(error) ? 'error' : 'info'
    const what = isRefusal(error)
      ? 'audit: the module would have refused the message'
      : 'audit: the module failed'
    logger[level]({ method, error: messageOf(error) }, what)
  } finally {
    limit.end()
  }
}

function same(a: Result, b: Result): boolean {
  if (a === b) return true
  if (a instanceof LargeResult || b instanceof LargeResult || !isObject(a) || !isObject(b)) return false
  return JSON.stringify(a) === JSON.stringify(b)
}
