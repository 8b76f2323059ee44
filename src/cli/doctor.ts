/** Says what works, and how to fix the rest. */

import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { issuersOf, usesOauth } from '../config/auth-options.ts'
import { packageVersion } from '../config/identity.ts'
import { isLocal, isLoopback } from '../config/loopback.ts'
import { holdersOf, type ModuleConfig, type UsedModule } from '../config/modules.ts'
import { remedyFor } from '../config/remedies.ts'
import type { Config } from '../config/schema.ts'
import type { ServerConfig } from '../config/servers.ts'
import { dataDirectory, prepareDataDirectory } from '../data/directory.ts'
import { runningGateways } from '../data/gateways.ts'
import { mayExist, nextWithoutTokens, readTokens, tokenFile } from '../data/tokens.ts'
import type { ModuleStatus, ProfileStatus, UnmatchedPattern, UnmatchedTool } from '../gateway.ts'
import { silentLogger } from '../observe/log.ts'
import { createRedactor, type Redactor, secretsOf } from '../observe/redact.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { formatPlural, printable } from '../text/format.ts'
import { countTokens } from '../text/tokens.ts'
import type { Host, Invocation } from './host.ts'
import { settle, standing } from './settle.ts'
import { type Colour, painter, progressLine } from './terminal.ts'

/** A thing that was looked at, and its state. */
export interface Finding {
  /** `node`, `configuration`, `data directory`, `authentication`, or the server's name. */
  subject: string
  state: 'ok' | 'warning' | 'broken'
  message: string
  /** The next step. Absent where nothing has to be done. */
  remedy?: string
}

/** Exit code 1 when something is broken, 2 when that is the configuration. */
export async function doctor(host: Host, invocation: Invocation, json: boolean): Promise<number> {
  const findings: Finding[] = [{ subject: 'node', state: 'ok', message: process.version }]
  let code = 0
  try {
    const { config, warnings } = await settle(host, invocation)
    findings.push({ subject: 'configuration', state: 'ok', message: describe(config) })
    for (const { place, path, message, remedy } of warnings) {
      findings.push({
        subject: 'configuration',
        state: 'warning',
        message: `${place}: ${path} ${message}`,
        remedy,
      })
    }
    findings.push(dataDirectoryFinding(config, host), authFinding(config, host, Date.now()))
    findings.push(...backgroundFindings(config, host))
    const progress = showProgress(config, host)
    findings.push(...(await serverFindings(config, host, progress.done).finally(progress.end)))
    if (findings.some(({ state }) => state === 'broken')) code = 1
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error
    findings.push({ subject: 'configuration', state: 'broken', message: error.message, remedy: error.next })
    code = 2
  }
  host.stdout.write(
    json
      ? `${JSON.stringify({ ok: code === 0, findings }, null, 2)}\n`
      : table(findings, painter(host, host.stdout)),
  )
  return code
}

function describe({ file, servers, disabled }: Config): string {
  const count = `${servers.length} server${servers.length === 1 ? '' : 's'}`
  const off = disabled.length === 0 ? '' : `, ${disabled.length} disabled`
  return `${file ?? 'command line'}: ${count}${off}`
}

function dataDirectoryFinding(config: Config, host: Host): Finding {
  const subject = 'data directory'
  try {
    const { config: ready, warning, discard } = prepareDataDirectory(config, host)
    discard?.()
    if (warning === undefined) return { subject, state: 'ok', message: ready.settings.dataDir }
    return { subject, state: 'warning', message: warning, remedy: 'Correct its permissions, or set dataDir.' }
  } catch (error) {
    return {
      subject,
      state: 'broken',
      message: messageOf(error),
      remedy: 'Name another directory in dataDir.',
    }
  }
}

/** Gateways that `connect` started for this file. One of another version goes on until its clients have left. */
function backgroundFindings({ file }: Config, host: Host): Finding[] {
  return runningGateways(host).flatMap(({ config, version, process: { pid }, log }): Finding[] => {
    if (config !== file) return []
    const finding = { subject: 'background', message: `process ${pid}, version ${version}, log ${log}` }
    return version === packageVersion()
      ? [{ ...finding, state: 'ok' }]
      : [{ ...finding, state: 'warning', remedy: 'End it with: mcp-rlm-proxy stop' }]
  })
}

/** Each server, and what modules make of all of them. Every server is started once. */
async function serverFindings(
  config: Config,
  host: Host,
  done: (server: string) => void,
): Promise<Finding[]> {
  const folder = mkdtempSync(join(host.temporary, 'mcpproxy-doctor-'))
  const memoryOf = (at: number): string => join(folder, String(at))
  try {
    const probed = await Promise.all(
      config.servers.map((server, at) =>
        probe(server, config, memoryOf(at), host).finally(() => done(server.name)),
      ),
    )
    const tried = probed.map(({ finding }) => finding)
    const cost = costFinding(
      probed.flatMap(({ definitions }) => definitions),
      config,
    )
    const found = [...tried, ...cost, ...(await standingFindings(config, host))]
    if (!namesItems(config)) return found
    const answered = config.servers.flatMap((server, at) =>
      tried[at]?.state === 'ok' ? [{ server, at }] : [],
    )
    const about = {
      config: { ...config, servers: answered.map(({ server }) => oneForAll(server)) },
      memories: answered.map(({ at }) => memoryOf(at)),
      silent: config.servers.flatMap(({ name }, at) => (tried[at]?.state === 'ok' ? [] : [name])),
    }
    return [...found, ...(await listFindings(about, join(folder, 'all'), host))]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Its list is remembered as everybody's. */
function oneForAll(server: ServerConfig): ServerConfig {
  return { ...server, instance: 'shared' }
}

/** One line at a terminal that says how far the servers are, and is gone in the end. */
function showProgress({ servers }: Config, host: Host): { done(server: string): void; end(): void } {
  const line = progressLine(host)
  const waiting = new Set(servers.map(({ name }) => name))
  const tell = (): void =>
    line.show(
      servers.length - waiting.size,
      servers.length,
      `servers looked at, waiting for ${[...waiting].join(', ')}`,
    )
  if (waiting.size > 0) tell()
  return {
    done(server) {
      waiting.delete(server)
      if (waiting.size > 0) tell()
    },
    end: line.end,
  }
}

/** Definitions of more tokens than this are worth hiding. */
const COSTLY_TOKENS = 10_000

/** The tokens of the tools that `"exposure": "retrieve"` lists in place of them, as `benchmarks/results/dispatch.json` has it. */
export const RETRIEVE_TOKENS = 1_108

/** The cost of the definitions of tools for every client, before it asks anything. None where there are no tools. */
function costFinding(definitions: readonly JsonObject[], { settings }: Config): Finding[] {
  if (definitions.length === 0) return []
  const subject = 'tools'
  // As a list, since that is how a client hands them on.
  const tokens = countTokens(JSON.stringify(definitions))
  const message = `${formatPlural(definitions.length, 'tool')}, ${thousands(tokens)} tokens`
  if (settings.exposure !== 'passthrough')
    return [{ subject, state: 'ok', message: `${message}, behind "exposure": "${settings.exposure}"` }]
  if (tokens < COSTLY_TOKENS) return [{ subject, state: 'ok', message: `${message} in every conversation` }]
  const remedy = `Consider "exposure": "retrieve" in proxySettings: it lists tools that find these (${thousands(RETRIEVE_TOKENS)} tokens).`
  return [{ subject, state: 'warning', message: `${message} in every conversation`, remedy }]
}

function thousands(tokens: number): string {
  return `${(tokens / 1000).toFixed(tokens < 9_950 ? 1 : 0)}k`
}

interface Probed {
  finding: Finding
  /** Empty where it did not answer. */
  definitions: JsonObject[]
}

/** Connects one server in a gateway of its own, with nothing remembered from earlier runs. */
async function probe(server: ServerConfig, config: Config, dataDir: string, host: Host): Promise<Probed> {
  const redactor = createRedactor(secretsOf([server]))
  const settings = { ...config.settings, dataDir, connect: { ...config.settings.connect, lazy: false } }
  const started = host.now()
  try {
    const gateway = await host.createGateway(
      { ...config, servers: [oneForAll(server)], modules: [], settings },
      {
        logger: silentLogger,
        signIn: { dataDir: dataDirectory(config, host.cwd, host.home), interactive: false },
      },
    )
    try {
      const [status] = await gateway.check()
      const took = `${Math.round(host.now() - started)} ms`
      if (status?.state !== 'ready')
        return failed(server, redactor.text(status?.lastError ?? 'it did not connect'))
      const tools =
        status.tools === undefined ? 'no tools' : `${status.tools} tool${status.tools === 1 ? '' : 's'}`
      const message = `${identity(status.initialize)}, ${tools}, ${took}`
      return {
        finding: { subject: server.name, state: 'ok', message },
        definitions: status.tools === undefined ? [] : await gateway.definitions(),
      }
    } finally {
      await gateway.close()
    }
  } catch (error) {
    return failed(server, redactor.text(messageOf(error)))
  }
}

/** Starts every module once, without servers, and tells in which order all stands that stands around an exchange. */
async function standingFindings(config: Config, host: Host): Promise<Finding[]> {
  const redactor = createRedactor(secretsOf(holdersOf(config.modules)))
  try {
    const { layers, modules } = await standing(config, host)
    const order = ['client', ...layers.map(({ name }) => name), 'servers'].join(' → ')
    return [
      { subject: 'order', state: 'ok', message: order },
      ...modules.map((module) => moduleFinding(module, redactor)),
    ]
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error
    const subject = config.modules.length > 0 ? 'modules' : 'order'
    return [{ subject, state: 'broken', message: redactor.text(error.message), remedy: error.next }]
  }
}

function moduleFinding({ name, what, mode, state, message }: ModuleStatus, redactor: Redactor): Finding {
  const subject = `module ${name}`
  const about = [what, mode === 'audit' ? 'audit' : '', redactor.text(message)]
    .filter((part) => part !== '')
    .join(', ')
  if (state === 'ok') return { subject, state: 'ok', message: about }
  return {
    subject,
    state: 'broken',
    message: about,
    remedy:
      'Messages that it may want are refused until it works. Start it by hand to see what it says, or set "failOpen".',
  }
}

function failed(server: ServerConfig, message: string): Probed {
  const remedy = remedyFor(server, message)
  return { finding: { subject: server.name, state: 'broken', message, remedy }, definitions: [] }
}

function identity(initialize: unknown): string {
  const info = isObject(initialize) ? own(initialize, 'serverInfo') : undefined
  if (!isObject(info)) return 'connected'
  return [info.name, info.version].filter((part) => typeof part === 'string').join(' ')
}

const MARKS = { ok: 'ok     ', warning: 'warning', broken: 'BROKEN ' } as const

/**
 * A text of a server must not move the cursor, colour the terminal, or turn the direction of writing. Nor may it look like a
 * finding or a remedy: further lines stand behind a bar.
 */
const COLOURS = { ok: 'green', warning: 'yellow', broken: 'red' } as const satisfies Record<
  Finding['state'],
  Colour
>

function table(findings: readonly Finding[], paint: ReturnType<typeof painter>): string {
  const width = Math.max(...findings.map(({ subject }) => printable(subject).length))
  const indent = ' '.repeat(width + 11)
  return findings
    .map(({ subject, state, message, remedy = '' }) => {
      const lines = message.split(/\r?\n|[\r\u2028\u2029]/).map(printable)
      const line = `${paint(MARKS[state], COLOURS[state])}  ${printable(subject).padEnd(width)}  ${lines.join(`\n${indent}│ `)}\n`
      return remedy === '' ? line : `${line}${indent}→ ${printable(remedy)}\n`
    })
    .join('')
}

// How clients authenticate, for doctor and for the start.

export interface AuthFinding {
  subject: 'authentication'
  state: 'ok' | 'warning' | 'broken'
  message: string
  remedy?: string
}

const subject = 'authentication'

/** `now` in milliseconds since 1970. */
export function authFinding(
  { settings }: Config,
  { cwd, home }: { cwd: string; home: string },
  now: number,
): AuthFinding {
  if (isLocal(settings.transport))
    return {
      subject,
      state: 'ok',
      message:
        settings.transport === 'stdio'
          ? 'the one local client that starts the proxy'
          : 'programs of this user',
    }
  try {
    const { path, named } = tokenFile(settings, cwd, home)
    const tokens = named || mayExist(path) ? readTokens(path) : undefined
    const issuers = issuersOf(settings.auth)
    const { url } = settings.auth.introspection
    if (tokens !== undefined && !usesOauth(settings.auth) && expiredOf(tokens, now) === tokens.length) {
      const message = `no client can connect: ${path} holds no token${tokens.length === 0 ? '' : ' that has not expired'}`
      return { subject, state: 'broken', message, remedy: nextWithoutTokens(path, named) }
    }
    const ways = [
      ...(tokens === undefined ? [] : [`${countOf(tokens, now)} in ${path}`]),
      ...(issuers.length === 0 ? [] : [`OAuth tokens of ${issuers.join(', ')}`]),
      ...(url === undefined ? [] : [`OAuth tokens known at ${url}`]),
    ]
    if (ways.length > 0) return { subject, state: 'ok', message: ways.join('; ') }
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error
    return { subject, state: 'broken', message: error.message, remedy: error.next }
  }
  return unasked(settings)
}

function expiredOf(tokens: readonly { expires?: string }[], now: number): number {
  return tokens.filter(({ expires }) => expires !== undefined && Date.parse(expires) <= now).length
}

function countOf(tokens: readonly { expires?: string }[], now: number): string {
  const expired = expiredOf(tokens, now)
  const past = expired === 0 ? '' : ` (${expired} expired)`
  return `${tokens.length} token${tokens.length === 1 ? '' : 's'}${past}`
}

function unasked({ host, allowUnauthenticated }: Config['settings']): AuthFinding {
  if (isLoopback(host))
    return { subject, state: 'ok', message: `none: everybody on this machine may connect (${host})` }
  const message = `none: everybody who reaches ${host} may connect`
  const remedy = 'Make a token (mcp-rlm-proxy token add <name>), or name an issuer in "auth".'
  return { subject, state: allowUnauthenticated ? 'warning' : 'broken', message, remedy }
}

// The effect of modules on the lists of servers: how much of it each profile has, and which patterns fit nothing.

/** The modules that decide which items exist or name them, and need no service for that. */
const NAMING: ReadonlySet<string> = new Set(['package', 'block', 'rename', 'quota', 'log'])

/** True where there is anything to be found. */
export function namesItems({ modules, servers, settings }: Config): boolean {
  const lists = [settings.dispatch, ...servers.map(({ tools }) => tools)]
  return modules.some(isNaming) || lists.some((one) => one?.allow !== undefined || one?.deny !== undefined)
}

/** Servers as they were tried, one after the other. */
export interface Tried {
  /** The servers that answered, and no others. */
  readonly config: Config
  /** Where what each of them lists was remembered. */
  readonly memories: readonly string[]
  /** Names of the servers that did not answer. */
  readonly silent: readonly string[]
}

/** Puts together in `dataDir` what the servers were heard to list, so that none of them is started once more: names depend on one another. */
export async function listFindings(
  { config, memories, silent }: Tried,
  dataDir: string,
  host: Host,
): Promise<Finding[]> {
  const { connect, bridge } = config.settings
  const settings = {
    ...config.settings,
    exposure: 'passthrough' as const,
    dataDir,
    connect: { ...connect, lazy: true },
    bridge: { ...bridge, enabled: false },
  }
  try {
    for (const memory of memories) if (existsSync(memory)) cpSync(memory, dataDir, { recursive: true })
    const gateway = await host.createGateway(
      { ...config, modules: config.modules.filter(isNaming).map(withoutFile), settings },
      {
        logger: silentLogger,
        signIn: { dataDir: dataDirectory(config, host.cwd, host.home), interactive: false },
      },
    )
    try {
      return [
        ...(await gateway.profiles()).map((profile) => profileFinding(profile, config)),
        ...(await gateway.unmatched()).flatMap((pattern) => patternFinding(pattern, silent, config)),
      ]
    } finally {
      await gateway.close()
    }
  } catch (error) {
    return [{ subject: 'modules', state: 'broken', message: messageOf(error) }]
  }
}

function isNaming(module: ModuleConfig): module is UsedModule {
  return module.kind === 'use' && NAMING.has(module.use)
}

/** Nothing of this is to be written into anybody's log. */
function withoutFile(module: UsedModule): UsedModule {
  const { file: _, ...options } = module.options
  return { ...module, options }
}

function profileFinding({ name, title, isDefault, servers, tools }: ProfileStatus, config: Config): Finding {
  const subject = `profile ${name}`
  const path = config.settings.transport === 'sse' ? '/sse' : '/mcp'
  const message = [
    ...(title === undefined ? [] : [title]),
    `${tools} tool${tools === 1 ? '' : 's'} of ${servers.length === 0 ? 'no server' : servers.join(', ')}`,
    `--profile ${name} or ${path}/${name}`,
    ...(isDefault ? ['the default'] : []),
  ].join('; ')
  if (tools > 0) return { subject, state: 'ok', message }
  return {
    subject,
    state: 'warning',
    message,
    remedy: 'Compare "servers" and "tools" of it with what the servers list.',
  }
}

/** None where the pattern is about a server that did not answer. */
function patternFinding(
  unmatched: UnmatchedPattern | UnmatchedTool,
  silent: readonly string[],
  { settings: { naming } }: Config,
): Finding[] {
  const { option, pattern } = unmatched
  const meant = 'meant' in unmatched ? unmatched.meant : undefined
  if (silent.some((name) => ['/', naming.separator].some((mark) => pattern.startsWith(name + mark))))
    return []
  const shown = pattern.slice(0, 200)
  return [
    {
      subject: 'module' in unmatched ? `module ${unmatched.module}` : (unmatched.server ?? 'configuration'),
      state: 'warning',
      message: `${option}: "${shown}" fits nothing ${silent.length === 0 ? 'that the servers list' : 'listed by the servers that answered'}`,
      remedy: meant === undefined ? 'Correct or remove it.' : `Did you mean "${meant}"?`,
    },
  ]
}
