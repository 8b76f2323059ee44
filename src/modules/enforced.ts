/** A module that has its way, and what becomes of a message at which it fails or takes too long. */
import { messageOf } from '../protocol/errors.ts'
import type { Handler } from '../protocol/exchange.ts'
import type { Result } from '../protocol/result.ts'
import { failure, isRefusal, ModuleTimeout } from './failure.ts'
import type { GuardOptions } from './guard.ts'
import type { Module } from './module.ts'
import { createTimeLimit } from './time-limit.ts'

export function enforced(wrap: NonNullable<Module['wrap']>, next: Handler, options: GuardOptions): Handler {
  const { name, failOpen, timeoutMs, logger } = options
  const told = (error: unknown): void =>
    logger.error(
      { error: messageOf(error) },
      failOpen ? 'a module failed; the message went on' : 'a module failed',
    )
  if (!failOpen && timeoutMs === undefined) {
    /** Errors that came from further in pass as they are. */
    const passed = new WeakSet<object>()
    const tracked: Handler = (exchange) =>
      next(exchange).catch((error: unknown) => {
        if (typeof error === 'object' && error !== null) passed.add(error)
        throw error
      })
    const handler = wrap(tracked)
    return async (exchange) => {
      try {
        return await handler(exchange)
      } catch (error) {
        if (isRefusal(error) || exchange.signal.aborted || (isThrown(error) && passed.has(error))) throw error
        told(error)
        throw failure(name, error)
      }
    }
  }
  return async (exchange) => {
    const limit = createTimeLimit(timeoutMs)
    /** What became of the message further in; the last attempt counts. */
    let inside: { result: Promise<Result> } | undefined
    let passed: { error: unknown } | undefined
    const tracked: Handler = async (sent) => {
      // What is passed on when somebody has an answer already would be done twice, or although it was refused.
      if (limit.isOver) throw new ModuleTimeout('it is too late to pass the message on')
      limit.stop()
      const result = next(sent)
      // A list that it asks for on the way is not what the client waits for.
      if (sent.method === exchange.method) inside = { result }
      return result
        .catch((error: unknown) => {
          passed = { error }
          throw error
        })
        .finally(() => limit.start())
    }
    limit.start()
    try {
      return await Promise.race([wrap(tracked)(exchange), limit.reached])
    } catch (error) {
      if (isRefusal(error) || exchange.signal.aborted || (passed && error === passed.error)) throw error
      limit.end()
      told(error)
      if (!failOpen) throw failure(name, error)
      return inside ? inside.result : next(exchange)
    } finally {
      limit.end()
    }
  }
}

function isThrown(error: unknown): error is object {
  return typeof error === 'object' && error !== null
}
