/** What happens when a module fails, takes too long, or only looks on. */
import { messageOf, ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Destination, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject } from '../protocol/json.ts'
import { LargeResult, type Result } from '../protocol/result.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Module, Notice, Notify } from './module.ts'

export interface GuardOptions {
  name: string
  mode: 'enforce' | 'audit'
  /** True: what the module fails at goes on unchanged. */
  failOpen: boolean
  /** Milliseconds that it may work on a message before it passes it on, and on the result after. Undefined: as long as it takes. */
  timeoutMs: number | undefined
  logger: Logger
}

/** The module, unable to do more than it may. */
export function guard(module: Module, options: GuardOptions): Module {
  const { wrap, notify } = module
  const isWatching = options.mode === 'audit'
  return {
    ...(wrap && {
      wrap: (next) =>
        isWatching ? onlooker(wrap.bind(module), next, options) : enforced(wrap.bind(module), next, options),
    }),
    ...(notify && { notify: (next) => notices(notify.bind(module), next, options) }),
    ...(module.describe && !isWatching && { describe: module.describe.bind(module) }),
    ...(module.health && { health: () => module.health?.() ?? { state: 'ok', message: '' } }),
    ...(module.check && { check: () => module.check?.() ?? Promise.resolve({ state: 'ok', message: '' }) }),
    ...(module.close && { close: module.close.bind(module) }),
  }
}

type Wrap = NonNullable<Module['wrap']>

/** A module refuses by an error that crosses the wire; anything else that it throws is a failure of its own. */
function isRefusal(error: unknown): boolean {
  return error instanceof RpcError || error instanceof ProxyError
}

export class ModuleTimeout extends Error {
  override readonly name = 'ModuleTimeout'
}

/** What a client is told of a module that failed. */
export function failure(name: string, error: unknown): RpcError {
  const why = error instanceof ModuleTimeout ? 'did not answer in time' : 'failed'
  return new RpcError(RPC.internalError, `The message was refused because the module \`${name}\` ${why}.`, {
    module: name,
  })
}

function enforced(wrap: Wrap, next: Handler, options: GuardOptions): Handler {
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
    const limit = createLimit(timeoutMs)
    /** What became of the message further in; the last attempt counts. */
    let inside: { result: Promise<Result> } | undefined
    let passed: unknown
    const tracked: Handler = (sent) => {
      limit.stop()
      const result = next(sent)
      inside = { result }
      return result
        .catch((error: unknown) => {
          passed = error
          throw error
        })
        .finally(() => limit.start())
    }
    limit.start()
    try {
      return await Promise.race([wrap(tracked)(exchange), limit.reached])
    } catch (error) {
      if (isRefusal(error) || exchange.signal.aborted || (inside && error === passed)) throw error
      told(error)
      if (!failOpen) throw failure(name, error)
      return inside ? inside.result : next(exchange)
    } finally {
      limit.stop()
    }
  }
}

function isThrown(error: unknown): error is object {
  return typeof error === 'object' && error !== null
}

interface Limit {
  /** Rejects when the time is up; never resolves. */
  readonly reached: Promise<never>
  start(): void
  stop(): void
}

function createLimit(ms: number | undefined): Limit {
  let timer: NodeJS.Timeout | undefined
  let reject: (error: Error) => void = () => {}
  const reached = new Promise<never>((_, fail) => {
    reject = fail
  })
  reached.catch(() => {})
  return {
    reached,
    start() {
      if (ms === undefined) return
      clearTimeout(timer)
      timer = setTimeout(() => reject(new ModuleTimeout(`took longer than ${ms} ms`)), ms)
    },
    stop: () => clearTimeout(timer),
  }
}

/** The message goes its way; the module sees it, and what it would have done is logged. */
function onlooker(wrap: Wrap, next: Handler, { logger, timeoutMs }: GuardOptions): Handler {
  return (exchange) => {
    const places: Destination[] = []
    const real = next({
      ...exchange,
      admit(place) {
        places.push(place)
        return exchange.admit?.(place)
      },
    })
    void observe(wrap, exchange, real, places, logger, timeoutMs)
    return real
  }
}

async function observe(
  wrap: Wrap,
  exchange: Exchange,
  real: Promise<Result>,
  places: readonly Destination[],
  logger: Logger,
  timeoutMs: number | undefined,
): Promise<void> {
  const { method } = exchange
  const limit = createLimit(timeoutMs)
  let asked: Exchange | undefined
  const tracked: Handler = (sent) => {
    asked = sent
    limit.stop()
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
    limit.stop()
  }
}

function same(a: Result, b: Result): boolean {
  if (a === b) return true
  if (a instanceof LargeResult || b instanceof LargeResult || !isObject(a) || !isObject(b)) return false
  return JSON.stringify(a) === JSON.stringify(b)
}

function notices(notify: NonNullable<Module['notify']>, next: Notify, options: GuardOptions): Notify {
  const { mode, failOpen, logger } = options
  const failed = (error: unknown): void =>
    logger.error({ error: messageOf(error) }, 'a module failed at a notification')
  if (mode === 'audit') {
    const watching = notify(() => {})
    return (notice) => {
      void attempt(() => watching(notice), failed)
      return next(notice)
    }
  }
  const handler = notify(next)
  // A notification has nobody to be refused to: it is gone, or goes on.
  return (notice: Notice) =>
    attempt(
      () => handler(notice),
      (error) => {
        failed(error)
        return failOpen ? next(notice) : undefined
      },
    )
}

function attempt(
  run: () => void | Promise<void>,
  failed: (error: unknown) => void | Promise<void>,
): void | Promise<void> {
  try {
    const done = run()
    return done instanceof Promise ? done.catch(failed) : done
  } catch (error) {
    return failed(error)
  }
}
