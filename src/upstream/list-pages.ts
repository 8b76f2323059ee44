/** Fetches a list with all its pages (MCP specification, server/utilities/pagination). */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import type { Request } from '../protocol/message.ts'
import { plain, type Result } from '../protocol/result.ts'
import type { Logger } from '../telemetry/log.ts'
import { isMethodNotFound } from './upstream-errors.ts'
import { type CacheHints, LISTS, type ListKind } from './upstreams.ts'
import { wellFormed } from './well-formed.ts'

/** Far beyond any real list; a server that always has one more page must not keep us for ever. */
const MAX_PAGES = 1000
const LOGGED = 10

export interface ListedPages {
  items: JsonObject[]
  /** The strictest of all pages; absent when a page has none. */
  hints: CacheHints | undefined
}

/** Every item the server lists, in its order, fit for clients. Cursors are opaque: the empty string is one. */
export async function listPages(
  kind: ListKind,
  ask: (request: Request) => Promise<Result>,
  logger: Logger,
): Promise<ListedPages> {
  const { method, member } = LISTS[kind]
  const items: JsonObject[] = []
  const hints: (CacheHints | undefined)[] = []
  const done = (): ListedPages => ({ items, hints: strictest(hints) })
  const seen = new Set<string>()
  for (let request: Request = { method }; ; ) {
    const page = plain(await ask(request))
    hints.push(hintsOf(page))
    const listed = own(page, member)
    const broken: string[] = []
    for (const item of Array.isArray(listed) ? listed : []) {
      const good = isObject(item) ? wellFormed(kind, item) : undefined
      if (good !== undefined) items.push(good)
      if (good !== item) broken.push(nameOf(item))
    }
    if (broken.length > 0) {
      const fields = { method, count: broken.length, items: broken.slice(0, LOGGED) }
      logger.warn(fields, 'items of the list break the protocol and were mended or left out')
    }
    const cursor = own(page, 'nextCursor')
    if (typeof cursor !== 'string') return done()
    if (seen.has(cursor) || seen.size + 1 >= MAX_PAGES) {
      logger.warn(
        { method, pages: seen.size + 1 },
        'the list has no end; stopped at a repeated cursor or too many pages',
      )
      return done()
    }
    seen.add(cursor)
    request = { method, params: { cursor } }
  }
}

function nameOf(item: JsonValue): string {
  const name = isObject(item) ? (own(item, 'name') ?? own(item, 'uri')) : undefined
  return typeof name === 'string' ? name.slice(0, 200) : '(without a name)'
}

/** Like `listPages`; a server that does not know the method after all has an empty list. */
export async function listPagesIfKnown(...args: Parameters<typeof listPages>): Promise<ListedPages> {
  try {
    return await listPages(...args)
  } catch (error) {
    if (isMethodNotFound(error)) return { items: [], hints: undefined }
    throw error
  }
}

/** Of a modern result (MCP 2026-07-28, server/utilities/caching): a negative time counts as none. */
function hintsOf({ ttlMs, cacheScope }: JsonObject): CacheHints | undefined {
  if (typeof ttlMs !== 'number' || !Number.isSafeInteger(ttlMs)) return undefined
  return { ttlMs: Math.max(0, ttlMs), cacheScope: cacheScope === 'public' ? 'public' : 'private' }
}

function strictest(all: readonly (CacheHints | undefined)[]): CacheHints | undefined {
  const hints = all.filter((one) => one !== undefined)
  if (hints.length < all.length || hints.length === 0) return undefined
  return {
    ttlMs: Math.min(...hints.map(({ ttlMs }) => ttlMs)),
    cacheScope: hints.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  }
}
