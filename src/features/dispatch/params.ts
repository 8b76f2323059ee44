/** The parameters of `proxy-dispatch`: flat, for all actions together. */

import * as z from 'zod'
import { READBACK_OPS } from '../../processors/readback.ts'
import { isObject, type JsonObject, type JsonValue, renamed } from '../../protocol/json.ts'
import { QUERIES } from '../../proxy/own-tools.ts'
import {
  ARGUMENT_NAMES,
  flagIn,
  isEmpty,
  noParam,
  numberIn,
  objectIn,
  objectParam,
  readParams,
  saysNothing,
  TOOL_NAMES,
} from '../../proxy/parameters.ts'
import { didYouMean } from '../../text/words/edit-distance.ts'

export const ACTIONS = [
  'list',
  'search',
  'call',
  'readresult',
  'status',
  'filter',
  'search_result',
  'explore',
  'code',
] as const
export type ActionName = (typeof ACTIONS)[number]

const count = z.int().min(0)

const shape = {
  action: z.enum(ACTIONS),
  connection: z.string().max(500).optional(),
  refresh: z.boolean().optional(),
  includeTools: z.boolean().optional(),
  includeInputSchema: z.boolean().optional(),
  includeAnnotations: z.boolean().optional(),
  format: z.enum(['compact', 'detail']).optional(),
  query: z.string().max(4000).optional(),
  limit: z.int().min(1).max(1000).optional(),
  tool: z.string().max(500).optional(),
  arguments: objectParam.optional(),
  argumentsFile: z.string().max(5000).optional(),
  meta: z.custom<JsonObject>(isObject, 'must be an object').optional(),
  resultToFile: z.boolean().optional(),
  resultSizeThreshold: count.optional(),
  resultFile: z.string().max(5000).optional(),
  cache_id: z.string().max(200).optional(),
  op: z.enum(READBACK_OPS).optional(),
  lines: z.int().min(1).optional(),
  fromLine: z.int().optional(),
  toLine: z.int().optional(),
  pattern: z.string().max(4000).optional(),
  context: count.max(100).optional(),
  maxBytes: count.optional(),
  offset: count.optional(),
} as const

const schema = z.strictObject(shape)
export type DispatchParams = z.infer<typeof schema>

/** The parameters of each action, for the error that shows a misplaced one. */
const TAKEN: Readonly<Record<ActionName, readonly string[]>> = {
  list: ['connection', 'refresh', 'includeTools', 'includeInputSchema', 'includeAnnotations', 'format'],
  search: ['query', 'connection', 'limit', 'refresh', 'includeInputSchema'],
  call: [
    'tool',
    'connection',
    'arguments',
    'argumentsFile',
    'meta',
    'resultToFile',
    'resultSizeThreshold',
    'refresh',
  ],
  readresult: [
    'resultFile',
    'cache_id',
    'op',
    'lines',
    'fromLine',
    'toLine',
    'pattern',
    'context',
    'maxBytes',
    'offset',
    'limit',
  ],
  status: ['refresh'],
  filter: [],
  search_result: [],
  explore: [],
  code: [],
}

export type ReadParams =
  | { action: ActionName; params: DispatchParams; given: JsonObject }
  | { failure: string }

/** Reads what a model wrote, spelled as models spell it; what cannot be read is an error that shows the right shape. */
export function readDispatchParams(tool: string, args: JsonObject): ReadParams {
  const { action: named, ...written } = withoutEmpty(args)
  const action = typeof named === 'string' ? named.trim().toLowerCase() : named
  if (!isAction(action)) return { failure: unknownAction(tool, named, typeof written.tool === 'string') }
  const given = respelled({ action, ...written })
  // A tool of the proxy's own, which reads its parameters itself.
  if (Object.hasOwn(QUERIES, action)) return { action, params: { action }, given }
  const misplaced = misplacedIn(action, given) ?? strangerIn(tool, action, given)
  if (misplaced !== undefined) return { failure: misplaced }
  const read = readParams(tool, schema, typed(given))
  return 'failure' in read ? read : { action, params: read.params, given }
}

const TYPES = new Map<string, z.ZodType>(Object.entries(shape))

/** Numbers and truth values that are written as texts. */
function typed(given: JsonObject): JsonObject {
  const typedAs = (name: string, value: JsonValue): JsonValue => {
    const type = TYPES.get(name)
    const inner = type instanceof z.ZodOptional ? type.unwrap() : type
    if (inner instanceof z.ZodNumber) return numberIn(value)
    return inner instanceof z.ZodBoolean ? flagIn(value) : value
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, typedAs(name, value)]))
}

/** A name that is no parameter of any action. */
function strangerIn(tool: string, action: ActionName, given: JsonObject): string | undefined {
  const [strange] = Object.keys(given).filter((name) => !Object.hasOwn(shape, name))
  if (strange === undefined) return undefined
  const taken = TAKEN[action].length === 0 ? 'takes none' : `takes ${TAKEN[action].join(', ')}`
  return `${tool} cannot read its parameters.\n${noParam(strange, TAKEN[action], `Action ${action} ${taken}.`)}`
}

/** Listed for other actions: some models fill in every parameter they see, with nothing. */
const LISTED: ReadonlySet<string> = new Set([...Object.keys(shape), 'path', 'where'])

/** A parameter of ours that says nothing is none. One that is not ours may be an input of a tool, where nothing is something. */
function withoutEmpty(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).filter(
      ([name, value]) => !LISTED.has(name) || !(NAMED.has(name) ? saysNothing(value) : isEmpty(value)),
    ),
  )
}

/** In parameters that name something, words such as "none" mean that none is given, too. */
const NAMED: ReadonlySet<string> = new Set(['cache_id', 'resultFile', 'argumentsFile', 'connection', 'tool'])

function isAction(value: unknown): value is ActionName {
  return ACTIONS.some((name) => name === value)
}

function unknownAction(tool: string, action: unknown, isCall: boolean): string {
  const example = `${tool} {"action": ${isCall ? '"call", "tool": "…", "arguments": {…}' : '"search", "query": "…"'}}`
  if (typeof action !== 'string')
    return `${tool} needs action, one of ${ACTIONS.join(', ')}. For example: ${example}`
  return `There is no action "${action.slice(0, 100)}".${didYouMean(action, ACTIONS)} There are ${ACTIONS.join(', ')}. For example: ${example}`
}

/** The names that models write for the lines of a slice. */
const LINE_NAMES = { start: 'fromLine', from: 'fromLine', end: 'toLine', to: 'toLine' }

/**
 * Other names for the same parameters. They stand inside `arguments` (or `args`) of an action that takes them beside `action`. Others are
 * `name` of a connection, `start` and `end` of a slice, and `path` of a file.
 */
function respelled(args: JsonObject): JsonObject {
  const { action } = args
  if (action === 'call' || !isAction(action) || Object.hasOwn(QUERIES, action)) return args
  const container = ARGUMENT_NAMES.find((name) => objectIn(args[name]) !== undefined)
  const { [container ?? '']: inner, ...beside } = args
  const flat: JsonObject = { ...objectIn(inner), ...beside }
  if (action === 'list') {
    const { name, ...others } = flat
    return typeof name === 'string' && others.connection === undefined
      ? { ...others, connection: name }
      : flat
  }
  if (action !== 'readresult') return flat
  const { path, file, filePath, ...given } = renamed(flat, LINE_NAMES)
  const resultFile = given.resultFile ?? path ?? file ?? filePath
  return {
    ...given,
    // A kept result is named already: it is not the path of a file then.
    ...(resultFile !== undefined &&
      (given.cache_id === undefined || given.resultFile !== undefined) && { resultFile }),
  }
}

/** Inputs of a tool beside `arguments` would be lost: they are never dropped in silence. */
function misplacedIn(action: ActionName, given: JsonObject): string | undefined {
  if (action !== 'call') return undefined
  const strange = Object.keys(given).filter((name) => name !== 'action' && !TAKEN.call.includes(name))
  if (strange.length === 0) return undefined
  const right = rightCall(given, strange)
  const text = JSON.stringify(right)
  const shown =
    text.length > 1000 ? `{"action":"call","tool":${JSON.stringify(right.tool)},"arguments":{…}}` : text
  const names = `${strange.slice(0, 10).join(', ').slice(0, 300)} ${strange.length === 1 ? 'is' : 'are'} no parameter of action call.`
  return `Nothing was called: ${names} The name of the tool belongs into tool and its inputs into arguments: ${shown}`
}

/** The call that was meant: what is strange is the name of the tool, the object of its inputs, or an input. */
function rightCall(given: JsonObject, strange: readonly string[]): JsonObject {
  const { arguments: written, ...others } = Object.fromEntries(
    TAKEN.call.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )
  const left = new Set(strange)
  const take = (
    names: readonly string[],
    fits: (value: JsonValue | undefined) => boolean,
  ): JsonValue | undefined => {
    const name = names.find((one) => left.has(one) && fits(given[one]))
    if (name === undefined) return undefined
    left.delete(name)
    return given[name]
  }
  const tool = given.tool ?? take(TOOL_NAMES, (value) => typeof value === 'string') ?? '<tool>'
  const inputs = written ?? take(ARGUMENT_NAMES, (value) => objectIn(value) !== undefined)
  const inside = Object.fromEntries([...left].map((name) => [name, given[name] ?? null]))
  const all = { ...objectIn(inputs), ...inside }
  // A file takes the place of all inputs.
  const needsNone = given.argumentsFile !== undefined && Object.keys(all).length === 0
  return { action: 'call', ...others, tool, ...(!needsNone && { arguments: all }) }
}
