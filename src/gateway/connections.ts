/** The servers as the dispatch tool tells of them. */
import { createHash } from 'node:crypto'
import type { ServerConfig } from '../config/servers.ts'
import type { ConnectionInfo } from '../exposure/dispatch/connections.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { createRedactor } from '../telemetry/redact.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

const redactor = createRedactor()

/** `now` and `elapsed`: the same moment by two clocks. The upstreams tell by the second when lists were fetched. */
export function connectionsOf(
  servers: readonly ServerConfig[],
  upstreams: Upstreams,
  { now, elapsed }: { now: () => number; elapsed: () => number },
): ConnectionInfo[] {
  const states = new Map(upstreams.status().map((status) => [status.server, status]))
  const apart = now() - elapsed()
  return servers.map((server) => {
    const { initialize, lastError, listed } = states.get(server.name) ?? {}
    return {
      server: server.name,
      id: createHash('md5').update(JSON.stringify(server)).digest('hex'),
      descriptor: descriptorOf(server),
      serverInfo: isObject(initialize?.serverInfo) ? initialize.serverInfo : undefined,
      lastError: lastError === undefined ? undefined : redactor.text(lastError),
      refreshed: listed === undefined ? undefined : apart + listed,
    }
  })
}

/** A copy without credentials: those of headers, environment and address. */
function descriptorOf(server: ServerConfig): JsonObject {
  const { name: _, ...rest } = server
  return JSON.parse(JSON.stringify(redactor.fields({ ...rest }))) as JsonObject
}
