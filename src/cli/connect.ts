/**
 * A stdio server that joins the gateway of this user for a configuration file, or starts it. Bytes pass as they are, both ways. Of each
 * message it notes only what a gateway that starts again has to be told again, and which requests wait for an answer. It loads nothing of
 * the gateway, so each client costs one small process.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { connect as dial, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findFile } from '../config/find.ts'
import { packageVersion } from '../config/identity.ts'
import { dataDirOf, type GatewayPlace, gatewayAt, gatewayPlace, runningGateways } from '../data/gateways.ts'
import { hasCode, messageOf, ProxyError, RPC } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { edgeOfStart, LineReader } from '../protocol/stream.ts'
import { printableLines } from '../text/format.ts'
import type { Host, Invocation } from './host.ts'

/** Milliseconds in which a gateway has to answer after it was started. */
const START_MS = 60_000
/** Milliseconds in which a gateway that runs says so to a command. */
const PRESENT_MS = 2_000
/** Milliseconds between two looks for a gateway that starts. */
const LOOK_MS = 25
/** How often in a row a gateway may end before it answered anything. */
const MOST_FAILURES = 5
/** A longer log is renamed, and a new one begins. */
const LOG_BYTES = 10 * 1024 * 1024

const ENDED =
  'The gateway ended while this request was under way, and is started again. Kept results are still there under their cache_id. ' +
  'The server may have finished the request. Repeat it only if a second run does no harm.'

/**
 * Serves the client on standard input until it leaves. `name`: the owner of the kept results; the same name finds them again in a
 * later run. Undefined: they belong to this run.
 */
export async function connect(
  host: Host,
  { config, flags, wrapped }: Invocation,
  name: string | undefined,
): Promise<number> {
  const file = wrapped === undefined ? findFile({ path: config, ...host }) : undefined
  if (file === undefined)
    throw new ProxyError(
      'CONFIG_NOT_FOUND',
      'A gateway in the background needs a configuration file.',
      'Name one with --config, or write one with: mcp-rlm-proxy init',
    )
  if (name !== undefined && !/^[\w.@-]{1,80}$/.test(name))
    throw new ProxyError(
      'CONFIG_INVALID',
      `"${name}" is no name for a client.`,
      'Use letters, digits and . _ @ -',
    )
  const { profile, transport: _, ...settings } = flags
  const place = gatewayPlace(host, file, settings)
  tellOthers(host, file)
  // The same after a crash, so the client finds its kept results again.
  const hello = { client: name ?? randomUUID(), ...(profile !== undefined && { profile }) }
  return relay(host, () => join(host, place, file, settings, hello))
}

/** Joins the gateway of this file and these flags. Undefined: none runs. Rejects with ProxyError when it refuses the client. */
export async function joinRunning(
  host: Host,
  file: string,
  { profile, ...flags }: Invocation['flags'],
  client: string,
): Promise<Socket | undefined> {
  if (!runningGateways(host).some(({ config }) => config === file)) return undefined
  const place = gatewayPlace(host, file, flags)
  const socket = gatewayAt(place) && (await dialled(place.socket))
  // One that hangs must not hang a command.
  socket?.setTimeout(PRESENT_MS, () => socket.destroy())
  const joined = socket && (await greet(socket, { client, ...(profile !== undefined && { profile }) }))
  joined?.setTimeout(0)
  return joined
}

/** A gateway of another version goes on with the clients that it has. */
function tellOthers(host: Host, file: string): void {
  for (const { config, version, process } of runningGateways(host)) {
    if (config !== file || version === packageVersion()) continue
    host.stderr.write(
      `A gateway of version ${version} runs with ${file} (process ${process.pid}). This is version ${packageVersion()}, which starts its own. ` +
        `The other ends when its last client leaves, or by: mcp-rlm-proxy stop\n`,
    )
  }
}

/** Joins the gateway at a place, or starts one there. Rejects with ProxyError where none answers. */
async function join(
  host: Host,
  place: GatewayPlace,
  file: string,
  flags: Invocation['flags'],
  hello: JsonObject,
): Promise<Socket> {
  const until = Date.now() + START_MS
  let started: Started | undefined
  for (;;) {
    const socket = await dialled(place.socket)
    const joined = socket && (await greet(socket, hello))
    if (joined !== undefined) return joined
    const { failed } = started ?? {}
    if (failed !== undefined && gatewayAt(place) === undefined)
      throw new ProxyError('CONFIG_INVALID', `The gateway could not be started.\n${failed()}`, '')
    if (Date.now() > until)
      throw new Error(`No gateway answers at ${place.socket}. Read its log: ${place.log}`)
    if (started === undefined && gatewayAt(place) === undefined) started = start(host, place, file, flags)
    await wait(LOOK_MS)
  }
}

interface Started {
  /** Its output when it failed. Absent while it runs. */
  failed?: () => string
}

/** Starts a gateway that outlives this process. */
function start(host: Host, { log }: GatewayPlace, file: string, flags: Invocation['flags']): Started {
  if ((sizeOf(log) ?? 0) > LOG_BYTES) renameSync(log, `${log}.1`)
  const before = sizeOf(log) ?? 0
  const to = openSync(log, 'a', 0o600)
  const dataDir = dataDirOf(host)
  const given = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [value === 'true' ? `--${name}` : `--${name}=${value}`],
  )
  try {
    const child = spawn(
      process.execPath,
      [...process.execArgv, process.argv[1] ?? '', '--config', file, ...given, '--transport', 'socket'],
      {
        cwd: dirname(file),
        env: { ...host.env, ...(dataDir !== undefined && { MCPPROXY_DATA_DIR: dataDir }) },
        stdio: ['ignore', to, to],
        detached: true,
        windowsHide: true,
      },
    )
    const started: Started = {}
    child.once('error', (error) => {
      started.failed = () => messageOf(error)
    })
    child.once('exit', (code) => {
      // Another process may have been faster: that one is joined.
      if (code !== 0)
        started.failed = () => printableLines(readFileSync(log).subarray(before).toString('utf8').trim())
    })
    child.unref()
    return started
  } finally {
    closeSync(to)
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size
  } catch {
    return undefined
  }
}

/** Undefined where no gateway listens. */
function dialled(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = dial(path)
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', (error) => {
      if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EAGAIN'].some((code) => hasCode(error, code)))
        resolve(undefined)
      else reject(error)
    })
  })
}

/** Undefined when the gateway left at that moment. Throws a ProxyError when it refuses the client. */
async function greet(socket: Socket, hello: JsonObject): Promise<Socket | undefined> {
  const answer = await ask(socket, hello)
  if (answer?.joined === true) return socket
  socket.destroy()
  if (typeof answer?.refused === 'string')
    throw new ProxyError('CONFIG_INVALID', `The gateway refuses this client: ${answer.refused}`, '')
  return undefined
}

/** Says a line, and resolves with the one that comes back; undefined when the other side leaves instead. */
function ask(socket: Socket, line: JsonObject): Promise<JsonObject | undefined> {
  return new Promise((resolve) => {
    let read = ''
    const done = (answer: JsonObject | undefined): void => {
      socket.pause()
      for (const event of ['data', 'close', 'error']) socket.removeAllListeners(event)
      resolve(answer)
    }
    socket.on('error', () => done(undefined))
    socket.on('close', () => done(undefined))
    socket.on('data', (chunk: Buffer) => {
      // The gateway says nothing more before it is asked something.
      read += chunk.toString('utf8')
      if (!read.endsWith('\n')) return
      const answer = parsed(read)
      done(isObject(answer) ? answer : undefined)
    })
    socket.write(`${JSON.stringify(line)}\n`)
  })
}

/** The status that a running gateway reports. Undefined: it does not answer. */
export async function statusOf({
  socket: path,
}: Pick<GatewayPlace, 'socket'>): Promise<JsonObject | undefined> {
  const socket = await dialled(path).catch(() => undefined)
  if (socket === undefined) return undefined
  const answer = await ask(socket, { ask: 'status' })
  socket.destroy()
  return answer
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

// The bytes that pass.

/** Requests of a client after which the gateway knows something that a new one has to be told, and what takes it back. */
const REMEMBERED: Readonly<Record<string, (params: JsonObject) => string>> = {
  initialize: () => 'initialize',
  'notifications/initialized': () => 'initialized',
  'logging/setLevel': () => 'level',
  'resources/subscribe': ({ uri }) => `subscribed ${String(uri)}`,
  'resources/unsubscribe': ({ uri }) => `subscribed ${String(uri)}`,
}

/** The last words of a gateway that was told to end. */
const LEAVING = Buffer.from('{"leaving":true}')

/** Bytes of a client that wait for a gateway before the client has to wait. */
const MOST_QUEUED = 16 * 1024 * 1024

/** Resolves with the exit code when the client has left. */
async function relay(host: Host, join: () => Promise<Socket>): Promise<number> {
  const { stdin, stdout } = process
  /** Lines by what they set, in the order in which the client said them. */
  const told = new Map<string, Buffer>()
  /** Ids of requests under way, as JSON: 1 and "1" are two. */
  const waiting = new Set<string>()
  /** Ids of what was told again: the client has these answers. */
  const again = new Set<string>()
  /** Lines that no gateway was there for. */
  const queue: Buffer[] = []
  let socket: Socket | undefined
  let opening: Promise<void> | undefined
  let failures = 0
  let leaving = false
  /** The gateway said that it was told to end. */
  let stopped = false
  let end: (code: number) => void = () => {}
  const ended = new Promise<number>((resolve) => {
    end = resolve
  })

  function send(line: Buffer, to: Socket): void {
    note(line)
    to.write(line)
    if (!to.write('\n')) pauseFor(to, stdin)
  }

  function note(line: Buffer): void {
    const message = parsed(line.toString('utf8'))
    for (const one of Array.isArray(message) ? message : [message]) {
      if (!isObject(one) || typeof one.method !== 'string') continue
      if (one.id !== undefined) waiting.add(JSON.stringify(one.id))
      const key = Object.hasOwn(REMEMBERED, one.method)
        ? REMEMBERED[one.method]?.(isObject(one.params) ? one.params : {})
        : undefined
      if (key === undefined || Array.isArray(message)) continue
      if (one.method === 'resources/unsubscribe') told.delete(key)
      else told.set(key, line)
    }
  }

  function open(): void {
    opening ??= (async () => {
      const joined = await join()
      stopped = false
      const lines = fromGateway(joined)
      joined.on('data', (chunk) => void lines.push(chunk))
      joined.on('error', () => {})
      joined.once('close', lost)
      for (const line of told.values()) {
        const id = idIn(line)
        if (id !== undefined && !waiting.has(id)) again.add(id)
        joined.write(line)
        joined.write('\n')
      }
      for (const line of queue.splice(0)) send(line, joined)
      socket = joined
      joined.resume()
      stdin.resume()
      if (leaving) joined.end()
    })()
      .catch((error: unknown) => {
        host.stderr.write(`${error instanceof ProxyError ? error.text : messageOf(error)}\n`)
        end(error instanceof ProxyError && error.code.startsWith('CONFIG_') ? 2 : 1)
      })
      .finally(() => {
        opening = undefined
      })
  }

  /** The gateway is gone: what waits is answered, but for the introduction, which the next one answers. */
  function lost(): void {
    socket = undefined
    again.clear()
    if (leaving) return end(0)
    const first = told.get('initialize')
    const introduction = first && idIn(first)
    const error = JSON.stringify({ code: RPC.connectionClosed, message: ENDED })
    for (const id of waiting) {
      if (id === introduction) continue
      waiting.delete(id)
      stdout.write(`{"jsonrpc":"2.0","id":${id},"error":${error}}\n`)
    }
    if (++failures > MOST_FAILURES) {
      host.stderr.write('The gateway ended again and again. Read its log with: mcp-rlm-proxy logs\n')
      return end(1)
    }
    if (!stopped || waiting.size > 0) setTimeout(open, 50 * failures)
    else host.stderr.write('The gateway was stopped. The next message starts it again.\n')
  }

  const fromClient = new LineReader({
    maxBytes: Number.POSITIVE_INFINITY,
    onLine(parts, length) {
      const line = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length)
      if (socket !== undefined) return send(line, socket)
      queue.push(line)
      if (queue.reduce((sum, { length: bytes }) => sum + bytes, 0) > MOST_QUEUED) stdin.pause()
      open()
    },
    onDiscarded() {},
  })

  const fromGateway = (source: Socket): LineReader =>
    new LineReader({
      maxBytes: Number.POSITIVE_INFINITY,
      onLine(parts, length) {
        if (length === LEAVING.length && parts[0]?.equals(LEAVING)) {
          stopped = true
          return
        }
        failures = 0
        const id = answeredId(parts)
        if (id !== undefined && again.delete(id)) return
        if (id !== undefined) waiting.delete(id)
        for (const part of parts) stdout.write(part)
        if (!stdout.write('\n')) pauseFor(stdout, source)
      },
      onDiscarded() {},
    })

  stdout.on('error', () => end(0))
  stdin.on('data', (chunk: Buffer) => void fromClient.push(chunk))
  stdin.once('end', () => {
    leaving = true
    socket?.end()
    if (socket === undefined && opening === undefined) end(0)
  })
  open()
  const code = await ended
  host.exit(code)
  return code
}

function idIn(line: Buffer): string | undefined {
  const message = parsed(line.toString('utf8'))
  return isObject(message) && message.id !== undefined ? JSON.stringify(message.id) : undefined
}

function pauseFor(full: NodeJS.WritableStream, source: { pause(): unknown; resume(): unknown }): void {
  source.pause()
  full.once('drain', () => source.resume())
}

/**
 * The id of an answer, as JSON; undefined for any other message. The gateway writes the id before the result, so that no result has to
 * be parsed.
 */
function answeredId(parts: readonly Buffer[]): string | undefined {
  const head = edgeOfStart(parts).toString('utf8')
  const id = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^",{}[\]]+),"(?:result|error)":/.exec(head)?.[1]
  return id === undefined ? undefined : JSON.stringify(parsed(id))
}
