/** Checks a whole configuration and collects every problem it has. Does no input or output of its own. */
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { checkAuth } from './auth-settings.ts'
import { checkBridge } from './bridge-settings.ts'
import { type CheckedServers, checkServers } from './check-servers.ts'
import type { Surroundings } from './expand.ts'
import { expandAll } from './expand-all.ts'
import { givenTwice } from './given-twice.ts'
import { reportIssues } from './issues.ts'
import type { JsoncFile } from './jsonc.ts'
import { read } from './keys.ts'
import type { ModuleConfig } from './modules/entry.ts'
import { settingRows } from './options.ts'
import { type Path, type Problem, showSafely } from './problem.ts'
import { settleProfiles } from './profiles.ts'
import { createReport, type Report } from './report.ts'
import type { Config } from './schema.ts'
import { settleExposure } from './server-exposure.ts'
import { type Settings, settingsSchema } from './settings.ts'
import { overlay, unknownVariables } from './sources.ts'
import { SETTINGS, split } from './split.ts'

export interface CheckRequest extends Surroundings {
  file: string | undefined
  /** What the file holds, and where. */
  content: JsoncFile
  /** Texts by flag name: `{ port: '9000' }`. */
  flags: Readonly<Record<string, string | undefined>>
  /** False: texts are final already (a wrapped command, which the shell has expanded). */
  expand: boolean
  /** True: a configuration without servers is fine. */
  serversOptional: boolean
  /** The variables of an `envFile`. Throws when it cannot be read. */
  readEnvFile(path: string): Record<string, string>
  /** Checks the list of modules. Undefined: none are listed. */
  modules: CheckModules | undefined
  /** The path of a file that the configuration names. */
  resolve(path: string): string
}

/** `undefined`: there is no list. */
export type CheckModules = (
  written: JsonValue | undefined,
  at: Path,
  sources: ModuleSources,
  report: Report,
) => readonly ModuleConfig[]

/** What the list of modules is read with. */
export interface ModuleSources {
  /** What variables are filled in from. Undefined: texts are final. */
  surroundings: Surroundings | undefined
  /** A file as the configuration names it, from where the proxy would look for it. */
  resolve(path: string): string
}

/** Undefined `config`: at least one of the problems is an error. */
export interface Checked {
  config: Config | undefined
  problems: readonly Problem[]
}

export function check(request: CheckRequest): Checked {
  const report = createReport(request.content)
  report.take(request.content.problems)
  const file = request.content.value
  if (isObject(file)) {
    const config = checkObject(file, request, report)
    const failed = report.problems.some(({ severity }) => severity === 'error')
    return { config: failed ? undefined : config, problems: report.problems }
  }
  if (file !== undefined) {
    report.add('error', [], {
      message: `the file holds ${showSafely(file, [])}, but must be an object { … }`,
      remedy: 'Write { "mcpServers": { … } }.',
    })
  }
  return { config: undefined, problems: report.problems }
}

function checkObject(file: JsonObject, request: CheckRequest, report: Report): Config | undefined {
  const parts = split(file, report)
  const { settings, chosen } = checkSettings(parts.settings, request, report)
  const { servers, disabled } = checkServers(
    parts.servers,
    {
      surroundings: request.expand ? request : undefined,
      readEnvFile: (path) => request.readEnvFile(path),
      callTimeoutMs: settings?.connect.callTimeoutMs ?? 0,
    },
    report,
  )
  reportAbsence(parts.servers.length, { servers, disabled }, request, report)
  const sources = {
    surroundings: request.expand ? request : undefined,
    resolve: (path: string) => request.resolve(path),
  }
  const listed = request.modules?.(parts.modules, ['modules'], sources, report) ?? []
  // A command that serves nobody may run where there is nothing to choose from.
  const isIdle = request.serversOptional && file.modules === undefined && parts.servers.length === 0
  const about = {
    at: ['modules'],
    choice: [...SETTINGS, 'profile'],
    servers: [...servers.map(({ name }) => name), ...disabled, ...(settings?.utils.enabled ? ['utils'] : [])],
  }
  const modules = settleProfiles(listed, isIdle ? undefined : settings?.profile, about, report)
  unknownVariables(request.env, report)
  return (
    settings &&
    freeze({ file: request.file, disabled, modules, chosen, ...settleExposure(settings, servers, report) })
  )
}

function checkSettings(
  written: JsonObject,
  request: CheckRequest,
  report: Report,
): { settings: Settings | undefined; chosen: string[] } {
  const inFile = settingRows().filter((row) => read(written, row.path.split('.')) !== undefined)
  const raw = expandAll(written, settingsSchema, SETTINGS, request.expand ? request : undefined, report)
  const laid = overlay(raw, SETTINGS, request.env, request.flags, report)
  const chosen = [...new Set([...inFile.map((row) => row.path), ...laid])]
  const parsed = settingsSchema.safeParse(raw)
  if (!parsed.success) {
    reportIssues(parsed.error.issues, raw, settingsSchema, SETTINGS, report)
    return { settings: undefined, chosen }
  }
  const { previewSize, maxResponseSize } = parsed.data
  if (previewSize > maxResponseSize && chosen.includes('previewSize')) {
    report.addAt('warning', [...SETTINGS, 'previewSize'], {
      message: `is ${previewSize}, more than maxResponseSize (${maxResponseSize}), which is used instead`,
      remedy: 'Make it smaller.',
    })
  }
  const twice = givenTwice(Object.entries(parsed.data.naming.rename))
  if (twice) {
    report.addAt('error', [...SETTINGS, 'naming', 'rename', twice.second], {
      message: `is ${JSON.stringify(twice.name)}, as ${JSON.stringify(twice.first)} is called already`,
      remedy: 'Choose another name for one of them.',
    })
  }
  const { auth, host, transport } = parsed.data
  checkAuth(auth, host, transport !== 'stdio', [...SETTINGS, 'auth'], report)
  checkBridge(parsed.data.bridge, host, transport !== 'stdio', [...SETTINGS, 'bridge'], report)
  const settings = { ...parsed.data, previewSize: Math.min(previewSize, maxResponseSize) }
  return { settings: { ...settings, exposure: exposureOf(settings, chosen, laid) }, chosen }
}

/** A command for changed lists serves every exposure. */
const OF_RETRIEVE = /^(?:retrieve\.(?!listChangedExec)|index\.)/

/** Who says how tools are to be retrieved wants to retrieve them: the proxies that these names come from do nothing else. */
function exposureOf(
  { exposure }: Settings,
  chosen: readonly string[],
  laid: readonly string[],
): Settings['exposure'] {
  if (chosen.includes('exposure')) return exposure
  const meant = chosen.includes('retrieve.routing') || laid.some((path) => OF_RETRIEVE.test(path))
  return meant ? 'retrieve' : exposure
}

function reportAbsence(
  sections: number,
  { servers, disabled }: CheckedServers,
  request: CheckRequest,
  report: Report,
): void {
  if (request.serversOptional || report.problems.some(({ severity }) => severity === 'error')) return
  if (sections === 0) {
    report.add('error', ['mcpServers'], {
      message: 'is missing',
      remedy: 'Add "mcpServers": { "name": { "command": "…" } }.',
    })
  } else if (servers.length === 0) {
    report.add('warning', ['mcpServers'], {
      message: disabled.length === 0 ? 'is empty: there is nothing to offer' : 'has only disabled servers',
      remedy: disabled.length === 0 ? 'Add a server.' : 'Remove "disabled" from one of them.',
    })
  }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}
