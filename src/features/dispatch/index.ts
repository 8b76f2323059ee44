/** The `dispatch` exposure: one tool that lists, searches and calls all others, and reads what they gave. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { absolutePath } from '../../config/find.ts'
import type { Finder } from '../../discovery/finder.ts'
import { handleOfFile } from '../../engine/arguments.ts'
import { hashInSlices } from '../../engine/content.ts'
import { READBACK_OPS } from '../../processors/readback.ts'
import { blocksOf, errorResult, isText, plain, type Result } from '../../protocol/content.ts'
import { annotationsOf, EFFECTS, type Effect, RUNS, within } from '../../protocol/effects.ts'
import { ProxyError, RPC, RpcError } from '../../protocol/errors.ts'
import type { Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import { spellingsOf } from '../../protocol/spellings.ts'
import { connectionsOf, findConnection, withAliases } from '../../proxy/connections.ts'
import { type Exposure, type ExposureConfig, type ExposureParts, finderOf } from '../../proxy/exposure.ts'
import { ourInstructions } from '../../proxy/instructions.ts'
import { DISPATCH, findable, PROXY_TOOL_NAMES, QUERIES, RESULT_ALIASES } from '../../proxy/own-tools.ts'
import { createToolIndexes, type ToolIndexEvents, type ToolIndexes } from '../../proxy/tool-index.ts'
import { Refused } from '../../spill/confined.ts'
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
import { list, search, status } from './list.ts'
import { ACTIONS, type ActionName, readDispatchParams } from './params.ts'
import { readresult } from './spill.ts'

// `result_head` and its like: tools that read the parts of a result in a file. They serve models that fill in one tool better than an
// action.

type Op = (typeof READBACK_OPS)[number]

const string = { type: 'string' }
const integer = { type: 'integer' }

const ALIASES: Readonly<Record<Op, { description: string; properties: JsonObject; required?: string[] }>> = {
  stat: { description: 'Size of a resultFile in bytes, lines, tokens.', properties: {} },
  head: { description: 'First lines of a resultFile.', properties: { lines: integer } },
  tail: { description: 'Last lines of a resultFile.', properties: { lines: integer } },
  slice: {
    description: 'Lines fromLine to toLine of a resultFile; -1 is the last.',
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
      definition: { name, description, inputSchema, annotations: annotationsOf('read', 'closed') },
      actions: new Set(['readresult'] as const),
      allowed: 'read',
      elsewhere: DISPATCH,
      rewrite: (args) => ({ ...args, action: 'readresult', op }),
    }
  })
}

// The tools of `tools/list` in this exposure: one tool in few tokens, or one for each effect a call may have.

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
filter, search_result, explore {cache_id}: questions about a large result that is kept: count rows, take a part. filter: path, where ["price > 5"], fields, sort, group_by, aggregate, limit, offset. search_result: pattern, mode regex|bm25|fuzzy|context. explore: its structure, or without cache_id the list of what is kept
readresult {resultFile, op}: stat, head, tail {lines}, slice {fromLine, toLine}, grep {pattern, context}, read {maxBytes}
status
Any value in arguments may be {"$from": "<cache_id>", "path": "$.items"}: the proxy puts the kept value in.`

const HINT =
  'find and call tools of all connected servers; count rows, filter, search a large result, part of a preview, kept result cache_id'

const properties: JsonObject = {
  query: string,
  tool: string,
  connection: { type: 'string', description: 'Alias or name, where several have the tool' },
  arguments: { type: 'object', additionalProperties: true, description: 'As the signature says' },
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

/** The additions to the description and the parameters where programs are run. */
const CODE = `code {code, cache_id}: run a JavaScript program, the body of an async function that returns the answer: several steps at once, joins, loops. \
d is the result of cache_id: await d.count(where), d.rows({where, fields, sort, limit}), d.group(by, "sum(price)"), d.search(pattern), d.at(path); \
tools.search(words), tools.call(name, args), keep(value), help(). No import, fetch, files
status`

export function definitionsOf({
  splitCalls,
  code = false,
}: Pick<DispatchSettings, 'splitCalls' | 'code'>): DispatchTool[] {
  const listed = ACTIONS.filter((action) => code || action !== 'code')
  const actions = new Set<ActionName>(listed)
  const told = code ? DESCRIPTION.replace('status', CODE) : DESCRIPTION
  const taken: JsonObject = {
    ...properties,
    action: { type: 'string', enum: listed },
    ...(code && { code: string, session: string }),
  }
  const inputSchema: JsonObject = { type: 'object', properties: taken, required: ['action'] }
  if (!splitCalls) {
    const definition = {
      name: DISPATCH,
      description: told,
      inputSchema,
      annotations: annotationsOf('destructive', 'open'),
      _meta: findable(HINT),
    }
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
          arguments: { type: 'object', additionalProperties: true },
          resultToFile: { type: 'boolean' },
        },
        required: ['tool'],
      },
      annotations: annotationsOf(allowed, 'open'),
      _meta: findable(HINT),
    }
    const rewrite = (args: JsonObject): JsonObject => ({ action: 'call', ...args })
    return { name, definition, actions: new Set(['call']), allowed, elsewhere: DISPATCH, rewrite }
  })
  const rest = new Set(listed.filter((action) => action !== 'call'))
  const definition = {
    name: DISPATCH,
    description: told.replace(
      'call {tool, arguments}: run one',
      `${DISPATCH}-read, -write, -destructive {tool, arguments} run one`,
    ),
    inputSchema: {
      ...inputSchema,
      properties: { ...taken, action: { type: 'string', enum: [...rest] } },
    },
    annotations: annotationsOf('read', 'closed'),
    _meta: findable(HINT),
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
  events?: ToolIndexEvents
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
  code: query,
}

export function createDispatch(options: DispatchOptions): Middleware {
  const { settings } = options
  const tools = [...definitionsOf(settings), ...(settings.readback.aliases ? aliasTools() : [])]
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const meant = spellingsOf(tools.map(({ name }) => ({ name })))
  return {
    name: 'dispatch',
    methods: ['tools/list', 'tools/call'],
    wrap(next, inside) {
      const indexes = createToolIndexes(inside, options.ownTools, options.finder, options.events)
      const answer: Handler = async (exchange) => {
        // A proxy that is our client offers its tools as it likes: it has to see them all.
        if (exchange.client.via !== undefined) return next(exchange)
        if (exchange.method === 'tools/list') {
          const { result } = await indexes.own(exchange)
          return { ...result, tools: tools.map(({ definition }) => definition) }
        }
        const { name, arguments: args } = exchange.params
        const tool = typeof name === 'string' ? byName.get(name) : undefined
        return tool
          ? dispatch(tool, isObject(args) ? args : {}, exchange, { options, indexes, next })
          : next(exchange).catch((error: unknown) => orOwn(error, exchange))
      }

      /** One of the tools here under a client's prefix: only what no server has is refused with an error. */
      async function orOwn(error: unknown, exchange: Exchange): Promise<Result> {
        const name = String(exchange.params.name)
        const [ours] = error instanceof RpcError && error.code === RPC.invalidParams ? meant(name) : []
        if (ours === undefined || (await indexes.of(exchange)).index.meant(name).length > 0) throw error
        return answer({ ...exchange, params: { ...exchange.params, name: ours.name } })
      }
      return answer
    },
  }
}

const NO_PROGRAMS =
  'No programs are run here: the setting code.enabled is off. Ask a kept result by filter, search_result or explore.'

async function dispatch(
  tool: DispatchTool,
  args: JsonObject,
  exchange: Exchange,
  { options, indexes, next }: { options: DispatchOptions; indexes: ToolIndexes; next: Handler },
): Promise<Result> {
  const read = readDispatchParams(tool.name, tool.rewrite(args))
  if ('failure' in read) return errorResult(read.failure)
  const { action, params, given } = read
  if (action === 'code' && options.settings.code !== true) return errorResult(NO_PROGRAMS)
  if (!tool.actions.has(action))
    return errorResult(`${tool.name} has no action ${action}: use ${tool.elsewhere}.`)
  if (params.refresh === true) {
    const connections = withAliases(options.connections(exchange.client))
    const chosen =
      params.connection === undefined ? undefined : findConnection(params.connection, connections)
    // A list that no client has asked for yet is only in memory: it is fetched first, so that it can be fetched again.
    await indexes.of(exchange)
    options.refresh(
      (chosen ? [chosen] : connections).map(({ server }) => server),
      exchange,
    )
  }
  const situation: Situation = {
    exchange: { ...exchange, params: { ...exchange.params, arguments: given } },
    listing: await indexes.of(exchange),
    connections: withAliases(options.connections(exchange.client)),
    next,
    allowed: tool.allowed,
  }
  return HANDLERS[action](params, situation, options)
}

/**
 * The handle for the content of a file. It is a result of the proxy's own as long as that is kept, otherwise the file's content, which is
 * kept for it.
 */
async function handleOf(
  resultFile: string,
  { exchange: { agent } }: Situation,
  { resultStore, spills }: DispatchParts,
): Promise<string> {
  const handle = handleOfFile(resultFile)
  if (handle !== undefined && (await resultStore.get(agent, handle))) return handle
  const content = await resultWith(await spills.read(agent, resultFile))
  const origin = { tool: 'resultFile', arguments: { resultFile } }
  return (await resultStore.keep(agent, { content, hash: await hashInSlices(content), origin })).handle
}

/** Bytes that are written as JSON in one go. */
const SLICE = 1024 * 1024

/** The bytes of a file as the one text of a result. The event loop turns between its slices. */
async function resultWith(file: Uint8Array): Promise<Uint8Array<SharedArrayBuffer>> {
  const decoder = new TextDecoder()
  const parts = [Buffer.from('{"content":[{"type":"text","text":"')]
  for (let from = 0; from < file.byteLength; from += SLICE) {
    if (from > 0) await new Promise((resolve) => setImmediate(resolve))
    const isLast = from + SLICE >= file.byteLength
    // A decoder reads no memory that threads share.
    const text = decoder.decode(Buffer.from(file.subarray(from, from + SLICE)), { stream: !isLast })
    parts.push(Buffer.from(JSON.stringify(text).slice(1, -1)))
  }
  parts.push(Buffer.from('"}]}'))
  const content = new Uint8Array(new SharedArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)))
  let at = 0
  for (const part of parts) {
    content.set(part, at)
    at += part.length
  }
  return content
}

/** A question about kept results is one of the proxy's own tools, which reads its parameters itself. */
async function query(
  { action }: { action: ActionName },
  situation: Situation,
  parts: DispatchParts,
): Promise<JsonObject> {
  const { exchange, next, listing, connections, allowed } = situation
  const { arguments: given } = exchange.params
  const { action: _, connection, resultFile, ...args } = isObject(given) ? given : {}
  if (typeof resultFile === 'string' && args.cache_id === undefined)
    try {
      args.cache_id = await handleOf(resultFile, situation, parts)
    } catch (error) {
      if (error instanceof Refused) return failureReply(action, error.message)
      if (error instanceof ProxyError && error.code !== 'CANCELLED') return failureReply(action, error.text)
      throw error
    }
  if (typeof args.tool === 'string') {
    const resolved = resolveTool(
      args.tool,
      typeof connection === 'string' ? connection : undefined,
      listing.index,
      connections,
    )
    if ('failure' in resolved) return failureReply(action, resolved.failure)
    args.tool = resolved.tool.name
  }
  const name = QUERIES[action] ?? ''
  const asked = within(exchange, {
    most: allowed,
    refuse: (effect) =>
      failureReply(
        action,
        `${String(args.tool)} may change something: call it with ${DISPATCH}-${effect}, then ask by cache_id.`,
      ),
  })
  const answer = plain(await next({ ...asked, params: { ...exchange.params, name, arguments: args } }))
  return answer.isError === true ? asAction(answer, action, name) : answer
}

/** The texts of the tool about its own calls, as calls of the action. */
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
  const { engine, resultStore, upstreams, logger } = parts
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
          code: settings.code.enabled,
          splitCalls: settings.dispatch.variants !== 'single',
          spill: settings.spill,
          readback: settings.readback,
        },
        ownTools: PROXY_TOOL_NAMES,
        finder,
        events: parts.events,
        engine,
        resultStore,
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
