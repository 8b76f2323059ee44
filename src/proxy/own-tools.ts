/** The proxy's own tools: their contract, their names, how their calls are written, and what they answer when a call fails. */

import { errorResult } from '../protocol/content.ts'
import { EFFECTS, type Effect } from '../protocol/effects.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { formatCount } from '../text/format.ts'
import { head } from '../text/shorten.ts'

/** How the tools of the servers are offered. */
export type ExposureName = 'passthrough' | 'retrieve' | 'dispatch'

/** The tool that runs programs, where the settings ask for it. */
export const PROXY_CODE = 'proxy_code'

/** The names of the tools that ask kept results, and of the one that runs programs over them: each refuses to call another. */
export const PROXY_TOOL_NAMES: ReadonlySet<string> = new Set([
  'proxy_filter',
  'proxy_search',
  'proxy_explore',
  PROXY_CODE,
])

export const CALL_TOOL = 'call_tool'
export const DISPATCH = 'proxy-dispatch'

/** The operations of `readresult` as tools of their own. */
export const RESULT_ALIASES = {
  stat: 'result_stat',
  head: 'result_head',
  tail: 'result_tail',
  slice: 'result_slice',
  grep: 'result_grep',
  read: 'result_read',
} as const

/** One for each effect, where a client is to approve reads alone. */
const CALL_NAMES: ReadonlySet<unknown> = new Set([
  CALL_TOOL,
  ...EFFECTS.map((effect) => `${CALL_TOOL}_${effect}`),
])

/** Tools that answer by themselves. An answer of `call_tool` is an answer of the tool that it ran. */
export const EXPOSURE_NAMES: ReadonlySet<string> = new Set(['retrieve_tools', 'describe_tool'])

const DISPATCH_NAMES: ReadonlySet<unknown> = new Set([
  DISPATCH,
  ...EFFECTS.map((effect) => `${DISPATCH}-${effect}`),
])

/** No server may have them where they are ours: neither could be told apart from ours. */
export const RESERVED_NAMES: Readonly<Record<ExposureName, readonly string[]>> = {
  passthrough: [],
  retrieve: [...EXPOSURE_NAMES, ...CALL_NAMES].map(String),
  dispatch: [...DISPATCH_NAMES, ...Object.values(RESULT_ALIASES)].map(String),
}

/** The actions of `proxy-dispatch` that work on kept results, and the tools of the proxy's own that answer them. */
export const QUERIES: Readonly<Record<string, string>> = {
  filter: 'proxy_filter',
  search_result: 'proxy_search',
  explore: 'proxy_explore',
  code: PROXY_CODE,
}

/** Writes the call of a server's tool as the model has to make it. `args` is JSON. */
export type WriteCall = (tool: string, args: string, effect: Effect) => string

export interface Offered {
  readonly exposure: ExposureName
  readonly retrieve: { readonly routing: 'call' | 'dynamic'; readonly variants: string }
  readonly dispatch: { readonly variants: string }
}

/** How suggested questions are written: as calls of the proxy's own tools, or as actions of the one tool there is. */
export function dialectOf({ exposure }: Pick<Offered, 'exposure'>): 'tools' | 'dispatch' {
  return exposure === 'dispatch' ? 'dispatch' : 'tools'
}

/** How tools of servers are called where they are offered so: by their names, or by the tool that runs them. */
export function callWriter({ exposure, retrieve, dispatch }: Offered): WriteCall {
  if (exposure === 'dispatch') {
    return dispatch.variants === 'single'
      ? (tool, args) => `${DISPATCH} {"action":"call","tool":${JSON.stringify(tool)},"arguments":${args}}`
      : (tool, args, effect) => `${DISPATCH}-${effect} {"tool":${JSON.stringify(tool)},"arguments":${args}}`
  }
  if (exposure === 'passthrough' || retrieve.routing === 'dynamic') return (tool, args) => `${tool} ${args}`
  const isSplit = retrieve.variants !== 'single'
  return (tool, args, effect) =>
    `${callNameFor(effect, isSplit)} {"name":${JSON.stringify(tool)},"arguments":${args}}`
}

/** The name of the tool that runs tools of this effect. */
export function callNameFor(effect: Effect, isSplit: boolean): string {
  return isSplit ? `${CALL_TOOL}_${effect}` : CALL_TOOL
}

/** Tells the name of the tool that a call ends at. */
export type CalledName = (params: JsonObject) => string

/** Undefined: the tool that the call names. There one of a server may be called as ours are elsewhere. */
export function calledNameIn({ exposure }: Pick<Offered, 'exposure'>): CalledName | undefined {
  return exposure === 'passthrough' ? undefined : calledName
}

function calledName({ name, arguments: args }: JsonObject): string {
  if (typeof name !== 'string' || !isObject(args)) return String(name)
  const inner = CALL_NAMES.has(name) ? args.name : DISPATCH_NAMES.has(name) ? dispatched(args) : undefined
  return typeof inner === 'string' ? inner : name
}

/** A longer text is no name of a tool. */
const longestName = 200

function dispatched({ action = 'call', tool }: JsonObject): string {
  if (action === 'call') return typeof tool === 'string' && tool.length <= longestName ? tool : DISPATCH
  const query = typeof action === 'string' && Object.hasOwn(QUERIES, action) ? QUERIES[action] : undefined
  return query ?? DISPATCH
}

/** `_meta` of a tool that clients with many tools list at once, and find by these words when they search (Claude Code). */
export function findable(searchHint: string): JsonObject {
  return { 'anthropic/alwaysLoad': true, 'anthropic/searchHint': searchHint }
}

/** A tool the proxy itself offers. */
export interface ProxyTool {
  readonly name: string
  /** The definition in `tools/list` (MCP specification, server/tools, "Tool"). */
  readonly definition: JsonObject
  /** Answers with a CallToolResult; what the model did wrong is an `isError` result, never a throw. */
  call(args: JsonObject, exchange: Exchange): Promise<JsonObject>
}

/** The proxy's own tools in the order in which they are listed. They are loaded by the first list or call that needs them. */
export type OwnTools = () => Promise<readonly ProxyTool[]>

/** Parameters that one call may give: those of any tool here are far fewer, and each that is too many costs time. */
const MOST_PARAMS = 1_000

/** The answer to a call with more parameters than are read; undefined for any other. */
export function tooManyParams(name: string, args: JsonObject): JsonObject | undefined {
  const count = Object.keys(args).length
  if (count <= MOST_PARAMS) return undefined
  return errorResult(
    `${name} was given ${formatCount(count)} parameters, and reads at most ${formatCount(MOST_PARAMS)}. Give only parameters that it lists; parameters of another tool belong in \`arguments\`.`,
  )
}

/** Errors that clients act on: a capability is missing, a person has to visit an address, the request was cancelled. */
const FOR_THE_CLIENT: ReadonlySet<number> = new Set([
  RPC.headerMismatch,
  RPC.missingClientCapability,
  RPC.unsupportedVersion,
  RPC.urlElicitationRequired,
  RPC.cancelled,
])

/** A JSON-RPC error of the tool that was called is a failure of the tool that called it, which the model can read. */
export function refusal(error: unknown): JsonObject {
  if (error instanceof RpcError && !FOR_THE_CLIENT.has(error.code))
    return errorResult(`${error.message} (JSON-RPC error ${error.code})${dataOf(error)}`)
  throw error
}

/** Characters of the data of an error that a model is shown. */
const MOST_DATA = 2_000

/** The data of a server beside the message often tells the next step. */
function dataOf({ data }: RpcError): string {
  if (data === undefined || data === null) return ''
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const left = text.length - MOST_DATA
  return `\ndata: ${left > 0 ? `${head(text, MOST_DATA)} …[${formatCount(left)} characters left out]` : text}`
}
