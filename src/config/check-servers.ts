/** Checks the servers of a configuration and brings them into their final form. */
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import type { Surroundings } from './expand.ts'
import { expandAll } from './expand-all.ts'
import { reportIssues } from './issues.ts'
import { canonicalKeys } from './keys.ts'
import { LATER, SERVER_ALIASES, SERVER_IGNORED } from './names.ts'
import { longForm } from './oauth-settings.ts'
import { allowed } from './option.ts'
import { type Path, showSafely } from './problem.ts'
import type { Report } from './report.ts'
import { type ServerConfig, serverFaults, serverSchema, toServer } from './servers.ts'

export interface ServerSources {
  /** What variables are filled in from. Undefined: texts are final. */
  surroundings: Surroundings | undefined
  /** The variables of an `envFile`. Throws when it cannot be read. */
  readEnvFile(path: string): Record<string, string>
  /** For servers without a time limit of their own. */
  callTimeoutMs: number
}

export interface CheckedServers {
  servers: ServerConfig[]
  disabled: string[]
}

/** `sections` are the maps of servers in the file, each with its path: `mcpServers`, `servers`. */
export function checkServers(
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
  const names = { aliases: SERVER_ALIASES, ignored: SERVER_IGNORED, later: LATER.servers }
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
