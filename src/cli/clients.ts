/** Where MCP clients keep their servers. */
import { join } from 'node:path'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Host } from './host.ts'

export interface ClientFile {
  client: string
  path: string
  /** The maps of servers in a file of this client. */
  servers(file: JsonObject): JsonObject[]
}

export const CLIENTS = ['claude-desktop', 'claude-code', 'cursor', 'vscode'] as const

/** Every file these clients may have on this machine, nearest first: the project's before the user's. */
export function clientFiles({
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
