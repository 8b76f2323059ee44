/** Sorts the top level of a configuration file into servers and settings, whatever client it was written for. */
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { canonicalKeys, unknownKey } from './keys.ts'
import { ALIAS_VALUES, LATER, SERVER_SECTIONS, SETTING_ALIASES } from './names.ts'
import { allowed } from './option.ts'
import { type Path, showSafely } from './problem.ts'
import type { Report } from './report.ts'
import { settingsSchema } from './settings.ts'
import { plainName } from './suggest.ts'

/** Where settings lie in the schema of the file. */
export const SETTINGS: Path = ['proxySettings']

const SILENT = ['$schema', '$id']

export interface Parts {
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
    const names = { aliases: SETTING_ALIASES, readings: ALIAS_VALUES, ignored: [], later: LATER.settings }
    canonicalKeys(value, { schema: settingsSchema, at: SETTINGS, from, ...names }, report, parts.settings)
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
          remedy: 'Write { "maxResponseSize": 8000 }, or remove it.',
        })
      }
    } else if (aliases.has(name)) settings({ [key]: value }, [])
    else if (key === 'modules') parts.modules = value
    else if (key === 'inputs') checkInputs(value, report)
    else if (key === 'profiles') explainProfiles(report)
    else if (!SILENT.includes(key)) {
      unknownKey(key, [key], [...SERVER_SECTIONS, 'proxySettings'], LATER.file, report)
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
