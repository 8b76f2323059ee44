import * as z from 'zod'
import { isPartial, partialLines } from '../../documents/paging/standing.ts'
import { type Dialect, LONGEST_HANDLE } from '../../documents/template.ts'
import { FROM_FILE } from '../../engine/arguments.ts'
import type { Engine, Query, QueryAnswer } from '../../engine/contract.ts'
import { byOwnNames, questionParams } from '../../processors/parameters.ts'
import { errorResult, isInputRequired, META, plain, plainAnswer, textBlock } from '../../protocol/content.ts'
import { annotationsOf, type Effect, type Limit, within } from '../../protocol/effects.ts'
import { ProxyError } from '../../protocol/errors.ts'
import type { Client, Exchange, Handler } from '../../protocol/exchange.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { findable, type ProxyTool, refusal } from '../../proxy/own-tools.ts'
import {
  flagIn,
  listedByCommas,
  objectParam,
  publicSchema,
  readParams,
  saysNothing,
  unlessNothing,
} from '../../proxy/parameters.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Entry } from '../../store/store.ts'
import { goneWords } from '../../text/format.ts'
import { type Asker, askedBy, handlesMeant, type KeptOptions, listKept } from './kept.ts'

export { handlesMeant } from './kept.ts'

/** The proxy's own tools, in the order in which they are listed. */
export function createProxyTools(options: QueryToolOptions): readonly ProxyTool[] {
  return [proxyFilter(options), proxySearch(options), proxyExplore(options)]
}

/** Records by condition, order, group and field. */
function proxyFilter(options: QueryToolOptions): ProxyTool {
  return createQueryTool(
    {
      name: 'proxy_filter',
      title: 'Filter a kept result',
      kind: 'filter',
      searchHint:
        'count rows, sum, filter records of a large result, part of a preview, kept result cache_id, JSON CSV table log',
      description: `Records (rows) and fields of a large result that came as a preview (cache_id), or of a fresh call (tool + arguments). \
Only the answer comes back. JSON, CSV, tables, logs. Count and sum here: it is over everything. Do not repeat a call to see more.
{"cache_id":"…","where":["state = open","comments > 5"],"fields":["id","title"],"sort":"-comments","limit":10}`,
    },
    options,
  )
}

/** Text by pattern, relevance or likeness. */
function proxySearch(options: QueryToolOptions): ProxyTool {
  return createQueryTool(
    {
      name: 'proxy_search',
      title: 'Search a kept result',
      kind: 'search',
      searchHint: 'find text in a large result, search part of a preview, grep lines, kept result cache_id',
      description: `Find text in a large kept result (cache_id; "*": in all) or in a fresh call (tool + arguments). Hits are counted over \
everything.
{"cache_id":"…","pattern":"ERROR|FATAL","context_lines":2} or {"cache_id":"…","pattern":"how are tokens refreshed","mode":"bm25"}`,
      explained: ['path', 'fields', 'exclude', 'offset', ...sourceNames],
    },
    options,
  )
}

/** Explores its content: types, fields, counts, ranges. */
function proxyExplore(options: QueryToolOptions): ProxyTool {
  return createQueryTool(
    {
      name: 'proxy_explore',
      title: 'Explore a kept result',
      kind: 'explore',
      searchHint:
        'list kept results, cache_id of an earlier large result, fields and types, structure of a preview',
      description: `Structure of a large kept result (cache_id) or of a fresh call (tool + arguments): fields with types, presence, \
ranges, frequent values. {} lists what is kept.
{"cache_id":"…","path":"$.items[*].user"}`,
      explained: ['path', 'offset', ...sourceNames],
    },
    options,
  )
}

// The common work of the three query tools: find the source, ask the engine, keep the rest that did not fit.

interface QueryToolOptions extends SourceOptions {
  engine: Engine
  /** Servers of the client that cannot be reached now, with the reason. Absent: none. */
  unavailable?(client: Client): readonly { readonly server: string; readonly reason: string }[]
  /** The most characters of an answer, and of one that holds all of the many rows that `limit` asks for. */
  budget: number
  most?: number
}

interface QueryToolDeclaration {
  name: Asker
  title: string
  kind: Query['kind']
  description: string
  /** Words by which clients that search their tools find it. */
  searchHint: string
  /** Parameters that another of the tools explains, or the description: only their types are listed. Default: none. */
  explained?: readonly string[]
}

/** Parameters that a kind reads and does not list, since clients pay for each word. Models find them in the schema of the filter. */
const UNLISTED = { filter: {}, search: { all: true, where: true }, explore: { all: true } } as const

/** A tool that puts one kind of query to kept results. */
function createQueryTool(declaration: QueryToolDeclaration, options: QueryToolOptions): ProxyTool {
  const { name, title, description, searchHint, kind } = declaration
  const params = z.strictObject({ ...sourceParams, ...questionParams[kind].shape })
  return {
    name,
    definition: {
      name,
      title,
      description,
      // Every client pays for each word: `all` is described where most models look for it.
      inputSchema: publicSchema(params.omit(UNLISTED[kind]), declaration.explained),
      annotations:
        options.freshCalls === 'all' ? annotationsOf('destructive', 'open') : annotationsOf('read', 'closed'),
      _meta: findable(searchHint),
    },
    async call(args, exchange) {
      const read = readParams(name, params, byOwnNames(kind, args))
      if ('failure' in read) return errorResult(read.failure)
      const { cache_id, tool, arguments: toolArguments, all, ...query } = read.params
      // Under another spelling of its name it is reached by one of its kind.
      if (exchange.keep)
        return errorResult(
          `${name} cannot be called by another tool of the proxy: "tool" is a tool of a server. To go on from an answer, pass its cache_id.`,
        )
      const { path, offset = 0 } = query as { path?: string; offset?: number }
      if (kind === 'explore' && cache_id === undefined && tool === undefined && path === undefined)
        return plainAnswer(await listing(exchange, offset, options))
      const found = await findSource(
        name,
        { cache_id, tool, arguments: toolArguments, all },
        exchange,
        options,
      )
      if ('failure' in found) return found.failure
      const { dialect, engine } = options
      const ask = (budget: number, most: number): Promise<QueryAnswer> =>
        engine.query(
          found.entries,
          {
            kind,
            params: query,
            budget: Math.max(200, budget),
            ...(most > budget && { most }),
            ...(dialect && { dialect }),
          },
          exchange.signal,
        )
      try {
        const around = found.told.length + found.remarks.join('\n').length + 1
        const { budget, most = budget } = options
        const answer = await fitting(ask, { budget: budget - around, most: most - around }, around, exchange)
        return await reply(answer, found, query, name, exchange, options)
      } catch (error) {
        // No error: clients end a run at a few of those, and the model has only to wait.
        if (error instanceof ProxyError && error.code === 'QUERY_BUSY') return plainAnswer(error.text)
        if (error instanceof ProxyError && error.code !== 'CANCELLED') return errorResult(error.text)
        throw error
      }
    },
  }
}

/** The kept results, and the servers that cannot be reached, because their missing tools are not in any list. */
async function listing(
  { agent, client }: Exchange,
  offset: number,
  options: QueryToolOptions,
): Promise<string> {
  const lines = (options.unavailable?.(client) ?? [])
    .slice(0, MOST_UNAVAILABLE)
    .map(({ server, reason }) => `Server ${server} is not available: ${reason}`)
  const absent = lines.map((line) => `\n${line}`).join('')
  return (await listKept(agent, offset, options.budget - absent.length, options)) + absent
}

/** Servers that one answer names. */
const MOST_UNAVAILABLE = 5

/** Characters that the answer has as JSON beside its text. */
const FRAME = 300
/** Each asks for as much less as the last was too long. */
const ROUNDS = 3

/** An answer that the client does not cut: some count the characters of its JSON, in which quotes and line breaks are two each. */
async function fitting(
  ask: (budget: number, most: number) => Promise<QueryAnswer>,
  wanted: { budget: number; most: number },
  around: number,
  { client }: Exchange,
): Promise<QueryAnswer> {
  const limit = (client.rule?.jsonLimit ?? Number.POSITIVE_INFINITY) - FRAME - around
  let budget = Math.min(wanted.budget, limit)
  let most = Math.min(wanted.most, limit, (client.rule?.textLimit ?? Number.POSITIVE_INFINITY) - around)
  let answer = await ask(budget, most)
  for (let round = 0; round < ROUNDS && limit !== Number.POSITIVE_INFINITY; round++) {
    const { length } = JSON.stringify(answer.text.join(LONGEST_HANDLE))
    if (length <= limit) break
    budget = Math.min(budget, Math.floor((Math.max(budget, most) * limit) / length))
    most = budget
    answer = await ask(budget, most)
  }
  return answer
}

/** @param told before the answer; `remarks` below its first line, which counts what was found */
async function reply(
  answer: QueryAnswer,
  { entries, told, remarks }: Exclude<Found, { failure: JsonObject }>,
  query: JsonObject,
  name: string,
  exchange: Exchange,
  { resultStore }: QueryToolOptions,
): Promise<JsonObject> {
  const own =
    answer.whole &&
    (await resultStore.keep(exchange.agent, {
      ...answer.whole,
      look: { shape: answer.whole.shape },
      origin: { tool: name, arguments: { cache_id: entries.map(({ handle }) => handle), ...query } },
    }))
  exchange.onSaved?.({
    originalTokens: answer.originalTokens,
    deliveredTokens: answer.answerTokens,
    steps: answer.steps,
  })
  const [first = '', ...rest] = answer.text.join(own?.handle ?? '').split('\n')
  return {
    content: [textBlock(told + [first, ...remarks, ...rest].join('\n'))],
    ...(answer.failed && { isError: true }),
    ...(own && { _meta: { [`${META}cache-id`]: own.handle } }),
  }
}

// The object that a proxy tool works on: kept results by their handles, or a fresh call: its result is kept first.

interface SourceParams {
  cache_id?: string[] | undefined
  tool?: string | undefined
  arguments?: JsonObject | undefined
  all?: boolean | undefined
}

/**
 * Either the entries, with remarks before the answer and below its first line. Or the answer in place of a query: why there are no
 * entries, or a result that could not be kept.
 */
export type Found = { entries: Entry[]; told: string; remarks: readonly string[] } | { failure: JsonObject }

interface SourceOptions extends KeptOptions {
  resultStore: ResultStore
  /** The whole onion: a fresh call is logged, blocked and counted like any other. */
  call: Handler
  /** Names of the proxy's own tools, which cannot be called through each other. */
  ownTools: ReadonlySet<string>
  /** Which tools a fresh call reaches: tools that declare that they only read, or all. Default: readOnly. */
  freshCalls?: 'readOnly' | 'all'
  /** Writes the call of a tool as the model has to make it itself. `args` is JSON. Default: by the tool's name. */
  callFor?(tool: string, args: string, effect: Effect): string
}

/** The kept results that a call asks about: by their handles, or made by a fresh call of a tool. */
export async function findSource(
  asker: Asker,
  params: SourceParams,
  exchange: Exchange,
  options: SourceOptions,
): Promise<Found> {
  const { cache_id: handles, tool } = params
  if ((handles === undefined) === (tool === undefined))
    return { failure: errorResult(oneSource(asker, handles !== undefined, options.dialect)) }
  if (handles) {
    const kept = await keptResults(asker, handles, exchange, options)
    return params.all && 'entries' in kept ? withRest(asker, kept, exchange, options) : kept
  }
  return freshResult(asker, tool ?? '', params.arguments ?? {}, params.all, exchange, options)
}

/** The whole collection of which this result is a part: its call is made again, and followed. */
async function withRest(
  asker: Asker,
  kept: Found & { entries: Entry[] },
  exchange: Exchange,
  options: SourceOptions,
): Promise<Found> {
  const [entry, another] = kept.entries
  if (entry === undefined || another !== undefined || options.ownTools.has(entry.tool))
    return { failure: errorResult(ONE_COLLECTION) }
  if (Object.hasOwn(entry.arguments, FROM_FILE)) return { failure: errorResult(NOT_REPEATED) }
  return isPartial(entry) ? freshResult(asker, entry.tool, entry.arguments, true, exchange, options) : kept
}

const NOT_REPEATED =
  'The arguments of this result came from a file, so its call cannot be made again for the rest. Call the tool yourself with arguments for each further part.'

const ONE_COLLECTION =
  '"all" follows the pages of one result of a tool of a server. Pass its cache_id alone, or tool and arguments.'

async function keptResults(
  asker: Asker,
  words: string[],
  exchange: Exchange,
  options: SourceOptions,
): Promise<Found> {
  const meant = await handlesMeant(words, asker, exchange.agent, options)
  if ('answer' in meant) return { failure: plainAnswer(meant.answer) }
  const entries: Entry[] = []
  for (const handle of new Set(meant.handles)) {
    const entry = await options.resultStore.get(exchange.agent, handle)
    // No error: clients end a run for the second one, and the answer says what to do.
    if (!entry) return { failure: plainAnswer(goneText(asker, handle, options.dialect)) }
    entries.push(entry)
  }
  return { entries, told: meant.told, remarks: partialLines(entries) }
}

async function freshResult(
  asker: Asker,
  tool: string,
  args: JsonObject,
  all: boolean | undefined,
  exchange: Exchange,
  { resultStore, call, ownTools, freshCalls, callFor = (name, json) => `${name} ${json}` }: SourceOptions,
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
  const asked: Exchange = {
    ...exchange,
    method: 'tools/call',
    params,
    keep: true,
    onKept,
    ...(all && { all }),
  }
  const limit: Limit = {
    most: 'read',
    refuse: (effect) => mayChange(tool, callFor(tool, shownJson(args), effect)),
  }
  const result = await call(freshCalls === 'all' ? asked : within(asked, limit)).then(plain, refusal)
  // A question to the client: it calls this tool again with the answer, which then reaches the tool that asked.
  if (isInputRequired(result)) return { failure: result }
  if (result.isError === true) return { failure: result }
  const entry = handle === undefined ? undefined : await resultStore.get(exchange.agent, handle)
  // It could not be kept. The call may have changed something, so its result goes out rather than being asked for again.
  if (!entry) return { failure: result }
  const standing = all || isPartial(entry) ? entry.standing : undefined
  const told = `cache_id ${entry.handle} keeps the whole result of ${entry.tool}${standing === undefined ? '' : `. ${standing}`}.\n`
  return { entries: [entry], told, remarks: [] }
}

/** Characters of arguments that are repeated in the call that is to be made instead. */
const longestArguments = 1000

function shownJson(args: JsonObject): string {
  const json = JSON.stringify(args)
  return json.length <= longestArguments ? json : '{<the same arguments>}'
}

/** No error: clients end a run at a few of those, and the model has only to make the call itself. */
function mayChange(tool: string, call: string): JsonObject {
  const text = `${tool.slice(0, 200)} does not declare that it only reads, so nothing was called. Call it yourself:
${call}
A short result comes whole. A long one comes with a cache_id: ask this question again with that in place of tool and arguments.`
  return { content: [textBlock(text)] }
}

/** The params of a call without its tool and arguments: `_meta` with the progress token, and answers to questions. */
function carriedOver(params: JsonObject): JsonObject {
  const { name: _, arguments: _arguments, task: _task, ...rest } = params
  return rest
}

function oneSource(asker: Asker, both: boolean, dialect: Dialect | undefined): string {
  const problem = both
    ? 'Both cache_id and tool were given; give one.'
    : 'Neither cache_id nor tool was given; give one.'
  return `${problem}
Kept result: ${askedBy(asker, '"cache_id": "<from an earlier reply>", …', dialect)}
Fresh call: ${askedBy(asker, '"tool": "<a tool that only reads>", "arguments": {…}, …', dialect)}
What is kept: ${askedBy('proxy_explore', '', dialect)}`
}

/** The same words for a handle that expired, never was, or is another agent's. */
function goneText(asker: Asker, handle: string, dialect: Dialect | undefined): string {
  return `${goneWords(handle)} Do not retry this cache_id.
Call the tool that gave it again with the same arguments and use the new cache_id. Or do both at once: ${askedBy(asker, '"tool": "<that tool>", "arguments": {<the same>}, …', dialect)}
What is still kept: ${askedBy('proxy_explore', '', dialect)}`
}

const HANDLE = 'must be a cache_id from an earlier reply, or several'

/** The most handles one question may name. */
const MAX_HANDLES = 16

/** Handles as models write them: one (a number, when it has no letters), a list, a JSON list in a string, or several with commas between. */
function handles(value: unknown): unknown {
  const read = listedByCommas(value)
  return Array.isArray(read) ? read.filter((handle) => !saysNothing(handle)) : read
}

/** The parameters all query tools share. */
const sourceParams = {
  cache_id: unlessNothing(
    z.preprocess(
      handles,
      z
        .array(z.string(HANDLE).max(200, HANDLE), HANDLE)
        .min(1, HANDLE)
        .max(MAX_HANDLES, `must be at most ${MAX_HANDLES}`),
    ),
  ).meta({
    type: 'string',
    description: 'From an earlier reply; several: "a, b". "last": the newest result.',
  }),
  tool: unlessNothing(z.string().max(500)).meta({
    type: 'string',
    description: 'Instead of cache_id: tool to call now; it must only read.',
  }),
  arguments: unlessNothing(objectParam).meta({
    type: 'object',
    additionalProperties: true,
    description: '',
  }),
  all: unlessNothing(z.preprocess((value) => flagIn(value as JsonValue), z.boolean())).meta({
    type: 'boolean',
    description: 'Follow all pages.',
  }),
}

/** Their names. */
const sourceNames: readonly string[] = Object.keys(sourceParams)
