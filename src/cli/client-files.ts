/**
 * Changes the files of clients: servers out, the proxy in. Nothing else in a file changes: the new text is read again and compared, and a
 * file that cannot be changed so is refused. The file as it was lies beside it until it is put back.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { applyEdits, type JSONPath, modify } from 'jsonc-parser'
import { writeDurably } from '../data/private-files.ts'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import { type Client, readClientFile, snippet } from './clients.ts'

/** The name of the proxy in a client. Models see it in front of every tool. */
export const NAME = 'proxy'

/** Ending of the file as it was. Before it stands when it was changed, so the last one by name is the newest. */
const BEFORE = '.before-mcp-rlm-proxy'

/** Where a server stands in a file: the keys to its map, and its name. */
export interface ServerPath {
  readonly map: readonly string[]
  readonly name: string
}

/**
 * Takes servers out of a file and puts the proxy in, then says where the file as it was lies. Throws a ProxyError, and changes nothing,
 * where anything else in the file would not stay what it is.
 */
export function changeClientFile(
  client: Client,
  path: string,
  without: readonly ServerPath[],
  entry: JsonObject,
  now: Date,
): string {
  const bytes = readFileSync(path)
  const text = bytes.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw unchanged(path, 'is not UTF-8.')
  const { value, problems } = readClientFile(client, text, path)
  if (!isObject(value) || problems.length > 0)
    throw unchanged(path, `cannot be read. ${problems.join(' ')}`.trim())
  const before = own(value, client.key)
  const leaves = without.some(({ map, name }) => map.length === 1 && name === NAME)
  if (isObject(before) && Object.hasOwn(before, NAME) && !leaves)
    throw unchanged(path, `has a server named ${NAME}.`)
  const changed =
    client.format === 'toml'
      ? changedToml(client, text, without, entry)
      : changedJson(client, text, without, entry)
  const expected = structuredClone(value)
  for (const { map, name } of without) {
    const servers = map.reduce<JsonValue | undefined>(
      (at, key) => (isObject(at) ? own(at, key) : undefined),
      expected,
    )
    if (isObject(servers)) delete servers[name]
  }
  const servers = own(expected, client.key)
  const all: JsonObject = isObject(servers) ? servers : {}
  setOwn(all, NAME, entry)
  setOwn(expected, client.key, all)
  const after = readClientFile(client, changed, path)
  if (after.problems.length > 0 || !isDeepStrictEqual(after.value, expected))
    throw unchanged(path, 'has a form that is not understood.')
  const real = realpathSync(path)
  const aside = `${real}.${now.toISOString().replaceAll(/[:.]/g, '-')}${BEFORE}`
  const { mode } = statSync(real)
  copyFileSync(real, aside)
  writeDurably(real, changed)
  chmodSync(real, mode)
  return aside
}

function unchanged(path: string, why: string): ProxyError {
  return new ProxyError(
    'CONFIG_INVALID',
    `${path} ${why} It was not changed.`,
    'Change it yourself: `init --client` prints the entry.',
  )
}

/** Where the file lies as it was before the last change. Undefined: it was not changed, or was put back. */
export function fileBefore(path: string): string | undefined {
  const real = existsSync(path) ? realpathSync(path) : path
  const folder = dirname(real)
  if (!existsSync(folder)) return undefined
  const newest = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(real)}.`) && name.endsWith(BEFORE))
    .sort()
    .at(-1)
  return newest === undefined ? undefined : join(folder, newest)
}

/** Puts back the file as it was before the last change. The current file is kept beside it. Undefined: there is nothing to put back. */
export function undoClientFile(path: string, now: Date): { kept: string | undefined } | undefined {
  const before = fileBefore(path)
  if (before === undefined) return undefined
  const real = existsSync(path) ? realpathSync(path) : path
  let kept: string | undefined
  if (existsSync(real)) {
    kept = `${real}.${now.toISOString().replaceAll(/[:.]/g, '-')}.undone`
    renameSync(real, kept)
  }
  renameSync(before, real)
  return { kept }
}

/**
 * Adds the proxy to the file of a client, which is made where there is none. Says where the file as it was lies; undefined: there was none.
 * Throws a ProxyError, and changes nothing, where anything else in the file would not stay what it is.
 */
export function addToClient(client: Client, path: string, entry: JsonObject, now: Date): string | undefined {
  if (existsSync(path)) return changeClientFile(client, path, [], entry, now)
  writeNew(path, snippet(client, NAME, entry))
  return undefined
}

/** Writes a file that you alone can read, for it may come to hold secrets. One that is there stays as it is. */
export function writeNew(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const there = hasCode(error, 'EEXIST')
    throw new ProxyError(
      'CONFIG_INVALID',
      there
        ? `${path} is there already and was not changed.`
        : `${path} cannot be written: ${messageOf(error)}`,
      'Name another file.',
    )
  }
}

function changedJson(
  client: Client,
  source: string,
  without: readonly ServerPath[],
  entry: JsonObject,
): string {
  const mark = source.startsWith('\uFEFF') ? '\uFEFF' : ''
  const indent = /^([ \t]+)\S/m.exec(source)?.[1] ?? '  '
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : indent.length,
    eol: source.includes('\r\n') ? '\r\n' : '\n',
  }
  const set = (text: string, path: JSONPath, value: JsonValue | undefined): string =>
    applyEdits(text, modify(text, path, value, { formattingOptions }))
  let text = source.slice(mark.length)
  for (const { map, name } of without) text = set(text, [...map, name], undefined)
  return mark + set(text, [client.key, NAME], entry)
}

/** No library writes TOML back with its comments: tables of a server are taken out line by line, and the proxy's is added at the end. */
function changedToml(
  client: Client,
  source: string,
  without: readonly ServerPath[],
  entry: JsonObject,
): string {
  const eol = source.includes('\r\n') ? '\r\n' : '\n'
  const gone = new Set(without.map(({ name }) => name))
  let leaves = false
  const kept = source.split(/(?<=\n)/).filter((line) => {
    if (/^\s*\[/.test(line)) leaves = gone.has(serverOfTable(client.key, line) ?? '')
    return !leaves
  })
  const rest = kept.join('').replace(/(?:\r?\n)*$/, '')
  const addition = snippet(client, NAME, entry).replaceAll('\n', eol)
  return rest === '' ? addition : `${rest}${eol}${eol}${addition}`
}

/** `[mcp_servers."a b".env]` → `a b`. Undefined: it is another table. */
function serverOfTable(key: string, line: string): string | undefined {
  const table = /^\s*\[\s*([\w-]+)\s*\.\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))\s*[.\]]/.exec(line)
  if (table?.[1] !== key) return undefined
  const [, , quoted, literal, bare] = table
  return quoted === undefined ? (literal ?? bare) : quoted.replaceAll(/\\(["\\])/g, '$1')
}
