/** The commands for the gateways that `connect` starts: their servers, their logs, and their end. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { absolutePath, findFile } from '../config/find.ts'
import { type RunningGateway, runningGateways } from '../data/gateways.ts'
import { isGone } from '../data/process-notes.ts'
import type { ServerStatus } from '../gateway.ts'
import { silentLogger } from '../observe/log.ts'
import { ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { printable } from '../text/format.ts'
import { type Admin, adminOf } from './admin.ts'
import { statusOf } from './connect.ts'
import type { Host, Invocation } from './host.ts'
import { settle } from './settle.ts'
import { type Colour, columns, painter } from './terminal.ts'

/** Milliseconds in which a gateway ends: its results go to disk meanwhile. */
const END_MS = 15_000

/** Those of one configuration file; undefined: all of this user. */
function gatewaysOf(host: Host, file: string | undefined): RunningGateway[] {
  return runningGateways(host).filter(({ config }) => file === undefined || config === file)
}

/** Ends the gateways of `--config`, without it all of this user. Exit code 1 when one of them does not end. */
export async function stop(host: Host, { config }: Invocation): Promise<number> {
  const running = gatewaysOf(host, config === undefined ? undefined : findFile({ path: config, ...host }))
  if (running.length === 0) host.stdout.write('No gateway runs in the background.\n')
  const ended = await Promise.all(running.map(end))
  for (const [at, { process: note, config: file }] of running.entries())
    host.stdout.write(`${ended[at] ? 'Ended' : 'Does not end'}: process ${note.pid}, ${file}\n`)
  return ended.every(Boolean) ? 0 : 1
}

async function end({ process: note }: RunningGateway): Promise<boolean> {
  try {
    process.kill(note.pid, 'SIGTERM')
  } catch {}
  for (const until = Date.now() + END_MS; Date.now() < until; await wait(50)) if (isGone(note)) return true
  return false
}

/**
 * How the servers of the gateway in the background are, else of the proxy that serves its console, else of one that is started for this.
 * Exit code 1 when a server cannot be reached.
 */
export async function listServers(host: Host, invocation: Invocation, json: boolean): Promise<number> {
  const { config } = await settle(host, invocation)
  const [running] = gatewaysOf(host, config.file ?? '')
  const told = running && (await statusOf(running))
  const admin = told === undefined ? await adminOf(host, config) : undefined
  const shown = await admin?.ask('GET', '/servers')
  let servers: ServerStatus[]
  if (Array.isArray(told?.servers)) servers = told.servers as unknown as ServerStatus[]
  else if (Array.isArray(shown?.servers)) servers = shown.servers.filter(isObject).map(statusIn)
  else {
    const gateway = await host.createGateway(config, { logger: silentLogger })
    try {
      servers = await gateway.check()
    } finally {
      await gateway.close()
    }
  }
  const isTerminal = host.stdout.isTTY === true
  if (json || !isTerminal) {
    host.stdout.write(
      `${JSON.stringify({ ...(running && { gateway: running.process.pid }), ...(admin && { console: admin.url }), servers }, null, 2)}\n`,
    )
  } else {
    const paint = painter(host, host.stdout)
    const colours: Record<string, Colour> = { ready: 'green', waiting: 'red', connecting: 'yellow' }
    host.stdout.write(
      running
        ? `Gateway in the background, process ${running.process.pid}:\n`
        : admin
          ? `The proxy with its console at ${admin.url}:\n`
          : 'No gateway runs; started for this:\n',
    )
    host.stdout.write(
      columns(
        [['server', 'state', 'transport', 'is', 'tools', 'last error'], ...servers.map(cellsOf)],
        (cell, at, row) =>
          row === 0 ? paint(cell, 'dim') : at === 1 ? paint(cell, colours[cell] ?? 'dim') : cell,
      ),
    )
  }
  return servers.some(({ lastError }) => lastError !== undefined) ? 1 : 0
}

/** A server as the admin interface tells it. */
function statusIn({
  name,
  title,
  version,
  protocol,
  trouble,
  state,
  transport,
  tools,
}: JsonObject): ServerStatus {
  return JSON.parse(
    JSON.stringify({
      server: name,
      state,
      transport,
      tools,
      ...(version !== undefined && {
        initialize: { serverInfo: { name: title, version }, protocolVersion: protocol },
      }),
      ...(isObject(trouble) && { lastError: trouble.message }),
    }),
  )
}

function cellsOf({ server, state, transport, tools, initialize, lastError = '' }: ServerStatus): string[] {
  const { serverInfo, protocolVersion } = initialize ?? {}
  const { name = '', version = '' } = isObject(serverInfo) ? serverInfo : {}
  const is = [name, version, protocolVersion].filter((one) => typeof one === 'string' && one !== '').join(' ')
  return [server, state, transport, is, tools === undefined ? '' : String(tools), lastError]
}

// Logs.

/** Milliseconds between two looks at a log that is followed. */
const LOOK_MS = 250
/** Bytes at the end of a log that are looked at for its last lines. */
const TAIL_BYTES = 1024 * 1024
/** Lines that a running proxy gives at once. */
const MOST_LINES = 1_000

/**
 * Prints the last lines, to a pipe as they were written: of a file, or of a running proxy that serves its console. Exit code 1 when there
 * is no log.
 */
export async function logs(
  host: Host,
  invocation: Invocation,
  follow: boolean,
  wanted: string | undefined,
): Promise<number> {
  const count = Number(wanted ?? 50)
  if (!Number.isInteger(count) || count < 0)
    throw new ProxyError('CONFIG_INVALID', `"${wanted}" is no number of lines.`, 'Write for example: -n 100')
  const { config } = await settle(host, invocation, { serversOptional: true })
  const { file } = config.settings.log
  const [running] = gatewaysOf(host, config.file)
  const path = file === undefined ? running?.log : absolutePath(file, host.cwd, host.home)
  const size = path === undefined ? undefined : sizeOf(path)
  if (path === undefined || size === undefined) {
    const admin = await adminOf(host, config)
    if (admin !== undefined) return logOf(host, admin, follow, count)
    host.stderr.write(
      path === undefined
        ? 'There is no log: no gateway runs in the background, no proxy serves its console, and log.file is not set.\n'
        : `There is no log at ${path} yet.\n`,
    )
    return 1
  }
  const print = printer(host)
  const from = Math.max(0, size - TAIL_BYTES)
  const before = readFrom(path, from, size).split('\n')
  if (from > 0) before.shift()
  // The last one has no end yet: it is printed with its end.
  let rest = follow ? (before.pop() ?? '') : ''
  for (const line of before.filter((one) => one !== '').slice(count === 0 ? before.length : -count))
    print(line)
  if (!follow) return 0
  let at = size
  return untilInterrupted(host, async () => {
    const now = sizeOf(path) ?? 0
    // It began again.
    if (now < at) at = 0
    const lines = (rest + readFrom(path, at, now)).split('\n')
    rest = lines.pop() ?? ''
    at = now
    for (const line of lines) if (line !== '') print(line)
    return true
  })
}

/** The lines that a running proxy remembers. */
async function logOf(host: Host, admin: Admin, follow: boolean, count: number): Promise<number> {
  const print = printer(host)
  let last = 0
  const show = async (most: number): Promise<boolean> => {
    const log = await admin.ask('GET', `/log?after=${last}&limit=${MOST_LINES}`).catch(() => undefined)
    if (!Array.isArray(log?.lines)) return false
    const lines = log.lines.filter(isObject)
    for (const { line } of lines.slice(Math.max(0, lines.length - most))) print(String(line))
    last = Number(lines.at(-1)?.id ?? last)
    return true
  }
  if (!(await show(count))) return 1
  return follow ? untilInterrupted(host, () => show(MOST_LINES)) : 0
}

/** Looks again and again until Ctrl-C, or until there is nothing to look at any more: exit code 1. */
async function untilInterrupted(host: Host, look: () => Promise<boolean>): Promise<number> {
  let going = true
  const leave = (): void => {
    going = false
  }
  host.events.on('SIGINT', leave)
  try {
    for (; going; await wait(LOOK_MS)) if (!(await look())) return 1
    return 0
  } finally {
    host.events.off('SIGINT', leave)
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size
  } catch {
    return undefined
  }
}

function readFrom(path: string, from: number, to: number): string {
  if (to <= from) return ''
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(to - from)
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString('utf8')
  } finally {
    closeSync(file)
  }
}

const LEVELS: Readonly<Record<string, Colour>> = { debug: 'dim', info: 'blue', warn: 'yellow', error: 'red' }

/** To a terminal: time, level, message, fields. To a pipe: the line. */
function printer({ stdout, ...host }: Host): (line: string) => void {
  if (stdout.isTTY !== true) return (line) => void stdout.write(`${line}\n`)
  const paint = painter({ stdout, ...host }, stdout)
  return (line) => {
    const entry = entryOf(line)
    if (entry === undefined) return void stdout.write(`${printable(line)}\n`)
    const { time, level, msg, ...fields } = entry
    const said = Object.entries(fields).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    const clock = printable(String(time ?? '')).replace(/^.*T|\..*$/g, '')
    stdout.write(
      `${paint(clock, 'dim')} ${paint(printable(String(level)).padEnd(5), LEVELS[String(level)] ?? 'dim')} ${printable(String(msg ?? ''))} ${paint(printable(said.join(' ')), 'dim')}\n`,
    )
  }
}

function entryOf(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const value = JSON.parse(line) as JsonValue
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
