/** One connection to Valkey that is kept up: it says when the store is away, and no command waits longer than a limit. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, ProxyError } from '../../protocol/errors.ts'
import { readStoreAddress } from './address.ts'
import { type Argument, type Client, clientsOf, destroy } from './client.ts'

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

/** The requests to the server since the start. */
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
  /** How often it was connected. The server may have lost the state that an earlier connection saw. */
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

/**
 * The answers of a server that cannot do its work now: the next connection may be to another one. A cluster that misses a node mostly
 * refuses all; where it serves the rest, it says `Hash slot not served` of single keys.
 */
const CANNOT_NOW = /^(?:LOADING|MASTERDOWN|READONLY|CLUSTERDOWN The cluster is down)\b/
/** There is none: whether a command that writes is taken is all that is asked. */
const NO_KEY = 'mcp-rlm-proxy:{none}'

/** Rejects where the library is not installed. A server that is away is no reason to reject. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const address = readStoreAddress(options.url)
  const makeClient = await clientsOf(address, options.commandMs)
  const { text: place, password, username, sentinelPassword, sentinelUsername } = address
  const secrets = [password, username, sentinelPassword, sentinelUsername].filter(
    (text) => text !== undefined,
  )
  /** The library and the server do not name credentials; if they ever do, they are struck out. */
  const safely = (error: unknown): string =>
    secrets.reduce((text, secret) => text.replaceAll(secret, '***'), messageOf(error))

  /** The listeners, added to each connection again. */
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
      const lost = new Promise<unknown>((resolve) => {
        lose = resolve
      })
      const made = makeClient(lose)
      try {
        await inTime(Promise.race([made.connect(), lost.then((error) => Promise.reject(error))]))
        await probe(made)
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

  /** Rejects where a server cannot do its work now. A server that refuses for other reasons will do so in its own words. */
  async function probe(made: Client): Promise<void> {
    const answers = made.sendToEach(['UNLINK', NO_KEY]).map((answer) =>
      answer.catch((error: unknown) => {
        if (!isReply(error) || CANNOT_NOW.test(messageOf(error))) throw error
      }),
    )
    await inTime(Promise.all(answers))
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
      const isAway = error instanceof TooLate || CANNOT_NOW.test(messageOf(error))
      if (isAway && asked === client) lose(error)
      // An answer of the server is no sign that it is away.
      if (client === asked && !isAway && isReply(error)) throw refusal(error)
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
  if (message.startsWith('MOVED'))
    return 'It is a node of a cluster: write `store.url` with valkey+cluster:// (docs/shared-store.md).'
  return 'Look at the log of the store.'
}
