/**
 * Tools for scripts: list, search and call, and results by their id. What clients see of the tools is of no concern here, so that a
 * script works with every exposure. Calls take the way of all calls but for shaping: a program reads no preview.
 */
import { findReferences } from '../../arguments/reference.ts'
import type { Finder } from '../../discovery/finder.ts'
import { indexTools } from '../../discovery/lexical.ts'
import type { ToolSearch } from '../../discovery/search.ts'
import { encodeResult } from '../../engine/content.ts'
import type { Engine } from '../../engine/engine.ts'
import { type Bridge, BridgeError } from '../../protocol/bridge.ts'
import type { Agent, Client, Exchange, Handler } from '../../protocol/exchange.ts'
import { asksForInput } from '../../protocol/input-required.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { LargeResult, maySayError, plain, type Result } from '../../protocol/result.ts'
import type { Keeper } from '../../store/keeper.ts'
import type { Entry } from '../../store/store.ts'
import { type ConnectionInfo, withAliases } from '../dispatch/connections.ts'
import { createShelves, type Shelf } from '../shelf.ts'
import { toBridgeError } from './errors.ts'
import { createKept } from './kept.ts'
import { type ParamsOf, paramsOf } from './params.ts'
import { connectionNamed, createPermit, toolNamed } from './shelf.ts'
import { found, listed } from './told.ts'

export interface BridgeOptions {
  /** Answers `tools/list` and `tools/call` with what the servers say. */
  next: Handler
  agent: Agent
  /** Runs something for the one client that all scripts are; it stays as long as that takes. */
  as<T>(run: (client: Client) => Promise<T>): Promise<T>
  /** Calls back when that client is gone; another comes with the next script. */
  left(heard: (client: Client) => void): void
  connections(): readonly ConnectionInfo[]
  /** Names of the proxy's own tools. */
  ownTools: ReadonlySet<string>
  engine: Pick<Engine, 'export' | 'fill'>
  keeper: Keeper
  /** Patterns of the tools that scripts may call; none: those that only read. */
  tools: readonly string[]
  /** Longer results are kept. */
  inlineBytes: number
  /** Milliseconds for which they are. */
  ttl: number
  /** Milliseconds by a clock that nobody sets. */
  now: () => number
}

/** Bytes of a part of a result that is asked for by path. */
const LARGEST_PART = 64 * 1024 * 1024

export function createBridge(options: BridgeOptions): Bridge {
  const { next, agent, as, engine, inlineBytes, ttl } = options
  const shelves = createShelves(next, options.ownTools, wordFinder, {
    left: options.left,
    // No script waits for an index that nobody asked for.
    toolsChanged() {},
  })
  const permits = createPermit(options.tools)
  const kept = createKept(options)
  const connections = () => withAliases(options.connections())
  const shelfFor = async (client: Client, signal: AbortSignal): Promise<Shelf> =>
    (await shelves.of(exchangeOf(client, 'tools/list', {}, signal))).shelf

  const exchangeOf = (client: Client, method: string, params: JsonObject, signal: AbortSignal): Exchange => ({
    method,
    params,
    client,
    agent,
    signal,
    notify() {},
    failing: 'throws',
  })

  async function list(params: ParamsOf<'list'>, shelf: Shelf): Promise<JsonObject> {
    const all = connections()
    const one = connectionNamed(params.connection, all)
    return listed(one ? [one] : all, shelf.tools.filter(permits), params)
  }

  async function search(params: ParamsOf<'search'>, shelf: Shelf, signal: AbortSignal): Promise<JsonObject> {
    const one = connectionNamed(params.connection, connections())
    const hits = await shelf.search(params.query, shelf.tools.length, signal)
    const tools = hits.flatMap(({ index, score }) => {
      const tool = shelf.tools[index]
      return tool && permits(tool) && (!one || tool.server === one.server) ? [{ tool, score }] : []
    })
    return found(tools, params)
  }

  async function call(
    params: ParamsOf<'call'>,
    shelf: Shelf,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const tool = toolNamed(params, shelf.tools, connections(), permits)
    const asked = { name: tool.name, arguments: params.arguments }
    const result = await next(exchangeOf(client, 'tools/call', asked, signal))
    if (asksForInput(result))
      throw new BridgeError('server_failed', `${tool.name} asks for input, which a script cannot give.`)
    const content = result instanceof LargeResult ? result.bytes : encodeResult(result)
    const bytes = content.byteLength
    const heading = {
      tool: tool.original,
      connection: tool.server,
      ...(failed(result) && { isError: true }),
      bytes,
    }
    if (bytes <= inlineBytes) return { ...heading, result: plain(result) }
    const id = await kept.keep(content, { tool: tool.name, arguments: params.arguments })
    return { ...heading, cache_id: id, url: `/bridge/result/${id}`, expiresInSeconds: Math.floor(ttl / 1000) }
  }

  /** Side by side: each is answered as if it were alone. */
  async function batch(
    { calls }: ParamsOf<'batch'>,
    shelf: Shelf,
    client: Client,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const one = async (given: JsonObject): Promise<JsonObject> => {
      try {
        return { status: 200, ...(await call(paramsOf('call', given), shelf, client, signal)) }
      } catch (error) {
        const refusal = toBridgeError(error)
        return { status: refusal.status, ...refusal.toJSON() }
      }
    }
    return { results: await Promise.all(calls.map(one)) }
  }

  /** As a reference in arguments would give it. */
  async function partOf(entry: Entry, path: string, signal: AbortSignal): Promise<Uint8Array> {
    const args = { part: { $from: entry.handle, path } }
    const found = findReferences(args)
    if ('fault' in found) throw new BridgeError('bad_request', found.fault)
    const filled = await engine.fill([entry], { args, found, maxBytes: LARGEST_PART }, signal)
    if ('error' in filled) throw new BridgeError('bad_request', filled.error)
    return filled.written[0]?.bytes ?? Buffer.from(JSON.stringify(filled.args.part))
  }

  return {
    answer: (action, given, signal) =>
      translated(() => {
        // What cannot be read is refused before any server is asked for anything.
        const params = paramsOf(action, given)
        return as(async (client) => {
          const shelf = await shelfFor(client, signal)
          if (action === 'list') return list(params as ParamsOf<'list'>, shelf)
          if (action === 'search') return search(params as ParamsOf<'search'>, shelf, signal)
          if (action === 'call') return call(params as ParamsOf<'call'>, shelf, client, signal)
          return batch(params as ParamsOf<'batch'>, shelf, client, signal)
        })
      }),

    result: (id, { path, payload }, signal) =>
      translated(async () => {
        const entry = await kept.get(id)
        if (!entry)
          throw new BridgeError(
            'not_found',
            'No kept result has this id: it expired or never was. Call again.',
          )
        if (path !== undefined) return { type: JSON_TYPE, bytes: await partOf(entry, path, signal) }
        if (!payload) return { type: JSON_TYPE, bytes: entry.content }
        const { content, format } = await engine.export(entry.content, false, signal)
        return { type: format === 'json' ? JSON_TYPE : 'text/plain; charset=utf-8', bytes: content }
      }),
  }
}

const JSON_TYPE = 'application/json'

async function translated<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw toBridgeError(error)
  }
}

function failed(result: Result): boolean {
  if (result instanceof LargeResult) return maySayError(result) && result.json().isError === true
  return result.isError === true
}

/** By words, indexed when the first question comes. */
const wordFinder: Finder = {
  over(tools) {
    let index: ToolSearch | undefined
    return async (question, limit) => {
      index ??= indexTools(tools)
      return index.search(question, limit)
    }
  },
  release() {},
  retain() {},
  close: async () => {},
}
