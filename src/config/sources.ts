/** Where values come from: the file, the environment, the command line. */

import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { CONFIG_PATH_VARIABLE, flagName, SERVER_SECTIONS, SETTING_ALIASES } from './aliases.ts'
import type { Environment } from './expand.ts'
import { canonicalKeys, nearest, plainName, unknownKey, write } from './keys.ts'
import { allowed, example, fromText } from './option.ts'
import { settingRows } from './options.ts'
import type { Report } from './report.ts'
import { type Path, showSafely } from './report.ts'
import { settingsSchema } from './schema.ts'

/**
 * Lays the environment and then the command line over the settings of the file. `flags` are texts by flag name
 * (`{ 'log-level': 'debug' }`). Returns the paths it set.
 */
export function overlay(
  settings: JsonObject,
  at: Path,
  env: Environment,
  flags: Readonly<Record<string, string | undefined>>,
  report: Report,
): string[] {
  const chosen: string[] = []
  for (const row of settingRows()) {
    const flag = row.flag === undefined ? undefined : flagName(row.flag)
    const variable = row.env.find((name) => env[name] !== undefined && env[name] !== '')
    const fromFlag = flag === undefined ? undefined : flags[flag]
    const value = fromFlag ?? (variable === undefined ? undefined : env[variable])
    if (value === undefined) continue
    const path = row.path.split('.')
    report.given(
      [...at, ...path],
      fromFlag === undefined ? `environment variable ${variable}` : `option --${flag}`,
    )
    write(settings, path, fromText(row.schema, value) as JsonValue)
    chosen.push(row.path)
  }
  return chosen
}

/** Warns about `MCPPROXY_…` variables that no option has. */
export function unknownVariables(env: Environment, report: Report): void {
  const known = [CONFIG_PATH_VARIABLE, ...settingRows().flatMap((row) => row.env)]
  for (const name of Object.keys(env).filter((key) => key.startsWith('MCPPROXY_') && !known.includes(key))) {
    const meant = nearest(name, known)
    report.take([
      {
        severity: 'warning',
        place: `environment variable ${name}`,
        path: '',
        message: 'is not known and is ignored',
        remedy: meant === undefined ? 'Remove it.' : `Did you mean ${meant}?`,
      },
    ])
  }
}

// Sorts the top level of a configuration file into servers and settings, whatever client it was written for.

/** Where settings lie in the schema of the file. */
export const SETTINGS: Path = ['proxySettings']

const SILENT = ['$schema', '$id']

interface Parts {
  /** The maps of servers, each with its place in the file. */
  servers: { path: Path; value: JsonValue }[]
  /** With canonical keys, values as written. */
  settings: JsonObject
  /** The list of modules as written. Undefined: there is none. */
  modules?: JsonValue
}

/** Aliases of settings are understood beside `proxySettings` as well as inside it. */
export function split(file: JsonObject, report: Report): Parts {
  const parts: Parts = { servers: [], settings: {} }
  const aliases = new Set(Object.keys(SETTING_ALIASES).map(plainName))
  const settings = (value: JsonObject, from: Path): void => {
    const rules = { schema: settingsSchema, at: SETTINGS, from, aliases: SETTING_ALIASES }
    canonicalKeys(value, rules, report, parts.settings)
  }
  for (const [key, value] of Object.entries(file)) {
    const name = plainName(key)
    if (SERVER_SECTIONS.some((section) => plainName(section) === name))
      parts.servers.push({ path: [key], value })
    else if (name === plainName('proxySettings')) {
      if (isObject(value)) settings(value, [key])
      else {
        report.add('error', [key], {
          message: `is ${showSafely(value, [key])}, but must be ${allowed(settingsSchema)}`,
          remedy: `Write { "maxResponseSize": ${example(settingsSchema.shape.maxResponseSize)} }, or remove it.`,
        })
      }
    } else if (aliases.has(name)) settings({ [key]: value }, [])
    else if (key === 'modules') parts.modules = value
    else if (key === 'inputs') checkInputs(value, report)
    else if (key === 'profiles') explainProfiles(report)
    else if (!SILENT.includes(key)) {
      unknownKey(key, [key], [...SERVER_SECTIONS, 'proxySettings'], report)
    }
  }
  return parts
}

function explainProfiles(report: Report): void {
  report.add('warning', ['profiles'], {
    message: 'is not known and is ignored: a profile is a module',
    remedy: 'Write { "modules": [{ "use": "package", "profile": "notes", "tools": ["…"] }] }.',
  })
}

function checkInputs(value: JsonValue, report: Report): void {
  if (Array.isArray(value) && value.length === 0) return
  report.add('warning', ['inputs'], {
    message: 'is what VS Code asks its user; the proxy cannot ask and ignores it',
    remedy: 'Write environment variables (${TOKEN}) where the servers use ${input:…}.',
  })
}
