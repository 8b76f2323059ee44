/** What would stand around an exchange with a configuration: asked of a gateway that serves nobody and keeps nothing. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/schema.ts'
import type { LayerStatus, ModuleStatus } from '../gateway.ts'
import { silentLogger } from '../telemetry/log.ts'
import type { Host } from './host.ts'

export interface Standing {
  /** From the client to the servers. */
  layers: LayerStatus[]
  /** Each was started, no server was. */
  modules: ModuleStatus[]
}

/** Rejects with ProxyError CONFIG_INVALID when a module cannot be made. */
export async function standing(config: Config, host: Host): Promise<Standing> {
  const dataDir = mkdtempSync(join(host.temporary, 'mcpproxy-look-'))
  try {
    const settings = { ...config.settings, dataDir }
    const gateway = await host.createGateway({ ...config, settings }, { logger: silentLogger })
    try {
      return { modules: await gateway.checkModules(), layers: gateway.layers() }
    } finally {
      await gateway.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
