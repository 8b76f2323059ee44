/** New names that cannot be, found before anybody lists anything: by the rules for names, and against each other. */
import type { ModuleConfig } from '../../config/modules.ts'
import type { ModulesConfig } from '../../config/schema.ts'
import { ProxyError } from '../../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { PROXY_TOOL_NAMES, RESERVED_NAMES } from '../../proxy/own-tools.ts'

const KINDS = ['tools', 'prompts', 'resources'] as const
type Kind = (typeof KINDS)[number]

/** Who gave a name, and to what. */
interface Given {
  readonly by: string
  readonly to: string
}

/** Throws ProxyError CONFIG_INVALID. */
export function checkRenames({ modules, settings }: ModulesConfig): void {
  const { naming } = settings
  // Nearest to the servers first: those further out see the names that it gives.
  const renaming = modules.filter(isRename).toReversed()
  for (const kind of KINDS) {
    let given = new Map<string, Given>()
    if (kind !== 'resources')
      for (const [to, name] of Object.entries(naming.rename)) given.set(name, { by: '`naming.rename`', to })
    for (const { name: module, options } of renaming) {
      const names = namesIn(own(options as JsonObject, kind))
      for (const [old, name] of names) checkName(name, old, kind, module, settings)
      // What is renamed once more has left its name.
      const renamedAgain = new Set(names.map(([old]) => old))
      given = new Map([...given].filter(([name, { to }]) => !renamedAgain.has(name) && !renamedAgain.has(to)))
      for (const [to, name] of names) {
        const first = given.get(name)
        if (first)
          throw new ProxyError(
            'CONFIG_INVALID',
            `The module \`${module}\` gives the name "${name}" to ${to}, but ${first.by} gives it to ${first.to}.`,
            'Choose another name for one of them.',
          )
      }
      for (const [to, name] of names) given.set(name, { by: `the module \`${module}\``, to })
    }
  }
}

function isRename(module: ModuleConfig): module is Extract<ModuleConfig, { kind: 'use' }> {
  return module.kind === 'use' && module.use === 'rename'
}

function namesIn(changes: JsonValue | undefined): [old: string, name: string][] {
  return Object.entries(isObject(changes) ? changes : {}).flatMap(([old, change]): [string, string][] => {
    const name = isObject(change) ? own(change, 'name') : change
    return typeof name === 'string' ? [[old, name]] : []
  })
}

function checkName(
  name: string,
  old: string,
  kind: Kind,
  module: string,
  { naming, exposure }: ModulesConfig['settings'],
): void {
  const wrong = (what: string, remedy: string): ProxyError =>
    new ProxyError(
      'CONFIG_INVALID',
      `The module \`${module}\` gives ${old} the name ${JSON.stringify(name.slice(0, 200))}, ${what}.`,
      remedy,
    )
  if (kind === 'resources') {
    if (!/^[a-z][a-z0-9+.-]*:\S+$/i.test(name))
      throw wrong('which is not a URI', 'Write a whole URI, for example "docs://handbook".')
    return
  }
  const legal = naming.charset === 'gemini' ? /^[a-z_][a-z0-9_]*$/ : /^[A-Za-z0-9_-]+$/
  if (!legal.test(name)) {
    const may = naming.charset === 'gemini' ? 'lower-case letters, digits and _' : 'letters, digits, _ and -'
    throw wrong('which clients would refuse', `Use only ${may}, as \`naming.charset\` has it.`)
  }
  if (name.length > naming.maxLength)
    throw wrong(
      `which has ${name.length} characters`,
      `Choose one of at most ${naming.maxLength}, or set \`naming.maxLength\`.`,
    )
  if (kind === 'tools' && (PROXY_TOOL_NAMES.has(name) || RESERVED_NAMES[exposure].includes(name)))
    throw wrong('which a tool of the proxy itself has', 'Choose another name.')
}
