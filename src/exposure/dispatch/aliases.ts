/** `result_head` and its like: the parts of a result in a file as tools of their own, for models that fill in one tool better than an action. */
import { READBACK_OPS } from '../../processors/readback.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { DISPATCH, RESULT_ALIASES } from '../names.ts'
import type { DispatchTool } from './definition.ts'

type Op = (typeof READBACK_OPS)[number]

const string = { type: 'string' }
const integer = { type: 'integer' }

const ALIASES: Readonly<Record<Op, { description: string; properties: JsonObject; required?: string[] }>> = {
  stat: { description: 'Size of a resultFile in bytes, lines, tokens.', properties: {} },
  head: { description: 'First lines of a resultFile.', properties: { lines: integer } },
  tail: { description: 'Last lines of a resultFile.', properties: { lines: integer } },
  slice: {
    description: 'Lines fromLine to toLine of a resultFile.',
    properties: { fromLine: integer, toLine: integer },
  },
  grep: {
    description: 'Lines of a resultFile that match a regex.',
    properties: { pattern: string, context: integer },
    required: ['pattern'],
  },
  read: {
    description: 'Bytes of a resultFile from offset.',
    properties: { offset: integer, maxBytes: integer },
  },
}

export function aliasTools(): DispatchTool[] {
  return READBACK_OPS.map((op) => {
    const { description, properties, required = [] } = ALIASES[op]
    const name = RESULT_ALIASES[op]
    const inputSchema = {
      type: 'object',
      properties: { resultFile: string, ...properties },
      required: ['resultFile', ...required],
    }
    return {
      name,
      definition: { name, description, inputSchema, annotations: { readOnlyHint: true } },
      actions: new Set(['readresult'] as const),
      allowed: 'read',
      elsewhere: DISPATCH,
      rewrite: (args) => ({ ...args, action: 'readresult', op }),
    }
  })
}
