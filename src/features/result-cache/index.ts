/**
 * Answers the same call of a tool that only reads with the result of a moment ago, where the configuration says so. It remembers what the
 * server said, for each agent alone. It stands inside of shaping, so that a large result is the kept one and no second copy. It stands
 * inside of references, so that two calls are the same when the data in them is. A call that may change something forgets its agent's
 * results.
 */

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Config } from '../../config/schema.ts'
import {
  asksForInput,
  LargeResult,
  META,
  maySayError,
  type Result,
  withMeta,
} from '../../protocol/content.ts'
import { effectOf } from '../../protocol/effects.ts'
import { cancelled } from '../../protocol/errors.ts'
import type { Exchange, Handler, Lists, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, jsonParts, own, RawJson } from '../../protocol/json.ts'
import { onceForEach } from '../../protocol/lists.ts'
import { originOf } from '../../protocol/origin.ts'
import { SingleFlight } from '../../protocol/sharing.ts'
import { PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import type { Audience } from '../../server/audience.ts'
import type { SharedValues } from '../../store/valkey/values.ts'
import { fitsGlob } from '../../text/patterns/glob.ts'
import { type SharedResults, sharedResults } from './shared.ts'

export interface ResultCacheOptions {
  /** Milliseconds for which a result is good. */
  ttl: number
  /** Names of tools to which this applies, `*` for any characters. Empty: all that say of themselves that they only read. */
  tools: readonly string[]
  /** The most bytes of all results; one may have a quarter of them. */
  maxBytes: number
  /** Names of the proxy's own tools. */
  exempt: ReadonlySet<string>
  /** Milliseconds by a monotonic clock. */
  now: () => number
  /** The results that replicas remember together. Absent: this process remembers by itself. */
  shared?: SharedResults | undefined
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

/** The least size of a result, with its key. */
const OVERHEAD = 500
const MAX_RESULTS = 10_000
/** A larger result that goes out as its server's own bytes is not parsed to say that it was remembered. */
const MAX_PARSED = 1024 * 1024

/** A note that travels with an exchange: every copy of the exchange has it. */
const NOTE = Symbol('result-cache')
type Noted = Exchange & { [NOTE]?: { hit: boolean } }

export function createResultCache({
  ttl,
  tools,
  maxBytes,
  exempt,
  now,
  shared,
}: ResultCacheOptions): ResultCache {
  const known = new LRUCache<string, Remembered>({
    max: MAX_RESULTS,
    maxSize: maxBytes,
    maxEntrySize: Math.ceil(maxBytes / 4),
  })
  const flights = new SingleFlight<Result>()
  const judge = createJudge(tools)
  const verdictsOf = onceForEach(
    ({ items }) => new Map(items.map((item) => [String(item.name), judge(item)])),
  )
  /** Counts whatever ends what a result is good for: what was asked before is not remembered after. */
  let changes = 0

  function forget(agent?: string): void {
    changes++
    if (agent === undefined) return known.clear()
    for (const [key, remembered] of known) if (remembered.agent === agent) known.delete(key)
  }

  /** By what the client was told: a tool that is not listed is not remembered. */
  async function verdictOn(name: string, exchange: Exchange, inside: Lists): Promise<Verdict> {
    const before = inside.last('tools', exchange.client)
    const listed = await inside.unchanged('tools', exchange)
    const verdict = verdictsOf(listed).get(name)
    if (verdict !== undefined || listed !== before) return verdict ?? UNKNOWN
    return verdictsOf(await inside.fresh('tools', exchange)).get(name) ?? UNKNOWN
  }

  async function call(next: Handler, exchange: Exchange, inside: Lists): Promise<Result> {
    const { name } = exchange.params
    if (typeof name !== 'string' || exempt.has(name)) return next(exchange)
    const verdict = await verdictOn(name, exchange, inside)
    const asked = verdict.remember ? keyOf(exchange, shared && verdict.definition) : undefined
    const key = asked && shared ? `${await shared.phase(exchange.agent)} ${asked}` : asked
    const before = key === undefined ? undefined : await remembered(key, exchange)
    if (before) return hit(before, exchange)
    if (verdict.changes) return changing(next, exchange, asked)
    return key === undefined ? next(exchange) : reading(next, exchange, key)
  }

  /** Strikes in a result hold for each caller that gets it. */
  const struck = new WeakMap<Result, ReadonlySet<object>>()
  function noting(next: Handler): Handler {
    return async (exchange) => {
      const changes = new Set<object>()
      const result = await next({ ...exchange, onStruck: (change) => void changes.add(change) })
      struck.set(result, changes)
      return result
    }
  }

  async function remembered(key: string, exchange: Exchange): Promise<Result | undefined> {
    const here = known.get(key)
    if (here && now() < here.until) return here.result
    const began = changes
    const there = await shared?.get(key)
    // How long it still counts is known there alone: it is asked for each time.
    return there && began === changes && !exchange.signal.aborted ? there : undefined
  }

  async function changing(next: Handler, exchange: Exchange, asked: string | undefined): Promise<Result> {
    const { agent } = exchange
    const forgotten = async (): Promise<void> => {
      forget(agent.id)
      await shared?.forget(agent)
    }
    await forgotten()
    try {
      const result = await next(exchange)
      await forgotten()
      if (asked !== undefined)
        keep(shared ? `${await shared.phase(agent)} ${asked}` : asked, result, exchange, changes)
      return result
    } catch (error) {
      // It is unknown how far it came.
      await forgotten()
      throw error
    }
  }

  async function reading(next: Handler, exchange: Exchange, key: string): Promise<Result> {
    const began = changes
    if (wantsProgress(exchange)) return keep(key, await next(exchange), exchange, began)
    // Another connection of the same agent may end, and its calls with it.
    // The allowed effects of a call decide whether it is made. So a call that may do less does not wait for one that may do more.
    const flight = `${began} ${exchange.client.id} ${exchange.limit?.most ?? ''} ${key}`
    if (exchange.signal.aborted) throw cancelled(exchange.signal)
    const before = flights.find(flight)
    const shared = before ?? flights.begin([flight], async (signal) => next({ ...exchange, signal }))
    const result = await shared.join(exchange.signal)
    // A question of a server is put to one caller.
    if (before && asksForInput(result)) return next(exchange)
    return keep(key, result, exchange, began)
  }

  function keep(key: string, result: Result, { agent }: Exchange, began: number): Result {
    if (began !== changes || !isGood(result)) return result
    known.set(key, { result, agent: agent.id, until: now() + ttl }, { size: sizeOf(result) })
    // Another replica would not know what to strike out of the files in it.
    if ((struck.get(result)?.size ?? 0) === 0) void shared?.put(key, result, ttl)
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
      methods: ['tools/call'],
      wrap: (next, inside) => async (exchange) => {
        const result = await call(noting(next), exchange, inside)
        for (const change of struck.get(result) ?? []) exchange.onStruck?.(change)
        return result
      },
    },
    forget: () => forget(),
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

// The key of a call: two calls with the same key are the same.

/** Members of the params that are told apart; a call with any other is one of a kind. */
const KNOWN: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])

/** Members of `_meta` that say how a call is carried, and nothing of what is asked. */
const CARRIED = /^(?:progressToken|traceparent|tracestate|baggage|io\.modelcontextprotocol\/.*)$/

/**
 * The same for calls of one agent that differ in the order of names alone. Undefined for a call that equals no other: one of a task, or
 * one with answers to questions of a server. Undefined also for an unknown agent, which may be several.
 */
function keyOf({ agent, client, params }: Exchange, definition: JsonObject | undefined): string | undefined {
  if (agent.kind === 'anonymous' || Object.keys(params).some((member) => !KNOWN.has(member))) return undefined
  const { name, arguments: args = {}, _meta: meta } = params
  const asked = isObject(meta) ? Object.entries(meta).filter(([member]) => !CARRIED.test(member)) : []
  // Names may mean other tools in another profile.
  const whose = [agent.kind, agent.id, client.profile ?? null]
  // A tool of this name may be another one at another replica.
  const call = [...whose, name ?? null, definition ?? null, args, Object.fromEntries(asked)]
  const hash = createHash('sha256')
  try {
    for (const part of jsonParts(ordered(call as JsonValue))) hash.update(part)
  } catch {
    // Nested so deeply that it cannot be written: the call itself will say so.
    return undefined
  }
  return hash.digest('base64')
}

/** True when the requester is told how far the call is: that is told to one. */
function wantsProgress({ params: { _meta: meta } }: Exchange): boolean {
  return isObject(meta) && Object.hasOwn(meta, 'progressToken')
}

/** A copy with the names of objects in order. A value that is sent as it is written stays as it is. */
function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value) || value instanceof RawJson) return value
  const members = Object.entries(value).map(([name, inner]) => [name, ordered(inner)] as const)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

// Which tools have results that can stand for a while: what they say of themselves, and what the
// configuration says.

/** `remember`: the same call can be answered with the same result. `changes`: it may make results of others untrue. */
interface Verdict {
  readonly remember: boolean
  readonly changes: boolean
  readonly definition?: JsonObject
}

/**
 * @param names patterns for names as clients see them or as `server/tool`. None: all tools that say they only read. Tools that change
 * something are remembered where they are named and say that doing it again changes nothing more.
 */
function createJudge(names: readonly string[]): (definition: JsonObject) => Verdict {
  const matches = (name: string): boolean => names.some((pattern) => fitsGlob(name, pattern))
  const isNamed = (definition: JsonObject): boolean => {
    const origin = originOf(definition)
    return matches(String(definition.name)) || (!!origin && matches(`${origin.server}/${origin.name}`))
  }
  return (definition) => {
    const given = own(definition, 'annotations')
    const annotations = isObject(given) ? given : {}
    const reads = effectOf(definition) === 'read'
    const named = names.length > 0 && isNamed(definition)
    return {
      remember: reads ? named || names.length === 0 : named && annotations.idempotentHint === true,
      changes: !reads,
      definition,
    }
  }
}

/** Of a tool that no list has. */
const UNKNOWN: Verdict = { remember: false, changes: true }

// The cache of tool results, for those alone who want it.

const MAX_BYTES = 64 * 1024 * 1024

/** The cache that the settings ask for. It forgets everything when lists of tools change. */
export function openResultCache(
  { settings: { toolCache } }: Config,
  audience: Pick<Audience, 'listen'>,
  elapsed: () => number,
  values?: SharedValues,
): ResultCache {
  const cache = createResultCache({
    ttl: toolCache.ttlMs,
    tools: toolCache.tools,
    maxBytes: MAX_BYTES,
    exempt: PROXY_TOOL_NAMES,
    now: elapsed,
    shared: values && sharedResults(values),
  })
  audience.listen((list) => {
    if (list === 'tools') cache.forget()
  })
  return cache
}
