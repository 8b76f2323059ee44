/** Checks a whole configuration and collects every problem it has. Does no input or output of its own. */

import { checkBridge } from '../features/scripts/options.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { SERVER_ALIASES, SERVER_IGNORED, SERVER_LATER, SERVER_SECTIONS } from './aliases.ts'
import { checkAuth, longForm } from './auth-options.ts'
import { expandAll, type Surroundings } from './expand.ts'
import type { JsoncFile } from './jsonc.ts'
import { canonicalKeys, read, reportIssues } from './keys.ts'
import { isLocal } from './loopback.ts'
import type { ModuleConfig } from './modules.ts'
import { allowed } from './option.ts'
import { settingRows } from './options.ts'
import { settleProfiles } from './profiles.ts'
import { createReport, type Path, type Problem, type Report, showSafely } from './report.ts'
import { type Config, type Settings, settingsSchema } from './schema.ts'
import { type ServerConfig, serverFaults, serverSchema, toServer } from './servers.ts'
import { overlay, SETTINGS, split, unknownVariables } from './sources.ts'

export interface CheckRequest extends Surroundings {
  file: string | undefined
  /** The content of the file, with places. */
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

/** The sources that the list of modules is read with. */
export interface ModuleSources {
  /** The source of the values of variables. Undefined: texts are final. */
  surroundings: Surroundings | undefined
  /** A file as the configuration names it, from where the proxy would look for it. */
  resolve(path: string): string
}

/** Undefined `config`: at least one of the problems is an error. */
interface Checked {
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
  // A command that serves no client may run without any server.
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
  checkAuth(auth, host, !isLocal(transport), [...SETTINGS, 'auth'], report)
  checkBridge(parsed.data.bridge, host, !isLocal(transport), [...SETTINGS, 'bridge'], report)
  const settings = {
    ...parsed.data,
    previewSize: Math.min(previewSize, maxResponseSize),
    wholeTokens: wholeTokensOf(parsed.data, chosen),
  }
  return { settings: { ...settings, exposure: exposureOf(settings, chosen, laid) }, chosen }
}

/** A limit on the length of results means every result. */
function wholeTokensOf({ wholeTokens }: Settings, chosen: readonly string[]): number {
  if (chosen.includes('wholeTokens')) return wholeTokens
  return chosen.includes('maxResponseSize') || chosen.includes('maxResponseTokens') ? 0 : wholeTokens
}

/** A command for changed lists serves every exposure. */
const OF_RETRIEVE = /^(?:retrieve\.(?!listChangedExec)|index\.)/

/** Settings of retrieval choose `retrieve`: the proxies that these names come from do nothing else. */
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

// Checks the servers of a configuration and brings them into their final form.

interface ServerSources {
  /** The source of the values of variables. Undefined: texts are final. */
  surroundings: Surroundings | undefined
  /** The variables of an `envFile`. Throws when it cannot be read. */
  readEnvFile(path: string): Record<string, string>
  /** For servers without a time limit of their own. */
  callTimeoutMs: number
}

interface CheckedServers {
  servers: ServerConfig[]
  disabled: string[]
}

/** `sections` are the maps of servers in the file, each with its path: `mcpServers`, `servers`. */
function checkServers(
  sections: readonly { path: Path; value: JsonValue }[],
  sources: ServerSources,
  report: Report,
): CheckedServers {
  const checked: CheckedServers = { servers: [], disabled: [] }
  const seen = new Map<string, Path>()
  for (const { path, value } of sections) {
    if (!isObject(value)) {
      report.add('error', path, {
        message: `is ${showSafely(value, path)}, but must be an object with a server for each name`,
        remedy: 'Write { "name": { "command": "…" } }.',
      })
      continue
    }
    for (const [name, entry] of Object.entries(value)) {
      const here = [...path, name]
      if (name.trim() === '') {
        report.add('error', here, { message: 'has no name', remedy: 'Give the server a name.' })
      } else if (seen.has(name)) {
        report.add('error', here, { message: 'is there twice', remedy: 'Rename or remove one of the two.' })
      } else {
        seen.set(name, here)
        checkServer(name, entry, here, sources, report, checked)
      }
    }
  }
  return checked
}

function checkServer(
  name: string,
  written: JsonValue,
  path: Path,
  sources: ServerSources,
  report: Report,
  into: CheckedServers,
): void {
  if (!isObject(written)) {
    report.add('error', path, {
      message: `is ${showSafely(written, path)}, but must be ${allowed(serverSchema)}`,
      remedy: 'Write { "command": "…", "args": ["…"] } or { "url": "https://…" }.',
    })
    return
  }
  const names = { aliases: SERVER_ALIASES, ignored: SERVER_IGNORED, later: SERVER_LATER }
  const entry = canonicalKeys(
    withLongForms(written),
    { schema: serverSchema, at: path, from: path, ...names },
    report,
    {},
  )
  if (entry.disabled === true) {
    into.disabled.push(name)
    return
  }
  const ready = expandAll(entry, serverSchema, path, sources.surroundings, report)
  const parsed = serverSchema.safeParse(ready)
  if (!parsed.success) return reportIssues(parsed.error.issues, ready, serverSchema, path, report)
  const faults = serverFaults(parsed.data)
  for (const { key, message, remedy } of faults) {
    report.addAt('error', key === undefined ? path : [...path, ...[key].flat()], { message, remedy })
  }
  if (faults.length > 0) return
  try {
    const fileEnv = parsed.data.envFile === undefined ? {} : sources.readEnvFile(parsed.data.envFile)
    into.servers.push(toServer(name, parsed.data, sources.callTimeoutMs, fileEnv))
  } catch {
    report.addAt('error', [...path, 'envFile'], {
      message: 'names a file that cannot be read',
      remedy: 'Check the path, or remove it.',
    })
  }
}

function withLongForms(written: JsonObject): JsonObject {
  const oauth = own(written, 'oauth')
  const tools = own(written, 'tools')
  return {
    ...written,
    ...(oauth !== undefined && { oauth: longForm(oauth) }),
    // As other clients have it: the tools that may be used.
    ...(Array.isArray(tools) && { tools: { allow: tools } }),
  }
}

// Servers with an exposure of their own: some list their tools, and the rest hide them in one way.

/**
 * `settings.exposure` becomes the way in which tools are hidden, where a server asks for one; servers that are offered as they
 * come say so. Two ways of hiding are an error: a client would be told two stories.
 */
function settleExposure(
  settings: Settings,
  servers: readonly ServerConfig[],
  report: Report,
): { settings: Settings; servers: readonly ServerConfig[] } {
  const asked = servers.filter(({ exposure }) => exposure !== undefined && exposure !== 'passthrough')
  const mode = settings.exposure === 'passthrough' ? asked[0]?.exposure : settings.exposure
  for (const { name, exposure } of asked) {
    if (exposure === mode) continue
    report.addAt('error', [SERVER_SECTIONS[0], name, 'exposure'], {
      message: `is ${exposure}, but other tools are behind ${mode}`,
      remedy: `Write ${mode}, or passthrough.`,
    })
  }
  if (mode === undefined || mode === settings.exposure) return { settings, servers }
  return {
    settings: { ...settings, exposure: mode },
    servers: servers.map((server) => ({ ...server, exposure: server.exposure ?? 'passthrough' })),
  }
}

// New names: two that want the same one cannot both have it, whatever is listed.

/** The first name that is wanted twice, and by whom. */
interface GivenTwice {
  readonly name: string
  readonly first: string
  readonly second: string
}

/** @param wanted old names, each with the new one */
export function givenTwice(wanted: Iterable<readonly [string, string]>): GivenTwice | undefined {
  const owners = new Map<string, string>()
  for (const [old, name] of wanted) {
    const first = owners.get(name)
    if (first !== undefined) return { name, first, second: old }
    owners.set(name, old)
  }
  return undefined
}
