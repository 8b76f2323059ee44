/** Makes an mcp.json of the servers that clients already have. Their files are only read. */
import { existsSync } from 'node:fs'
import { readJsonc } from '../config/jsonc.ts'
import { formatProblem } from '../config/problem.ts'
import { absolutePath, readText } from '../config/sources.ts'
import { ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, setOwn } from '../protocol/json.ts'
import { formatPlural } from '../text/format.ts'
import { CLIENTS, type ClientFile, clientFiles } from './clients.ts'
import type { Host } from './host.ts'
import { writeNew } from './init.ts'

/** `client` undefined: all that are found. The result goes to standard output, or to the new file `out`. */
export function importClients(host: Host, client: string | undefined, out: string | undefined): number {
  if (client !== undefined && !CLIENTS.some((known) => known === client)) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `"${client}" is not a client I know.`,
      `Write one of ${CLIENTS.join(', ')}.`,
    )
  }
  const wanted = clientFiles(host).filter((file) => client === undefined || file.client === client)
  const found = wanted.filter(({ path }) => existsSync(path))
  const servers: JsonObject = {}
  for (const file of found) {
    for (const [name, entry] of serversOf(file, host)) {
      if (Object.hasOwn(servers, name)) {
        host.stderr.write(`${file.path}: ${name} is left out, a server of that name is there already\n`)
      } else if (isThisProxy(entry))
        host.stderr.write(`${file.path}: ${name} is this proxy and is left out\n`)
      else setOwn(servers, name, entry)
    }
  }
  const count = Object.keys(servers).length
  if (count === 0) {
    const places = wanted.map(({ path }) => `  ${path}`).join('\n')
    throw new ProxyError(
      'CONFIG_NOT_FOUND',
      `No servers were found in\n${places}`,
      'Write a first file with: mcp-rlm-proxy init',
    )
  }
  const text = `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`
  if (out === undefined) host.stdout.write(text)
  else {
    const path = absolutePath(out, host.cwd, host.home)
    writeNew(path, text)
    host.stderr.write(
      `Wrote ${formatPlural(count, 'server')} to ${path}. Check them with: mcp-rlm-proxy doctor --config ${out}\n`,
    )
  }
  return 0
}

function serversOf({ path, servers }: ClientFile, host: Host): [string, JsonObject][] {
  const { value, problems } = readJsonc(readText(path), path)
  for (const problem of problems) host.stderr.write(`${formatProblem(problem)}\n`)
  if (!isObject(value)) return []
  return servers(value).flatMap((map) =>
    Object.entries(map).flatMap(([name, entry]): [string, JsonObject][] =>
      isObject(entry) ? [[name, entry]] : [],
    ),
  )
}

/** A proxy behind itself would start itself for ever. */
function isThisProxy(entry: JsonObject): boolean {
  const words = [entry.command, ...(Array.isArray(entry.args) ? entry.args : [])]
  return words.some((word) => typeof word === 'string' && /(?:^|[/\\@])mcp-rlm-proxy(?:$|[/\\@])/.test(word))
}
