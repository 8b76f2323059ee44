/** The effects when a module fails, takes too long, or only looks on. */
import type { Logger } from '../observe/log.ts'
import { LargeResult, plain, type Result } from '../protocol/content.ts'
import type { Destination } from '../protocol/effects.ts'
import { withAbortSignal } from '../protocol/embedding.ts'
import { messageOf } from '../protocol/errors.ts'
import type { Exchange, Handler, Lists, ShowList } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { KINDS, type Kind, kindOfList, showList } from '../protocol/lists.ts'
import { originOf, withOrigin } from '../protocol/origin.ts'
import { failure, isRefusal, type Module, ModuleTimeout, type Notice, type Notify } from './module.ts'

interface GuardOptions {
  name: string
  mode: 'enforce' | 'audit'
  /** True: what the module fails at goes on unchanged. */
  failOpen: boolean
  /** Milliseconds that it may work on a message before it passes it on, and on the result after. Undefined: as long as it takes. */
  timeoutMs: number | undefined
  /** As its definition says. */
  seesObjects?: boolean | undefined
  logger: Logger
}

/** The module, unable to do more than it may. */
export function guard(module: Module, options: GuardOptions): Module {
  const { notify } = module
  const isWatching = options.mode === 'audit'
  return {
    ...((module.wrap ?? module.list) && {
      wrap: (next, inside) => {
        const wrap: Wrap = (inner, lists) => wholeOf(module, inner, lists, options)
        return isWatching
          ? onlooker(wrap, next, inside, options)
          : keepOrigins(enforced(wrap, next, inside, options), inside)
      },
    }),
    ...(notify && { notify: (next) => notices(notify.bind(module), next, options) }),
    ...(module.describe && !isWatching && { describe: module.describe.bind(module) }),
    ...(module.reaches && !isWatching && { reaches: module.reaches.bind(module) }),
    ...(module.health && { health: () => module.health?.() ?? { state: 'ok', message: '' } }),
    ...(module.check && { check: () => module.check?.() ?? Promise.resolve({ state: 'ok', message: '' }) }),
    ...(module.close && { close: module.close.bind(module) }),
  }
}

type Wrap = (next: Handler, inside: Lists) => Handler

/** Its part for lists, and all its other work, as one. */
function wholeOf(
  module: Module,
  next: Handler,
  inside: Lists,
  { seesObjects = false }: GuardOptions,
): Handler {
  const wrap = module.wrap?.bind(module)
  const calls = (seesObjects && wrap ? ofObjects(wrap, next, inside) : wrap?.(next, inside)) ?? next
  const list = module.list?.bind(module)
  if (list === undefined) return calls
  const show: ShowList = seesObjects
    ? (listed, exchange, lists) => list(listed, withAbortSignal(exchange), lists)
    : list
  return async (exchange) =>
    kindOfList(exchange.method) === undefined ? calls(exchange) : showList(exchange, next, inside, show)
}

/** A module of an embedding program. A large result that it gives back as it came stays the bytes that it was. */
function ofObjects(wrap: Wrap, next: Handler, inside: Lists): Handler {
  const large = new WeakMap<JsonObject, LargeResult>()
  const handler = wrap(async (exchange) => {
    const result = await next(exchange)
    const object = plain(result)
    if (result instanceof LargeResult) large.set(object, result)
    return object
  }, inside)
  return async (exchange) => {
    const result = await handler(withAbortSignal(exchange))
    return result instanceof LargeResult ? result : (large.get(result) ?? result)
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
  // A notification has no reply that could refuse it: it is dropped, or goes on.
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

// Runs a module, and decides about a message at which it fails or takes too long.

function enforced(wrap: Wrap, next: Handler, inside: Lists, options: GuardOptions): Handler {
  const { name, failOpen, timeoutMs, logger } = options
  const told = (error: unknown): void =>
    logger.error(
      { error: messageOf(error) },
      failOpen ? 'a module failed; the message went on' : 'a module failed',
    )
  if (!failOpen && timeoutMs === undefined) {
    /** Errors that came from further in pass as they are. */
    const passed = new WeakSet<object>()
    const noted = <T>(work: Promise<T>): Promise<T> =>
      work.catch((error: unknown) => {
        if (isThrown(error)) passed.add(error)
        throw error
      })
    const handler = wrap((exchange) => noted(next(exchange)), waitedFor(inside, noted))
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
    /** The outcome of the message further in; the last attempt counts. */
    let sentOn: { result: Promise<Result> } | undefined
    let passed: { error: unknown } | undefined
    const others = <T>(work: Promise<T>): Promise<T> => {
      limit.stop()
      return work
        .catch((error: unknown) => {
          passed = { error }
          throw error
        })
        .finally(() => limit.start())
    }
    const tracked: Handler = async (sent) => {
      // The sender has an answer already. Passed on now, the message would be done twice, or although it was refused.
      if (limit.isOver) throw new ModuleTimeout('it is too late to pass the message on')
      const result = next(sent)
      // A list that it asks for on the way is not what the client waits for.
      if (sent.method === exchange.method) sentOn = { result }
      return others(result)
    }
    limit.start()
    try {
      return await Promise.race([wrap(tracked, waitedFor(inside, others))(exchange), limit.reached])
    } catch (error) {
      if (isRefusal(error) || exchange.signal.aborted || (passed && error === passed.error)) throw error
      limit.end()
      told(error)
      if (!failOpen) throw failure(name, error)
      return sentOn ? sentOn.result : next(exchange)
    } finally {
      limit.end()
    }
  }
}

/** `inside`, with what waits for others where a list has to be made. */
function waitedFor(inside: Lists, others: <T>(work: Promise<T>) => Promise<T>): Lists {
  const made = <T>(work: T | Promise<T>): T | Promise<T> => (work instanceof Promise ? others(work) : work)
  return {
    ask: (exchange) => others(inside.ask(exchange)),
    last: inside.last,
    known: (kind, exchange) => made(inside.known(kind, exchange)),
    unchanged: (kind, exchange) => made(inside.unchanged(kind, exchange)),
    current: (kind, exchange) => others(inside.current(kind, exchange)),
    fresh: (kind, exchange) => others(inside.fresh(kind, exchange)),
    find: (kind, name, exchange) => made(inside.find(kind, name, exchange)),
    origin: (exchange) => others(inside.origin(exchange)),
  }
}

function isThrown(error: unknown): error is object {
  return typeof error === 'object' && error !== null
}

// A module that only looks on: what it would have done is logged.

/** The message goes its way; the module sees it, and what it would have done is logged. */
function onlooker(wrap: Wrap, next: Handler, inside: Lists, { logger, timeoutMs }: GuardOptions): Handler {
  return (exchange) => {
    const places: Destination[] = []
    const real = next({
      ...exchange,
      admit(place) {
        places.push(place)
        return exchange.admit?.(place)
      },
    })
    void observe(wrap, exchange, next, inside, real, places, logger, timeoutMs)
    return real
  }
}

async function observe(
  wrap: Wrap,
  exchange: Exchange,
  next: Handler,
  inside: Lists,
  real: Promise<Result>,
  places: readonly Destination[],
  logger: Logger,
  timeoutMs: number | undefined,
): Promise<void> {
  const { method } = exchange
  const limit = createTimeLimit(timeoutMs)
  let asked: Exchange | undefined
  const others = <T>(work: Promise<T>): Promise<T> => {
    limit.stop()
    return work.finally(() => limit.start())
  }
  const tracked: Handler = (sent) => {
    // It may want to know what is listed, which changes nothing.
    if (sent.method !== method && kindOfList(sent.method) !== undefined) return others(next(sent))
    asked = sent
    return others(real)
  }
  try {
    limit.start()
    const result = await Promise.race([
      wrap(tracked, waitedFor(inside, others))({ ...exchange, notify() {}, onStruck() {} }),
      limit.reached,
    ])
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
  /** The requester has an answer: nothing is left to limit. */
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

// Keeps the server of each listed item. It is a symbol (`protocol/origin.ts`), which is lost where a module returns a list that it read
// from JSON. Modules that block, pin or count by server need it.

/** Lists say of their items what those inside said. */
function keepOrigins(handler: Handler, inside: Lists): Handler {
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
  // An item that no server listed has no server, here and further in.
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
