/** What a proxy tool works on: kept results by their handles, or a fresh call whose result is kept first. */
import { errorResult } from '../protocol/content.ts'
import { isInputRequired } from '../protocol/eras.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { plain } from '../protocol/result.ts'
import type { Keeper } from '../store/keeper.ts'
import type { Entry } from '../store/store.ts'
import { refusal } from './tool.ts'

export interface SourceParams {
  cache_id?: string[] | undefined
  tool?: string | undefined
  arguments?: JsonObject | undefined
}

/** Either the entries, or what to answer in place of a query: why there are none, or a result that could not be kept. */
export type Found = { entries: Entry[]; fresh: boolean } | { failure: JsonObject }

export interface SourceOptions {
  keeper: Keeper
  /** The whole onion: a fresh call is logged, blocked and counted like any other. */
  call: Handler
  /** Names of the proxy's own tools, which cannot be called through each other. */
  ownTools: ReadonlySet<string>
}

/** The kept results that a call asks about: by their handles, or made by a fresh call of a tool. */
export async function findSource(
  asker: string,
  params: SourceParams,
  exchange: Exchange,
  options: SourceOptions,
): Promise<Found> {
  const { cache_id: handles, tool } = params
  if ((handles === undefined) === (tool === undefined))
    return { failure: errorResult(oneSource(asker, handles !== undefined)) }
  if (handles) return keptResults(asker, handles, exchange, options.keeper)
  return freshResult(asker, tool ?? '', params.arguments ?? {}, exchange, options)
}

async function keptResults(
  asker: string,
  handles: string[],
  exchange: Exchange,
  keeper: Keeper,
): Promise<Found> {
  const entries: Entry[] = []
  for (const handle of new Set(handles)) {
    const entry = await keeper.get(exchange.agent, handle)
    if (!entry) return { failure: errorResult(goneText(asker, handle)) }
    entries.push(entry)
  }
  return { entries, fresh: false }
}

async function freshResult(
  asker: string,
  tool: string,
  args: JsonObject,
  exchange: Exchange,
  { keeper, call, ownTools }: SourceOptions,
): Promise<Found> {
  if (ownTools.has(tool)) {
    const text = `${asker} cannot call ${tool}: "tool" is a tool of a server. To go on from an answer of ${tool}, pass the cache_id it gave.`
    return { failure: errorResult(text) }
  }
  const params: JsonObject = { ...carriedOver(exchange.params), name: tool, arguments: args }
  let handle: string | undefined
  const onKept = (kept: string): void => {
    handle = kept
  }
  const asked: Exchange = { ...exchange, method: 'tools/call', params, keep: true, onKept }
  const result = await call(asked).then(plain, refusal)
  // A question to the client: it calls this tool again with the answer, which then reaches the tool that asked.
  if (isInputRequired(result)) return { failure: result }
  if (result.isError === true) return { failure: result }
  const entry = handle === undefined ? undefined : await keeper.get(exchange.agent, handle)
  // It could not be kept. The call may have changed something, so its result goes out rather than being asked for again.
  if (!entry) return { failure: result }
  return { entries: [entry], fresh: true }
}

/** What a call says besides which tool is called how: who asks, where progress goes, and answers to what was asked. */
function carriedOver(params: JsonObject): JsonObject {
  const { name: _, arguments: _arguments, task: _task, ...rest } = params
  return rest
}

function oneSource(asker: string, both: boolean): string {
  const problem = both
    ? 'Both cache_id and tool were given; give one.'
    : 'Neither cache_id nor tool was given; give one.'
  return `${problem}\nKept result: ${asker} {"cache_id": "<12 characters from an earlier reply>", …}\nFresh call: ${asker} {"tool": "<tool name>", "arguments": {…}, …}`
}

/** The same words for a handle that expired, never was, or is another agent's. */
function goneText(asker: string, handle: string): string {
  const shown = handle.slice(0, 40)
  return `No kept result has cache_id "${shown}": it expired or was never yours. Do not retry this cache_id.
Call the tool that gave it again with the same arguments and use the new cache_id, or do both at once: ${asker} {"tool": "<that tool>", "arguments": {<the same>}, …}`
}
