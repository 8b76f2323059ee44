/** The tools that scripts may call, and which of them one means. */
import type { FindableTool } from '../../discovery/finder.ts'
import { BridgeError } from '../../protocol/bridge.ts'
import { originOf } from '../../protocol/origin.ts'
import { nearest } from '../../text/edit-distance.ts'
import { fitsGlob } from '../../text/glob.ts'
import { type Connection, findConnection, unknownConnection } from '../dispatch/connections.ts'
import { effectOf } from '../effects.ts'

/** @param patterns for names as clients see them or as `server/tool`. None: all tools that say they only read. */
export function createPermit(patterns: readonly string[]): (tool: FindableTool) => boolean {
  if (patterns.length === 0) return ({ definition }) => effectOf(definition) === 'read'
  const matches = (name: string): boolean => patterns.some((pattern) => fitsGlob(name, pattern))
  return ({ name, server, original, definition }) =>
    matches(name) || matches(`${server}/${originOf(definition)?.name ?? original}`)
}

/** Throws BridgeError when there is no such connection. */
export function connectionNamed(
  name: string | undefined,
  all: readonly Connection[],
): Connection | undefined {
  if (name === undefined) return undefined
  const found = findConnection(name, all)
  if (found) return found
  throw new BridgeError('not_found', unknownConnection(name, all))
}

export interface Named {
  tool: string
  connection?: string | undefined
}

/** By the name clients see or its server's own. Throws BridgeError where it is none, several, or not for scripts. */
export function toolNamed(
  { tool: name, connection }: Named,
  tools: readonly FindableTool[],
  connections: readonly Connection[],
  permits: (tool: FindableTool) => boolean,
): FindableTool {
  const at = connectionNamed(connection, connections)
  const there = at ? tools.filter(({ server }) => server === at.server) : tools
  const exposed = there.find((tool) => tool.name === name)
  const [only, ...others] = exposed ? [exposed] : there.filter(({ original }) => original === name)
  if (only === undefined) throw absent(name, there.filter(permits), at)
  if (others.length > 0) {
    const servers = [only, ...others].map(({ server }) => server).join(', ')
    throw new BridgeError(
      'bad_request',
      `Several connections have a tool ${name}: say which by connection (${servers}).`,
    )
  }
  if (permits(only)) return only
  throw new BridgeError(
    'forbidden',
    `${only.name} is not for scripts: whoever runs the proxy can name it in bridge.tools.`,
  )
}

function absent(name: string, tools: readonly FindableTool[], at: Connection | undefined): BridgeError {
  const names = tools.flatMap((tool) => [tool.original, tool.name])
  const near = nearest(name, new Set(names), 3)
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
  const error = at?.lastError === undefined ? '' : ` The connection failed last with: ${at.lastError}`
  return new BridgeError(
    'not_found',
    `There is no tool ${name.slice(0, 200)}${at ? ` in ${at.server}` : ''}.${hint}${error}`,
  )
}
