/** `describe_tool`: everything a server says of a few tools. */
import * as z from 'zod'
import { errorResult, textBlock } from '../../protocol/content.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { nearest } from '../../text/edit-distance.ts'
import { readParams } from '../../tools/params.ts'
import { publicSchema } from '../../tools/public-schema.ts'
import type { ExposureTool, RetrieveSettings } from './routing.ts'

const NAME = 'describe_tool'
const most = 5

const params = z.strictObject({
  names: z.union([z.string(), z.array(z.string()).min(1).max(most)]).meta({ description: '' }),
})

export function describeTool({ budget }: RetrieveSettings): ExposureTool {
  return {
    name: NAME,
    definition: {
      name: NAME,
      description: 'Full descriptions and schemas of up to five tools.',
      inputSchema: {
        ...publicSchema(params),
        properties: { names: { type: 'array', items: { type: 'string' } } },
        required: ['names'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async call(args, _, { shelf }) {
      const read = readParams(NAME, params, args)
      if ('failure' in read) return errorResult(read.failure)
      const names = [read.params.names].flat()
      const left: string[] = []
      const told: JsonObject[] = []
      let length = 0
      for (const name of new Set(names)) {
        const tool = shelf.find(name)
        const entry = tool
          ? { ...tool.definition, server: tool.server }
          : { name, error: missing(name, shelf.tools) }
        const size = JSON.stringify(entry).length
        // The first is told whatever its length: without it there would be no answer at all.
        if (told.length > 0 && length + size > budget) left.push(name)
        else told.push(entry)
        length += size
      }
      const text = JSON.stringify(told)
      const note = left.length > 0 ? `\nToo long to be told as well, ask again for: ${left.join(', ')}` : ''
      const nothing = told.every((entry) => 'error' in entry)
      return { content: [textBlock(text + note)], ...(nothing && { isError: true }) }
    },
  }
}

function missing(name: string, tools: readonly { name: string }[]): string {
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
    3,
  )
  return `not found${near.length > 0 ? `; did you mean ${near.join(', ')}?` : '; use retrieve_tools first'}`
}
