/** `call_tool`: runs any tool by its name. Its answer is the tool's own. */
import type { FindableTool } from '../../discovery/finder.ts'
import { signatureOf } from '../../discovery/signature.ts'
import { hasReferences } from '../../engine/arguments.ts'
import { annotationsOf, covers, EFFECTS, type Effect, effectOf, RUNS } from '../../protocol/effects.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { listedNames, spellingsOf } from '../../protocol/spellings.ts'
import type { ArgumentCheck } from '../../proxy/argument-check.ts'
import { CALL_TOOL, callNameFor, findable } from '../../proxy/own-tools.ts'
import { inputsIn, TOOL_NAMES } from '../../proxy/parameters.ts'
import type { ToolIndex } from '../../proxy/tool-index.ts'
import { didYouMean } from '../../text/words/edit-distance.ts'
import type { Servers } from './routing.ts'

/** The call to make instead, or why none is made. */
export type Dispatched = { name: string; args: JsonObject } | { failure: string }

/** One that runs everything, or one for each effect, so that a client can approve reads alone. */
export interface CallTool {
  readonly name: string
  readonly definition: JsonObject
  /** The most it may do. */
  readonly allowed: Effect
}

const inputSchema: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    arguments: { type: 'object', additionalProperties: true, description: 'As its signature says.' },
  },
  required: ['name'],
}

const HINT = 'run, call any tool of the connected servers by its name'

export function callTools(split: boolean): CallTool[] {
  if (!split) {
    const description = 'Run a tool that retrieve_tools found.'
    return [
      {
        name: CALL_TOOL,
        definition: {
          name: CALL_TOOL,
          description,
          inputSchema,
          annotations: annotationsOf('destructive', 'open'),
          _meta: findable(HINT),
        },
        allowed: 'destructive',
      },
    ]
  }
  return EFFECTS.map((allowed) => {
    const name = callNameFor(allowed, split)
    const annotations = annotationsOf(allowed, 'open')
    return {
      name,
      definition: { name, description: RUNS[allowed], inputSchema, annotations, _meta: findable(HINT) },
      allowed,
    }
  })
}

/** Reads what a model wrote: `arguments` may be called `args` or `parameters`, be JSON in a string, or stand beside the name. */
export async function dispatch(
  tool: CallTool,
  given: JsonObject,
  check: ArgumentCheck,
  index: ToolIndex,
  listed: readonly string[] = [],
  unavailable: Servers['unavailable'] = [],
): Promise<Dispatched> {
  const key = TOOL_NAMES.find((each) => typeof own(given, each) === 'string')
  if (key === undefined)
    return { failure: `${tool.name} needs name: the tool to run, as retrieve_tools gave it.` }
  const { [key]: _, ...rest } = given
  const name = String(given[key])
  const [found, another] = index.meant(name)
  const [itself] = found ? [] : spellingsOf(listed.map((own) => ({ name: own })))(name)
  if (itself)
    return {
      failure: `${itself.name} is a tool of its own: call ${itself.name} itself, without ${tool.name}.`,
    }
  if (!found || another) return { failure: unknownText(name, index, unavailable) }
  const effect = effectOf(found.definition)
  if (!covers(tool.allowed, effect)) return { failure: elsewhere(found.name, tool, effect) }
  const args = inputsIn(rest)
  if (args === undefined) return { failure: `arguments must be an object. ${signatureText(found)}` }
  const schema = own(found.definition, 'inputSchema')
  const faults = isObject(schema) && !hasReferences(args) ? await check(args, schema) : []
  if (faults.length > 0)
    return { failure: `${found.name} was not run: ${faults.join('; ')}.\n${signatureText(found)}` }
  return { name: found.name, args }
}

/** The answer of a call tool in place of running a tool that may do more. */
export function elsewhere(name: string, runner: CallTool, effect: Effect): string {
  return `${name} is not for ${runner.name}: run it with ${callNameFor(effect, true)}.`
}

/** For a name that no tool has: which may be meant, and how to find out; or that its server is not there. */
export function unknownText(
  name: string,
  { tools, meant }: ToolIndex,
  unavailable: Servers['unavailable'] = [],
): string {
  const shown = name.slice(0, 200)
  // Its tools are not known, so a name that begins with its own can only be one of them.
  const absent = unavailable.find(({ server }) => isOf(name, server))
  if (absent && !tools.some(({ server }) => server === absent.server))
    return `Tool ${shown} was not run: the server ${absent.server} is not available (${absent.reason}). Do without it, or tell the user.`
  const same = meant(name)
  if (same.length > 1)
    return `There are several tools that ${shown} may mean: run one of ${listedNames(same)}.`
  const hint = didYouMean(
    name,
    tools.map((tool) => tool.name),
    3,
  )
  return `Tool ${shown} not found.${hint} Use retrieve_tools first: it gives the names of the tools there are now.`
}

/** True for `server_tool`, whatever stands between the two. */
function isOf(name: string, server: string): boolean {
  const prefix = server.replace(/[^A-Za-z0-9_-]/gu, '_')
  return name.toLowerCase().startsWith(prefix.toLowerCase()) && /^[_./:-]/.test(name.slice(prefix.length))
}

function signatureText({ name, definition }: FindableTool): string {
  return `Its signature: ${signatureOf(name, own(definition, 'inputSchema'))}`
}
