/** The common part of run, doctor and stats: from an invocation to a configuration. */

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Loaded, loadConfigOnUse } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import type { Gateway, LayerStatus, ModuleStatus } from '../gateway.ts'
import { silentLogger } from '../observe/log.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Host, Invocation } from './host.ts'

export async function settle(
  host: Host,
  { config, flags, wrapped }: Invocation,
  { serversOptional = false }: { serversOptional?: boolean } = {},
): Promise<Loaded> {
  if (wrapped !== undefined && config !== undefined) {
    throw new ProxyError(
      'CONFIG_INVALID',
      'There are both --config and a command to wrap.',
      'Give one of the two; settings for a wrapped command are flags and MCPPROXY_ variables.',
    )
  }
  const { env, cwd, home } = host
  const value = wrapped === undefined ? undefined : wrapConfig(wrapped, env)
  return loadConfigOnUse({ path: config, value, flags, env, cwd, home, serversOptional })
}

// `mcp-rlm-proxy [--] CMD ARGS…`: one server without a file.

/**
 * The configuration of a wrapped command. It gets the proxy's own environment: a client that wraps a server sets the
 * server's variables there.
 */
export function wrapConfig(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): JsonObject {
  const [command, ...args] = words
  if (command === undefined) {
    throw new ProxyError(
      'CONFIG_INVALID',
      'There is no command after "--".',
      'Write for example: mcp-rlm-proxy -- npx -y @modelcontextprotocol/server-filesystem .',
    )
  }
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || name.startsWith('MCPPROXY_') || name === '' ? [] : [[name, value] as const],
    ),
  )
  return { mcpServers: { [serverName(words)]: { command, args, env } } }
}

/** Programs that only start others, and the words that stand between them and what they start. */
const RUNNERS = new Set(
  'npx npm pnpm yarn bunx bun uvx uv pipx node deno tsx python python3 docker podman cmd env sh bash'.split(
    ' ',
  ),
)
const VERBS = new Set('run exec dlx x tool start /c /C'.split(' '))
/** Options of runners that are followed by a value. */
const VALUED = new Set(
  '-p --package --from --with --python -e --env -v --volume --mount --name --network --import -r --require -c'.split(
    ' ',
  ),
)
const PLAIN_PLACES = new Set('index main server src dist build lib bin cli out app start'.split(' '))

/**
 * The name of a server after its command: `npx -y @modelcontextprotocol/server-filesystem .` → `filesystem`,
 * `node weather/dist/index.js` → `weather`.
 */
export function serverName(words: readonly string[]): string {
  const parts = programOf(words)
    .replace(/(?<=.)@[^@/\\]*$/, '')
    .replace(/:[^:/\\]*$/, '')
    .split(/[/\\]/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .map((part, index, all) =>
      index === all.length - 1 ? part.replace(/\.(?:[cm]?[jt]s|py|exe|cmd|sh)$/i, '') : part,
    )
  while (PLAIN_PLACES.has(parts.at(-1) ?? '')) parts.pop()
  const bare = (parts.at(-1) ?? '')
    .replace(/^(?:mcp-server-|server-|mcp-|mcp_server_|mcp_)/i, '')
    .replace(/(?:-mcp-server|-server|-mcp|_mcp|_server)$/i, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return bare === '' ? 'server' : bare
}

/** The word that names the server's program, past the runner and its options. */
function programOf(words: readonly string[]): string {
  const [first = '', ...rest] = words
  const runner =
    first
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/\.(?:exe|cmd)$/i, '') ?? ''
  if (!RUNNERS.has(runner)) return first
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? ''
    if (VALUED.has(word)) index++
    else if (RUNNERS.has(word)) return programOf(rest.slice(index))
    else if (!word.startsWith('-') && !VERBS.has(word) && !/^\w+=/.test(word)) return word
  }
  return first
}

// The layers around an exchange with a configuration: asked of a gateway that has no clients and keeps nothing.

interface Layers {
  /** From the client to the servers. */
  layers: LayerStatus[]
  /** Each was started, no server was. */
  modules: ModuleStatus[]
}

/** Rejects with ProxyError CONFIG_INVALID when a module cannot be made. */
export function standing(config: Config, host: Host): Promise<Layers> {
  return withGateway(config, host, async (gateway) => ({
    modules: await gateway.checkModules(),
    layers: gateway.layers(),
  }))
}

/** Asks a gateway that was not started, over an empty data directory. */
export async function withGateway<T>(
  config: Config,
  host: Host,
  work: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(host.temporary, 'mcpproxy-look-'))
  try {
    const settings = { ...config.settings, dataDir }
    const gateway = await host.createGateway({ ...config, settings }, { logger: silentLogger })
    try {
      return await work(gateway)
    } finally {
      await gateway.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
