/** One connection to Valkey that is kept up: it says when the server is away, and no command waits longer than a limit. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, ProxyError } from '../../protocol/errors.ts'

/** The listeners to the state of the connection. */
export interface ConnectionEvents {
  /** Connected, for the first time or again. */
  onUp(): void
  /** Once for each time away, with the reason. */
  onAway(reason: string): void
}

export interface ConnectionOptions extends ConnectionEvents {
  url: string
  /** Milliseconds that one command, or a handshake, may take. */
  commandMs: number
  /** Milliseconds before the first attempt to connect again; each later one waits twice as long, up to `MOST_WAIT_MS`. */
  backoffMs: number
  /** Milliseconds since 1970. */
  now: () => number
}

/** A value that is sent. Answers hold Buffers for texts. */
export type Argument = string | Buffer

/** What was asked of the server since the start. */
export interface ConnectionWork {
  /** It can be asked now. */
  readonly isUp: boolean
  readonly commands: number
  /** Of these: refused, or without an answer. */
  readonly failures: number
  /** Seconds that all commands took together. */
  readonly seconds: number
}

export interface Connection {
  /** Without credentials: `localhost:6379`. */
  readonly place: string
  /** How often it was connected. What an earlier connection saw, the server may have lost since. */
  readonly generation: number
  work(): ConnectionWork
  /** Milliseconds by which the clock of the server is ahead of ours. Rejects as `send` does. */
  clockOffset(): Promise<number>
  /** Rejects with `Unreachable` when the server is away, at once or when the time is over. */
  send(args: readonly Argument[]): Promise<unknown>
  /** Runs a Lua script by its digest; the server is told the text when it does not know it. */
  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown>
  /**
   * Hears what is published on a channel while the connection is up. `refused`: the server does not let this user. `begun`: with each
   * connection, once it hears.
   */
  listen(
    channel: string,
    heard: (message: Buffer) => void,
    refused: (error: ProxyError) => void,
    begun?: () => void,
  ): void
  close(): Promise<void>
}

export interface Script {
  readonly text: string
  readonly digest: string
}

export function script(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') }
}

/** The server cannot be asked now. */
export class Unreachable extends ProxyError {
  constructor(place: string, reason: string) {
    super(
      'STORE_FAILED',
      `The shared store at ${place} cannot be reached: ${reason}`,
      'Nothing: results are kept by this proxy alone until it can be reached again.',
    )
  }
}

const MOST_WAIT_MS = 10_000

/** The part of the library that is used, as a program sees it that may not have it. */
interface Client {
  connect(): Promise<unknown>
  destroy(): void
  on(event: 'error' | 'end', heard: (error?: unknown) => void): unknown
  sendCommand(args: Argument[]): Promise<unknown>
  subscribe(channel: string, heard: (message: Buffer) => void, asBuffers: true): Promise<unknown>
}

interface Library {
  createClient(options: object): Client
  RESP_TYPES: { BLOB_STRING: number }
}

/** Rejects where the library is not installed. A server that is away is no reason to reject. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const library = await load()
  const address = addressOf(options.url)
  const { place } = address
  const secrets = [address.password, address.username].filter((text) => text !== undefined)
  /** The library and the server do not name credentials; if they ever do, they are struck out. */
  const safely = (error: unknown): string =>
    secrets.reduce((text, secret) => text.replaceAll(secret, '***'), messageOf(error))

  /** What to hear, with each connection again. */
  const listeners: ((made: Client) => void)[] = []
  let client: Client | undefined
  let generation = 0
  let clockOffset = 0
  let [commands, failures, took] = [0, 0, 0]
  let reason = 'it was not connected yet'
  let lose: (error: unknown) => void = () => {}
  const closing = new AbortController()
  let settled: () => void = () => {}
  const first = new Promise<void>((resolve) => {
    settled = resolve
  })
  const ended = stay()

  /** Connects, waits until the connection is lost, and begins again. */
  async function stay(): Promise<void> {
    let isTold = false
    for (let failures = 0; !closing.signal.aborted; failures++) {
      const made = makeClient()
      const lost = new Promise<unknown>((resolve) => {
        lose = resolve
        made.on('error', resolve)
        made.on('end', resolve)
      })
      try {
        await inTime(Promise.race([made.connect(), lost.then((error) => Promise.reject(error))]))
        await readClock(made)
        for (const listen of listeners) listen(made)
        client = made
        generation++
        failures = 0
        isTold = false
        settled()
        options.onUp()
        reason = safely((await lost) ?? 'the connection ended')
      } catch (error) {
        reason = safely(error)
      }
      client = undefined
      destroy(made)
      settled()
      if (closing.signal.aborted) return
      if (!isTold) options.onAway(reason)
      isTold = true
      await pause(failures)
    }
  }

  function makeClient(): Client {
    const { username, password, database, host, port, tls } = address
    return library.createClient({
      username,
      password,
      database,
      // The loop above connects again: the library's own would go on where a server accepts and never answers.
      socket: { host, port, tls, connectTimeout: options.commandMs, reconnectStrategy: false },
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      commandOptions: { typeMapping: { [library.RESP_TYPES.BLOB_STRING]: Buffer } },
    })
  }

  async function readClock(made: Client): Promise<void> {
    const asked = options.now()
    const [seconds, micros] = (await inTime(made.sendCommand(['TIME']))) as [Buffer, Buffer]
    // The server looked at its clock about half-way.
    clockOffset = Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - (asked + options.now()) / 2)
  }

  /** Half of it random, so that many proxies do not come back in step. */
  function pause(failures: number): Promise<void> {
    const full = Math.min(MOST_WAIT_MS, options.backoffMs * 2 ** failures)
    const waited = sleep(full / 2 + (full / 2) * Math.random(), undefined, {
      ref: false,
      signal: closing.signal,
    })
    return waited.catch(() => {})
  }

  /** Rejects when the time is over. An answer that is there already still counts, however late this process looks. */
  async function inTime<T>(answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<never>((_, reject) => {
      const late = () => reject(new TooLate(options.commandMs))
      timer = setTimeout(() => setImmediate(() => setImmediate(late)), options.commandMs)
    })
    try {
      return await Promise.race([answer, over])
    } finally {
      clearTimeout(timer)
    }
  }

  async function connected(): Promise<Client> {
    if (client === undefined) await first
    if (client === undefined) throw new Unreachable(place, reason)
    return client
  }

  async function send(args: readonly Argument[]): Promise<unknown> {
    const begun = performance.now()
    commands++
    try {
      return await sendNow(args)
    } catch (error) {
      failures++
      throw error
    } finally {
      took += performance.now() - begun
    }
  }

  async function sendNow(args: readonly Argument[]): Promise<unknown> {
    const asked = await connected()
    try {
      return await inTime(asked.sendCommand([...args]))
    } catch (error) {
      // A server that does not answer in time is given up, so that no later command waits.
      if (error instanceof TooLate && asked === client) lose(error)
      // What the server says in answer is no reason to think it away.
      if (client === asked && !(error instanceof TooLate) && isReply(error)) throw refusal(error)
      throw new Unreachable(place, safely(error))
    }
  }

  function refusal(error: unknown): ProxyError {
    const message = `The shared store at ${place} refused: ${safely(error)}`
    return new ProxyError('STORE_FAILED', message, remedyOf(messageOf(error)))
  }

  return {
    place,
    get generation() {
      return generation
    },
    work: () => ({ isUp: client !== undefined, commands, failures, seconds: took / 1000 }),
    async clockOffset() {
      await connected()
      return clockOffset
    },
    send,
    async run({ text, digest }, keys, args) {
      const rest = [String(keys.length), ...keys, ...args]
      try {
        return await send(['EVALSHA', digest, ...rest])
      } catch (error) {
        if (!messageOf(error).includes('NOSCRIPT')) throw error
        return send(['EVAL', text, ...rest])
      }
    },
    listen(channel, heard, refused, begun) {
      const listen = (made: Client): void => {
        made
          .subscribe(channel, heard, true)
          .then(begun)
          .catch((error: unknown) => isReply(error) && refused(refusal(error)))
      }
      listeners.push(listen)
      if (client) listen(client)
    },
    async close() {
      closing.abort()
      lose(new Error('closed'))
      await ended
    },
  }
}

class TooLate extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
  }
}

/** The words of a server begin with a code in capital letters: `OOM command not allowed`. */
function isReply(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,}\b/.test(error.message)
}

function remedyOf(message: string): string {
  if (message.startsWith('OOM'))
    return 'Give the store more memory (maxmemory), or keep results for a shorter time.'
  if (message.startsWith('NOPERM') || message.startsWith('NOAUTH'))
    return 'Give its user the commands and keys that docs/shared-store.md lists.'
  return 'Look at the log of the store.'
}

function destroy(client: Client): void {
  try {
    client.destroy()
  } catch {
    // It was closed already.
  }
}

const PACKAGE = '@redis/client'

/** Too large for everybody: loaded when a store has an address. */
async function load(): Promise<Library> {
  try {
    return (await import(PACKAGE)) as Library
  } catch {
    throw new ProxyError(
      'PACKAGE_MISSING',
      `A shared store needs the package ${PACKAGE}, which is not installed or cannot be loaded`,
      `Install it where mcp-rlm-proxy is installed: npm install ${PACKAGE} (with -g for a global installation)`,
    )
  }
}

interface Address {
  host: string
  port: number
  tls: boolean
  username: string | undefined
  password: string | undefined
  database: number
  place: string
}

function addressOf(url: string): Address {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host,
    port: Number(port) || 6379,
    tls: /^(?:rediss|valkeys):$/.test(protocol),
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    database: Number(pathname.slice(1)),
    place: `${hostname}:${Number(port) || 6379}`,
  }
}
