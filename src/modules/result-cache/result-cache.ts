/**
 * Answers the same call of a tool that only reads with the result it had a moment ago, for those who ask for it. What is remembered is
 * what the server said, each agent's alone: inside of shaping, so that a large result is the kept one and no second copy of it, and
 * inside of references, so that two calls are the same when the data in them is. A call that may change something ends what its
 * agent's results are good for.
 */
import { LRUCache } from 'lru-cache'
import { META } from '../../protocol/content.ts'
import { withMeta } from '../../protocol/eras.ts'
import { cancelled } from '../../protocol/errors.ts'
import type { Client, Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { asksForInput } from '../../protocol/input-required.ts'
import { isObject } from '../../protocol/json.ts'
import { LargeResult, maySayError, plain, type Result } from '../../protocol/result.ts'
import { SingleFlight } from '../../protocol/single-flight.ts'
import { createJudge, UNKNOWN, type Verdict } from './cacheable.ts'
import { keyOf, wantsProgress } from './key.ts'

export interface ResultCacheOptions {
  /** Milliseconds for which a result is good. */
  ttl: number
  /** Names of tools to which this applies, `*` for any characters. Empty: all that say of themselves that they only read. */
  tools: readonly string[]
  /** The most bytes of all results; one may have a quarter of them. */
  maxBytes: number
  /** Names of the proxy's own tools. */
  exempt: ReadonlySet<string>
  /** Milliseconds by a clock that nobody sets. */
  now: () => number
}

export interface ResultCache {
  /** Outside of shaping: says in `_meta` of a result that it was remembered. */
  readonly mark: Middleware
  /** Innermost. */
  readonly remember: Middleware
  /** Tools are not what they were. */
  forget(): void
}

interface Remembered {
  readonly result: Result
  readonly agent: string
  readonly until: number
}

/** What a result takes at least, with its key. */
const OVERHEAD = 500
const MAX_RESULTS = 10_000
/** A larger result that goes out as its server's own bytes is not parsed to say that it was remembered. */
const MAX_PARSED = 1024 * 1024

/** A note that travels with an exchange: whoever copies an exchange copies it along. */
const NOTE = Symbol('result-cache')
type Noted = Exchange & { [NOTE]?: { hit: boolean } }

export function createResultCache({ ttl, tools, maxBytes, exempt, now }: ResultCacheOptions): ResultCache {
  const known = new LRUCache<string, Remembered>({
    max: MAX_RESULTS,
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes / 4),
  })
  const flights = new SingleFlight<Result>()
  const judge = createJudge(tools)
  let verdicts = new WeakMap<Client, ReadonlyMap<string, Verdict>>()
  /** Counts whatever ends what a result is good for: what was asked before is not remembered after. */
  let changes = 0

  function forget(agent?: string): void {
    changes++
    if (agent === undefined) return known.clear()
    for (const [key, remembered] of known) if (remembered.agent === agent) known.delete(key)
  }

  async function list(next: Handler, exchange: Exchange): Promise<Result> {
    // A list that was asked for before the tools changed is not one of the tools there are then.
    const into = verdicts
    const result = plain(await next(exchange))
    const items = Array.isArray(result.tools) ? result.tools.filter(isObject) : []
    into.set(exchange.client, new Map(items.map((item) => [String(item.name), judge(item)])))
    return result
  }

  /** By what the client was told: a tool that nobody knows is nobody's to remember. */
  async function verdictOn(name: string, next: Handler, exchange: Exchange): Promise<Verdict> {
    const before = verdicts.get(exchange.client)?.get(name)
    if (before) return before
    const { _meta } = exchange.params
    const params = _meta === undefined ? {} : { _meta }
    await list(next, { ...exchange, method: 'tools/list', params })
    return verdicts.get(exchange.client)?.get(name) ?? UNKNOWN
  }

  async function call(next: Handler, exchange: Exchange): Promise<Result> {
    const { name } = exchange.params
    if (typeof name !== 'string' || exempt.has(name)) return next(exchange)
    const verdict = await verdictOn(name, next, exchange)
    const key = verdict.remember ? keyOf(exchange) : undefined
    const before = key === undefined ? undefined : known.get(key)
    if (before && now() < before.until) return hit(before.result, exchange)
    if (verdict.changes) return changing(next, exchange, key)
    return key === undefined ? next(exchange) : reading(next, exchange, key)
  }

  async function changing(next: Handler, exchange: Exchange, key: string | undefined): Promise<Result> {
    forget(exchange.agent.id)
    try {
      const result = await next(exchange)
      forget(exchange.agent.id)
      if (key !== undefined) keep(key, result, exchange, changes)
      return result
    } catch (error) {
      // Nobody knows how far it came.
      forget(exchange.agent.id)
      throw error
    }
  }

  async function reading(next: Handler, exchange: Exchange, key: string): Promise<Result> {
    const began = changes
    if (wantsProgress(exchange)) return keep(key, await next(exchange), exchange, began)
    // Another connection of the same agent may end, and its calls with it.
    const flight = `${began} ${exchange.client.id} ${key}`
    if (exchange.signal.aborted) throw cancelled(exchange.signal)
    const before = flights.find(flight)
    const shared = before ?? flights.begin([flight], async (signal) => next({ ...exchange, signal }))
    const result = await shared.join(exchange.signal)
    // What a server asks is asked of one.
    if (before && asksForInput(result)) return next(exchange)
    return keep(key, result, exchange, began)
  }

  function keep(key: string, result: Result, { agent }: Exchange, began: number): Result {
    if (began === changes && isGood(result))
      known.set(key, { result, agent: agent.id, until: now() + ttl }, { size: sizeOf(result) })
    return result
  }

  return {
    mark: {
      name: 'result-cache-mark',
      methods: ['tools/call'],
      wrap: (next) => async (exchange) => {
        const note = { hit: false }
        const result = await next({ ...exchange, [NOTE]: note } as Noted)
        return note.hit ? marked(result) : result
      },
    },
    remember: {
      name: 'result-cache',
      methods: ['tools/list', 'tools/call'],
      wrap: (next) => (exchange) =>
        exchange.method === 'tools/list' ? list(next, exchange) : call(next, exchange),
    },
    forget() {
      verdicts = new WeakMap()
      forget()
    },
  }
}

function hit(result: Result, exchange: Noted): Result {
  const note = exchange[NOTE]
  if (note) note.hit = true
  return result
}

/** An error may be over, and a question is asked once. */
function isGood(result: Result): boolean {
  const failed = result instanceof LargeResult ? maySayError(result) : result.isError === true
  return !failed && !asksForInput(result)
}

function sizeOf(result: Result): number {
  return OVERHEAD + (result instanceof LargeResult ? result.bytes.byteLength : JSON.stringify(result).length)
}

function marked(result: Result): Result {
  if (!(result instanceof LargeResult)) return withMeta(result, { [`${META}cached`]: true })
  if (result.bytes.byteLength > MAX_PARSED) return result
  try {
    return withMeta(result.json(), { [`${META}cached`]: true })
  } catch {
    return result
  }
}
