/** What the command line lends the console. A file of its own: `run` needs it, and the command that opens the console runs `run`. */

import { readText } from '../config/find.ts'
import { problemsOf } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { GatewayParts } from '../gateway.ts'
import { isObject, own } from '../protocol/json.ts'
import { CLIENTS, proxyEntry, readClientFile, snippet } from './clients.ts'
import type { Host, Invocation } from './host.ts'

/** What the console can do by the command line: check the file as `run` reads it, and tell how clients are connected. */
export function consoleHost(
  host: Host,
  { flags }: Invocation,
  { file }: Config,
): NonNullable<GatewayParts['console']> {
  const { env, cwd, home } = host
  return {
    check: async (text) => (file === undefined ? [] : problemsOf(text, file, { flags, env, cwd, home })),
    async cards() {
      return CLIENTS.map((client) => {
        const path = client.files(host).at(client.target) ?? ''
        return {
          id: client.id,
          title: client.title,
          file: path,
          snippet: snippet(client, 'proxy', proxyEntry(client, file ?? 'mcp.json', host.platform)),
          notes: [...client.notes],
          connected: client.files(host).some((one) => isConnected(client, one)),
        }
      })
    },
  }
}

/** Whether a file of the client has a server that starts this proxy. */
function isConnected(client: (typeof CLIENTS)[number], path: string): boolean {
  try {
    const { value } = readClientFile(client, readText(path), path)
    const servers = isObject(value) ? own(value, client.key) : undefined
    return JSON.stringify(servers ?? {}).includes('mcp-rlm-proxy')
  } catch {
    return false
  }
}
