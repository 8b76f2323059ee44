/**
 * Tools for scripts: list, search and call, and results by their id. The view of clients on the tools is of no concern here, so that a
 * script works with every exposure. Calls take the way of all calls but for shaping: a program reads no preview.
 */
import * as z from 'zod'
import type { FindableTool, Finder } from '../../discovery/finder.ts'
import { indexTools } from '../../discovery/lexical.ts'
import type { ToolSearch } from '../../discovery/search.ts'
import { signatureOf } from '../../discovery/signature.ts'
import { findReferences } from '../../engine/arguments.ts'
import { encodeResult, hashInSlices } from '../../engine/content.ts'
import type { Engine } from '../../engine/contract.ts'
import { asksForInput, LargeResult, maySayError, plain, type Result } from '../../protocol/content.ts'
import { effectOf, type Limit, within } from '../../protocol/effects.ts'
import { type ErrorCode, ProxyError, RPC, RpcError } from '../../protocol/errors.ts'
import type { Agent, Client, Exchange, Handler, Lists } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Signal } from '../../protocol/message.ts'
import { originOf } from '../../protocol/origin.ts'
import {
  type Connection,
  type ConnectionInfo,
  findConnection,
  unknownConnection,
  withAliases,
} from '../../proxy/connections.ts'
import { readParams } from '../../proxy/parameters.ts'
import { createToolIndexes, type ToolIndex } from '../../proxy/tool-index.ts'
import type { Handle } from '../../store/handles.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Entry, Origin } from '../../store/store.ts'
import { fitsGlob } from '../../text/patterns/glob.ts'
import { didYouMean } from '../../text/words/edit-distance.ts'

export interface BridgeOptions {
  /** Answers `tools/call` with what the servers say. */
  handler: Handler
  /** The lists for scripts. */
  lists: Lists
  agent: Agent
  /** Runs something for the one client that all scripts are; it stays as long as that takes. */
  as<T>(run: (client: Client) => Promise<T>): Promise<T>
  /** Calls back when that client is gone; another comes with the next script. */
  left(heard: (client: Client) => void): void
  connections(): readonly ConnectionInfo[]
  /** Names of the proxy's own tools. */
  ownTools: ReadonlySet<string>
  engine: Pick<Engine, 'export' | 'fill'>
  resultStore: ResultStore
  /** Patterns of the tools that scripts may call; none: the tools that only read. */
  tools: readonly string[]
  /** Longer results are kept. */
  inlineBytes: number
  /** Milliseconds for which they are. */
  ttl: number
  /** Milliseconds by a monotonic clock. */
  now: () => number
}

/** Bytes of a part of a result that is asked for by path. */
const LARGEST_PART = 64 * 1024 * 1024

export function createBridge(options: BridgeOptions): Bridge {
  const { handler, agent, as, engine, inlineBytes, ttl } = options
  const indexes = createToolIndexes(options.lists, options.ownTools, wordFinder, {
    left: options.left,
    // No script waits for an index that was not asked for.
    toolsChanged() {},
  })
  const permits = createPermit(options.tools)
  const kept = createKept(options)
  const connections = () => withAliases(options.connections())
  const indexFor = async (client: Client, signal: Signal): Promise<ToolIndex> =>
    (await indexes.of(exchangeOf(client, 'tools/list', {}, signal))).index

  const exchangeOf = (client: Client, method: string, params: JsonObject, signal: Signal): Exchange => ({
    method,
    params,
    client,
    agent,
    signal,
    notify() {},
    failing: 'throws',
  })

  async function list(params: ParamsOf<'list'>, index: ToolIndex): Promise<JsonObject> {
    const all = connections()
    const one = connectionNamed(params.connection, all)
    return listed(one ? [one] : all, index.tools.filter(permits), params)
  }

  async function search(params: ParamsOf<'search'>, index: ToolIndex, signal: Signal): Promise<JsonObject> {
    const one = connectionNamed(params.connection, connections())
    const hits = await index.search(params.query, index.tools.length, signal)
    const tools = hits.flatMap(({ index: at, score }) => {
      const tool = index.tools[at]
      return tool && permits(tool) && (!one || tool.server === one.server) ? [{ tool, score }] : []
    })
    return found(tools, params)
  }

  async function call(
    params: ParamsOf<'call'>,
    index: ToolIndex,
    client: Client,
    signal: Signal,
  ): Promise<JsonObject> {
    const tool = toolNamed(params, index.tools, connections(), permits)
    const asked = { name: tool.name, arguments: params.arguments }
    const exchange = exchangeOf(client, 'tools/call', asked, signal)
    const limit: Limit = {
      most: options.tools.length === 0 ? 'read' : 'destructive',
      refuse() {
        throw notForScripts(tool)
      },
    }
    const result = await handler(within(exchange, limit))
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
    index: ToolIndex,
    client: Client,
    signal: Signal,
  ): Promise<JsonObject> {
    const one = async (given: JsonObject): Promise<JsonObject> => {
      try {
        return { status: 200, ...(await call(paramsOf('call', given), index, client, signal)) }
      } catch (error) {
        const refusal = toBridgeError(error)
        return { status: refusal.status, ...refusal.toJSON() }
      }
    }
    return { results: await Promise.all(calls.map(one)) }
  }

  /** As a reference in arguments would give it. */
  async function partOf(entry: Entry, path: string, signal: Signal): Promise<Uint8Array> {
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
        // Parameters that cannot be read are refused before any server is asked for anything.
        const params = paramsOf(action, given)
        return as(async (client) => {
          const index = await indexFor(client, signal)
          if (action === 'list') return list(params as ParamsOf<'list'>, index)
          if (action === 'search') return search(params as ParamsOf<'search'>, index, signal)
          if (action === 'call') return call(params as ParamsOf<'call'>, index, client, signal)
          return batch(params as ParamsOf<'batch'>, index, client, signal)
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

// Results of scripts that are too long for an answer: kept for a while, and fetched by their id.

interface KeptOptions {
  resultStore: ResultStore
  agent: Agent
  /** Milliseconds for which a result can be fetched. */
  ttl: number
  /** Milliseconds by a monotonic clock. */
  now: () => number
}

interface Kept {
  keep(content: Uint8Array, origin: Origin): Promise<Handle>
  /** Undefined: unknown, expired, or kept by somebody else. */
  get(id: string): Promise<Entry | undefined>
}

function createKept({ resultStore, agent, ttl, now }: KeptOptions): Kept {
  /** The end of each, the next one first. */
  const ends = new Map<Handle, number>()

  function sweep(): void {
    for (const [handle, end] of ends) {
      if (end > now()) return
      ends.delete(handle)
      // It may be another's by now, or gone: then there is nothing to do.
      resultStore.remove(agent, handle).catch(() => {})
    }
  }

  return {
    async keep(content, origin) {
      sweep()
      const { handle } = await resultStore.keep(agent, {
        content,
        hash: await hashInSlices(content),
        origin,
        ttl,
      })
      ends.delete(handle)
      ends.set(handle, now() + ttl)
      return handle
    },
    async get(id) {
      sweep()
      return ends.has(id) ? resultStore.get(agent, id) : undefined
    },
  }
}

// The requests of scripts, checked.

const name = z.string().min(1).max(500)

const list = z.strictObject({
  connection: name.optional(),
  includeTools: z.boolean().default(true),
  includeInputSchema: z.boolean().default(false),
})

const search = z.strictObject({
  query: z.string().trim().min(1).max(4_000),
  connection: name.optional(),
  limit: z.int().min(1).max(1_000).default(10),
  includeInputSchema: z.boolean().default(false),
})

const call = z.strictObject({
  tool: name,
  connection: name.optional(),
  arguments: z.custom<JsonObject>(isObject, 'must be an object').default({}),
})

/** Calls in a batch. */
const LARGEST_BATCH = 10

const batch = z.strictObject({
  calls: z
    .array(z.custom<JsonObject>(isObject, 'must be an object'), 'must be a list of calls')
    .min(1)
    .max(LARGEST_BATCH, `a batch has at most ${LARGEST_BATCH} calls`),
})

const SCHEMAS = { list, search, call, batch } as const

type ParamsOf<A extends keyof typeof SCHEMAS> = z.infer<(typeof SCHEMAS)[A]>

/** Throws BridgeError with what to write instead. */
function paramsOf<A extends keyof typeof SCHEMAS>(action: A, given: JsonObject): ParamsOf<A> {
  const read = readParams(action, SCHEMAS[action], given)
  if ('failure' in read) throw new BridgeError('bad_request', read.failure)
  return read.params as ParamsOf<A>
}

// The tools that scripts may call, and which of them one means.

/** @param patterns for names as clients see them or as `server/tool`. None: all tools that say they only read. */
function createPermit(patterns: readonly string[]): (tool: FindableTool) => boolean {
  if (patterns.length === 0) return ({ definition }) => effectOf(definition) === 'read'
  const matches = (name: string): boolean => patterns.some((pattern) => fitsGlob(name, pattern))
  return ({ name, server, original, definition }) =>
    matches(name) || matches(`${server}/${originOf(definition)?.name ?? original}`)
}

/** Throws BridgeError when there is no such connection. */
function connectionNamed(name: string | undefined, all: readonly Connection[]): Connection | undefined {
  if (name === undefined) return undefined
  const found = findConnection(name, all)
  if (found) return found
  throw new BridgeError('not_found', unknownConnection(name, all))
}

interface Named {
  tool: string
  connection?: string | undefined
}

/** By the name clients see or its server's own. Throws BridgeError where it is none, several, or not for scripts. */
function toolNamed(
  { tool: name, connection }: Named,
  tools: readonly FindableTool[],
  connections: readonly Connection[],
  permits: (tool: FindableTool) => boolean,
): FindableTool {
  const at = connectionNamed(connection, connections)
  const there = at ? tools.filter(({ server }) => server === at.server) : tools
  const exposed = there.find((tool) => tool.name === name)
  const [only, ...others] = exposed ? [exposed] : there.filter(({ original }) => original === name)
  if (only === undefined) throw absent(name, there.filter(permits), at)
  if (others.length > 0) {
    const servers = [only, ...others].map(({ server }) => server).join(', ')
    throw new BridgeError(
      'bad_request',
      `Several connections have a tool ${name}: say which by connection (${servers}).`,
    )
  }
  if (permits(only)) return only
  throw notForScripts(only)
}

/** For a tool that exists, which scripts may not call. */
function notForScripts({ name }: FindableTool): BridgeError {
  return new BridgeError(
    'forbidden',
    `${name} is not for scripts: the person who runs the proxy can name it in bridge.tools.`,
  )
}

function absent(name: string, tools: readonly FindableTool[], at: Connection | undefined): BridgeError {
  const names = tools.flatMap((tool) => [tool.original, tool.name])
  const hint = didYouMean(name, new Set(names), 3)
  const error = at?.lastError === undefined ? '' : ` The connection failed last with: ${at.lastError}`
  return new BridgeError(
    'not_found',
    `There is no tool ${name.slice(0, 200)}${at ? ` in ${at.server}` : ''}.${hint}${error}`,
  )
}

// `list` and `search`, as data for programs: nothing is shortened.

function listed(
  connections: readonly Connection[],
  tools: readonly FindableTool[],
  { includeTools, includeInputSchema }: ParamsOf<'list'>,
): JsonObject {
  return {
    connections: connections.map(({ alias, server, lastError }) => {
      const own = tools.filter((tool) => tool.server === server)
      return {
        alias,
        name: server,
        toolCount: own.length,
        ...(lastError !== undefined && { lastError }),
        ...(includeTools && { tools: own.map((tool) => describe(tool, includeInputSchema)) }),
      }
    }),
  }
}

function found(
  tools: readonly { tool: FindableTool; score: number }[],
  { limit, includeInputSchema }: ParamsOf<'search'>,
): JsonObject {
  return {
    totalMatches: tools.length,
    tools: tools.slice(0, limit).map(({ tool, score }) => ({
      connection: tool.server,
      score: Math.round(score * 100) / 100,
      ...describe(tool, includeInputSchema),
    })),
  }
}

function describe({ name, original, definition }: FindableTool, withSchema: boolean): JsonObject {
  const { description } = definition
  const annotations = own(definition, 'annotations')
  const schema = own(definition, 'inputSchema')
  return {
    name: original,
    exposedAs: name,
    signature: signatureOf('', schema),
    ...(typeof description === 'string' && { description }),
    ...(annotations !== undefined && { annotations }),
    ...(withSchema && schema !== undefined && { inputSchema: schema }),
  }
}

// From whatever was thrown to what a script reads.

const CODES: Readonly<Partial<Record<ErrorCode, BridgeErrorCode>>> = {
  UPSTREAM_CONNECT: 'server_failed',
  UPSTREAM_CLOSED: 'server_failed',
  UPSTREAM_PROTOCOL: 'server_failed',
  UPSTREAM_TIMEOUT: 'server_timeout',
  QUERY_TIMEOUT: 'server_timeout',
}

/** An error of no kind known here is told without its words, which may be anything. */
function toBridgeError(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error
  if (error instanceof ProxyError) return new BridgeError(CODES[error.code] ?? 'internal_error', error.text)
  if (error instanceof RpcError) {
    const code = error.code === RPC.invalidParams ? 'bad_request' : 'server_failed'
    return new BridgeError(code, `The server refused: ${error.message} (${error.code})`)
  }
  if (error instanceof SyntaxError) return new BridgeError('server_failed', 'The server sent no valid JSON.')
  const told = new BridgeError('internal_error', 'Internal error')
  told.cause = error
  return told
}

// The requests that scripts of this machine may make. `endpoint.ts` carries it over HTTP.

/** Everything that can be wrong, with its HTTP status. */
export const BRIDGE_ERRORS = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal_error: 500,
  server_failed: 502,
  shutting_down: 503,
  server_timeout: 504,
} as const

/** The codes that a script decides by. */
export type BridgeErrorCode = keyof typeof BRIDGE_ERRORS

/** A refusal that the script reads: `{ "error": { "code", "message" } }`. */
export class BridgeError extends Error {
  override readonly name = 'BridgeError'
  readonly code: BridgeErrorCode

  constructor(code: BridgeErrorCode, message: string) {
    super(message)
    this.code = code
  }

  get status(): number {
    return BRIDGE_ERRORS[this.code]
  }

  toJSON(): JsonObject {
    return { error: { code: this.code, message: this.message } }
  }
}

/** The actions that a script can ask for: the last part of the address. */
export const BRIDGE_ACTIONS = ['list', 'search', 'call', 'batch'] as const

/** One of them. */
export type BridgeAction = (typeof BRIDGE_ACTIONS)[number]

/** `path`: a part of what the result holds. `payload`: what it holds, without the result around it. Neither: the result as it came. */
export interface BridgePart {
  readonly path?: string | undefined
  readonly payload: boolean
}

/** The form in which a kept result, or a part of it, is sent. */
export interface BridgeContent {
  /** Of MIME. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** Rejects with BridgeError alone. */
export interface Bridge {
  answer(action: BridgeAction, params: JsonObject, signal: Signal): Promise<JsonObject>
  /** A result that was kept. */
  result(id: string, part: BridgePart, signal: Signal): Promise<BridgeContent>
}
