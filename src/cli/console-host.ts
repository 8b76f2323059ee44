/**
 * The parts of the command line that the console uses. A file of its own: `run` needs it, and the command that opens the console runs
 * `run`.
 */

import { rmSync } from 'node:fs'
import { readText } from '../config/find.ts'
import { problemsOf } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { GatewayParts } from '../gateway.ts'
import { ProxyError } from '../protocol/errors.ts'
import { isObject, own } from '../protocol/json.ts'
import { addToClient, fileBefore, NAME, undoClientFile } from './client-files.ts'
import { CLIENTS, type Client, clientCalled, proxyEntry, readClientFile, snippet } from './clients.ts'
import type { Host, Invocation } from './host.ts'

/** The actions of the console through the command line: check the file as `run` reads it, and connect clients. */
export function consoleHost(
  host: Host,
  { flags }: Invocation,
  { file }: Config,
): NonNullable<GatewayParts['console']> {
  const { env, cwd, home } = host
  const placeOf = (client: Client) => ({
    path: client.files(host).at(client.target) ?? '',
    // As `import --into` writes it: clients share the gateway in the background.
    entry: proxyEntry(client, file ?? 'mcp.json', host.platform, ['connect', '--as', client.id]),
  })
  /** The file holds the proxy and nothing else: it was made for that. */
  function isMade(client: Client, path: string): boolean {
    try {
      return readText(path) === snippet(client, NAME, placeOf(client).entry)
    } catch {
      return false
    }
  }
  return {
    check: async (text) => (file === undefined ? [] : problemsOf(text, file, { flags, env, cwd, home })),
    async cards() {
      return CLIENTS.map((client) => {
        const { path, entry } = placeOf(client)
        return {
          id: client.id,
          title: client.title,
          file: path,
          snippet: snippet(client, NAME, entry),
          notes: [...client.notes],
          connected: client.files(host).some((one) => isConnected(client, one)),
          canUndo: fileBefore(path) !== undefined || isMade(client, path),
        }
      })
    },
    async connect(id) {
      const client = clientCalled(id)
      const { path, entry } = placeOf(client)
      return { file: path, copy: addToClient(client, path, entry, new Date()) }
    },
    async disconnect(id) {
      const client = clientCalled(id)
      const { path } = placeOf(client)
      const done = undoClientFile(path, new Date())
      if (done) return { file: path, copy: done.kept }
      if (!isMade(client, path))
        throw new ProxyError(
          'CONFIG_INVALID',
          `${path} was not changed by this proxy.`,
          'Change it yourself.',
        )
      rmSync(path)
      return { file: path, copy: undefined }
    },
  }
}

/** Whether a file of the client has a server that starts this proxy. */
function isConnected(client: Client, path: string): boolean {
  try {
    const { value } = readClientFile(client, readText(path), path)
    const servers = isObject(value) ? own(value, client.key) : undefined
    return JSON.stringify(servers ?? {}).includes('mcp-rlm-proxy')
  } catch {
    return false
  }
}
