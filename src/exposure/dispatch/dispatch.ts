/** The `dispatch` exposure: one tool that lists, searches and calls all others, and reads what they gave. */

import { handleOfFile } from '../../arguments/reference.ts'
import type { Finder } from '../../discovery/finder.ts'
import { blocksOf, errorResult, isText } from '../../protocol/content.ts'
import type { Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import { plain, type Result } from '../../protocol/result.ts'
import { covers, effectOf } from '../effects.ts'
import { DISPATCH, QUERIES } from '../names.ts'
import { createShelves, type ShelfEvents, type Shelves } from '../shelf.ts'
import type { Action, DispatchParts, Situation } from './actions.ts'
import { aliasTools } from './aliases.ts'
import { call } from './call.ts'
import { findConnection, withAliases } from './connections.ts'
import { type DispatchTool, definitionsOf } from './definition.ts'
import { list, status } from './list.ts'
import { type ActionName, readDispatchParams } from './params.ts'
import { readresult } from './readresult.ts'
import { failureReply } from './reply.ts'
import { resolveTool } from './resolve.ts'
import { search } from './search.ts'

export interface DispatchOptions extends DispatchParts {
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
          const { result } = await shelves.of(exchange)
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
