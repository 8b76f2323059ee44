/** `list` and `search`, as data for programs: nothing is shortened. */
import type { FindableTool } from '../../discovery/finder.ts'
import { signatureOf } from '../../discovery/signature.ts'
import { type JsonObject, own } from '../../protocol/json.ts'
import type { Connection } from '../dispatch/connections.ts'
import type { ParamsOf } from './params.ts'

export function listed(
  connections: readonly Connection[],
  tools: readonly FindableTool[],
  { includeTools, includeInputSchema }: ParamsOf<'list'>,
): JsonObject {
  return {
    connections: connections.map(({ alias, server, lastError }) => {
      const own = tools.filter((tool) => tool.server === server)
      return {
        alias,
        name: server,
        toolCount: own.length,
        ...(lastError !== undefined && { lastError }),
        ...(includeTools && { tools: own.map((tool) => describe(tool, includeInputSchema)) }),
      }
    }),
  }
}

export function found(
  tools: readonly { tool: FindableTool; score: number }[],
  { limit, includeInputSchema }: ParamsOf<'search'>,
): JsonObject {
  return {
    totalMatches: tools.length,
    tools: tools.slice(0, limit).map(({ tool, score }) => ({
      connection: tool.server,
      score: Math.round(score * 100) / 100,
      ...describe(tool, includeInputSchema),
    })),
  }
}

function describe({ name, original, definition }: FindableTool, withSchema: boolean): JsonObject {
  const { description } = definition
  const annotations = own(definition, 'annotations')
  const schema = own(definition, 'inputSchema')
  return {
    name: original,
    exposedAs: name,
    signature: signatureOf('', schema),
    ...(typeof description === 'string' && { description }),
    ...(annotations !== undefined && { annotations }),
    ...(withSchema && schema !== undefined && { inputSchema: schema }),
  }
}
