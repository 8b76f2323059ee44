/** The profiles of a configuration: packages with a name, of which each client sees one. */
import { nearest } from './keys.ts'
import type { ModuleConfig, UsedModule } from './modules.ts'
import type { Path, Report } from './report.ts'

/** A profile, by the name that clients choose. */
export interface Profile {
  readonly name: string
  readonly title: string | undefined
  /** True: for those as well who choose none. */
  readonly isDefault: boolean
}

/** In the order of the list of modules. */
export function profilesOf(modules: readonly ModuleConfig[]): readonly Profile[] {
  return entriesOf(modules).map(({ options: { profile, title, default: isDefault } }) => ({
    name: String(profile),
    title: typeof title === 'string' ? title : undefined,
    isDefault: isDefault === true,
  }))
}

/** The existing profiles, for a message about one that does not exist: `Did you mean notes? There are: notes, review.` */
export function otherProfiles(wanted: string, names: readonly string[]): string {
  if (names.length === 0) return 'There are no profiles.'
  const meant = nearest(wanted, names)
  const hint = meant === undefined ? '' : `Did you mean ${meant}? `
  const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : ''
  return `${hint}There ${names.length === 1 ? 'is' : 'are'}: ${names.slice(0, SHOWN).join(', ')}${more}.`
}

const SHOWN = 20

/**
 * The modules for a process that serves this profile alone: it counts for everybody, and the others are not there. `chosen`
 * undefined: clients choose. Reports what does not fit together.
 */
export function settleProfiles(
  modules: readonly ModuleConfig[],
  chosen: string | undefined,
  { at, choice, servers }: { at: Path; choice: Path; servers: readonly string[] },
  report: Report,
): readonly ModuleConfig[] {
  const entries = entriesOf(modules)
  const names = entries.map(({ options }) => String(options.profile))
  checkEntries(modules, names, at, report)
  checkServers(modules, servers, at, report)
  if (chosen === undefined) return modules
  if (!names.includes(chosen)) {
    report.addAt('error', choice, {
      message: `is "${chosen.slice(0, 100)}", which is no profile`,
      remedy:
        names.length === 0
          ? 'Write one: { "use": "package", "profile": "…" } in "modules".'
          : otherProfiles(chosen, names),
    })
    return modules
  }
  return modules.flatMap((module): ModuleConfig[] => {
    if (!isProfile(module)) return [module]
    const { options } = module
    return options.profile === chosen ? [{ ...module, options: { ...options, default: true } }] : []
  })
}

function checkEntries(
  modules: readonly ModuleConfig[],
  names: readonly string[],
  at: Path,
  report: Report,
): void {
  const wrong = (message: string, remedy: string): void => report.add('error', at, { message, remedy })
  const entries = entriesOf(modules)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    wrong(`has the profile "${twice}" twice`, 'Give one of them another name, or make one of the two.')
  const defaults = entries.filter(({ options }) => options.default === true)
  if (defaults.length > 1) wrong('has more than one profile with "default"', 'Keep one of them.')
  if (
    modules.some(
      (module) =>
        isPackage(module) && module.options.default === true && module.options.profile === undefined,
    )
  )
    wrong('has a package with "default" and without "profile"', 'Give it a name in "profile".')
  for (const { options, mode, failOpen } of entries) {
    if (mode === 'enforce' && !failOpen) continue
    const what = failOpen ? '"failOpen"' : '"mode": "audit"'
    wrong(
      `has the profile "${String(options.profile)}" with ${what}`,
      `Remove ${what}: a profile is a limit.`,
    )
  }
}

/** A server that is not there may come with the next change of the file: nothing of others belongs to the package because of it. */
function checkServers(
  modules: readonly ModuleConfig[],
  known: readonly string[],
  at: Path,
  report: Report,
): void {
  for (const { use, name, options } of modules.filter(namesServers)) {
    const named = Array.isArray(options.servers) ? options.servers.map(String) : []
    for (const server of named.filter((one) => !/[*?]/.test(one) && !known.includes(one))) {
      const meant = nearest(server, known)
      report.add('warning', at, {
        message: `has a ${use} (${name}) with the server "${server}", which does not exist`,
        remedy: meant === undefined ? 'Check its name.' : `Did you mean "${meant}"?`,
      })
    }
  }
}

/** The modules with an option `servers` that means servers of the configuration. */
const NAMING_SERVERS: ReadonlySet<string> = new Set(['package', 'log'])

function namesServers(module: ModuleConfig): module is UsedModule {
  return module.kind === 'use' && NAMING_SERVERS.has(module.use)
}

function entriesOf(modules: readonly ModuleConfig[]): readonly UsedModule[] {
  return modules.filter(isProfile)
}

function isPackage(module: ModuleConfig): module is UsedModule {
  return module.kind === 'use' && module.use === 'package'
}

function isProfile(module: ModuleConfig): module is UsedModule {
  return isPackage(module) && typeof module.options.profile === 'string'
}
