/** Loads the configuration: finds the file, lays environment and command line over it, checks all, reports all. */

import { readFileSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { parseEnv } from 'node:util'
import { ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { type CheckRequest, check } from './check.ts'
import type { Surroundings } from './expand.ts'
import { absolutePath, findFile, readText } from './find.ts'
import { type JsoncFile, readJsonc } from './jsonc.ts'
import { formatProblem, type Problem } from './report.ts'
import type { Config } from './schema.ts'
import { stampOf } from './watch.ts'

/** Where a configuration is taken from. */
export interface CandidateRequest extends Surroundings {
  /** `--config`. Undefined: the file is looked for. */
  path?: string | undefined
  /** Used instead of a file: `{ mcpServers: … }`. Its texts are final, nothing is expanded. */
  value?: JsonObject | undefined
  /** Command line, texts by flag name: `{ port: '9000' }`. */
  flags?: Readonly<Record<string, string | undefined>>
  /** True: no file and no servers are fine, defaults are used (`stats`). Default false. */
  serversOptional?: boolean
}

/** A configuration that was read, and what its author should know of it. */
export interface Loaded {
  config: Config
  warnings: readonly Problem[]
  /** Of the file before it was read (`stampOf`): tells whether it was written since. Undefined: there is no file. */
  stamp: string | undefined
}

interface Candidate {
  /** Undefined: an object in memory, or nothing at all. */
  file: string | undefined
  stamp: string | undefined
  content: JsoncFile
}

/** Fails with ProxyError CONFIG_NOT_FOUND when there is no file. */
export function findConfig(request: CandidateRequest): Candidate {
  const { cwd, value, serversOptional = false } = request
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
  return { file, stamp, content }
}

/** The list of modules as written. Undefined: there is none, or nothing is in it. */
function writtenModules({ content }: Candidate): JsonValue | undefined {
  const modules = isObject(content.value) ? own(content.value, 'modules') : undefined
  return Array.isArray(modules) && modules.length === 0 ? undefined : modules
}

/** Fails with CONFIG_INVALID, which tells every problem at once, when there is something wrong with it. */
export function checkCandidate(
  candidate: Candidate,
  request: CandidateRequest,
  modules: CheckRequest['modules'],
): Loaded {
  const { file, stamp } = candidate
  const { config, problems } = checked(candidate, request, modules)
  if (config !== undefined) return { config, warnings: problems, stamp }
  throw invalid(problems, file === undefined ? 'The configuration' : shortName(file, request.cwd))
}

function checked({ file, content }: Candidate, request: CandidateRequest, modules: CheckRequest['modules']) {
  const { env, cwd, home, flags = {}, serversOptional = false } = request
  const resolve = (path: string): string => absolutePath(path, file === undefined ? cwd : dirname(file), home)
  return check({
    env,
    cwd,
    home,
    file,
    content,
    flags,
    expand: file !== undefined,
    serversOptional,
    readEnvFile: (path) => readEnvFile(resolve(path)),
    modules,
    resolve,
  })
}

/** The problems of the configuration if this text stood in the file. */
export async function problemsOf(
  text: string,
  file: string,
  request: Omit<CandidateRequest, 'path' | 'value'>,
): Promise<readonly Problem[]> {
  const candidate = { file, stamp: undefined, content: readJsonc(text, shortName(file, request.cwd)) }
  const modules =
    writtenModules(candidate) === undefined ? undefined : (await import('./check-modules.ts')).modulesCheck()
  return checked(candidate, request, modules).problems
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

/** For the command: what checks modules is loaded where some are listed, so that a client need not wait for it. */
export async function loadConfigOnUse(request: CandidateRequest): Promise<Loaded> {
  const candidate = findConfig(request)
  if (writtenModules(candidate) === undefined) return checkCandidate(candidate, request, undefined)
  const { modulesCheck } = await import('./check-modules.ts')
  return checkCandidate(candidate, request, modulesCheck())
}
