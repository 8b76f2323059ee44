/** Servers of this process: those of the embedder, and the one for files. They stand behind those of the configuration. */
import type { Config } from '../config/schema.ts'
import type { ServerConfig } from '../config/servers.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Serve } from '../upstream/in-process.ts'

const UTILS = 'utils'

/** Rejects with ProxyError CONFIG_INVALID when two servers have one name. */
export async function withInProcessServers(
  config: Config,
  embedded: Readonly<Record<string, Serve>> = {},
): Promise<Config> {
  const { settings } = config
  const all = Object.entries(embedded).map(([name, serve]) => ({ name, id: name, serve }))
  if (settings.utils.enabled) {
    const { utilsOf } = await import('../features/utils/index.ts')
    // One with another root is another server: a new configuration takes effect.
    all.push({
      name: UTILS,
      id: JSON.stringify([UTILS, settings.utils, settings.spill.allowDirs]),
      serve: utilsOf(settings),
    })
  }
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
    const { callTimeoutMs } = settings.connect
    return { name, transport: 'in-process', id, serve, instance: 'session', callTimeoutMs }
  })
  return { ...config, servers: [...config.servers, ...added] }
}
