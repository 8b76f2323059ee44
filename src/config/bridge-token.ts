/** The token of scripts: as configured, else made once and kept in a private file. */
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { createToken } from './token-file.ts'

/** In the data directory. */
export const BRIDGE_TOKEN_FILE = 'bridge-token'

/**
 * The token in this directory's file, which is made when it is not there. Throws ProxyError (CONFIG_INVALID) for a file that others
 * can read or that holds something else: then nobody knows who has the token.
 */
export function bridgeToken(directory: string): { token: string; path: string } {
  const path = join(directory, BRIDGE_TOKEN_FILE)
  try {
    const token = readToken(path) ?? makeToken(path) ?? readToken(path)
    if (token !== undefined) return { token, path }
    throw new Error('it was removed at the same moment')
  } catch (error) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `The token of the bridge in ${path} cannot be used: ${messageOf(error)}.`,
      'Remove the file, and another token is made; or set bridge.token.',
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

/** Undefined: another process was first. The file comes into being with its content, so nobody reads a part of it. */
function makeToken(path: string): string | undefined {
  const { token } = createToken('bridge', { now: Date.now() })
  const partial = `${path}.${process.pid}`
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
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
