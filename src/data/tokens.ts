/** The bearer tokens of clients, as hashes in a private file. */

import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { absolutePath } from '../config/find.ts'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonValue, own } from '../protocol/json.ts'
import { replaceDurably } from './private-files.ts'

/** The record of a token. */
export interface TokenEntry {
  /** Unique, also over time: what a client keeps belongs to it. */
  id: string
  /** For people. Unique in its file. */
  name: string
  /** `sha256:` and 64 hexadecimal digits. */
  hash: string
  /** ISO 8601. */
  created: string
  /** ISO 8601; absent: it does not expire. */
  expires?: string
  /** The profiles that it opens, and nothing else. Absent: everything. */
  profiles?: string[]
}

const VERSION = 1

/** Says at sight, to people and to scanners for leaked secrets, what it opens. */
export const TOKEN_PREFIX = 'mrp_'

/** Under this name in the data directory tokens are looked for where no other file is named. */
const FILE_NAME = 'tokens.json'

/** The file of tokens, absolute, and whether somebody named it. */
export function tokenFile(
  { auth, dataDir }: { auth: { readonly tokens?: string | undefined }; dataDir: string },
  cwd: string,
  home: string,
): { path: string; named: boolean } {
  if (auth.tokens !== undefined) return { path: absolutePath(auth.tokens, cwd, home), named: true }
  return { path: join(absolutePath(dataDir, cwd, home), FILE_NAME), named: false }
}

/**
 * False only when there surely is no file. One that cannot be looked at counts: to take it for absent would open the proxy to
 * everybody.
 */
export function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/** The next step where a file has no token that counts: it stays closed, so that no gateway opens because of a command elsewhere. */
export function nextWithoutTokens(path: string, named: boolean): string {
  const open = named ? 'remove auth.tokens from the configuration' : `remove ${path}`
  return `Make a token: mcp-rlm-proxy token add <name>. To ask for none, ${open} and restart the proxy.`
}

/**
 * A hash without salt and without cost: both protect secrets that can be guessed, and a token is 256 random bits. A hash that
 * is always the same can be looked up.
 */
export function hashToken(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`
}

/** The tokens of a file. Throws a ProxyError (CONFIG_INVALID) when it cannot be read or holds anything else. */
export function readTokens(path: string): TokenEntry[] {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `The file of tokens ${path} cannot be read: ${messageOf(error)}`,
      'Correct its permissions, make it with `mcp-rlm-proxy token add <name>`, or name another one in auth.tokens.',
      { cause: error },
    )
  }
  return parseTokens(content, path)
}

/** `path` is for the message. */
export function parseTokens(content: string, path: string): TokenEntry[] {
  let file: JsonValue
  try {
    file = JSON.parse(content) as JsonValue
  } catch {
    throw invalid(path, 'is no JSON')
  }
  if (!isObject(file) || own(file, 'version') !== VERSION)
    throw invalid(path, `is no file of version ${VERSION}`)
  const list = own(file, 'tokens')
  if (!Array.isArray(list)) throw invalid(path, 'has no list of tokens')
  const entries = list.map((value, index) => {
    const entry = entryOf(value)
    if (entry === undefined) throw invalid(path, `has at tokens[${index}] something that is no token`)
    return entry
  })
  for (const key of ['id', 'hash'] as const)
    if (new Set(entries.map((entry) => entry[key])).size < entries.length)
      throw invalid(path, `has the same ${key} twice`)
  return entries
}

function entryOf(value: JsonValue): TokenEntry | undefined {
  if (!isObject(value)) return undefined
  const [id, name, hash, created, expires, profiles] = [
    'id',
    'name',
    'hash',
    'created',
    'expires',
    'profiles',
  ].map((key) => own(value, key))
  if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id) || typeof name !== 'string' || !isTokenName(name))
    return undefined
  if (typeof hash !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(hash)) return undefined
  if (typeof created !== 'string' || (expires !== undefined && !isTime(expires))) return undefined
  // A limit that cannot be read is no token: it must not become one without limits.
  if (profiles !== undefined && !isListOfNames(profiles)) return undefined
  return {
    id,
    name,
    hash,
    created,
    ...(expires !== undefined && { expires: String(expires) }),
    ...(profiles !== undefined && { profiles }),
  }
}

function isListOfNames(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isTime(value: JsonValue): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

/** One line of up to 64 characters, without spaces at its ends. */
export function isTokenName(name: string): boolean {
  return name.length <= 64 && /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u.test(name)
}

/** A token of 256 random bits, and what is kept of it. `now` and `expires` are milliseconds since 1970. */
export function createToken(
  name: string,
  { now, expires, profiles }: { now: number; expires?: number | undefined; profiles?: string[] | undefined },
): { token: string; entry: TokenEntry } {
  const token = `${TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`
  const entry: TokenEntry = {
    id: `t_${randomBytes(8).toString('hex')}`,
    name,
    hash: hashToken(token),
    created: new Date(now).toISOString(),
    ...(expires !== undefined && { expires: new Date(expires).toISOString() }),
    ...(profiles !== undefined && { profiles }),
  }
  return { token, entry }
}

/**
 * Replaces the list, also when the machine loses its power: a token that was removed does not come back. It writes the new file beside
 * the old one, under a name that only one process can have, and renames it. So two changes at once do not lose one, and a reader never
 * sees a part. Throws a ProxyError (CONFIG_INVALID).
 */
export function changeTokens(path: string, change: (entries: readonly TokenEntry[]) => TokenEntry[]): void {
  const partial = `${path}.lock`
  const file = claim(partial)
  try {
    const entries = change(mayExist(path) ? readTokens(path) : [])
    replaceDurably(partial, path, file, `${JSON.stringify({ version: VERSION, tokens: entries }, null, 2)}\n`)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error instanceof ProxyError ? error : invalid(path, `cannot be written: ${messageOf(error)}`)
  } finally {
    closeSync(file)
  }
}

/** Milliseconds. A change takes only a few of them; one that is older was interrupted. */
const ABANDONED_MS = 60_000

function claim(partial: string): number {
  try {
    mkdirSync(dirname(partial), { recursive: true, mode: 0o700 })
    removeAbandoned(partial)
    return openSync(partial, 'wx', 0o600)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw invalid(partial, `cannot be written: ${messageOf(error)}`)
    throw new ProxyError(
      'CONFIG_INVALID',
      `${partial} is there: the tokens are being changed by another command.`,
      'Try again in a minute: what an interrupted command left is removed then.',
      { cause: error },
    )
  }
}

/** Taken to another name first: of two commands that find it, one has it, and the new file of the other stays. */
function removeAbandoned(partial: string): void {
  const found = statSync(partial, { throwIfNoEntry: false })
  if (found === undefined || Date.now() - found.mtimeMs < ABANDONED_MS) return
  const taken = `${partial}.${process.pid}`
  try {
    renameSync(partial, taken)
    if (statSync(taken).ino !== found.ino) linkSync(taken, partial)
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(taken, { force: true })
  }
}

function invalid(path: string, what: string): ProxyError {
  return new ProxyError(
    'CONFIG_INVALID',
    `The file of tokens ${path} ${what}.`,
    'Correct it, or move it away and make new tokens with: mcp-rlm-proxy token add <name>',
  )
}

// Tokens of programs of this machine, which read them in a private file: one is made when it is first asked for.

export interface KeptToken {
  readonly token: string
  /** Where it is kept. */
  readonly path: string
}

/**
 * The token in this file of the directory, which is made when it is not there. `of` (what the token opens) and `next` (what else to do) are
 * for the message. Throws ProxyError (CONFIG_INVALID) for a file that others can read or that holds something else: then others may have
 * the token.
 */
export function keptToken(
  directory: string,
  file: string,
  { of, next }: { of: string; next?: string },
): KeptToken {
  const path = join(directory, file)
  try {
    const token = readToken(path) ?? makeToken(path) ?? readToken(path)
    if (token !== undefined) return { token, path }
    throw new Error('it was removed at the same moment')
  } catch (error) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `The token of ${of} in ${path} cannot be used: ${messageOf(error)}.`,
      `Remove the file, and another token is made${next === undefined ? '' : `; ${next}`}.`,
      { cause: error },
    )
  }
}

/** Undefined: there is no file. */
function readToken(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isFile()) throw new Error('it is no ordinary file')
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) throw new Error('others can read it')
  const token = readFileSync(path, 'utf8').trim()
  if (!/^[\w-]{40,100}$/.test(token)) throw new Error('it holds no token')
  return token
}

/** Undefined: another process was first. The file comes into being with its content, so no process reads a part of it. */
function makeToken(path: string): string | undefined {
  const { token } = createToken('local', { now: Date.now() })
  const partial = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(partial, `${token}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(partial, path)
    return token
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined
    throw error
  } finally {
    rmSync(partial, { force: true })
  }
}
