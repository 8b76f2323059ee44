/** What modules make of what servers list: how much of it each profile has, and which patterns mean nothing of it. */
import { cpSync, existsSync } from 'node:fs'
import { dataDirectory } from '../config/data-directory.ts'
import type { ModuleConfig, UsedModule } from '../config/modules/entry.ts'
import type { Config } from '../config/schema.ts'
import type { ProfileStatus, UnmatchedPattern, UnmatchedTool } from '../gateway.ts'
import { messageOf } from '../protocol/errors.ts'
import { silentLogger } from '../telemetry/log.ts'
import type { Finding } from './doctor.ts'
import type { Host } from './host.ts'

/** The modules that decide what there is or name what there is, and ask nobody about it. */
const NAMING: ReadonlySet<string> = new Set(['package', 'block', 'rename', 'quota', 'log'])

/** True where there is anything to be found. */
export function namesItems({ modules, servers, settings }: Config): boolean {
  const lists = [settings.dispatch, ...servers.map(({ tools }) => tools)]
  return modules.some(isNaming) || lists.some((one) => one?.allow !== undefined || one?.deny !== undefined)
}

/** Servers as they were tried, one after the other. */
export interface Tried {
  /** Those that answered, and no others. */
  readonly config: Config
  /** Where what each of them lists was remembered. */
  readonly memories: readonly string[]
  /** Names of those that did not answer. */
  readonly silent: readonly string[]
}

/** Puts together in `dataDir` what the servers were heard to list, so that none of them is started once more: names depend on one another. */
export async function listFindings(
  { config, memories, silent }: Tried,
  dataDir: string,
  host: Host,
): Promise<Finding[]> {
  const { connect, bridge } = config.settings
  const settings = {
    ...config.settings,
    exposure: 'passthrough' as const,
    dataDir,
    connect: { ...connect, lazy: true },
    bridge: { ...bridge, enabled: false },
  }
  try {
    for (const memory of memories) if (existsSync(memory)) cpSync(memory, dataDir, { recursive: true })
    const gateway = await host.createGateway(
      { ...config, modules: config.modules.filter(isNaming).map(withoutFile), settings },
      {
        logger: silentLogger,
        signIn: { dataDir: dataDirectory(config, host.cwd, host.home), interactive: false },
      },
    )
    try {
      return [
        ...(await gateway.profiles()).map((profile) => profileFinding(profile, config)),
        ...(await gateway.unmatched()).flatMap((pattern) => patternFinding(pattern, silent, config)),
      ]
    } finally {
      await gateway.close()
    }
  } catch (error) {
    return [{ subject: 'modules', state: 'broken', message: messageOf(error) }]
  }
}

function isNaming(module: ModuleConfig): module is UsedModule {
  return module.kind === 'use' && NAMING.has(module.use)
}

/** Nothing of this is to be written into anybody's log. */
function withoutFile(module: UsedModule): UsedModule {
  const { file: _, ...options } = module.options
  return { ...module, options }
}

function profileFinding({ name, title, isDefault, servers, tools }: ProfileStatus, config: Config): Finding {
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

/** None where the pattern is about a server that did not answer. */
function patternFinding(
  unmatched: UnmatchedPattern | UnmatchedTool,
  silent: readonly string[],
  { settings: { naming } }: Config,
): Finding[] {
  const { option, pattern } = unmatched
  const meant = 'meant' in unmatched ? unmatched.meant : undefined
  if (silent.some((name) => ['/', naming.separator].some((mark) => pattern.startsWith(name + mark))))
    return []
  const shown = pattern.slice(0, 200)
  return [
    {
      subject: 'module' in unmatched ? `module ${unmatched.module}` : (unmatched.server ?? 'configuration'),
      state: 'warning',
      message: `${option}: "${shown}" fits nothing ${silent.length === 0 ? 'that the servers list' : 'listed by the servers that answered'}`,
      remedy: meant === undefined ? 'Correct or remove it.' : `Did you mean "${meant}"?`,
    },
  ]
}
