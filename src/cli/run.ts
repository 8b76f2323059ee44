/** Serves until the client leaves or a signal comes. */
import { prepareDataDirectory, resetCaches } from '../config/data-directory.ts'
import { holdersOf } from '../config/modules/holders.ts'
import { CONFIG_PATH_VARIABLE } from '../config/names.ts'
import type { Problem } from '../config/problem.ts'
import { profilesOf } from '../config/profiles.ts'
import { SAMPLE } from '../config/sample.ts'
import type { Config } from '../config/schema.ts'
import { absolutePath } from '../config/sources.ts'
import type { Gateway } from '../gateway.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { addToLedger } from '../telemetry/ledger-file.ts'
import type { Logger } from '../telemetry/log.ts'
import { createLogger } from '../telemetry/logger.ts'
import { createRedactor, type Redactor } from '../telemetry/redact.ts'
import { formatSavings } from '../telemetry/savings-report.ts'
import { secretsOf } from '../telemetry/secret.ts'
import { formatPlural } from '../text/format.ts'
import type { Host } from './host.ts'
import { writeNew } from './init.ts'
import type { Invocation } from './program.ts'
import { startReload } from './reload.ts'
import { settle } from './settle.ts'
import { untilStopped } from './shutdown.ts'

/** The exit code. In stdio mode nothing but the protocol is written to standard output. */
export async function run(host: Host, invocation: Invocation): Promise<number> {
  const { config: wished, warnings, stamp } = await settleOrExplain(host, invocation)
  const { config, warning, discard } = prepareDataDirectory(wished, host)
  const redactor = createRedactor()
  redactor.strike(secretsIn(config, host))
  const logger = openLog(config, host, redactor)
  for (const problem of warnings) logger.warn({ place: problem.place }, sentence(problem))
  if (warning !== undefined) logger.warn({}, warning)

  resetCaches(config)
  const gateway = await host.createGateway(config, { logger })
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
    close: () =>
      reload
        .close()
        .then(() => finish(gateway, config, logger, host))
        .finally(discard),
    // Where a terminal is gone, and over stdio, the signal says that nobody is there any more.
    ...(config.settings.transport !== 'stdio' &&
      config.file !== undefined &&
      host.terminal !== true && { hangUp: () => void reload.now() }),
    exit: (code) => host.exit(code),
    logger,
  })
  const { url, bridge } = await gateway.start().catch(async (error: unknown) => {
    await gateway.close()
    throw error
  })
  const servers = config.servers.map(({ name }) => name)
  logger.info({ servers, transport: config.settings.transport, ...(url !== undefined && { url }) }, 'serving')
  if (url !== undefined) {
    host.stderr.write(`mcp-rlm-proxy serves ${formatPlural(servers.length, 'server')} at ${url}\n`)
    for (const { name, isDefault } of profilesOf(config.modules))
      host.stderr.write(`  profile ${name} at ${url}/${name}${isDefault ? `, and at ${url}` : ''}\n`)
  }
  if (bridge !== undefined) host.stderr.write(`mcp-rlm-proxy serves scripts at ${bridge}\n`)
  const code = await stopped
  // Sockets and children that do not want to end must not keep the process.
  host.exit(code)
  return code
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
  return secretsOf([...servers, ...holdersOf(modules), own])
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
  mcp-rlm-proxy import          take over the servers of Claude, Cursor or VS Code
  mcp-rlm-proxy init            write a first mcp.json here
  mcp-rlm-proxy -- npx -y @modelcontextprotocol/server-filesystem .
                                wrap a single server, without a file

A first mcp.json to paste:
`
