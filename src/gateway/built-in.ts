/** Servers of this process: those of the embedder, and the one for files. They stand behind those of the configuration. */
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import type { ServerConfig } from '../config/servers.ts'
import { absolutePath } from '../config/sources.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Serve } from '../upstream/in-process.ts'

const UTILS = 'utils'

/** Fails with ProxyError CONFIG_INVALID when two servers have one name. */
export function withBuiltIn(config: Config, embedded: Readonly<Record<string, Serve>> = {}): Config {
  const { settings } = config
  const all = Object.entries(embedded).map(([name, serve]) => ({ name, id: name, serve }))
  // One with another root is another server: a new configuration takes effect.
  const id = JSON.stringify([UTILS, settings.utils, settings.spill.allowDirs])
  if (settings.utils.enabled) all.push({ name: UTILS, id, serve: utilsOf(settings) })
  if (all.length === 0) return config
  const names = new Set(config.servers.map(({ name }) => name))
  const added = all.map(({ name, id, serve }): ServerConfig => {
    if (names.has(name))
      throw new ProxyError(
        'CONFIG_INVALID',
        `Two servers are called ${name}: one of the configuration, and one that is part of the proxy.`,
        'Rename the one in mcpServers.',
      )
    names.add(name)
    const callTimeoutMs = settings.connect.callTimeoutMs
    return { name, transport: 'in-process', id, serve, instance: 'session', callTimeoutMs }
  })
  return { ...config, servers: [...config.servers, ...added] }
}

function utilsOf({ utils, spill, dataDir }: Config['settings']): Serve {
  const absolute = (path: string): string => absolutePath(path, process.cwd(), homedir())
  const readable = spill.allowDirs.map(absolute)
  const own = [absolute(dataDir), ...(spill.dir === undefined ? [] : [absolute(spill.dir)])]
  /** Nobody said where: a place that holds nothing which was not put there on purpose. */
  const fallback = async (): Promise<string | undefined> => {
    if (readable.length > 0) return undefined
    const root = join(absolute(dataDir), UTILS)
    await mkdir(root, { recursive: true, mode: 0o700 })
    return root
  }
  return async (transport) => {
    const { serveUtils } = await import('../utils/server.ts')
    const root = utils.root === undefined ? await fallback() : absolute(utils.root)
    await serveUtils(transport, { root, readable, own, write: utils.write })
  }
}
