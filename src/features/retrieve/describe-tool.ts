/** `describe_tool`: everything a server says of a few tools. */

import * as z from 'zod'
import { errorResult, type Result, textBlock } from '../../protocol/content.ts'
import { annotationsOf } from '../../protocol/effects.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import { type JsonObject, renamed } from '../../protocol/json.ts'
import { listedNames } from '../../protocol/spellings.ts'
import type { OutputTypesOf } from '../../proxy/exposure.ts'
import { findable } from '../../proxy/own-tools.ts'
import { listed, publicSchema, readParams } from '../../proxy/parameters.ts'
import type { ToolIndex } from '../../proxy/tool-index.ts'
import { nearest } from '../../text/words/edit-distance.ts'
import type { ExposureTool, RetrieveSettings } from './routing.ts'

const NAME = 'describe_tool'
const most = 5

const params = z.strictObject({
  names: z
    .preprocess(listed, z.array(z.string()).min(1).max(100))
    .meta({ type: 'array', items: { type: 'string' }, description: '' }),
})

/** Other names that models write for them. */
const OTHER_NAMES = { name: 'names', tool: 'names', tools: 'names', tool_name: 'names', tool_names: 'names' }

/** A text that is too long for a reply all the same goes out as `bounded` makes it. */
export function describeTool(
  { budget }: Pick<RetrieveSettings, 'budget'>,
  bounded: (exchange: Exchange, result: JsonObject) => Promise<Result>,
  outputTypes: OutputTypesOf = () => [],
): ExposureTool {
  return {
    name: NAME,
    definition: {
      name: NAME,
      description: 'Full descriptions and schemas of up to five tools.',
      inputSchema: {
        ...publicSchema(params),
        required: ['names'],
      },
      annotations: annotationsOf('read', 'closed'),
      _meta: findable('full description and input schema of a tool'),
    },
    async call(args, exchange, { index }) {
      const read = readParams(NAME, params, renamed(args, OTHER_NAMES))
      if ('failure' in read) return errorResult(read.failure)
      const left: string[] = []
      const told: JsonObject[] = []
      let length = 0
      for (const name of new Set(read.params.names)) {
        const [tool, another] = index.meant(name)
        const [entry, size] = measured(
          tool && !another
            ? {
                ...tool.definition,
                server: tool.server,
                ...soFar(outputTypes(exchange.agent, tool.definition)),
              }
            : { name, error: missing(name, index) },
          name,
        )
        // The first is told whatever its length: without it there would be no answer at all.
        if (told.length === most || (told.length > 0 && length + size > budget)) left.push(name)
        else told.push(entry)
        length += size
      }
      const text = JSON.stringify(told)
      const nothing = told.every((entry) => 'error' in entry)
      return bounded(exchange, {
        content: [
          textBlock(text),
          ...(left.length > 0 ? [textBlock(`Not told here, ask again for: ${left.join(', ')}`)] : []),
        ],
        ...(nothing && { isError: true }),
      })
    },
  }
}

/** The types of its results so far. */
function soFar(types: readonly string[]): JsonObject {
  return types.length === 0 ? {} : { resultsSoFar: [...types] }
}

/** With the characters of its JSON. A definition that is nested deeper than JSON can be written is not told. */
function measured(entry: JsonObject, name: string): [JsonObject, number] {
  try {
    return [entry, JSON.stringify(entry).length]
  } catch {
    const told = { name, error: 'its definition is nested too deep to be told' }
    return [told, JSON.stringify(told).length]
  }
}

function missing(name: string, { tools, meant }: ToolIndex): string {
  const several = meant(name)
  if (several.length > 1) return `may mean several; ask for one of ${listedNames(several)}`
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
    3,
  )
  return `not found${near.length > 0 ? `; did you mean ${near.join(', ')}?` : '; use retrieve_tools first'}`
}
