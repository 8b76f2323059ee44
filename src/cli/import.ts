/** Makes an mcp.json of the servers that clients already have. Their files are only read. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readJsonc } from '../config/jsonc.ts'
import { formatProblem } from '../config/problem.ts'
import { absolutePath, readText } from '../config/sources.ts'
import { ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, own, setOwn } from '../protocol/json.ts'
import { formatPlural } from '../text/format.ts'
import { writeNew } from './init.ts'
import type { Host } from './program.ts'

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

// Where MCP clients keep their servers.

interface ClientFile {
  client: string
  path: string
  /** The maps of servers in a file of this client. */
  servers(file: JsonObject): JsonObject[]
}

const CLIENTS = ['claude-desktop', 'claude-code', 'cursor', 'vscode'] as const

/** Every file these clients may have on this machine, nearest first: the project's before the user's. */
function clientFiles({
  cwd,
  home,
  platform,
  env,
}: Pick<Host, 'cwd' | 'home' | 'platform' | 'env'>): ClientFile[] {
  const applications =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? (env.APPDATA ?? join(home, 'AppData', 'Roaming'))
        : (env.XDG_CONFIG_HOME ?? join(home, '.config'))
  const standard = member('mcpServers')
  return [
    {
      client: 'claude-desktop',
      path: join(applications, 'Claude', 'claude_desktop_config.json'),
      servers: standard,
    },
    { client: 'claude-code', path: join(cwd, '.mcp.json'), servers: standard },
    {
      client: 'claude-code',
      path: join(home, '.claude.json'),
      servers: (file) => [...projectServers(file, cwd), ...standard(file)],
    },
    { client: 'cursor', path: join(cwd, '.cursor', 'mcp.json'), servers: standard },
    { client: 'cursor', path: join(home, '.cursor', 'mcp.json'), servers: standard },
    { client: 'vscode', path: join(cwd, '.vscode', 'mcp.json'), servers: member('servers') },
    { client: 'vscode', path: join(applications, 'Code', 'User', 'mcp.json'), servers: member('servers') },
  ]
}

function member(name: string): (file: JsonObject) => JsonObject[] {
  return (file) => [own(file, name)].filter(isObject)
}

/** Claude Code keeps the servers of each project beside those of the user. */
function projectServers(file: JsonObject, cwd: string): JsonObject[] {
  const projects = own(file, 'projects')
  const project = isObject(projects) ? own(projects, cwd) : undefined
  return isObject(project) ? member('mcpServers')(project) : []
}
