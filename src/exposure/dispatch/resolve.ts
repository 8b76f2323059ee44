/** Which tool a model means: by the name the proxy gave it or its server's own, in a connection or wherever it is. */
import type { FindableTool } from '../../discovery/finder.ts'
import { nearest } from '../../text/edit-distance.ts'
import type { Connection } from './connections.ts'
import { findConnection, unknownConnection } from './connections.ts'

export type Resolved = { tool: FindableTool } | { failure: string }

/** Candidates that an error names. */
const mostNamed = 10

export function resolveTool(
  name: string,
  connection: string | undefined,
  tools: readonly FindableTool[],
  connections: readonly Connection[],
): Resolved {
  const wanted = connection === undefined ? undefined : findConnection(connection, connections)
  if (connection !== undefined && wanted === undefined)
    return { failure: unknownConnection(connection, connections) }
  const place = wanted ? undefined : placeIn(name, tools, connections)
  if (place) return { tool: place }
  const there = wanted ? tools.filter(({ server }) => server === wanted.server) : tools
  const exposed = there.find((tool) => tool.name === name)
  const [only, ...others] = exposed ? [exposed] : called(name, there)
  if (only === undefined) return { failure: absent(name, there, connections, wanted) }
  if (others.length === 0) return { tool: only }
  const candidates = [only, ...others].map((tool) => placeOf(tool, connections)).slice(0, mostNamed)
  return {
    failure: `Several connections have a tool ${name}: say which by connection. Candidates: ${candidates.join(', ')}.`,
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
