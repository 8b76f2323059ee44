/** A gateway from what a program writes down, in the words of mcp.json. */

import { homedir, tmpdir } from 'node:os'
import { loadConfig } from './config/load-program.ts'
import type { Config } from './config/schema.ts'
import { prepareDataDirectory, resetCaches } from './data/directory.ts'
import type { Gateway, GatewayParts } from './gateway/contract.ts'
import { createGateway as compose } from './gateway.ts'
import type { ModuleDefinition } from './module-runtime/module.ts'
import { isObject, type JsonObject, type JsonValue } from './protocol/json.ts'
import type { Serve } from './upstream/in-process.ts'

/** A server, as one in `mcpServers` of mcp.json: a command or an address, and options. */
export interface ServerEntry {
  command?: string
  args?: string[]
  env?: Record<string, string>
  /** Of a server over HTTP, in place of a command. */
  url?: string
  headers?: Record<string, string>
  /** All other options of docs/configuration.md. */
  [option: string]: JsonValue | undefined
}

/** The content of mcp.json, with options that only a program can have. Nothing is required. */
export interface GatewayOptions {
  /** Servers by name. A function is a server of this process: it is called with its end of each new connection. */
  mcpServers?: Readonly<Record<string, ServerEntry | Serve>>
  /** Options of docs/configuration.md. */
  proxySettings?: JsonObject
  /** In their order, the one nearest to the client first: entries of the configuration, or modules that `defineModule` made, with their defaults. */
  modules?: readonly (JsonObject | ModuleDefinition)[]
}

/**
 * A gateway without clients yet: call `connect`, `fetch`, `node` or `start`. `options`: what mcp.json holds, or what `loadConfig` has made
 * of one. Rejects with ProxyError CONFIG_INVALID, which tells all that is wrong with the options.
 */
export async function createGateway(
  options: GatewayOptions | Config = {},
  parts: GatewayParts = {},
): Promise<Gateway> {
  if (isConfig(options)) return open(options, parts)
  const { mcpServers = {}, proxySettings = {}, modules = [] } = options
  const own = modules.filter(isDefinition)
  const definitions = [...new Set([...own, ...(parts.modules ?? [])])]
  const servers = Object.entries(mcpServers)
  const functions = servers.filter((entry): entry is [string, Serve] => typeof entry[1] === 'function')
  const value = {
    mcpServers: Object.fromEntries(
      servers.filter(([, server]) => typeof server !== 'function'),
    ) as JsonObject,
    proxySettings,
    modules: modules.map((module) => (isDefinition(module) ? { use: module.name } : module)),
  }
  const { config } = loadConfig({
    value,
    env: {},
    cwd: process.cwd(),
    home: homedir(),
    serversOptional: true,
    modules: definitions,
  })
  return open(config, {
    ...parts,
    modules: definitions,
    servers: { ...Object.fromEntries(functions), ...parts.servers },
  })
}

/** The data directory is made first, or a temporary one where the default cannot be used. */
async function open(written: Config, parts: GatewayParts): Promise<Gateway> {
  const bases = { cwd: process.cwd(), home: homedir(), temporary: tmpdir() }
  const { config, warning, discard = () => {} } = prepareDataDirectory(written, bases)
  if (warning !== undefined) parts.logger?.warn({}, warning)
  resetCaches(config)
  try {
    const gateway = await compose(config, parts)
    return { ...gateway, close: () => gateway.close().finally(discard) }
  } catch (error) {
    discard()
    throw error
  }
}

function isConfig(options: GatewayOptions | Config): options is Config {
  return 'settings' in options && isObject(options.settings)
}

function isDefinition(module: JsonObject | ModuleDefinition): module is ModuleDefinition {
  return typeof module.create === 'function'
}
