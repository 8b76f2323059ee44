/** How much of the servers each profile has. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory } from '../config/data-directory.ts'
import type { ModuleConfig } from '../config/modules/entry.ts'
import type { Config } from '../config/schema.ts'
import type { ProfileStatus } from '../gateway.ts'
import { messageOf } from '../protocol/errors.ts'
import { silentLogger } from '../telemetry/log.ts'
import type { Finding } from './doctor.ts'
import type { Host } from './host.ts'

/** The modules that decide what there is, and ask nobody about it. */
const DECIDING: ReadonlySet<string> = new Set(['package', 'block', 'rename'])

/** Connects the servers once more, all together: names depend on one another. */
export async function profileFindings(config: Config, host: Host): Promise<Finding[]> {
  const dataDir = mkdtempSync(join(host.temporary, 'mcpproxy-doctor-'))
  const settings = { ...config.settings, exposure: 'passthrough' as const, dataDir }
  const bridge = { ...settings.bridge, enabled: false }
  try {
    const gateway = await host.createGateway(
      { ...config, modules: config.modules.filter(isDeciding), settings: { ...settings, bridge } },
      {
        logger: silentLogger,
        signIn: { dataDir: dataDirectory(config, host.cwd, host.home), interactive: false },
      },
    )
    try {
      return (await gateway.profiles()).map((profile) => findingOf(profile, config))
    } finally {
      await gateway.close()
    }
  } catch (error) {
    return [{ subject: 'profiles', state: 'broken', message: messageOf(error) }]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function isDeciding(module: ModuleConfig): boolean {
  return module.kind === 'use' && DECIDING.has(module.use)
}

function findingOf({ name, title, isDefault, servers, tools }: ProfileStatus, config: Config): Finding {
  const subject = `profile ${name}`
  const path = config.settings.transport === 'sse' ? '/sse' : '/mcp'
  const message = [
    ...(title === undefined ? [] : [title]),
    `${tools} tool${tools === 1 ? '' : 's'} of ${servers.length === 0 ? 'no server' : servers.join(', ')}`,
    `--profile ${name} or ${path}/${name}`,
    ...(isDefault ? ['the default'] : []),
  ].join('; ')
  if (tools > 0) return { subject, state: 'ok', message }
  return {
    subject,
    state: 'warning',
    message,
    remedy: 'Compare "servers" and "tools" of it with what the servers list.',
  }
}
