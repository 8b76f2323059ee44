/** What the modules `pin` hold back, and the release of it. */
import { dataDirectory, moduleDirectory } from '../config/data-directory.ts'
import { approve, pinFileIn, readPins } from '../config/pin-file.ts'
import type { Host } from './host.ts'
import type { Invocation } from './program.ts'
import { settle } from './settle.ts'

/** Where each module of the configuration that holds tools back remembers them. */
function pinFiles(host: Host, invocation: Invocation): string[] {
  const { config } = settle(host, invocation, { serversOptional: true })
  const directory = dataDirectory(config, host.cwd, host.home)
  return config.modules
    .filter((module) => module.kind === 'use' && module.use === 'pin')
    .map(({ name }) => pinFileIn(moduleDirectory(directory, name)))
}

/** Lists what waits, with why and the beginning of what it says. */
export function pins(host: Host, invocation: Invocation): number {
  const files = pinFiles(host, invocation)
  const held = files.flatMap((file) => Object.entries(readPins(file).held))
  if (files.length === 0) host.stdout.write('There is no module `pin` in this configuration.\n')
  else if (held.length === 0) host.stdout.write('Nothing is held back.\n')
  // A definition is somebody else's text: as JSON it can do nothing to a terminal.
  for (const [name, { reason, excerpt }] of held)
    host.stdout.write(`${visible(name)}  ${reason}\n  ${visible(excerpt)}\n`)
  return 0
}

/** Releases these tools as they are now, or all that wait. */
export function approvePins(
  host: Host,
  invocation: Invocation,
  names: readonly string[],
  all: boolean,
): number {
  const approved = new Set(pinFiles(host, invocation).flatMap((file) => approve(file, all ? 'all' : names)))
  for (const name of approved) host.stdout.write(`${visible(name)} is approved.\n`)
  const missing = names.filter((name) => !approved.has(name))
  for (const name of missing) host.stderr.write(`${name} is not held back.\n`)
  if (missing.length === 0 && !all && names.length === 0)
    host.stderr.write('Name what is approved, as server/tool, or write --all.\n')
  return missing.length > 0 || (names.length === 0 && !all) ? 1 : 0
}

function visible(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
