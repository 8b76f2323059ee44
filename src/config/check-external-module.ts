/** Checks an entry of the list of modules that names one of somebody else: a file, a program, an address. */
import { type JsonObject, setOwn } from '../protocol/json.ts'
import type { ModuleSources } from './check.ts'
import { expandAll } from './expand-all.ts'
import { reportIssues } from './issues.ts'
import { unknownKey } from './keys.ts'
import { type ExternalEntry, type ExternalModule, externalSchema } from './modules/entry.ts'
import type { Path } from './problem.ts'
import type { Report } from './report.ts'

/** Undefined: it is left out, or is not valid. */
export function checkExternalModule(
  written: JsonObject,
  path: Path,
  { surroundings, resolve }: ModuleSources,
  report: Report,
): ExternalModule | undefined {
  const ready = expandAll(knownKeys(written, path, report), externalSchema, path, surroundings, report)
  const parsed = externalSchema.safeParse(ready)
  if (!parsed.success) {
    reportIssues(parsed.error.issues, ready, externalSchema, path, report)
    return undefined
  }
  const { disabled, name, mode, failOpen, timeoutMs, priority, config, events, phase, payload, maxBytes } =
    parsed.data
  if (disabled) return undefined
  const reach = reachOf(parsed.data, resolve)
  if ('url' in reach && !(URL.canParse(reach.url) && /^https?:$/.test(new URL(reach.url).protocol))) {
    report.addAt('error', [...path, 'url'], {
      message: 'is not an http or https address',
      remedy: 'Write the whole address, for example "http://localhost:9000/mcp".',
    })
    return undefined
  }
  return {
    kind: 'external',
    name: name ?? nameOf(reach),
    mode,
    failOpen,
    timeoutMs,
    priority,
    reach,
    config,
    events,
    phase,
    payload,
    maxBytes,
  }
}

/** `config` is the module's own, whatever it holds. */
function knownKeys(written: JsonObject, path: Path, report: Report): JsonObject {
  const known = Object.keys(externalSchema.shape)
  const entry: JsonObject = {}
  for (const [key, value] of Object.entries(written)) {
    if (known.includes(key)) setOwn(entry, key, value)
    else unknownKey(key, [...path, key], known, [], report)
  }
  return entry
}

function reachOf(entry: ExternalEntry, resolve: (path: string) => string): ExternalModule['reach'] {
  const { path, command, args = [], cwd, url = '', headers = {} } = entry
  if (path !== undefined) return { path: resolve(path) }
  if (command === undefined) return { url, headers }
  const env = Object.entries(entry.env ?? {}).filter(([, value]) => value !== null)
  return { command, args, cwd, env: Object.fromEntries(env.map(([key, value]) => [key, String(value)])) }
}

function nameOf(reach: ExternalModule['reach']): string {
  if ('url' in reach) return new URL(reach.url).host
  const file = 'path' in reach ? reach.path : reach.command
  return file.split(/[\\/]/).at(-1) ?? file
}
