/**
 * The `retrieve` exposure. Instead of every tool of every server, the client sees a tool that finds tools. It also sees a tool that runs
 * them (routing `call`), or the found tools themselves (routing `dynamic`).
 */
import type { Finder } from '../../discovery/finder.ts'
import { ToolPools } from '../../discovery/pool.ts'
import { errorResult, LargeResult, maySayError, type Result } from '../../protocol/content.ts'
import { type Limit, within } from '../../protocol/effects.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Client, Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { spellingsOf } from '../../protocol/spellings.ts'
import { createArgumentCheck } from '../../proxy/argument-check.ts'
import {
  type Exposure,
  type ExposureConfig,
  type ExposureParts,
  finderOf,
  type OutputTypesOf,
} from '../../proxy/exposure.ts'
import { ourInstructions } from '../../proxy/instructions.ts'
import { PROXY_TOOL_NAMES, tooManyParams } from '../../proxy/own-tools.ts'
import { createToolIndexes, type Listing, type ToolIndexEvents } from '../../proxy/tool-index.ts'
import { unavailableServers } from '../../upstream/unavailable.ts'
import { type CallTool, callTools, dispatch, elsewhere, unknownText } from './call-tool.ts'
import { describeTool } from './describe-tool.ts'
import { describeServers, retrieveTools, whoAsks } from './retrieve-tools.ts'
import { type ExposureTool, isSplit, type Registry, type RetrieveSettings, type Servers } from './routing.ts'

export interface RetrieveOptions extends RetrieveSettings {
  /** Names of the tools that the router offers as the proxy's own: they stay listed. */
  ownTools: ReadonlySet<string>
  finder: Finder
  events?: ToolIndexEvents
  /** Given in the dynamic routing. */
  registry?: Registry | undefined
  /** An answer of these tools as a client may have it: one that is too large becomes a preview of what is kept. */
  bounded(exchange: Exchange, result: JsonObject): Promise<Result>
  /** The servers of this client. */
  servers?(client: Client): Servers
  outputTypes?: OutputTypesOf | undefined
  /** Tokens of texts; for `listWithinTokens`. */
  countTokens(texts: readonly string[]): Promise<number[]>
}

export function createRetrieve(options: RetrieveOptions): Middleware {
  const { ownTools, finder, registry } = options
  const tools: ExposureTool[] = [
    retrieveTools(options, registry, options.servers, finder.usage),
    describeTool(options, options.bounded, options.outputTypes),
  ]
  // Registered tools carry their schemas, and are called by their names.
  const runners = registry ? [] : callTools(isSplit(options))
  const offered = registry ? tools.slice(0, 1) : tools
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const runnersByName = new Map(
    [...runners, ...(registry ? callTools(false) : [])].map((tool) => [tool.name, tool]),
  )
  const definitions: JsonObject[] = [...offered.slice(0, 1), ...runners, ...offered.slice(1)].map(
    ({ definition }: ExposureTool | CallTool) => definition,
  )

  const meantOwn = spellingsOf([...byName.values(), ...runnersByName.values()].map(({ name }) => ({ name })))
  /** As they are when the list is asked for: a client is not told again when a server comes or goes. */
  function definitionsFor(client: Client): JsonObject[] {
    const [first, ...others] = definitions
    if (first === undefined || options.servers === undefined) return definitions
    const description = `${String(first.description)}${describeServers(options.servers(client))}`
    return [{ ...first, description }, ...others]
  }

  return {
    name: 'retrieve',
    methods: ['tools/list', 'tools/call'],
    wrap(next, inside) {
      const indexes = createToolIndexes(inside, ownTools, finder, options.events)
      const fits = createFits(options)
      const check = createArgumentCheck()

      async function list(exchange: Exchange): Promise<Result> {
        // The list has one page: a request for another is refused as without this layer.
        if (exchange.params.cursor !== undefined) return next(exchange)
        const known = registry?.pools.peek(exchange.agent.id)
        if (options.listWithinTokens === 0 && (known === undefined || known.names.length === 0)) {
          const { own, result } = await indexes.own(exchange)
          return { ...result, tools: [...definitionsFor(exchange.client), ...own.map(lean)] }
        }
        const listing = await indexes.anew(exchange)
        if (await fits(listing)) return listing.result
        const shown = known === undefined ? [] : listing.index.tools.filter(({ name }) => known.has(name))
        return {
          ...listing.result,
          tools: [
            ...definitionsFor(exchange.client),
            ...listing.own.map(lean),
            ...shown.map(({ definition }) => definition),
          ],
        }
      }

      async function run(runner: CallTool, exchange: Exchange): Promise<Result> {
        const { arguments: args } = exchange.params
        const { index, own } = await indexes.of(exchange)
        const listed = [...definitions, ...own].map(({ name }) => String(name))
        const dispatched = await dispatch(
          runner,
          isObject(args) ? args : {},
          check,
          index,
          listed,
          options.servers?.(exchange.client).unavailable,
        )
        if ('failure' in dispatched) return errorResult(dispatched.failure)
        const limit: Limit = {
          most: runner.allowed,
          refuse: (effect) => errorResult(elsewhere(dispatched.name, runner, effect)),
        }
        try {
          return await pass(next, within(called(exchange, dispatched), limit), options)
        } catch (error) {
          return toldAsResult(error, dispatched.name)
        }
      }

      /** The model can correct an unknown or outdated name, and it reads results, not errors. */
      async function callByName(exchange: Exchange): Promise<Result> {
        try {
          return await pass(next, exchange, options)
        } catch (error) {
          if (!(error instanceof RpcError) || error.code !== RPC.invalidParams) throw error
          const name = String(exchange.params.name)
          const { index, own } = await indexes.of(exchange)
          if (index.meant(name).length === 1 || own.some((tool) => tool.name === name)) throw error
          const [ours] = meantOwn(name)
          return ours === undefined
            ? errorResult(unknownText(name, index, options.servers?.(exchange.client).unavailable))
            : answer({ ...exchange, params: { ...exchange.params, name: ours.name } })
        }
      }

      const answer: Handler = async (exchange) => {
        // A proxy that is our client offers its tools as it likes: it has to see them all.
        if (exchange.client.via !== undefined) return next(exchange)
        if (exchange.method === 'tools/list') return list(exchange)
        const { name, arguments: args } = exchange.params
        const runner = typeof name === 'string' ? runnersByName.get(name) : undefined
        if (runner) return run(runner, exchange)
        const tool = typeof name === 'string' ? byName.get(name) : undefined
        if (!tool) return callByName(exchange)
        const given = isObject(args) ? args : {}
        return tooManyParams(tool.name, given) ?? tool.call(given, exchange, await indexes.of(exchange))
      }
      return answer
    },
  }
}

/** The refusal of a server for a call that `call_tool` made: to the client, that call went well. */
function toldAsResult(error: unknown, name: string): JsonObject {
  if (error instanceof RpcError && REFUSALS.has(error.code))
    return errorResult(`${name} was refused by its server: ${error.message}`)
  throw error
}

const REFUSALS: ReadonlySet<number> = new Set([RPC.invalidParams, RPC.methodNotFound, RPC.internalError])

function called(exchange: Exchange, { name, args }: { name: string; args: JsonObject }): Exchange {
  return { ...exchange, params: { ...exchange.params, name, arguments: args } }
}

async function pass(
  next: Handler,
  exchange: Exchange,
  { registry, finder }: RetrieveOptions,
): Promise<Result> {
  const name = String(exchange.params.name)
  registry?.pools.peek(exchange.agent.id)?.used(name)
  const result = await next(exchange)
  const failed = result instanceof LargeResult ? maySayError(result) : result.isError === true
  if (!failed) finder.usage?.called(whoAsks(exchange), name)
  return result
}

/** Whether a list is small enough to be shown whole. Counted once for each list. */
function createFits({
  listWithinTokens,
  countTokens,
}: RetrieveOptions): (listing: Listing) => Promise<boolean> {
  const known = new WeakMap<object, Promise<boolean>>()
  return ({ index }) => {
    if (listWithinTokens === 0) return Promise.resolve(false)
    const counted =
      known.get(index) ??
      countTokens(index.tools.map(({ definition }) => JSON.stringify(definition))).then(
        (counts) => counts.reduce((sum, count) => sum + count, 0) <= listWithinTokens,
      )
    known.set(index, counted)
    return counted
  }
}

// The proxy's own tools in few tokens: an operator who hides the servers' tools for their cost wants these short as well.

/** Parameters that are understood and not listed: rarely needed, or said in an example of the description. */
const UNLISTED: Readonly<Record<string, readonly string[]>> = {
  proxy_filter: ['tool', 'arguments', 'exclude', 'mode'],
  proxy_search: ['tool', 'arguments', 'multiline', 'threshold', 'top_k', 'context_type', 'exclude', 'offset'],
  proxy_explore: ['tool', 'arguments', 'offset'],
  proxy_code: ['timeout_ms'],
}

/** Parameters listed with their types alone. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  proxy_filter: ['sort', 'limit', 'fields', 'cache_id'],
  proxy_search: ['max_results'],
}

/** The part of a description about the parameters that are not listed. */
const FRESH = /,? or (?:of|in) a fresh call \(tool \+ arguments\)(?:\. Only the answer comes back)?/

/** The definition without its title and without what it can do without; another tool's definition as it is. */
export function lean(definition: JsonObject): JsonObject {
  const { title: _, ...rest } = definition
  const name = String(definition.name)
  const schema = own(definition, 'inputSchema')
  const unlisted = UNLISTED[name]
  if (unlisted === undefined || !isObject(schema) || !isObject(schema.properties)) return definition
  const properties = Object.fromEntries(
    Object.entries(schema.properties)
      .filter(([parameter]) => !unlisted.includes(parameter))
      .map(([parameter, property]) => [
        parameter,
        PLAIN[name]?.includes(parameter) && isObject(property) ? typeOf(property) : property,
      ]),
  )
  const description = String(rest.description).replace(FRESH, '')
  return { ...rest, description, inputSchema: { ...schema, properties } }
}

function typeOf({ description: _, ...type }: JsonObject): JsonObject {
  return type
}

// Wires the exposure `retrieve`.

/**
 * In `benchmarks/retrieval/set`, 21 of 34 questions that no tool answers score less. So do 44 of the 506 others that have a right tool
 * among the best five.
 */
const CLOSE_FROM = 0.3

export async function openRetrieve(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  const { settings } = config
  const { retrieve } = settings
  const { engine, upstreams, elapsed, toolsChanged, events, logger, outputTypes } = parts
  const finder = await finderOf(config, logger)
  const pools = new ToolPools({
    ...retrieve.pool,
    limit: retrieve.poolLimit,
    maxAgents: settings.maxTotalAgents,
    now: elapsed,
  })
  const dynamic = retrieve.routing === 'dynamic'
  return {
    layers: (bounded) => [
      createRetrieve({
        ...retrieve,
        budget: settings.maxResponseSize,
        closeFrom: settings.index.engine === 'static' ? CLOSE_FROM : undefined,
        ownTools: PROXY_TOOL_NAMES,
        finder,
        events,
        registry: dynamic ? { pools, changed: toolsChanged } : undefined,
        bounded,
        servers: (client) => ({
          names: upstreams.serversFor(client),
          unavailable: unavailableServers(upstreams, client),
        }),
        countTokens: (texts) => engine.countTokens(texts),
        outputTypes,
      }),
    ],
    instructions: ourInstructions(retrieve),
    toolsChange: (client) =>
      retrieve.listWithinTokens > 0 || (dynamic && (pools.peek(client.agent.id)?.names.length ?? 0) > 0),
    configure: ({ servers }) => finder.retain(servers.map(({ name }) => name)),
    close: () => finder.close(),
  }
}
