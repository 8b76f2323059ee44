/** Checks the list of modules. A module may block or redact: one that cannot be had ends the start, it is never left out. */
import { isObject, type JsonValue, own } from '../protocol/json.ts'
import type { CheckModules, ModuleSources } from './check.ts'
import { checkExternalModule } from './check-external-module.ts'
import { checkUsedModule } from './check-used-module.ts'
import type { ModuleConfig, ModuleOptions } from './modules/entry.ts'
import { BUILT_IN_MODULES, SHAPE } from './modules/index.ts'
import { type Path, showSafely } from './problem.ts'
import type { Report } from './report.ts'

const WAYS = ['use', 'path', 'command', 'url'] as const

/**
 * Checks lists in which `use` may name the modules of the proxy and these. What it gives is in the order in which they stand around
 * an exchange, the one nearest to the client first.
 */
export function modulesCheck(modules: readonly ModuleOptions[] = []): CheckModules {
  const known = [...BUILT_IN_MODULES, ...modules]
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
