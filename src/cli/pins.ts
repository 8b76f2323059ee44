/** Shows which tools the module `pin` holds back, and accepts them. */
import { nearest } from '../config/keys.ts'
import type { UsedModule } from '../config/modules.ts'
import { dataDirectory, moduleDirectory } from '../data/directory.ts'
import { type Accepted, approve, type Held, pinFileIn, readPins } from '../data/pins.ts'
import { ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonValue } from '../protocol/json.ts'
import type { Host, Invocation } from './host.ts'
import { settle } from './settle.ts'

interface Row {
  tool: string
  module: string
  reason: string
  hash: string
  /** The accepted text; null: nothing was, or not as text. */
  before: unknown
  /** The current text; null: it was too long to be kept. */
  after: unknown
}

/** Differences of one tool that are shown. */
const SHOWN = 30
/** Characters of a hash that name what was looked at. */
const SHORT = 8

export async function listPins(host: Host, invocation: Invocation, json: boolean): Promise<number> {
  const files = await filesOf(host, invocation)
  const waiting = files.flatMap(({ module, file }) => {
    const { held, pinned } = readPins(file)
    return Object.entries(held).map(([tool, now]) => ({ tool, module, now, before: pinned[tool] }))
  })
  if (json) {
    const rows = waiting.map(({ tool, module, now, before }): Row => {
      const { reason, hash } = now
      return { tool, module, reason, hash, before: parsed(before), after: parsed(now) }
    })
    host.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
    return 0
  }
  if (waiting.length === 0) host.stdout.write('No tool is held back.\n')
  for (const { tool, now, before } of waiting) host.stdout.write(described(tool, now, before))
  return 0
}

function described(tool: string, now: Held, before: Accepted | undefined): string {
  const lines = [`${shown(tool)}  ${shown(now.reason)}`]
  if (now.definition === undefined) lines.push('  (too long to be shown)')
  else if (before !== undefined && before.definition === undefined)
    lines.push('  (what was accepted is not known any more; all of it is shown)')
  const all = now.definition === undefined ? [] : differences(before?.definition, now.definition)
  for (const { at, before: was, after: is } of all.slice(0, SHOWN)) {
    const [old, fresh] = cutAlike(was, is)
    lines.push(`  ${shown(at)}`)
    if (old !== undefined) lines.push(`  - ${shown(old)}`)
    if (fresh !== undefined) lines.push(`  + ${shown(fresh)}`)
  }
  if (all.length > SHOWN) lines.push(`  … and ${all.length - SHOWN} more places`)
  const word = `${tool}@${now.hash.slice(0, SHORT)}`
  lines.push(
    `  approve this: mcp-rlm-proxy pins approve ${isPlain(word) ? word : `'${shown(word).replaceAll("'", "'\\''")}'`}`,
  )
  return `${lines.join('\n')}\n`
}

function isPlain(word: string): boolean {
  return /^[\w./:@+-]+$/.test(word)
}

function parsed(kept: Accepted | undefined): unknown {
  if (kept?.definition === undefined) return null
  try {
    return JSON.parse(kept.definition)
  } catch {
    return kept.definition
  }
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
      'Write for example: mcp-rlm-proxy pins approve files/read_file, or --all for every tool that pins list shows.',
    )
  }
  const files = await filesOf(host, invocation)
  const waiting = files.flatMap(({ file }) => Object.keys(readPins(file).held))
  const approvals = files.map(({ file }) => approve(file, all ? 'all' : names))
  const approved = new Set(approvals.flatMap((one) => one.approved))
  const changed = new Set(approvals.flatMap((one) => one.changed).filter((name) => !approved.has(name)))
  for (const name of approved) host.stdout.write(`${shown(name)} is approved.\n`)
  for (const name of changed)
    host.stderr.write(`${shown(name)} says something else by now. Look again: mcp-rlm-proxy pins list\n`)
  const missing = names.filter((name) => !approved.has(name) && !changed.has(name))
  for (const name of missing) {
    const meant = nearest(name, waiting)
    const hint = meant === undefined ? '' : ` Did you mean ${shown(meant)}?`
    host.stderr.write(`${shown(name)} is not held back.${hint}\n`)
  }
  if (all && approved.size === 0) host.stdout.write('No tool is held back.\n')
  return missing.length + changed.size > 0 ? 1 : 0
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
  return pins.map(({ name }) => ({
    module: name,
    file: pinFileIn(moduleDirectory(directory, name, config.file)),
  }))
}

/** A text of a server may hold anything: a terminal would obey it. */
function shown(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}

// The differences between two definitions, for a person who decides.

/** A place of the definition (`inputSchema.properties.path.description`) and what stood and stands there. */
interface Difference {
  readonly at: string
  /** Undefined: there was nothing. */
  readonly before: string | undefined
  /** Undefined: there is nothing any more. */
  readonly after: string | undefined
}

/** `before` undefined: all of `after` is new. Both are JSON; what is none is one text. */
function differences(before: string | undefined, after: string): Difference[] {
  const was = before === undefined ? new Map<string, string>() : leaves(before)
  const is = leaves(after)
  const places = [...new Set([...was.keys(), ...is.keys()])]
  return places
    .filter((at) => was.get(at) !== is.get(at))
    .map((at) => ({ at, before: was.get(at), after: is.get(at) }))
}

function leaves(json: string): Map<string, string> {
  const found = new Map<string, string>()
  try {
    walk(JSON.parse(json) as JsonValue, '', found)
  } catch {
    found.set('', json)
  }
  return found
}

function walk(value: JsonValue, at: string, into: Map<string, string>): void {
  const inner: [string, JsonValue][] = Array.isArray(value)
    ? value.map((item, index) => [`${at}[${index}]`, item])
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [at === '' ? key : `${at}.${key}`, item])
      : []
  if (inner.length > 0) for (const [place, item] of inner) walk(item, place, into)
  else into.set(at, typeof value === 'string' ? value : JSON.stringify(value))
}

/** Characters of a text that are shown. */
const LONGEST_TEXT = 1000
/** Of these, what both texts begin with. */
const CONTEXT = 60

/** Both texts, cut so that what is different in them is seen. */
function cutAlike(
  before: string | undefined,
  after: string | undefined,
): [before: string | undefined, after: string | undefined] {
  let same = 0
  if (before !== undefined && after !== undefined)
    while (same < before.length && same < after.length && before[same] === after[same]) same++
  const longest = Math.max(before?.length ?? 0, after?.length ?? 0)
  const from = longest <= LONGEST_TEXT ? 0 : Math.max(0, same - CONTEXT)
  return [cut(before, from), cut(after, from)]
}

function cut(text: string | undefined, from: number): string | undefined {
  if (text === undefined) return undefined
  const rest = text.length - from - LONGEST_TEXT
  const end = rest > 0 ? `… (${rest} more characters)` : ''
  return (from > 0 ? '…' : '') + text.slice(from, from + LONGEST_TEXT) + end
}
