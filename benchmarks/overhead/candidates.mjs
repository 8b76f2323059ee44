/** The candidates, and how each is started: in front of servers reached over standard input and output, or of one over HTTP. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PIPE = fileURLToPath(new URL('pipe.mjs', import.meta.url))
const UPSTREAM = fileURLToPath(new URL('upstream.mjs', import.meta.url))

/** Published gateways, at the versions that are compared. */
const GATEWAYS = { 'mcp-proxy': '6.7.19', 'mcp-hub': '4.2.1' }

export const STDIO_SERVER = { command: process.execPath, args: [UPSTREAM, 'stdio'] }
export const HTTP_SERVER = { command: process.execPath, args: [UPSTREAM, 'http'] }

/**
 * Candidates by name. Each is a function of a setting that gives the options of `connect`, or undefined where it has no such
 * way. The setting: `front` (how the client connects), `server` (an entry of mcpServers), `servers` (how many of it),
 * `dataDir` (absent: a new one).
 */
export function candidates({ folder, main, gateways }) {
  const all = {
    direct: direct,
    'line pipe': pipe,
    'mcp-rlm-proxy': (setting) => ours(setting, {}),
    'mcp-rlm-proxy, nothing shaped': (setting) => ours(setting, { MCPPROXY_ENABLE_AUTO_TRUNCATION: 'false' }),
  }
  if (gateways['mcp-proxy']) all[`mcp-proxy ${GATEWAYS['mcp-proxy']}`] = mcpProxy
  if (gateways['mcp-hub']) all[`mcp-hub ${GATEWAYS['mcp-hub']}`] = mcpHub
  return all

  function direct({ front, server }) {
    if (front === 'stdio' && server.command) return { way: 'stdio', ...server }
    return front === 'http' && server.url ? { way: 'http', url: server.url } : undefined
  }

  async function pipe({ front, server, servers }) {
    if (servers > 1) return undefined
    const to = server.url ? [server.url] : ['--', server.command, ...server.args]
    const port = front === 'http' ? await freePort() : undefined
    return {
      way: front,
      command: process.execPath,
      args: [PIPE, front, ...to],
      ...(port && { url: `http://127.0.0.1:${port}/mcp`, env: { PORT: String(port) } }),
    }
  }

  async function ours({ front, server, servers, dataDir }, env) {
    const home = mkdtempSync(join(folder, 'ours-'))
    writeFileSync(join(home, 'mcp.json'), configuration(server, servers))
    const port = front === 'http' ? await freePort() : undefined
    const listen = port ? ['--transport', 'streamable-http', '--port', String(port)] : []
    return {
      way: front,
      command: process.execPath,
      args: [main, ...listen],
      cwd: home,
      env: { MCPPROXY_DATA_DIR: dataDir ?? join(home, 'data'), ...env },
      ...(port && { url: `http://127.0.0.1:${port}/mcp` }),
    }
  }

  async function mcpProxy({ front, server, servers }) {
    if (front !== 'http' || server.url || servers > 1) return undefined
    const port = await freePort()
    const address = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream']
    return {
      way: 'http',
      command: process.execPath,
      args: [gateways['mcp-proxy'], ...address, '--', server.command, ...server.args],
      url: `http://127.0.0.1:${port}/mcp`,
    }
  }

  async function mcpHub({ front, server, servers }) {
    if (front !== 'http') return undefined
    const home = mkdtempSync(join(folder, 'hub-'))
    const file = join(home, 'servers.json')
    writeFileSync(file, configuration(server, servers))
    const port = await freePort()
    return {
      way: 'sse',
      command: process.execPath,
      args: [gateways['mcp-hub'], '--port', String(port), '--config', file],
      cwd: home,
      env: { HOME: home, XDG_STATE_HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
      url: `http://127.0.0.1:${port}/mcp`,
    }
  }
}

function configuration(server, servers) {
  const names = Array.from({ length: servers }, (_, index) => `bench${index}`)
  return JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, server])) })
}

/** Installs the gateways into the folder. Resolves to the paths of their commands, without gateways that could not be installed. */
export async function installGateways(folder) {
  const home = join(folder, 'gateways')
  mkdirSync(home)
  const found = {}
  for (const [name, version] of Object.entries(GATEWAYS)) {
    try {
      const args = [
        'install',
        '--prefix',
        home,
        '--no-audit',
        '--no-fund',
        '--loglevel',
        'error',
        `${name}@${version}`,
      ]
      await promisify(execFile)('npm', args, { timeout: 180_000 })
      const at = join(home, 'node_modules', name)
      const { bin } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
      const command = join(at, typeof bin === 'string' ? bin : bin[name])
      if (existsSync(command)) found[name] = command
    } catch (error) {
      console.error(`${name}@${version} is left out: ${error.message.split('\n')[0]}`)
    }
  }
  return found
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
