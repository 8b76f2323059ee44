/**
 * Answers the same call of a tool that only reads with the result it had a moment ago, for those who ask for it. Inside of shaping: what
 * is remembered is what the server said, and each agent's alone.
 */
import { LRUCache } from 'lru-cache'
import { META } from '../protocol/content.ts'
import type { Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import { asksForInput } from '../protocol/input-required.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { LargeResult, plain, type Result } from '../protocol/result.ts'

export interface ResultCacheOptions {
  /** Milliseconds for which a result is good. */
  ttl: number
  /** Names of tools to which this applies, `*` for any characters. Empty: all that say of themselves that they only read. */
  tools: readonly string[]
  /** The most bytes of all results. */
  maxBytes: number
  /** Names of the proxy's own tools. */
  exempt: ReadonlySet<string>
  /** Milliseconds by a clock that nobody sets. */
  now: () => number
}

interface Remembered {
  result: Result
  until: number
}

/** What a result takes at least, with its key. */
const overhead = 500

export function createResultCache(options: ResultCacheOptions): Middleware {
  const { ttl, maxBytes, exempt, now } = options
  const known = new LRUCache<string, Remembered>({ maxSize: maxBytes, maxEntrySize: Math.ceil(maxBytes / 4) })
  const chosen = options.tools.map(matcher)
  const isChosen = (name: string): boolean => chosen.some((matches) => matches(name))

  return {
    name: 'result-cache',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      const { name, arguments: args, task } = exchange.params
      if (typeof name !== 'string' || exempt.has(name) || task !== undefined) return next(exchange)
      const tool = await definitionOf(name, exchange, next)
      const isCached =
        tool !== undefined && (chosen.length > 0 ? isChosen(name) && !destroys(tool) : reads(tool))
      if (!isCached) return next(exchange)
      const key = `${exchange.agent.id}\n${name}\n${canonical(args ?? {})}`
      const before = known.get(key)
      if (before && now() < before.until) return flagged(before.result)
      const result = await next(exchange)
      if (isGood(result)) known.set(key, { result, until: now() + ttl }, { size: sizeOf(result, key) })
      return result
    },
  }
}

/** As the client was told: a tool that nobody knows is nobody's to remember. */
async function definitionOf(
  name: string,
  exchange: Exchange,
  next: Handler,
): Promise<JsonObject | undefined> {
  const { _meta } = exchange.params
  const params = _meta === undefined ? {} : { _meta }
  const { tools } = plain(await next({ ...exchange, method: 'tools/list', params }))
  return Array.isArray(tools) ? tools.filter(isObject).find((tool) => tool.name === name) : undefined
}

function reads(tool: JsonObject): boolean {
  const annotations = own(tool, 'annotations')
  return isObject(annotations) && annotations.readOnlyHint === true
}

/** Who names a tool that says nothing of itself knows what it does. */
function destroys(tool: JsonObject): boolean {
  const annotations = own(tool, 'annotations')
  return isObject(annotations) && annotations.readOnlyHint === false && annotations.idempotentHint !== true
}

/** An error may be over, and a question is asked once. */
function isGood(result: Result): boolean {
  return result instanceof LargeResult || (result.isError !== true && !asksForInput(result))
}

function sizeOf(result: Result, key: string): number {
  const bytes = result instanceof LargeResult ? result.bytes.byteLength : JSON.stringify(result).length
  return bytes + key.length + overhead
}

/** A large result says nothing: its bytes are the server's own. */
function flagged(result: Result): Result {
  if (result instanceof LargeResult) return result
  const meta = isObject(result._meta) ? result._meta : {}
  return { ...result, _meta: { ...meta, [`${META}cached`]: true } }
}

/** The same for arguments that differ in the order of their names alone. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

function matcher(pattern: string): (name: string) => boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return (name) => name === pattern
  const [first = '', ...rest] = parts
  const last = rest.pop() ?? ''
  return (name) => {
    if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
      return false
    let at = first.length
    for (const part of rest) {
      const found = name.indexOf(part, at)
      if (found < 0 || found + part.length > name.length - last.length) return false
      at = found + part.length
    }
    return true
  }
}
