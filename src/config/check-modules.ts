/** Checks the list of modules. A module may block or redact: one that cannot be had ends the start, it is never left out. */

import type * as z from 'zod'
import { BUILT_IN } from '../features/modules.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import type { CheckModules, ModuleSources } from './check.ts'
import { expandAll, type Surroundings } from './expand.ts'
import { canonicalKeys, nearest, reportIssues, unknownKey } from './keys.ts'
import {
  type ExternalEntry,
  type ExternalModule,
  externalSchema,
  type ModuleConfig,
  type ModuleOptions,
  SHAPE,
  type UsedModule,
  useSchema,
} from './modules.ts'
import type { Report } from './report.ts'
import { type Path, showSafely } from './report.ts'

const WAYS = ['use', 'path', 'command', 'url'] as const

/**
 * Checks lists in which `use` may name the modules of the proxy and these. Its outcome is in the order in which modules stand around an
 * exchange, the one nearest to the client first.
 */
export function modulesCheck(modules: readonly ModuleOptions[] = []): CheckModules {
  const known = [...Object.entries(BUILT_IN).map(([name, { options }]) => ({ name, options })), ...modules]
  return (written, at, sources, report) => checkModules(written, at, known, sources, report)
}

function checkModules(
  written: JsonValue | undefined,
  at: Path,
  known: readonly ModuleOptions[],
  sources: ModuleSources,
  report: Report,
): readonly ModuleConfig[] {
  if (written === undefined) return []
  if (!Array.isArray(written)) {
    report.add('error', at, {
      message: `is ${showSafely(written, at)}, but must be a list of modules`,
      remedy: 'Write [{ "use": "log" }].',
    })
    return []
  }
  const modules = written.flatMap((entry, index) => {
    const module = checkModule(entry, [...at, index], known, sources, report)
    return module ? [module] : []
  })
  const shapes = modules.filter((module) => module.kind === 'use' && module.use === SHAPE)
  if (shapes.length > 1)
    report.add('error', at, {
      message: 'has "shape" more than once',
      remedy: 'Keep the one at which large results are to become previews.',
    })
  return unique(modules.toSorted((a, b) => a.priority - b.priority))
}

function checkModule(
  written: JsonValue,
  path: Path,
  known: readonly ModuleOptions[],
  sources: ModuleSources,
  report: Report,
): ModuleConfig | undefined {
  if (!isObject(written)) {
    report.add('error', path, {
      message: `is ${showSafely(written, path)}, but must be an object { … }`,
      remedy: 'Write { "use": "log" } or { "command": "…" }.',
    })
    return undefined
  }
  // The address of a service that a built-in module asks is an option of that module.
  const options = known.find(({ name }) => name === own(written, 'use'))?.options.shape ?? {}
  const ways = WAYS.filter((way) => own(written, way) !== undefined && !Object.hasOwn(options, way))
  if (ways.length !== 1) {
    report.add('error', path, {
      message: ways.length === 0 ? 'names no module' : `has ${ways.join(' and ')}`,
      remedy: 'Write one of "use" (built in), "path" (a file), "command" (a program) and "url" (a service).',
    })
    return undefined
  }
  return ways[0] === 'use'
    ? checkUsedModule(written, path, known, sources, report)
    : checkExternalModule(written, path, sources, report)
}

/** Names tell modules apart in the log: `rewrite`, `rewrite-2`. */
function unique(modules: readonly ModuleConfig[]): ModuleConfig[] {
  const taken = new Set<string>()
  return modules.map((module) => {
    let name = module.name
    for (let count = 2; taken.has(name); count++) name = `${module.name}-${count}`
    taken.add(name)
    return name === module.name ? module : { ...module, name }
  })
}

// Checks an entry of the list of modules that names one of the proxy or of its embedder.

const COMMON = new Set(Object.keys(useSchema.shape))

/** Undefined: it is left out, or is not valid. */
function checkUsedModule(
  written: JsonObject,
  path: Path,
  known: readonly ModuleOptions[],
  { surroundings }: ModuleSources,
  report: Report,
): UsedModule | undefined {
  const entry = expandAll(
    only(written, (key) => COMMON.has(key)),
    useSchema,
    path,
    surroundings,
    report,
  )
  const parsed = useSchema.safeParse(entry)
  if (!parsed.success) {
    reportIssues(parsed.error.issues, entry, useSchema, path, report)
    return undefined
  }
  const { use, name = use, disabled, timeoutMs, ...basics } = parsed.data
  if (disabled) return undefined
  const module = known.find((one) => one.name === use)
  if (!module) {
    const names = known.map((one) => one.name)
    const meant = nearest(use, names)
    report.add('error', [...path, 'use'], {
      message: `is "${use}", which is no module`,
      remedy: `${meant === undefined ? '' : `Did you mean "${meant}"? `}There are: ${names.join(', ')}.`,
    })
    return undefined
  }
  const options = readOptions(written, module.options, path, surroundings, report)
  return options && { kind: 'use', use, name, options, timeoutMs, ...basics }
}

/** Options may stand in the entry itself or in its `config`. */
function readOptions(
  written: JsonObject,
  schema: z.ZodObject,
  path: Path,
  surroundings: Surroundings | undefined,
  report: Report,
): JsonObject | undefined {
  const inner = own(written, 'config')
  const hasOwnConfig = Object.hasOwn(schema.shape, 'config')
  const into: JsonObject = {}
  const plain = only(written, (key) => !COMMON.has(key) && (hasOwnConfig || key !== 'config'))
  canonicalKeys(plain, { schema, at: path, from: path }, report, into)
  if (!hasOwnConfig && inner !== undefined) {
    if (!isObject(inner)) {
      report.add('error', [...path, 'config'], {
        message: `is ${showSafely(inner, path)}, but must be an object { … }`,
        remedy: 'Write the options of the module into it, or beside "use".',
      })
      return undefined
    }
    canonicalKeys(inner, { schema, at: path, from: [...path, 'config'] }, report, into)
  }
  const options = expandAll(into, schema, path, surroundings, report)
  const parsed = schema.safeParse(options)
  if (parsed.success) return options
  reportIssues(parsed.error.issues, options, schema, path, report)
  return undefined
}

function only(object: JsonObject, wanted: (key: string) => boolean): JsonObject {
  const part: JsonObject = {}
  for (const [key, value] of Object.entries(object)) if (wanted(key)) setOwn(part, key, value)
  return part
}

// Checks an entry of the list of modules that names one of somebody else: a file, a program, an address.

/** Undefined: it is left out, or is not valid. */
function checkExternalModule(
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
    else unknownKey(key, [...path, key], known, report)
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
  if ('path' in reach) return fileIn(reach.path)
  const program = fileIn(reach.command)
  const script = RUNNER.test(program) ? scriptIn(reach.args) : undefined
  return script === undefined ? program : fileIn(script)
}

function fileIn(path: string): string {
  return path.split(/[\\/]/).at(-1) || path
}

/** Programs that run others: what they run tells one module from another. */
const RUNNER =
  /^(?:node|nodejs|deno|bun|bunx|tsx|ts-node|npx|python[\d.]*|pypy\d*|uv|uvx|pipx|ruby|perl|php|sh|bash|env)(?:\.exe|\.cmd)?$/i
/** Options of these programs that take the next argument as their value. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '-r',
  '--require',
  '--import',
  '--loader',
  '--env-file',
  '-C',
  '--conditions',
])

/** The script, package or module (`-m`) among the arguments of a program that runs others. */
function scriptIn(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    // The program is no file: `node -e …`, `python -c …`.
    if (/^(?:-e|-p|-c|--eval|--print)$/.test(arg)) return undefined
    if (WITH_VALUE.has(arg)) at += 1
    else if (!arg.startsWith('-') && !/^(?:run|exec|x)$/.test(arg)) return arg
  }
  return undefined
}
