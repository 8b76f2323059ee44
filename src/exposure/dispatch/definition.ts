/** What `tools/list` shows in this exposure: one tool in few tokens, or one for each effect a call may have. */
import type { JsonObject } from '../../protocol/json.ts'
import { annotationsOf, EFFECTS, type Effect, RUNS } from '../effects.ts'
import { DISPATCH } from '../names.ts'
import type { DispatchSettings } from './actions.ts'
import { ACTIONS, type ActionName } from './params.ts'

export interface DispatchTool {
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
filter, search_result, explore {cache_id}: questions about a kept result. filter: path, where ["price > 5"], fields, sort, group_by, aggregate, limit, offset. search_result: pattern, mode regex|bm25|fuzzy|context. explore: its structure
readresult {resultFile, op}: stat, head, tail {lines}, slice {fromLine, toLine}, grep {pattern, context}, read {maxBytes}
status
Any value in arguments may be {"$from": "<cache_id>", "path": "$.items"}: the proxy puts the kept value in.`

const string = { type: 'string' }
const properties: JsonObject = {
  action: { type: 'string', enum: [...ACTIONS] },
  query: string,
  tool: string,
  connection: { type: 'string', description: 'Alias or name, where several have the tool' },
  arguments: { type: 'object', description: 'As the signature says' },
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

export function definitionsOf({ splitCalls }: Pick<DispatchSettings, 'splitCalls'>): DispatchTool[] {
  const actions = new Set(ACTIONS)
  const inputSchema: JsonObject = { type: 'object', properties, required: ['action'] }
  if (!splitCalls) {
    const definition = { name: DISPATCH, description: DESCRIPTION, inputSchema }
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
          arguments: { type: 'object' },
          resultToFile: { type: 'boolean' },
        },
        required: ['tool'],
      },
      annotations: annotationsOf(allowed),
    }
    const rewrite = (args: JsonObject): JsonObject => ({ action: 'call', ...args })
    return { name, definition, actions: new Set(['call']), allowed, elsewhere: DISPATCH, rewrite }
  })
  const rest = new Set(ACTIONS.filter((action) => action !== 'call'))
  const definition = {
    name: DISPATCH,
    description: DESCRIPTION.replace(
      'call {tool, arguments}: run one',
      `${DISPATCH}-read, -write, -destructive {tool, arguments} run one`,
    ),
    inputSchema: {
      ...inputSchema,
      properties: { ...properties, action: { type: 'string', enum: [...rest] } },
    },
    annotations: { readOnlyHint: true },
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
