/** Makes an mcp.json of the servers that clients already have. Their files are only read. */

import { existsSync } from 'node:fs'
import { absolutePath, readText } from '../config/sources.ts'
import { ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, setOwn } from '../protocol/json.ts'
import { formatPlural } from '../text/format.ts'
import { CLIENTS, type Client, clientCalled, readClientFile, serversIn } from './clients.ts'
import { writeNew } from './init.ts'
import type { Host } from './program.ts'

/** `wanted` undefined: all that are found. The result goes to standard output, or to the new file `out`. */
export function importClients(host: Host, wanted: string | undefined, out: string | undefined): number {
  const clients = wanted === undefined ? CLIENTS : [clientCalled(wanted)]
  const places = clients.flatMap((client) => client.files(host).map((path) => ({ client, path })))
  const servers: JsonObject = {}
  for (const { client, path } of places.filter((place) => existsSync(place.path))) {
    for (const [name, entry] of serversOf(client, path, host)) {
      if (Object.hasOwn(servers, name)) {
        host.stderr.write(`${path}: ${name} is left out, a server of that name is there already\n`)
      } else if (isThisProxy(entry)) host.stderr.write(`${path}: ${name} is this proxy and is left out\n`)
      else setOwn(servers, name, entry)
    }
  }
  const count = Object.keys(servers).length
  if (count === 0) {
    const looked = places.map(({ path }) => `  ${path}`).join('\n')
    throw new ProxyError(
      'CONFIG_NOT_FOUND',
      `No servers were found in\n${looked}`,
      'Write a first file with: mcp-rlm-proxy init',
    )
  }
  const text = `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`
  if (out === undefined) host.stdout.write(text)
  else {
    const path = absolutePath(out, host.cwd, host.home)
    writeNew(path, text)
    host.stderr.write(
      `Wrote ${formatPlural(count, 'server')} to ${path}. Check them with: mcp-rlm-proxy doctor --config ${out}\n` +
        `Then put the proxy in their place: mcp-rlm-proxy init ${out} --client ${wanted ?? 'NAME'}\n`,
    )
  }
  return 0
}

function serversOf(client: Client, path: string, host: Host): [string, JsonObject][] {
  const { value, problems } = readClientFile(client, readText(path), path)
  for (const problem of problems) host.stderr.write(`${problem}\n`)
  return isObject(value) ? serversIn(client, value, host.cwd) : []
}

/** A proxy behind itself would start itself for ever. */
function isThisProxy(entry: JsonObject): boolean {
  const words = [entry.command, ...(Array.isArray(entry.args) ? entry.args : [])]
  return words.some((word) => typeof word === 'string' && /(?:^|[/\\@])mcp-rlm-proxy(?:$|[/\\@])/.test(word))
}
