/** `call`: one tool of one server. A result that is too large, or is wanted so, goes to a file. */

import { fileURLToPath } from 'node:url'
import type { FindableTool } from '../../discovery/finder.ts'
import { signatureOf } from '../../discovery/signature.ts'
import { FROM_FILE, handleOfFile, hasReferences } from '../../engine/arguments.ts'
import { strangersIn } from '../../engine/schema-check.ts'
import { asksForInput, blocksOf, isText, plain, textBlock } from '../../protocol/content.ts'
import { covers, type Effect, effectOf, type Limit, within } from '../../protocol/effects.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { type Connection, findConnection, unknownConnection } from '../../proxy/connections.ts'
import { refusal } from '../../proxy/own-tools.ts'
import type { ToolIndex } from '../../proxy/tool-index.ts'
import { Refused } from '../../spill/confined.ts'
import type { Spills } from '../../spill/spills.ts'
import { nearest } from '../../text/words/edit-distance.ts'
import { type Action, type DispatchParts, failureReply, type Situation } from './actions.ts'
import type { DispatchParams } from './params.ts'
import { spillIfWanted } from './spill.ts'

export const call: Action = async (params, situation, parts) => {
  const { tool: name, connection } = params
  if (name === undefined || name === '')
    return failureReply(
      'call',
      'call needs tool: {"action":"call","tool":"<name>","arguments":{…}}. Find one with {"action":"search","query":"…"}.',
    )
  const resolved = resolveTool(name, connection, situation.listing.index, situation.connections)
  if ('failure' in resolved) return failureReply('call', resolved.failure)
  const { tool } = resolved
  const effect = effectOf(tool.definition)
  if (!covers(situation.allowed, effect)) return failureReply('call', elsewhere(tool, effect))
  const given = await argumentsOf(params, situation, parts)
  if ('failure' in given) return failureReply('call', given.failure)
  const spilled = given.supplied ? undefined : spilledPath(given.args, parts.spills)
  if (spilled !== undefined)
    return failureReply(
      'call',
      `${spilled} is a result in a file: read it with {"action":"readresult","resultFile":${JSON.stringify(spilled)},"op":"head"}, or pass it on as argumentsFile. ${tool.original} was not called.`,
    )
  const { exchange, next } = situation
  let handle: string | undefined
  const onKept = (kept: string): void => {
    handle = kept
  }
  const limit: Limit = {
    most: situation.allowed,
    refuse: (found) => failureReply('call', elsewhere(tool, found)),
  }
  const request = next({
    ...within(exchange, limit),
    onKept,
    ...(given.supplied && { supplied: given.supplied }),
    params: {
      ...(exchange.params._meta !== undefined && { _meta: exchange.params._meta }),
      ...(params.meta && {
        _meta: { ...(isObject(exchange.params._meta) ? exchange.params._meta : {}), ...params.meta },
      }),
      ...carried(exchange.params),
      name: tool.name,
      arguments: given.args,
    },
  })
  const result = await request.catch(refusal)
  if (asksForInput(result)) return plain(result)
  const heading: JsonObject = {
    action: 'call',
    tool: tool.original,
    ...(given.supplied && { arguments: given.args }),
  }
  // Content that was read out of such a file goes to no other by itself.
  const wish =
    !given.supplied && namesSpill(given.args, parts.spills) ? { ...params, resultSizeThreshold: 0 } : params
  const inFile = await spillIfWanted(result, { tool, args: given.args, handle }, wish, situation, parts)
  if (inFile) return { ...heading, ...inFile }
  const answer = plain(result)
  if (answer.isError === true)
    return { ...heading, ...(given.supplied ? answer : explained(answer, tool, given.args)) }
  return { ...heading, estimatedTokens: await tokensOf(answer, parts), ...answer }
}

function elsewhere({ original }: FindableTool, effect: Effect): string {
  return `${original} is not for this tool: call it with proxy-dispatch-${effect}.`
}

/** Members of the request that belong to the call itself: answers to what a server asked, a task. */
function carried(params: JsonObject): JsonObject {
  const { name: _, arguments: _arguments, _meta, ...rest } = params
  return rest
}

/** `supplied`: what a file holds, which is put in where the call ends; `args` are then what may be shown of it. */
interface Given {
  args: JsonObject
  supplied?: Uint8Array<SharedArrayBuffer>
}

async function argumentsOf(
  { arguments: given, argumentsFile }: DispatchParams,
  { exchange: { agent, signal } }: Situation,
  { spills, resultStore, engine }: DispatchParts,
): Promise<Given | { failure: string }> {
  if (argumentsFile === undefined) return { args: given ?? {} }
  if (given !== undefined && Object.keys(given).length > 0)
    return {
      failure:
        'Give arguments or argumentsFile, not both. To put a kept value beside others write {"$from": "<cache_id>", "path": "…"} in arguments.',
    }
  try {
    const args = { [FROM_FILE]: argumentsFile }
    const supplied = await spills.read(agent, argumentsFile)
    const handle = argumentsFile.trim().endsWith('.toon') ? handleOfFile(argumentsFile) : undefined
    if (handle === undefined) return { args, supplied }
    // TOON is for reading: what it was written from is the data to the digit.
    const entry = await resultStore.get(agent, handle)
    if (entry !== undefined)
      return { args, supplied: (await engine.export(entry.content, false, signal)).content }
    return {
      failure:
        'argumentsFile: the file is TOON, and the result it was made of is no longer kept. Call the tool that gave it again, or write arguments.',
    }
  } catch (error) {
    if (error instanceof Refused) return { failure: `argumentsFile: ${error.message}` }
    throw error
  }
}

/** Text per count: counted in pieces that are counted exactly. */
const piece = 4000

async function tokensOf(result: JsonObject, { engine }: DispatchParts): Promise<number> {
  const texts = blocksOf(result).flatMap((block) => (isText(block) ? [block.text] : []))
  const pieces = texts.flatMap((text) =>
    Array.from({ length: Math.ceil(text.length / piece) }, (_, at) =>
      text.slice(at * piece, (at + 1) * piece),
    ),
  )
  const counts = pieces.length === 0 ? [] : await engine.countTokens(pieces)
  return counts.reduce((sum, count) => sum + count, 0)
}

const argumentError = /argument|param|valid|schema|required|expected|missing|unknown|unrecognized|-32602/i

/** A server's complaint about arguments, with what it would take: names that are nearly right, and what is missing. */
function explained(result: JsonObject, { original, definition }: FindableTool, args: JsonObject): JsonObject {
  const [first] = blocksOf(result)
  const schema = own(definition, 'inputSchema')
  if (!isText(first) || !argumentError.test(first.text) || !isObject(schema) || hasReferences(args))
    return result
  const faults = strangersIn(fewOf(args, schema), schema)
  if (faults.length === 0) return result
  const help = `${original} takes ${signatureOf('', schema)}: ${faults.join('; ')}.`
  return { ...result, content: [...blocksOf(result), textBlock(help)] }
}

/** The most unknown names that are compared with the names of the schema. */
const mostStrange = 5

/** The arguments with so few strange names that comparing them takes no time. */
function fewOf(args: JsonObject, schema: JsonObject): JsonObject {
  const known = own(schema, 'properties')
  const names = Object.keys(args)
  const isKnown = (name: string): boolean => isObject(known) && Object.hasOwn(known, name)
  const strange = new Set(names.filter((name) => !isKnown(name)).slice(0, mostStrange))
  return Object.fromEntries(
    names.flatMap((name) => (isKnown(name) || strange.has(name) ? [[name, args[name] ?? null]] : [])),
  )
}

// Which tool a model means: by the name the proxy gave it or its server's own, in a connection or wherever it
// is.

type Resolved = { tool: FindableTool } | { failure: string }

/** Candidates that an error names. */
const mostNamed = 10

export function resolveTool(
  name: string,
  connection: string | undefined,
  { tools, meant }: Pick<ToolIndex, 'tools' | 'meant'>,
  connections: readonly Connection[],
): Resolved {
  const wanted = connection === undefined ? undefined : findConnection(connection, connections)
  if (connection !== undefined && wanted === undefined)
    return { failure: unknownConnection(connection, connections) }
  const place = wanted ? undefined : placeIn(name, tools, connections)
  if (place) return { tool: place }
  const there = wanted ? tools.filter(({ server }) => server === wanted.server) : tools
  const exposed = there.find((tool) => tool.name === name)
  const named = exposed ? [exposed] : called(name, there)
  const [only, ...others] = named.length > 0 ? named : meant(name).filter((tool) => there.includes(tool))
  if (only === undefined) return { failure: absent(name, there, connections, wanted) }
  if (others.length === 0) return { tool: only }
  const candidates = [only, ...others].map((tool) => placeOf(tool, connections)).slice(0, mostNamed)
  return {
    failure: `There are several tools that ${name.slice(0, 200)} may mean: say which by connection. Candidates: ${candidates.join(', ')}.`,
  }
}

/** By the server's own name; where none has it, by one that differs in its capitals alone. */
function called(name: string, tools: readonly FindableTool[]): FindableTool[] {
  const exactly = tools.filter(({ original }) => original === name)
  const wanted = name.trim().toLowerCase()
  return exactly.length > 0 ? exactly : tools.filter(({ original }) => original.toLowerCase() === wanted)
}

/** `server/tool`, as filters name it, and `c1/tool`. A tool that is called so itself comes first. */
function placeIn(
  name: string,
  tools: readonly FindableTool[],
  connections: readonly Connection[],
): FindableTool | undefined {
  if (tools.some((tool) => tool.name === name || tool.original === name)) return undefined
  const found = tools.filter(({ server, original }) => {
    const end = name.length - original.length - 1
    if (end < 1 || !name.endsWith(original) || !'/.:'.includes(name.charAt(end))) return false
    return findConnection(name.slice(0, end), connections)?.server === server
  })
  return found.length === 1 ? found[0] : undefined
}

function absent(
  name: string,
  tools: readonly FindableTool[],
  connections: readonly Connection[],
  connection: Connection | undefined,
): string {
  const where = connection ? ` in ${connection.alias} (${connection.server})` : ''
  const byName = new Map(
    tools.flatMap((tool) => [[tool.original, tool] as const, [tool.name, tool] as const]),
  )
  const near = [...new Set(nearest(name, byName.keys(), 6).map((found) => byName.get(found)))]
  const candidates = near.flatMap((tool) => (tool ? [placeOf(tool, connections)] : [])).slice(0, 3)
  const hint = candidates.length > 0 ? ` Did you mean ${candidates.join(', ')}?` : ''
  const error =
    connection?.lastError === undefined ? '' : ` The connection failed last with: ${connection.lastError}`
  return `There is no tool ${name.slice(0, 200)}${where}.${hint} Find tools with {"action":"search","query":"…"}.${error}`
}

function placeOf({ original, server }: FindableTool, connections: readonly Connection[]): string {
  const alias = connections.find((connection) => connection.server === server)?.alias
  return alias === undefined ? original : `${original} (connection ${alias}, ${server})`
}

// Files with results among the arguments of a call: its server would read one, and the answer would be such a
// file again.

/** The path of such a file that is an argument, or an element of one, as a path or a `file:` URL. */
function spilledPath(args: JsonObject, spills: Pick<Spills, 'holds'>): string | undefined {
  for (const text of stringsIn(args)) {
    const path = pathOf(text)
    if (path !== undefined && spills.holds(path)) return path
  }
  return undefined
}

/** True when such a file is named anywhere, in a command for example. */
function namesSpill(args: JsonObject, { owns }: Pick<Spills, 'owns'>): boolean {
  for (const text of stringsIn(args)) if (owns(text)) return true
  return false
}

/** Longer texts are content. */
const longestPath = 5000

function pathOf(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > longestPath) return undefined
  if (!/^file:/i.test(trimmed)) return trimmed
  try {
    return fileURLToPath(trimmed)
  } catch {
    return undefined
  }
}

/** A file as a reference: the proxy puts its content in, no server is told the path. */
function isReference(value: JsonValue): boolean {
  return (
    isObject(value) &&
    Object.keys(value).every((key) => key === '$from' || key === 'path') &&
    typeof value.$from === 'string' &&
    handleOfFile(value.$from) !== undefined
  )
}

function* stringsIn(args: JsonObject): Generator<string> {
  const left: JsonValue[] = [args]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === 'string') yield value
    else if (typeof value === 'object' && value !== null && !isReference(value))
      for (const one of Object.values(value)) left.push(one)
  }
}
