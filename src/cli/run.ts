/** Serves until the client leaves or a signal comes. */
import { CONFIG_PATH_VARIABLE } from '../config/aliases.ts'
import { absolutePath } from '../config/find.ts'
import { isLocal } from '../config/loopback.ts'
import { holdersOf } from '../config/modules.ts'
import { profilesOf } from '../config/profiles.ts'
import type { Problem } from '../config/report.ts'
import type { Config } from '../config/schema.ts'
import { type FileWatch, watchFile } from '../config/watch.ts'
import { prepareDataDirectory, resetCaches } from '../data/directory.ts'
import { type GatewayPlace, gatewayPlace, takePlace } from '../data/gateways.ts'
import type { Gateway, Reconfigured } from '../gateway.ts'
import type { Logger } from '../observe/log.ts'
import { createLogger } from '../observe/logger.ts'
import { createRedactor, type Redactor, secretsOf } from '../observe/redact.ts'
import { addToLedger, formatSavings } from '../observe/savings-report.ts'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject } from '../protocol/json.ts'
import { formatPlural } from '../text/format.ts'
import type { AuthFinding } from './doctor.ts'
import type { Host, Invocation, ProcessEvents } from './host.ts'
import { settle } from './settle.ts'

/** The exit code. In stdio mode nothing but the protocol is written to standard output. `shown`: told where the console is. */
export async function run(
  host: Host,
  invocation: Invocation,
  shown?: (url: string) => void,
): Promise<number> {
  const { config: wished, warnings, stamp } = await settleOrExplain(host, invocation)
  const { config, warning, discard } = prepareDataDirectory(wished, host)
  const redactor = createRedactor()
  redactor.strike(secretsIn(config, host))
  const logger = openLog(config, host, redactor)
  for (const problem of warnings) logger.warn({ place: problem.place }, sentence(problem))
  if (warning !== undefined) logger.warn({}, warning)

  resetCaches(config)
  const { enabled: hasConsole } = config.settings.console
  const background =
    config.settings.transport === 'socket' ? openBackground(config, invocation, host) : undefined
  const gateway = await host.createGateway(config, {
    logger,
    ...(background && { socket: background.place.socket }),
    ...(hasConsole && { console: (await import('./console-host.ts')).consoleHost(host, invocation, config) }),
  })
  const reload = startReload({
    config: wished,
    stamp,
    load: () => settle(host, { ...invocation, config: invocation.wrapped ? undefined : wished.file }),
    apply(next) {
      redactor.strike(secretsIn(next, host))
      return gateway.reconfigure(next)
    },
    logger,
  })
  const stopped = untilStopped({
    events: host.events,
    ended: gateway.ended,
    ...(!isLocal(config.settings.transport) && { leave: () => gateway.drain() }),
    close: () =>
      reload
        .close()
        .then(() => finish(gateway, config, logger, host))
        .finally(() => {
          discard?.()
          background?.leave()
        }),
    // Where a terminal is gone, and over stdio, the signal says that the client is gone.
    ...(config.settings.transport !== 'stdio' &&
      config.file !== undefined &&
      host.terminal !== true && { hangUp: () => void reload.now() }),
    exit: (code) => host.exit(code),
    logger,
  })
  const {
    url,
    bridge,
    console: page,
  } = await gateway.start().catch(async (error: unknown) => {
    await gateway.close()
    background?.leave()
    throw error
  })
  const servers = config.servers.map(({ name }) => name)
  logger.info({ servers, transport: config.settings.transport, ...(url !== undefined && { url }) }, 'serving')
  if (url !== undefined) {
    host.stderr.write(`mcp-rlm-proxy serves ${formatPlural(servers.length, 'server')} at ${url}\n`)
    for (const { name, isDefault } of profilesOf(config.modules))
      host.stderr.write(`  profile ${name} at ${url}/${name}${isDefault ? `, and at ${url}` : ''}\n`)
    const { authFinding } = await import('./doctor.ts')
    sayAuthentication(authFinding(config, host, Date.now()), logger, host)
  }
  if (config.settings.transport === 'stdio' && host.terminal === true)
    host.stderr.write(byHand(config, invocation))
  if (bridge !== undefined) host.stderr.write(`mcp-rlm-proxy serves scripts at ${bridge}\n`)
  if (page !== undefined) {
    host.stderr.write(`mcp-rlm-proxy serves its console at ${page}; open it with: mcp-rlm-proxy console\n`)
    shown?.(page)
  }
  const code = await stopped
  // Sockets and children that do not want to end must not keep the process.
  host.exit(code)
  return code
}

/** The place of a gateway that clients join by `connect`. Throws a ProxyError where another process has it. */
function openBackground(
  { file }: Config,
  { flags }: Invocation,
  host: Host,
): { place: GatewayPlace; leave: () => void } {
  if (file === undefined)
    throw new ProxyError(
      'CONFIG_INVALID',
      'A gateway in the background needs a configuration file.',
      'Name one with --config.',
    )
  const { transport: _, ...settings } = flags
  const place = gatewayPlace(host, file, settings)
  const leave = takePlace(place, file)
  if (leave !== undefined) return { place, leave }
  throw new Error(
    `A gateway with ${file} runs already. Join it with: mcp-rlm-proxy connect. End it with: mcp-rlm-proxy stop`,
  )
}

/** The rule for clients over HTTP: printed at the terminal, and logged where every client or no client may connect. */
function sayAuthentication({ state, message, remedy }: AuthFinding, logger: Logger, host: Host): void {
  host.stderr.write(`  authentication: ${message}${remedy === undefined ? '' : `. ${remedy}`}\n`)
  if (state !== 'ok') logger.warn({ authentication: message }, remedy ?? message)
}

/** One line for a person who starts at a terminal a program that a client should start. */
function byHand({ file }: Config, { wrapped }: Invocation): string {
  const own = wrapped === undefined ? ['--config', file ?? 'mcp.json'] : ['--', ...wrapped]
  const entry = { command: 'npx', args: ['-y', 'mcp-rlm-proxy', ...own] }
  return (
    'This is a stdio server: it waits for an MCP client on standard input (Ctrl-C ends it). ' +
    `To add it to a client: {"mcpServers": {"proxy": ${JSON.stringify(entry)}}}\n`
  )
}

/** The savings are counted by the gateway's workers: asked for before it closes, and counted while servers end. */
async function finish(gateway: Gateway, config: Config, logger: Logger, host: Host): Promise<void> {
  const [report] = await Promise.all([gateway.savings().catch(() => undefined), gateway.close()])
  if (report === undefined) return
  await addToLedger(config.settings.dataDir, report).catch((error: unknown) =>
    logger.warn({ err: error }, 'the savings could not be written'),
  )
  if (report.totals.calls > 0) host.stderr.write(`${formatSavings(report.tools)}\n`)
}

function openLog(config: Config, host: Host, redactor: Redactor): Logger {
  const { level, file } = config.settings.log
  try {
    return createLogger({
      level,
      file: file === undefined ? undefined : absolutePath(file, host.cwd, host.home),
      redactor,
    })
  } catch (error) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `The log file ${file} cannot be opened: ${messageOf(error)}`,
      'Name another file in log.file, --log-file or MCPPROXY_LOG_FILE.',
    )
  }
}

/** Values that must never be logged. */
function secretsIn({ servers, settings, modules }: Config, { env }: Host): string[] {
  const { OPENAI_API_KEY = '' } = env
  const { clientSecret = '' } = settings.auth.introspection
  const { vectorStore = '' } = settings.index
  const { token = '' } = settings.bridge
  const own = { env: { clientSecret, OPENAI_API_KEY, token }, url: vectorStore }
  const { url = '', key = '' } = typeof settings.store === 'object' ? settings.store : {}
  return secretsOf([...servers, ...holdersOf(modules), own, { env: { key }, url }])
}

function sentence({ path, message, remedy }: Problem): string {
  return `${path === '' ? '' : `${path} `}${message}. ${remedy}`
}

/** Without a file: what to write, and where. A file that the environment names is written right away. */
async function settleOrExplain(host: Host, invocation: Invocation): ReturnType<typeof settle> {
  try {
    return await settle(host, invocation)
  } catch (error) {
    if (
      !(error instanceof ProxyError) ||
      error.code !== 'CONFIG_NOT_FOUND' ||
      invocation.config !== undefined
    )
      throw error
    const [{ SAMPLE }, { writeNew }] = await Promise.all([import('./init.ts'), import('./client-files.ts')])
    const named = host.env[CONFIG_PATH_VARIABLE]
    if (named !== undefined && named !== '') {
      const path = absolutePath(named, host.cwd, host.home)
      writeNew(path, SAMPLE)
      throw new ProxyError(
        'CONFIG_NOT_FOUND',
        `${CONFIG_PATH_VARIABLE} named a file that was not there.`,
        `A sample is now in ${path}. Put your servers into it and start again.`,
      )
    }
    throw new ProxyError('CONFIG_NOT_FOUND', error.message, `${START}\n${SAMPLE}`)
  }
}

const START = `
Three ways to start:
  mcp-rlm-proxy import          copy the servers of Claude, Cursor or VS Code
  mcp-rlm-proxy init            write a first mcp.json here
  mcp-rlm-proxy -- npx -y @modelcontextprotocol/server-filesystem .
                                wrap a single server, without a file

A first mcp.json to paste:
`

// Takes over what is new in the configuration file while the proxy runs.

interface ReloadParts {
  /** As it was loaded. */
  config: Config
  /** Of its file when it was loaded (`stampOf`): what was written since then is not missed. */
  stamp: string | undefined
  /** Reads the file again; throws what is wrong with it. */
  load(): Promise<{ config: Config; warnings: readonly Problem[] }>
  /** Puts the servers of a configuration to use. */
  apply(config: Config): Promise<Reconfigured>
  logger: Logger
  /** Milliseconds until the file is watched: the client waits for its first answer, not for this. */
  watchAfterMs?: number
}

interface Reload {
  /** Reads the file, one time after the other. Never rejects: a file that is not valid changes nothing. */
  now(): Promise<void>
  close(): Promise<void>
}

/** Settings that are looked at whenever a server is connected or called; the others are read once. */
const LIVE: readonly string[] = ['profile', 'connect.timeoutMs', 'connect.callTimeoutMs', 'connect.lazy']

/** Watches the file of the configuration, where it has one. */
export function startReload({
  config: first,
  stamp,
  load,
  apply,
  logger,
  watchAfterMs = 1_000,
}: ReloadParts): Reload {
  let running = first
  let last = Promise.resolve()
  let closed = false

  async function reload(): Promise<void> {
    if (closed) return
    try {
      const { config, warnings } = await load()
      for (const { place, path, message, remedy } of warnings)
        logger.warn({ place }, `${path === '' ? '' : `${path} `}${message}. ${remedy}`)
      const { added, changed, removed } = await apply(config)
      const later = settingsThatDiffer(running.settings, config.settings).filter(
        (path) => !LIVE.includes(path),
      )
      if (later.length > 0)
        logger.warn({ settings: later }, 'these settings count when the proxy is started again')
      logger.info({ added, changed, removed }, 'the configuration was read again')
      // A change that waits for the next start is told with every change until then.
      running = { ...config, settings: running.settings }
    } catch (error) {
      logger.error(
        { error: messageOf(error) },
        'the configuration is not valid and was not taken over; the one before goes on',
      )
    }
  }

  function now(): Promise<void> {
    last = last.then(reload)
    return last
  }

  const { file } = first
  let watching: FileWatch | undefined
  const opening = setTimeout(() => {
    if (file !== undefined) watching = tryToWatch(file, stamp, now, logger)
  }, watchAfterMs).unref()
  return {
    now,
    async close() {
      closed = true
      clearTimeout(opening)
      watching?.close()
      await last
    },
  }
}

function tryToWatch(
  file: string,
  since: string | undefined,
  now: () => Promise<void>,
  logger: Logger,
): FileWatch | undefined {
  try {
    return watchFile(file, () => void now(), { since })
  } catch (error) {
    logger.warn({ file, error: messageOf(error) }, 'changes of the configuration will not be noticed')
    return undefined
  }
}

/** Paths of the settings that are not the same: `['log.level']`. */
function settingsThatDiffer(before: object, now: object, prefix = ''): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.flatMap((name) => {
    const [a, b] = [before, now].map((settings) => (settings as Record<string, unknown>)[name])
    if (isObject(a) && isObject(b)) return settingsThatDiffer(a, b, `${prefix}${name}.`)
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [prefix + name]
  })
}

// How a run ends: a signal or the client's leaving closes everything once, in bounded time.

export interface ShutdownOptions {
  events: ProcessEvents
  /** The client left: its input ended, or its output broke. */
  ended: Promise<void>
  /** Finishes the calls that run, before all is closed. SIGTERM asks for it. Bounds itself. */
  leave?: () => Promise<void>
  close(): Promise<void>
  /** The effect of SIGHUP; absent: it stops as the others do. */
  hangUp?: () => void
  /** Ends the process at once, for a second signal. */
  exit(code: number): void
  logger: Logger
  /** Milliseconds that closing may take: kept results go to disk meanwhile. Default 8,000, within the ten seconds that supervisors give. */
  patience?: number
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Resolves with the exit code when everything is closed, or when closing took too long. */
export async function untilStopped(options: ShutdownOptions): Promise<number> {
  const { events, ended, close, exit, logger, patience = 8_000 } = options
  let signalled = false
  let stop: (reason: string) => void = () => {}
  const reason = new Promise<string>((resolve) => {
    stop = resolve
  })
  const listeners = new Map<string, (value: unknown) => void>()
  const listen = (event: string, listener: (value: unknown) => void): void => {
    listeners.set(event, listener)
    events.on(event, listener)
  }
  for (const signal of SIGNALS) {
    listen(signal, () => {
      if (signal === 'SIGHUP' && options.hangUp !== undefined) return options.hangUp()
      // A client that leaves sends a signal to a process that does not end at once: results that are being kept are written first.
      if (signalled) exit(1)
      signalled = true
      stop(signal)
    })
  }
  // A session outlives a mistake in one request; what went wrong is in the log.
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    listen(event, (error) => {
      if (hasCode(error, 'EPIPE')) stop('the client is gone')
      else logger.error({ err: error, event }, `not caught: ${messageOf(error)}`)
    })
  }
  void ended.then(() => stop('the client left'))

  const why = await reason
  logger.info({ reason: why }, 'stopping')
  if (why === 'SIGTERM') await options.leave?.()
  const code = await inTime(close(), patience, logger)
  for (const [event, listener] of listeners) events.off(event, listener)
  return code
}

async function inTime(closing: Promise<void>, patience: number, logger: Logger): Promise<number> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, patience, 'late')
  })
  try {
    if ((await Promise.race([closing, late])) !== 'late') return 0
    logger.warn({ patience }, 'closing took too long')
    return 1
  } catch (error) {
    logger.error({ err: error }, 'closing failed')
    return 1
  } finally {
    clearTimeout(timer)
  }
}
