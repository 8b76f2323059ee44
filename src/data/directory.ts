/** Where the proxy writes: made when missing, private, and checked before anything depends on it. */

import { createHash } from 'node:crypto'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { absolutePath } from '../config/find.ts'
import type { Config } from '../config/schema.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { mayExist, tokenFile } from './tokens.ts'

export interface PreparedConfig {
  /** The configuration with an absolute `dataDir` that can be written to. */
  config: Config
  /** The default directory cannot be used, and another took its place until the proxy ends. */
  warning?: string
  /** Removes that other directory, with all that was written there. */
  discard?: () => void
}

export interface BaseDirectories {
  cwd: string
  home: string
  /** Directory for temporary files, as `os.tmpdir()` tells it. */
  temporary: string
}

/** Makes the data directory (0700). One that somebody chose must work; in place of the default a temporary one will do. */
export function prepareDataDirectory(
  config: Config,
  { cwd, home, temporary }: BaseDirectories,
): PreparedConfig {
  const directory = dataDirectory(config, cwd, home)
  const problem = unusable(directory)
  if (problem === undefined) return { config: withDirectory(config, directory) }
  if (config.chosen.includes('dataDir')) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `proxySettings.dataDir is ${directory}, which cannot be written to: ${problem}`,
      'Name another directory, or correct its permissions.',
    )
  }
  const replacement = mkdtempSync(join(temporary, 'mcpproxy-'))
  return {
    config: withDirectory(withTokens(config, cwd, home), replacement),
    warning: `${directory} cannot be written to (${problem}); using ${replacement} until the proxy ends`,
    discard: () => rmSync(replacement, { recursive: true, force: true }),
  }
}

/** The folders that a reset takes away. The savings of past runs stay: they are a record, not a cache. */
const CACHES = ['results', 'servers'] as const

/** Removes kept results and remembered tool lists where `resetData` asks for it, and nothing else that lies there. */
export function resetCaches({ settings }: Config): void {
  if (!settings.resetData) return
  for (const name of CACHES) rmSync(join(settings.dataDir, name), { recursive: true, force: true })
}

/** The data directory as an absolute path, without looking at it. */
export function dataDirectory(config: Config, cwd: string, home: string): string {
  return absolutePath(config.settings.dataDir, cwd, home)
}

function unusable(directory: string): string | undefined {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Tokens that lie in a directory which cannot be written to are asked for all the same. */
function withTokens(config: Config, cwd: string, home: string): Config {
  const { path: tokens, named } = tokenFile(config.settings, cwd, home)
  if (named || !mayExist(tokens)) return config
  const auth = Object.freeze({ ...config.settings.auth, tokens })
  return Object.freeze({ ...config, settings: Object.freeze({ ...config.settings, auth }) })
}

function withDirectory(config: Config, dataDir: string): Config {
  return Object.freeze({ ...config, settings: Object.freeze({ ...config.settings, dataDir }) })
}

/**
 * Where a module keeps what lasts. Two configuration files on one data directory have a folder each: their servers may have one name
 * and be others. `file`: undefined where there is none.
 */
export function moduleDirectory(directory: string, name: string, file: string | undefined): string {
  const own = join(directory, 'modules', name.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_'))
  return file === undefined ? own : join(own, createHash('sha256').update(file).digest('hex').slice(0, 16))
}
