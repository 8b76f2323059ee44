/** `list` and `status`: the connections, and what they offer. */
import { createHash } from 'node:crypto'
import type { FindableTool } from '../../discovery/finder.ts'
import { leadOf } from '../../discovery/lead.ts'
import { type JsonObject, own } from '../../protocol/json.ts'
import type { Action, Situation } from './actions.ts'
import { type Connection, findConnection, unknownConnection } from './connections.ts'
import type { DispatchParams } from './params.ts'
import { dataReply, failureReply } from './reply.ts'

/** Characters of a description in the compact format. */
const lead = 160

export const list: Action = async (params, situation, { settings }) => {
  const { connection } = params
  const wanted = connection === undefined ? undefined : findConnection(connection, situation.connections)
  if (connection !== undefined && !wanted)
    return failureReply('list', unknownConnection(connection, situation.connections))
  const chosen = wanted ? [wanted] : situation.connections
  const told = chosen.map((one) => describe(one, params, situation))
  const data = { totalConnections: situation.connections.length, connections: told }
  const text = JSON.stringify(data)
  if (text.length <= settings.budget) return dataReply('list', data)
  return dataReply('list', {
    totalConnections: situation.connections.length,
    note: `The whole list has ${text.length} characters. List one connection, or search by {"action":"search","query":"…"}.`,
    connections: shortened(chosen, params, situation, settings.budget - 400),
  })
}

function describe(connection: Connection, params: DispatchParams, { listing }: Situation): JsonObject {
  const { includeTools = true, format = 'compact' } = params
  const tools = listing.shelf.tools.filter(({ server }) => server === connection.server)
  const { alias, server, id, serverInfo, lastError, refreshed, descriptor } = connection
  return {
    alias,
    name: server,
    ...(format === 'detail' && { id, descriptor }),
    toolCount: tools.length,
    ...(format === 'detail' && serverInfo && { serverInfo }),
    ...(lastError !== undefined && { lastError }),
    ...(format === 'detail' && refreshed !== undefined && { lastRefresh: new Date(refreshed).toISOString() }),
    ...(includeTools && { tools: tools.map((tool) => describeTool(tool, params)) }),
  }
}

function describeTool({ original, definition }: FindableTool, params: DispatchParams): JsonObject {
  const { includeInputSchema = false, includeAnnotations = true, format = 'compact' } = params
  const { description } = definition
  const annotations = own(definition, 'annotations')
  const schema = own(definition, 'inputSchema')
  return {
    name: original,
    ...(typeof description === 'string' && {
      description: format === 'compact' ? leadOf(description, lead) : description,
    }),
    ...(includeAnnotations && format === 'detail' && annotations !== undefined && { annotations }),
    ...(includeInputSchema && schema !== undefined && { inputSchema: schema }),
  }
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
    tools: situation.listing.shelf.tools
      .filter(({ server }) => server === count.name)
      .map(({ original }) => original),
  }))
  if (params.includeTools !== false && JSON.stringify(named).length <= budget) return named
  const fitting: JsonObject[] = []
  let room = budget
  for (const count of counts) {
    room -= JSON.stringify(count).length + 1
    if (room < 0) break
    fitting.push(count)
  }
  return fitting
}

export const status: Action = async (_, { connections, listing }) => {
  const { tools } = listing.shelf
  const hash = createHash('sha256')
  for (const { name, definition } of tools) hash.update(`${name}\n${String(definition.description)}\n`)
  const refreshed = connections.flatMap((one) => (one.refreshed === undefined ? [] : [one.refreshed]))
  return dataReply('status', {
    totalConnections: connections.length,
    totalTools: tools.length,
    catalogHash: hash.digest('hex').slice(0, 16),
    ...(refreshed.length > 0 && { lastUpdated: new Date(Math.max(...refreshed)).toISOString() }),
    connections: connections.map(({ alias, server, lastError }) => ({
      alias,
      name: server,
      toolCount: tools.filter((tool) => tool.server === server).length,
      ...(lastError !== undefined && { lastError }),
    })),
  })
}
