/** The servers as the dispatch tool tells of them. */
import { createHash } from 'node:crypto'
import type { ServerConfig } from '../config/servers.ts'
import type { ConnectionInfo } from '../exposure/dispatch/connections.ts'
import type { Client } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { createRedactor } from '../telemetry/redact.ts'
import { concealArgs, secretsOf } from '../telemetry/secret.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

/** Those that are there for this client; undefined: all. `now` and `elapsed`: the same moment by two clocks. The upstreams tell by the second when lists were fetched. */
export function connectionsOf(
  servers: readonly ServerConfig[],
  upstreams: Upstreams,
  { now, elapsed }: { now: () => number; elapsed: () => number },
  client?: Client,
): ConnectionInfo[] {
  const reached = client && new Set(upstreams.serversFor(client))
  const states = new Map(upstreams.status().map((status) => [status.server, status]))
  const apart = now() - elapsed()
  return servers.flatMap((server) => {
    if (reached?.has(server.name) === false) return []
    const { initialize, lastError, listed } = states.get(server.name) ?? {}
    return {
      server: server.name,
      id: createHash('md5').update(JSON.stringify(server)).digest('hex'),
      descriptor: () => descriptorOf(server),
      serverInfo: isObject(initialize?.serverInfo) ? initialize.serverInfo : undefined,
      toolFilter: server.tools,
      lastError: lastError === undefined ? undefined : createRedactor(secretsOf([server])).text(lastError),
      refreshed: listed === undefined ? undefined : apart + listed,
    }
  })
}

/** What stands in place of a value. */
const STRUCK = '***'

/** A copy without credentials: nothing of what headers and environment hold, of secret options, of the address what is not its place. */
function descriptorOf(server: ServerConfig): JsonObject {
  const { name: _, ...rest } = server
  const bare = {
    ...rest,
    ...('args' in rest && { args: concealArgs(rest.args, STRUCK) }),
    ...('env' in rest && { env: namesOf(rest.env) }),
    ...('headers' in rest && { headers: namesOf(rest.headers) }),
  }
  return JSON.parse(JSON.stringify(createRedactor(secretsOf([server])).fields(bare))) as JsonObject
}

function namesOf(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, STRUCK]))
}
