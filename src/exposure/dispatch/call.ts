/** `call`: one tool of one server. A result that is too large, or is wanted so, goes to a file. */
import { strangersIn } from '../../arguments/check.ts'
import { hasReferences } from '../../arguments/reference.ts'
import type { FindableTool } from '../../discovery/finder.ts'
import { signatureOf } from '../../discovery/signature.ts'
import { blocksOf, isText, textBlock } from '../../protocol/content.ts'
import { asksForInput } from '../../protocol/input-required.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { plain } from '../../protocol/result.ts'
import { Refused } from '../../spill/confined.ts'
import { refusal } from '../../tools/tool.ts'
import { covers, effectOf } from '../effects.ts'
import type { Action, DispatchParts, Situation } from './actions.ts'
import type { DispatchParams } from './params.ts'
import { failureReply } from './reply.ts'
import { resolveTool } from './resolve.ts'
import { spillIfWanted } from './spill.ts'
import { namesSpill, spilledPath } from './spilled-path.ts'

export const call: Action = async (params, situation, parts) => {
  const { tool: name, connection } = params
  if (name === undefined || name === '')
    return failureReply(
      'call',
      'call needs tool: {"action":"call","tool":"<name>","arguments":{…}}. Find one with {"action":"search","query":"…"}.',
    )
  const resolved = resolveTool(name, connection, situation.listing.shelf.tools, situation.connections)
  if ('failure' in resolved) return failureReply('call', resolved.failure)
  const { tool } = resolved
  const effect = effectOf(tool.definition)
  if (!covers(situation.allowed, effect))
    return failureReply(
      'call',
      `${tool.original} is not for this tool: call it with proxy-dispatch-${effect}.`,
    )
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
  const request = next({
    ...exchange,
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
  // What was read out of such a file goes to no other by itself.
  const wish =
    !given.supplied && namesSpill(given.args, parts.spills) ? { ...params, resultSizeThreshold: 0 } : params
  const inFile = await spillIfWanted(result, { tool, args: given.args, handle }, wish, situation, parts)
  if (inFile) return { ...heading, ...inFile }
  const answer = plain(result)
  if (answer.isError === true)
    return { ...heading, ...(given.supplied ? answer : explained(answer, tool, given.args)) }
  return { ...heading, estimatedTokens: await tokensOf(answer, parts), ...answer }
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
  { exchange }: Situation,
  { spills }: DispatchParts,
): Promise<Given | { failure: string }> {
  if (argumentsFile === undefined) return { args: given ?? {} }
  if (given !== undefined && Object.keys(given).length > 0)
    return {
      failure:
        'Give arguments or argumentsFile, not both. To put a kept value beside others write {"$from": "<cache_id>", "path": "…"} in arguments.',
    }
  try {
    return {
      args: { _fromFile: argumentsFile },
      supplied: await spills.read(exchange.agent, argumentsFile),
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
  const faults = strangersIn(args, schema)
  if (faults.length === 0) return result
  const help = `${original} takes ${signatureOf('', schema)}: ${faults.join('; ')}.`
  return { ...result, content: [...blocksOf(result), textBlock(help)] }
}
