/** The `dispatch` exposure: one tool that lists, searches and calls all others, and reads what they gave. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { absolutePath } from '../../config/sources.ts'
import type { Finder } from '../../discovery/finder.ts'
import { handleOfFile } from '../../engine/arguments.ts'
import { READBACK_OPS } from '../../processors/readback.ts'
import { blocksOf, errorResult, isText, plain, type Result } from '../../protocol/content.ts'
import { annotationsOf, covers, EFFECTS, type Effect, effectOf, RUNS } from '../../protocol/effects.ts'
import type { Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import { connectionsOf, findConnection, withAliases } from '../../proxy/connections.ts'
import { type Exposure, type ExposureConfig, type ExposureParts, finderOf } from '../../proxy/exposure.ts'
import { ourInstructions } from '../../proxy/instructions.ts'
import { DISPATCH, PROXY_TOOL_NAMES, QUERIES, RESULT_ALIASES } from '../../proxy/own-tools.ts'
import { createShelves, type ShelfEvents, type Shelves } from '../../proxy/shelf.ts'
import { createSpillDirectory, sweepSpills } from '../../spill/directory.ts'
import { createSpills } from '../../spill/spills.ts'
import {
  type Action,
  type DispatchParts,
  type DispatchSettings,
  failureReply,
  type Situation,
} from './actions.ts'
import { call, resolveTool } from './call.ts'
import { list, status } from './list.ts'
import { ACTIONS, type ActionName, readDispatchParams } from './params.ts'
import { readresult } from './readresult.ts'
import { search } from './search.ts'

// `result_head` and its like: the parts of a result in a file as tools of their own, for models that fill in
// one tool better than an action.

type Op = (typeof READBACK_OPS)[number]

const string = { type: 'string' }
const integer = { type: 'integer' }

const ALIASES: Readonly<Record<Op, { description: string; properties: JsonObject; required?: string[] }>> = {
  stat: { description: 'Size of a resultFile in bytes, lines, tokens.', properties: {} },
  head: { description: 'First lines of a resultFile.', properties: { lines: integer } },
  tail: { description: 'Last lines of a resultFile.', properties: { lines: integer } },
  slice: {
    description: 'Lines fromLine to toLine of a resultFile.',
    properties: { fromLine: integer, toLine: integer },
  },
  grep: {
    description: 'Lines of a resultFile that match a regex.',
    properties: { pattern: string, context: integer },
    required: ['pattern'],
  },
  read: {
    description: 'Bytes of a resultFile from offset.',
    properties: { offset: integer, maxBytes: integer },
  },
}

export function aliasTools(): DispatchTool[] {
  return READBACK_OPS.map((op) => {
    const { description, properties, required = [] } = ALIASES[op]
    const name = RESULT_ALIASES[op]
    const inputSchema = {
      type: 'object',
      properties: { resultFile: string, ...properties },
      required: ['resultFile', ...required],
    }
    return {
      name,
      definition: { name, description, inputSchema, annotations: { readOnlyHint: true } },
      actions: new Set(['readresult'] as const),
      allowed: 'read',
      elsewhere: DISPATCH,
      rewrite: (args) => ({ ...args, action: 'readresult', op }),
    }
  })
}

// What `tools/list` shows in this exposure: one tool in few tokens, or one for each effect a call may have.

interface DispatchTool {
  readonly name: string
  readonly definition: JsonObject
  readonly actions: ReadonlySet<ActionName>
  /** The most that a tool called through it may do. */
  readonly allowed: Effect
  /** The tool that has the other actions. */
  readonly elsewhere: string
  /** The arguments as those of `proxy-dispatch`. */
  rewrite(args: JsonObject): JsonObject
}

const DESCRIPTION = `One tool for all connected servers. Actions:
list: connections and their tools
search {query}: tools that fit, with signatures
call {tool, arguments}: run one. Large results are kept: the reply has a cache_id, or a resultFile with resultToFile
filter, search_result, explore {cache_id}: questions about a kept result. filter: path, where ["price > 5"], fields, sort, group_by, aggregate, limit, offset. search_result: pattern, mode regex|bm25|fuzzy|context. explore: its structure
readresult {resultFile, op}: stat, head, tail {lines}, slice {fromLine, toLine}, grep {pattern, context}, read {maxBytes}
status
Any value in arguments may be {"$from": "<cache_id>", "path": "$.items"}: the proxy puts the kept value in.`

const properties: JsonObject = {
  action: { type: 'string', enum: [...ACTIONS] },
  query: string,
  tool: string,
  connection: { type: 'string', description: 'Alias or name, where several have the tool' },
  arguments: { type: 'object', description: 'As the signature says' },
  argumentsFile: { type: 'string', description: 'In place of arguments: a resultFile' },
  resultToFile: { type: 'boolean' },
  cache_id: string,
  resultFile: string,
  op: string,
  pattern: string,
  path: { type: 'string', description: 'JSONPath' },
  where: { type: 'array', items: string },
  limit: { type: 'integer' },
}

export function definitionsOf({ splitCalls }: Pick<DispatchSettings, 'splitCalls'>): DispatchTool[] {
  const actions = new Set(ACTIONS)
  const inputSchema: JsonObject = { type: 'object', properties, required: ['action'] }
  if (!splitCalls) {
    const definition = { name: DISPATCH, description: DESCRIPTION, inputSchema }
    return [
      {
        name: DISPATCH,
        definition,
        actions,
        allowed: 'destructive',
        elsewhere: DISPATCH,
        rewrite: (args) => args,
      },
    ]
  }
  const runners = EFFECTS.map((allowed): DispatchTool => {
    const name = `${DISPATCH}-${allowed}`
    const definition = {
      name,
      description: `${RUNS[allowed]} As action call of ${DISPATCH}.`,
      inputSchema: {
        type: 'object',
        properties: {
          tool: string,
          connection: string,
          arguments: { type: 'object' },
          resultToFile: { type: 'boolean' },
        },
        required: ['tool'],
      },
      annotations: annotationsOf(allowed),
    }
    const rewrite = (args: JsonObject): JsonObject => ({ action: 'call', ...args })
    return { name, definition, actions: new Set(['call']), allowed, elsewhere: DISPATCH, rewrite }
  })
  const rest = new Set(ACTIONS.filter((action) => action !== 'call'))
  const definition = {
    name: DISPATCH,
    description: DESCRIPTION.replace(
      'call {tool, arguments}: run one',
      `${DISPATCH}-read, -write, -destructive {tool, arguments} run one`,
    ),
    inputSchema: {
      ...inputSchema,
      properties: { ...properties, action: { type: 'string', enum: [...rest] } },
    },
    annotations: { readOnlyHint: true },
  }
  return [
    {
      name: DISPATCH,
      definition,
      actions: rest,
      allowed: 'read',
      elsewhere: `${DISPATCH}-read, -write or -destructive`,
      rewrite: (args) => args,
    },
    ...runners,
  ]
}

interface DispatchOptions extends DispatchParts {
  finder: Finder
  events?: ShelfEvents
  /** Names of the proxy's own query tools, which are actions here and not listed. */
  ownTools: ReadonlySet<string>
}

const HANDLERS: Readonly<Record<ActionName, Action>> = {
  list,
  search,
  call,
  readresult,
  status,
  filter: query,
  search_result: query,
  explore: query,
}

export function createDispatch(options: DispatchOptions): Middleware {
  const { settings } = options
  const tools = [...definitionsOf(settings), ...(settings.readback.aliases ? aliasTools() : [])]
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return {
    name: 'dispatch',
    methods: ['tools/list', 'tools/call'],
    wrap(next) {
      const shelves = createShelves(next, options.ownTools, options.finder, options.events)
      return async (exchange) => {
        // A proxy that is our client offers its tools as it likes: it has to see them all.
        if (exchange.client.via !== undefined) return next(exchange)
        if (exchange.method === 'tools/list') {
          const { result } = await shelves.own(exchange)
          return { ...result, tools: tools.map(({ definition }) => definition) }
        }
        const { name, arguments: args } = exchange.params
        const tool = typeof name === 'string' ? byName.get(name) : undefined
        return tool
          ? dispatch(tool, isObject(args) ? args : {}, exchange, { options, shelves, next })
          : next(exchange)
      }
    },
  }
}

async function dispatch(
  tool: DispatchTool,
  args: JsonObject,
  exchange: Exchange,
  { options, shelves, next }: { options: DispatchOptions; shelves: Shelves; next: Handler },
): Promise<Result> {
  const read = readDispatchParams(tool.name, tool.rewrite(args))
  if ('failure' in read) return errorResult(read.failure)
  const { action, params, given } = read
  if (!tool.actions.has(action))
    return errorResult(`${tool.name} has no action ${action}: use ${tool.elsewhere}.`)
  if (params.refresh === true) {
    const connections = withAliases(options.connections(exchange.client))
    const chosen =
      params.connection === undefined ? undefined : findConnection(params.connection, connections)
    // What nobody has listed yet is only remembered: it is asked for first, so that there is something to ask anew.
    await shelves.of(exchange)
    options.refresh(
      (chosen ? [chosen] : connections).map(({ server }) => server),
      exchange,
    )
  }
  const situation: Situation = {
    exchange: { ...exchange, params: { ...exchange.params, arguments: given } },
    listing: await shelves.of(exchange),
    connections: withAliases(options.connections(exchange.client)),
    next,
    allowed: tool.allowed,
  }
  return HANDLERS[action](params, situation, options)
}

/** A question about kept results is one of the proxy's own tools, which reads its parameters itself. */
async function query({ action }: { action: ActionName }, situation: Situation): Promise<JsonObject> {
  const { exchange, next, listing, connections, allowed } = situation
  const { arguments: given } = exchange.params
  const { action: _, connection, resultFile, ...args } = isObject(given) ? given : {}
  const handle = typeof resultFile === 'string' ? handleOfFile(resultFile) : undefined
  if (args.cache_id === undefined && handle !== undefined) args.cache_id = handle
  else if (resultFile !== undefined && args.cache_id === undefined) args.resultFile = resultFile
  if (typeof args.tool === 'string') {
    const resolved = resolveTool(
      args.tool,
      typeof connection === 'string' ? connection : undefined,
      listing.shelf.tools,
      connections,
    )
    if ('failure' in resolved) return failureReply(action, resolved.failure)
    const effect = effectOf(resolved.tool.definition)
    if (!covers(allowed, effect))
      return failureReply(
        action,
        `${args.tool} may change something: call it with ${DISPATCH}-${effect}, then ask by cache_id.`,
      )
    args.tool = resolved.tool.name
  }
  const name = QUERIES[action] ?? ''
  const answer = plain(await next({ ...exchange, params: { ...exchange.params, name, arguments: args } }))
  return answer.isError === true ? asAction(answer, action, name) : answer
}

/** What the tool says of how it is called, as it is called here. */
function asAction(answer: JsonObject, action: ActionName, name: string): JsonObject {
  const content = blocksOf(answer).map((block) =>
    isText(block)
      ? {
          ...block,
          text: block.text
            .replaceAll(`${name} {"`, `${DISPATCH} {"action": "${action}", "`)
            .replaceAll(`${name} cannot`, `${DISPATCH} ${action} cannot`),
        }
      : block,
  )
  return { ...answer, content }
}

// Wires the exposure `dispatch`.

/** The longest file that `readresult` and `argumentsFile` read. */
const MAX_READ_BYTES = 256 * 1024 * 1024

/** As the paths of settings are read. */
const placeOf = (path: string): string => absolutePath(path, process.cwd(), homedir())

export async function openDispatch(config: ExposureConfig, parts: ExposureParts): Promise<Exposure> {
  const { settings } = config
  const { engine, keeper, upstreams, logger } = parts
  let { servers } = config
  let lists = settings.dispatch
  const base = placeOf(settings.spill.dir ?? join(settings.dataDir, 'spill'))
  void sweepSpills(base, parts.now())
  const spills = createSpills({
    directory: createSpillDirectory(base),
    allowDirs: settings.spill.allowDirs.map(placeOf),
    ownDirs: [base, settings.dataDir],
    isolation: settings.enableAgentIsolation,
    maxBytes: MAX_READ_BYTES,
    onError: (error) =>
      logger.warn({ err: error, directory: base }, 'a result could not be written to a file'),
  })
  const finder = await finderOf(config, logger)
  return {
    layers: () => [
      createDispatch({
        settings: {
          budget: settings.maxResponseSize,
          splitCalls: settings.dispatch.variants !== 'single',
          spill: settings.spill,
          readback: settings.readback,
        },
        ownTools: PROXY_TOOL_NAMES,
        finder,
        events: parts.events,
        engine,
        keeper,
        spills,
        connections: (client) => connectionsOf(servers, upstreams, parts, client),
        // Its patterns name servers: who does not see all of these is not told.
        toolFilter: (client) =>
          upstreams.serversFor(client).length === upstreams.servers.length
            ? (lists.allow ?? lists.deny) && lists
            : undefined,
        refresh: (names, { client }) => upstreams.refresh('tools', client, names),
      }),
    ],
    instructions: ourInstructions('dispatch'),
    toolsChange: () => false,
    configure(next) {
      servers = next.servers
      lists = next.settings.dispatch
      finder.retain(servers.map(({ name }) => name))
    },
    async close() {
      await Promise.all([finder.close(), spills.close()])
    },
  }
}
