/** Shows which tools the module `pin` holds back, and accepts them. */
import { dataDirectory, moduleDirectory } from '../config/data-directory.ts'
import type { UsedModule } from '../config/modules/entry.ts'
import { approve, type Held, pinFileIn, readPins } from '../config/pin-file.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Host } from './host.ts'
import type { Invocation } from './program.ts'
import { settle } from './settle.ts'

interface Row extends Held {
  tool: string
  module: string
}

export async function listPins(host: Host, invocation: Invocation, json: boolean): Promise<number> {
  const files = await filesOf(host, invocation)
  const rows = files.flatMap(({ module, file }) =>
    Object.entries(readPins(file).held).map(([tool, held]): Row => ({ tool, module, ...held })),
  )
  if (json) host.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
  else if (rows.length === 0) host.stdout.write('No tool is held back.\n')
  for (const { tool, reason, excerpt } of json ? [] : rows)
    host.stdout.write(`${shown(tool)}  ${reason}\n  ${shown(excerpt)}\n`)
  return 0
}

/** `names`: `server/tool`, as `pins list` shows them. Exit code 1 when one of them does not wait. */
export async function approvePins(
  host: Host,
  invocation: Invocation,
  names: readonly string[],
  all: boolean,
): Promise<number> {
  if (all === names.length > 0) {
    throw new ProxyError(
      'CONFIG_INVALID',
      all ? 'There are both names and --all.' : 'Nothing says which tools to approve.',
      'Write for example: mcp-rlm-proxy pins approve files/read_file, or --all for those that pins list shows.',
    )
  }
  const files = await filesOf(host, invocation)
  const approved = new Set(files.flatMap(({ file }) => approve(file, all ? 'all' : names)))
  for (const name of approved) host.stdout.write(`${shown(name)} is approved.\n`)
  const missing = names.filter((name) => !approved.has(name))
  for (const name of missing) host.stderr.write(`${shown(name)} is not held back.\n`)
  if (all && approved.size === 0) host.stdout.write('No tool is held back.\n')
  return missing.length > 0 ? 1 : 0
}

async function filesOf(host: Host, invocation: Invocation): Promise<{ module: string; file: string }[]> {
  const { config } = await settle(host, invocation, { serversOptional: true })
  const pins = config.modules.filter(
    (module): module is UsedModule => 'use' in module && module.use === 'pin',
  )
  if (pins.length === 0) {
    throw new ProxyError(
      'CONFIG_INVALID',
      'The configuration has no module pin.',
      'Add { "use": "pin" } to "modules", or name the configuration with --config.',
    )
  }
  const directory = dataDirectory(config, host.cwd, host.home)
  return pins.map(({ name }) => ({ module: name, file: pinFileIn(moduleDirectory(directory, name)) }))
}

/** What a server says may hold anything: a terminal would obey it. */
function shown(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}
