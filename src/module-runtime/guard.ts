/** What happens when a module fails, takes too long, or only looks on. */
import type { Logger } from '../observe/log.ts'
import { LargeResult, plain, type Result } from '../protocol/content.ts'
import type { Destination } from '../protocol/effects.ts'
import { messageOf } from '../protocol/errors.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { createListsInside, KINDS, type Kind, kindOfList } from '../protocol/lists.ts'
import { originOf, withOrigin } from '../protocol/origin.ts'
import { failure, isRefusal, type Module, ModuleTimeout, type Notice, type Notify } from './module.ts'

interface GuardOptions {
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
        isWatching
          ? onlooker(wrap.bind(module), next, options)
          : keepOrigins((inner) => enforced(wrap.bind(module), inner, options), next),
    }),
    ...(notify && { notify: (next) => notices(notify.bind(module), next, options) }),
    ...(module.describe && !isWatching && { describe: module.describe.bind(module) }),
    ...(module.reaches && !isWatching && { reaches: module.reaches.bind(module) }),
    ...(module.health && { health: () => module.health?.() ?? { state: 'ok', message: '' } }),
    ...(module.check && { check: () => module.check?.() ?? Promise.resolve({ state: 'ok', message: '' }) }),
    ...(module.close && { close: module.close.bind(module) }),
  }
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

// A module that has its way, and what becomes of a message at which it fails or takes too long.

function enforced(wrap: NonNullable<Module['wrap']>, next: Handler, options: GuardOptions): Handler {
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

// A module that only looks on: what it would have done is logged.

type Wrap = NonNullable<Module['wrap']>

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

// How long a module may work on a message: the time for which others work is not its own.

interface TimeLimit {
  /** Rejects when the time is up; never resolves. */
  readonly reached: Promise<never>
  /** Its work begins, or goes on. */
  start(): void
  /** Others work. */
  stop(): void
  /** Whoever asked has an answer: from now on there is nothing to limit. */
  end(): void
  readonly isOver: boolean
}

/** @param ms undefined: as long as it takes */
function createTimeLimit(ms: number | undefined): TimeLimit {
  let timer: NodeJS.Timeout | undefined
  let reject: (error: Error) => void = () => {}
  let isOver = false
  const reached = new Promise<never>((_, fail) => {
    reject = fail
  })
  reached.catch(() => {})
  return {
    reached,
    start() {
      clearTimeout(timer)
      if (ms === undefined || isOver) return
      timer = setTimeout(() => reject(new ModuleTimeout(`took longer than ${ms} ms`)), ms)
    },
    stop: () => clearTimeout(timer),
    end() {
      isOver = true
      clearTimeout(timer)
    },
    get isOver() {
      return isOver
    },
  }
}

// Lists keep saying whose their items are. A symbol tells it (`protocol/origin.ts`), which is gone where a
// module gives back what it read from JSON: without it whatever blocks, pins or counts by server would no
// longer know the item.

/** `wrap(next)`, with lists that say of their items what the lists of `next` said. */
function keepOrigins(wrap: (next: Handler) => Handler, next: Handler): Handler {
  const inside = createListsInside()
  const handler = wrap((exchange) =>
    kindOfList(exchange.method) === undefined
      ? next(exchange)
      : inside.pass(exchange, next).then(({ passing }) => passing),
  )
  return (exchange) => {
    const kind = kindOfList(exchange.method)
    if (kind === undefined) return handler(exchange)
    return handler(exchange).then((result) => {
      const before = inside.last(kind, exchange.client)?.passing
      if (before === undefined || before instanceof LargeResult) return result
      const items = before[kind]
      return Array.isArray(items) ? withOrigins(result, kind, items) : result
    })
  }
}

function withOrigins(passing: Result, kind: Kind, before: readonly unknown[]): Result {
  const result = plain(passing)
  const items = result[kind]
  if (!Array.isArray(items)) return passing
  // What no server listed says of nobody, here and further in.
  const isLost = (item: unknown, at: number): boolean =>
    isObject(item) && item !== before[at] && originOf(item) === undefined
  if (!items.some(isLost)) return passing
  const { key } = KINDS[kind]
  const known = new Map(before.flatMap((item) => (isObject(item) ? [[item[key], item]] : [])))
  const names = new Set(items.map((item) => (isObject(item) ? item[key] : undefined)))
  const restored = items.map((item, at) => {
    if (!isObject(item) || !isLost(item, at)) return item
    // One that got another name stands where it stood.
    const there = items.length === before.length ? before[at] : undefined
    const same: JsonObject | undefined =
      known.get(item[key]) ?? (isObject(there) && !names.has(there[key]) ? there : undefined)
    const origin = same && originOf(same)
    return origin ? withOrigin(item, origin) : item
  })
  return { ...result, [kind]: restored }
}
