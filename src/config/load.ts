/** Loads the configuration: finds the file, lays environment and command line over it, checks all, reports all. */
import { readFileSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { parseEnv } from 'node:util'
import { ProxyError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { check } from './check.ts'
import type { Surroundings } from './expand.ts'
import { type JsoncFile, readJsonc } from './jsonc.ts'
import type { ModuleOptions } from './modules/entry.ts'
import { BUILT_IN_MODULES } from './modules/index.ts'
import { formatProblem, type Problem } from './problem.ts'
import type { Config } from './schema.ts'
import { absolutePath, findFile, readText } from './sources.ts'
import { stampOf } from './stamp.ts'

export interface LoadRequest extends Surroundings {
  /** `--config`. Undefined: the file is looked for. */
  path?: string | undefined
  /** Used instead of a file: `{ mcpServers: … }`. Its texts are final, nothing is expanded. */
  value?: JsonObject | undefined
  /** Command line, texts by flag name: `{ port: '9000' }`. */
  flags?: Readonly<Record<string, string | undefined>>
  /** True: no file and no servers are fine, defaults are used (`stats`). Default false. */
  serversOptional?: boolean
  /** Modules of the embedder that `use` may name, beside those of the proxy. */
  modules?: readonly ModuleOptions[]
}

export interface Loaded {
  config: Config
  warnings: readonly Problem[]
  /** Of the file before it was read (`stampOf`): tells whether it was written since. Undefined: there is no file. */
  stamp: string | undefined
}

/**
 * Fails with ProxyError CONFIG_NOT_FOUND when there is no file, and with CONFIG_INVALID, which tells every problem at
 * once, when there is something wrong with it.
 */
export function loadConfig(request: LoadRequest): Loaded {
  const { cwd, env, home, value, serversOptional = false, modules = [] } = request
  const file = value === undefined ? findFile(request) : undefined
  if (file === undefined && value === undefined && !serversOptional) {
    throw new ProxyError(
      'CONFIG_NOT_FOUND',
      `There is no mcp.json in ${cwd}.`,
      'Write one with: mcp-rlm-proxy init',
    )
  }
  const stamp = file === undefined ? undefined : stampOf(file)
  const content = file === undefined ? inMemory(value ?? {}) : readJsonc(readText(file), shortName(file, cwd))
  const resolve = (path: string): string => absolutePath(path, file === undefined ? cwd : dirname(file), home)
  const { config, problems } = check({
    env,
    cwd,
    home,
    file,
    content,
    flags: request.flags ?? {},
    expand: file !== undefined,
    serversOptional,
    readEnvFile: (path) => readEnvFile(resolve(path)),
    modules: [...BUILT_IN_MODULES, ...modules],
    resolve,
  })
  if (config !== undefined) return { config, warnings: problems, stamp }
  throw invalid(problems, file === undefined ? 'The configuration' : shortName(file, cwd))
}

/** A complete configuration from an object in memory, for embedding and for tests. Nothing is read but `value`. */
export function parseConfig(value: JsonObject, modules: readonly ModuleOptions[] = []): Config {
  const [cwd, home] = [process.cwd(), process.cwd()]
  return loadConfig({ value, env: {}, cwd, home, serversOptional: true, modules }).config
}

function invalid(problems: readonly Problem[], name: string): ProxyError {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const warnings = problems.length - errors.length
  const also = warnings === 0 ? '' : ` (and ${warnings} warning${warnings === 1 ? '' : 's'})`
  const head = `${name} is not valid: ${errors.length} error${errors.length === 1 ? '' : 's'}${also}`
  return new ProxyError('CONFIG_INVALID', [head, ...problems.map(formatProblem)].join('\n'), '')
}

function inMemory(value: JsonObject): JsoncFile {
  return { value, problems: [], locate: () => 'configuration' }
}

function shortName(file: string, cwd: string): string {
  const near = relative(cwd, file)
  if (near === basename(file)) return near
  return near.startsWith('..') ? file : near
}

function readEnvFile(path: string): Record<string, string> {
  const entries = Object.entries(parseEnv(readFileSync(path, 'utf8')))
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  )
}
