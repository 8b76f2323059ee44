/** How a server is, told from all connections to it. */
import type { JsonObject } from '../protocol/json.ts'
import { transportOf } from './dial.ts'
import type { Links } from './links.ts'
import type { Server } from './servers.ts'
import type { ConnectionState, ServerStatus } from './upstreams.ts'

/** Of a server's connections, the one that says most about it. */
const BY_MERIT: readonly ConnectionState[] = ['ready', 'connecting', 'waiting', 'idle', 'closed']

/** `initialize`: what it said of itself, now or in an earlier run. */
export function serverStatus(server: Server, links: Links, initialize: JsonObject | undefined): ServerStatus {
  const connections = links.all.filter((link) => link.server === server.name).map((link) => link.connection)
  const state = BY_MERIT.find((merit) => connections.some((connection) => connection.state === merit))
  const live = connections.find((connection) => connection.session)?.session
  return {
    server: server.name,
    state: state ?? (links.closed ? 'closed' : 'idle'),
    transport: live?.transport.kind ?? transportOf(server.options),
    ...(initialize && { initialize }),
    ...(server.tools !== undefined && { tools: server.tools }),
    ...(server.listed !== undefined && { listed: server.listed }),
    ...(server.lastError !== undefined && { lastError: server.lastError }),
  }
}
