/** The configuration file and where it is looked for. It loads no schema: a command that only needs the file starts fast. */

import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { CONFIG_FILES, CONFIG_PATH_VARIABLE } from './aliases.ts'
import type { Environment } from './expand.ts'

interface FileRequest {
  /** `--config`. */
  path?: string | undefined
  env: Environment
  cwd: string
  home: string
}

/** The file to read: `--config`, `MCPPROXY_CONFIG_PATH`, then `mcp.json` and `mcp_config.json` here. Undefined: none is there. */
export function findFile({ path, env, cwd, home }: FileRequest): string | undefined {
  const named = path ?? env[CONFIG_PATH_VARIABLE]
  if (named !== undefined && named !== '') {
    const absolute = absolutePath(named, cwd, home)
    if (existsSync(absolute)) return absolute
    const source = path === undefined ? CONFIG_PATH_VARIABLE : '--config'
    throw new ProxyError(
      'CONFIG_NOT_FOUND',
      `${source} names ${absolute}, which is not there.`,
      'Check the path, or write a first file with: mcp-rlm-proxy init',
    )
  }
  return CONFIG_FILES.map((name) => join(cwd, name)).find((candidate) => existsSync(candidate))
}

/** The text of the file. Fails with ProxyError CONFIG_INVALID when it cannot be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const isDirectory = hasCode(error, 'EISDIR')
    throw new ProxyError(
      'CONFIG_INVALID',
      isDirectory ? `${path} is a directory.` : `${path} cannot be read: ${messageOf(error)}`,
      isDirectory ? 'Name the file in it.' : 'Check its permissions.',
      {
        cause: error,
      },
    )
  }
}

/** `~` is the home directory; other relative paths start at `cwd`. */
export function absolutePath(path: string, cwd: string, home: string): string {
  const full = path === '~' || /^~[/\\]/.test(path) ? join(home, path.slice(1)) : path
  return isAbsolute(full) ? full : resolve(cwd, full)
}
