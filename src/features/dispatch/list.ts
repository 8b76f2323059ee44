/** `list` and `status`: the connections, and what they offer. `search`: the tools that fit a question. */
import { createHash } from 'node:crypto'
import type { FindableTool } from '../../discovery/finder.ts'
import type { Found } from '../../discovery/search.ts'
import { leadOf, signatureOf } from '../../discovery/signature.ts'
import { encodeResult, hashOf } from '../../engine/content.ts'
import { textBlock } from '../../protocol/content.ts'
import { effectOf } from '../../protocol/effects.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { type Connection, filterData, findConnection, unknownConnection } from '../../proxy/connections.ts'
import { wordsOf } from '../../text/words/words.ts'
import { type Action, type DispatchParts, dataReply, failureReply, type Situation } from './actions.ts'
import type { DispatchParams } from './params.ts'

/** Characters of a description in the compact format. */
const lead = 160
/** Characters of a reply that is cut, beside its connections. */
const frame = 500

export const list: Action = async (params, situation, parts) => {
  const { connection } = params
  const wanted = connection === undefined ? undefined : findConnection(connection, situation.connections)
  if (connection !== undefined && !wanted)
    return failureReply('list', unknownConnection(connection, situation.connections))
  const chosen = wanted ? [wanted] : situation.connections
  const { budget } = parts.settings
  const totalConnections = situation.connections.length
  const data = dataOf(chosen, params, situation)
  if (JSON.stringify(data).length <= budget) return dataReply('list', data)
  const plainer = dataOf(chosen, { ...params, includeAnnotations: false }, situation)
  if (params.format !== 'detail' && JSON.stringify(plainer).length <= budget)
    return dataReply('list', plainer)
  const { handle } = await kept(data, params, situation, parts)
  return dataReply('list', {
    totalConnections,
    note: `The whole list has ${JSON.stringify(data).length} characters. Search it by {"action":"search","query":"…"}, list one connection, or ask for parts of it: {"action":"filter","cache_id":"${handle}","path":"$.connections[*].tools[*]"}.`,
    cache_id: handle,
    connections: shortened(chosen, params, situation, budget - frame),
  })
}

function dataOf(chosen: readonly Connection[], params: DispatchParams, situation: Situation): JsonObject {
  return {
    totalConnections: situation.connections.length,
    connections: chosen.map((one) => describe(one, params, situation)),
  }
}

/** Too much to read is something to explore. */
async function kept(
  data: JsonObject,
  params: DispatchParams,
  { exchange }: Situation,
  { resultStore }: DispatchParts,
): Promise<{ handle: string }> {
  const content = encodeResult({ content: [textBlock(JSON.stringify(data))] })
  const origin = { tool: 'proxy-dispatch', arguments: { ...params } as JsonObject }
  return resultStore.keep(exchange.agent, { content, hash: hashOf(content), origin })
}

function describe(connection: Connection, params: DispatchParams, { listing }: Situation): JsonObject {
  const { includeTools = true, format = 'compact' } = params
  const tools = listing.index.tools.filter(({ server }) => server === connection.server)
  const { alias, server, id, serverInfo, lastError, refreshed, toolFilter } = connection
  return {
    alias,
    name: server,
    ...(format === 'detail' && { id, descriptor: connection.descriptor() }),
    toolCount: tools.length,
    ...(format === 'detail' && serverInfo && { serverInfo }),
    ...(format === 'detail' && toolFilter && { toolFilter: filterData(toolFilter) }),
    ...(lastError !== undefined && { lastError }),
    ...(format === 'detail' && refreshed !== undefined && { lastRefreshed: time(refreshed) }),
    ...(includeTools && { tools: tools.map((tool) => describeTool(tool, params)) }),
  }
}

function describeTool({ original, definition }: FindableTool, params: DispatchParams): JsonObject {
  const { includeInputSchema = false, includeAnnotations = true, format = 'compact' } = params
  const { description } = definition
  const annotations = own(definition, 'annotations')
  const shown = format === 'compact' ? hintsIn(definition) : annotations
  const schema = own(definition, 'inputSchema')
  return {
    name: original,
    ...(typeof description === 'string' && {
      description: format === 'compact' ? leadOf(description, lead) : description,
    }),
    ...(includeAnnotations && shown !== undefined && { annotations: shown }),
    ...(includeInputSchema && schema !== undefined && { inputSchema: schema }),
  }
}

/**
 * The hints that decide who may call it, where they differ from those of a tool that says nothing (MCP specification, "ToolAnnotations").
 */
function hintsIn(definition: JsonObject): JsonObject | undefined {
  const effect = effectOf(definition)
  if (effect === 'read') return { readOnlyHint: true }
  return effect === 'write' ? { destructiveHint: false } : undefined
}

/** Names alone where descriptions do not fit, counts alone where names do not. */
function shortened(
  connections: readonly Connection[],
  params: DispatchParams,
  situation: Situation,
  budget: number,
): JsonObject[] {
  const counts = connections.map((one) =>
    describe(one, { ...params, includeTools: false, format: 'compact' }, situation),
  )
  const named = counts.map((count) => ({
    ...count,
    tools: situation.listing.index.tools
      .filter(({ server }) => server === count.name)
      .map(({ original }) => original),
  }))
  if (params.includeTools !== false && JSON.stringify(named).length <= budget) return named
  return within(counts, budget)
}

/** As many of the first as fit. */
function within(items: readonly JsonObject[], budget: number): JsonObject[] {
  const fitting: JsonObject[] = []
  let room = budget
  for (const item of items) {
    room -= JSON.stringify(item).length + 1
    if (room < 0) break
    fitting.push(item)
  }
  return fitting
}

export const status: Action = async (_, { connections, exchange, listing }, { settings, toolFilter }) => {
  const { tools } = listing.index
  const refreshed = connections.flatMap((one) => (one.refreshed === undefined ? [] : [one.refreshed]))
  const filter = toolFilter(exchange.client)
  const told = connections.map((one): JsonObject => {
    const { alias, server, serverInfo, lastError, toolFilter: ownFilter } = one
    return {
      alias,
      name: server,
      toolCount: tools.filter((tool) => tool.server === server).length,
      ...(serverInfo && { serverInfo: nameIn(serverInfo) }),
      ...(one.refreshed !== undefined && { lastRefreshed: time(one.refreshed) }),
      ...(ownFilter && { toolFilter: filterData(ownFilter) }),
      ...(lastError !== undefined && { lastError: lastError.slice(0, 500) }),
    }
  })
  const shown = within(told, settings.budget - frame)
  return dataReply('status', {
    totalConnections: connections.length,
    totalTools: tools.length,
    catalogHash: hashOfTools(tools),
    ...(refreshed.length > 0 && { lastUpdated: time(Math.max(...refreshed)) }),
    ...(filter && { toolFilter: filterData(filter) }),
    ...(shown.length < told.length && {
      note: `Only ${shown.length} of ${told.length} connections are shown; list names one by connection.`,
    }),
    connections: shown,
  })
}

/** The name of a server in its own words, without its icons and the like. */
function nameIn({ name, version }: JsonObject): JsonObject {
  return {
    ...(typeof name === 'string' && { name: name.slice(0, 100) }),
    ...(typeof version === 'string' && { version: version.slice(0, 100) }),
  }
}

/** Another one when anything changes that a client would see of a tool. */
function hashOfTools(tools: readonly FindableTool[]): string {
  const hash = createHash('sha256')
  for (const { server, definition } of tools) hash.update(`${server}\n${JSON.stringify(definition)}\n`)
  return hash.digest('hex').slice(0, 16)
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

// `search`: the tools that fit what is wanted, with how they are called.

const someTools = 10
const shortLead = 120
const longestSignature = 300
const longestAnnotations = 1000

export const search: Action = async (
  { query = '', connection, limit = someTools, includeInputSchema },
  situation,
  { settings },
) => {
  const { listing, exchange, connections } = situation
  if (query.trim() === '')
    return failureReply(
      'search',
      'search needs query: what you want to do, in words. {"action":"list"} lists all tools.',
    )
  const wanted = connection === undefined ? undefined : findConnection(connection, connections)
  if (connection !== undefined && !wanted)
    return failureReply('search', unknownConnection(connection, connections))
  const { tools, search: find } = listing.index
  const ranked = await find(query, tools.length, exchange.signal)
  const found = [...ranked, ...byAnnotations(query, tools, ranked)].filter(
    ({ index }) => !wanted || tools[index]?.server === wanted.server,
  )
  const shown: JsonObject[] = []
  let room = settings.budget - 300
  for (const { index, score } of found.slice(0, limit)) {
    const tool = tools[index]
    if (tool === undefined) continue
    const alias = connections.find(({ server }) => server === tool.server)?.alias
    const told = describeFound(tool, alias, score, query, includeInputSchema === true)
    room -= JSON.stringify(told).length + 1
    if (room < 0 && shown.length > 0) break
    shown.push(told)
  }
  return dataReply('search', {
    query: query.slice(0, 200),
    totalMatches: found.length,
    ...(shown.length === 0 && { note: 'No tool fits. Ask in other words: what is done, and to what.' }),
    tools: shown,
  })
}

/** Tools that no other word of theirs would have found. */
function byAnnotations(query: string, tools: readonly FindableTool[], ranked: readonly Found[]): Found[] {
  const known = new Set(ranked.map(({ index }) => index))
  const wanted = wantedIn(query)
  return tools.flatMap(({ definition }, index) =>
    !known.has(index) && wordsOf(annotationText(definition)).some((word) => wanted.has(word))
      ? [{ index, score: 0 }]
      : [],
  )
}

/** The word for a hint that holds, in a question. That a tool meets the world outside is said of most. */
const HINTS: Readonly<Record<string, string>> = {
  readOnlyHint: 'readonly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
}

/** The texts of a tool's annotations, and a word for each hint that holds. */
function annotationText(definition: JsonObject): string {
  const annotations = own(definition, 'annotations')
  if (!isObject(annotations)) return ''
  const texts = Object.values(annotations).filter((value) => typeof value === 'string')
  const hints = Object.entries(HINTS).flatMap(([name, word]) =>
    own(annotations, name) === true ? [word] : [],
  )
  return [...texts, ...hints].join(' ').slice(0, longestAnnotations)
}

/** The words of a question, `read-only` as one. */
function wantedIn(query: string): ReadonlySet<string> {
  return new Set(wordsOf(query.replaceAll(/\bread[- ]only\b/gi, '$& readonly')))
}

function describeFound(
  { original, definition }: FindableTool,
  alias: string | undefined,
  score: number,
  query: string,
  withSchema: boolean,
): JsonObject {
  const { description } = definition
  const schema = own(definition, 'inputSchema')
  return {
    name: original,
    ...(alias !== undefined && { connection: alias }),
    score: Math.round(score * 100) / 100,
    matchedFields: matchedFields(definition, original, query),
    ...(typeof description === 'string' && { description: leadOf(description, shortLead) }),
    ...(withSchema && schema !== undefined
      ? { inputSchema: schema }
      : { signature: signatureOf('', schema, longestSignature) }),
  }
}

/** Where words of the query stand. A tool may be found by what they mean, and then it is none of them. */
function matchedFields(definition: JsonObject, original: string, query: string): string[] {
  const wanted = wantedIn(query)
  const has = (text: string): boolean => wordsOf(text).some((word) => wanted.has(word))
  const schema = own(definition, 'inputSchema')
  const properties = isObject(schema) ? own(schema, 'properties') : undefined
  const fields: [string, string][] = [
    ['name', original],
    ['description', String(definition.description ?? '')],
    ['annotations', annotationText(definition)],
    ['parameters', isObject(properties) ? Object.keys(properties).join(' ') : ''],
  ]
  return fields.filter(([, text]) => has(text)).map(([field]) => field)
}
