/**
 * MCP over the standard input and output of a child process (MCP specification, basic/transports, stdio), linear in the
 * size of what the server sends. Large answers are handed on as bytes.
 */

import { existsSync } from 'node:fs'
import type { Logger } from '../observe/log.ts'
import { jsonParts } from '../protocol/json.ts'
import { limitWords } from '../protocol/limits.ts'
import type { JsonRpcMessage, Transport } from '../protocol/message.ts'
import { type DiscardedLine, Intake, LineReader, LineWriter, textOfParts } from '../protocol/stream.ts'
import { formatBytes } from '../text/format.ts'
import { whyNotStarted } from '../text/start-failure.ts'
import {
  type Arriving,
  idOfEdges,
  longestFor,
  type ReadLimits,
  readMessages,
  TooMuch,
  tooLong,
  watchFor,
} from './incoming.ts'
import { ProcessGroup, type ProcessOptions, type Spawn } from './processes.ts'
import { localFailure, NotRead, type ServerSettings, type UpstreamTransport } from './transport.ts'

/** A process that is started for it. */
export interface StdioServer extends ServerSettings {
  command: string
  args?: readonly string[] | undefined
  /** Merged over a safe part of the proxy's own environment. */
  env?: Readonly<Record<string, string>> | undefined
  cwd?: string | undefined
}

interface StdioOptions extends ProcessOptions, ReadLimits {
  /** A message longer than this many bytes is thrown away; the request it answers fails. */
  maxMessageBytes: number
  /** Told of long responses while they come. */
  arriving?: Arriving | undefined
  /** Strikes this server's secrets out of its last words: they are told to clients and models. */
  conceal(text: string): string
  logger: Logger
  spawn?: Spawn | undefined
}

/** After a process exits, its last words may still be in the pipe; a grandchild may hold the pipe open for ever. */
const DRAIN_MS = 200
/** A process usually exits soon after its output has ended: on a busy machine a while later. */
const EXIT_MS = 1000
/**
 * A line that has stopped when a call reaches its time limit will never end, and the proxy would take the next line for its rest. So the
 * connection ends, and the next call does not wait as well.
 */
const STALLED_MS = 1000
const STDERR_KEPT = 4096
const LOGGED = 200
/** The most lines that are no messages and are logged: a server may print many. */
const TOLD_LINES = 20

export class StdioTransport implements UpstreamTransport {
  readonly kind = 'stdio'
  readonly local = true
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  failure: string | undefined
  readonly #options: StdioOptions
  readonly #reader: LineReader
  readonly #intake: Intake
  #group: ProcessGroup | undefined
  #writer: LineWriter | undefined
  /** The text on standard error, before the first message and since then. */
  #before = ''
  #stderr = ''
  #spoke = false
  /** When it last wrote anything. */
  #heard = 0
  #ended = false
  #skipped = 0

  constructor(options: StdioOptions) {
    this.#options = options
    const { limits, maxMessageBytes } = options
    this.#intake = new Intake({
      limits,
      source: {
        pause: () => this.#group?.child.stdout.pause(),
        resume: () => this.#group?.child.stdout.resume(),
      },
      read: (chunk) => this.#reader.push(chunk),
      flooded: () =>
        this.#end(
          `printed too many lines in a minute that are no messages: ${limitWords('serverBadLines', limits)}`,
        ),
    })
    this.#reader = new LineReader({
      maxBytes: maxMessageBytes,
      maxBytesOf: longestFor(maxMessageBytes, limits),
      turn: this.#intake,
      onLine: (parts, length) => this.#line(parts, length),
      onDiscarded: (line) => this.#discarded(line),
      watch: watchFor(options.arriving),
    })
  }

  /** Process id of the child, while there is one. */
  get pid(): number | undefined {
    return this.#group?.child.pid
  }

  async start(): Promise<void> {
    const group = this.#begin()
    this.#group = group
    const { child } = group
    await group.started.catch(async (error: Error) => {
      this.failure = startFailure(this.#options, error)
      await group.close()
      throw new Error(this.failure)
    })
    this.#writer = new LineWriter(child.stdin)
    child.stdout.on('data', (chunk: Buffer) => {
      this.#heard = performance.now()
      this.#intake.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => this.#note(chunk.toString('utf8')))
    child.stdin.on('error', (error) => this.onerror?.(error))
    // After what came meanwhile: where the event loop stood still, the time is up before it is read.
    const within = (ms: number) => (): void =>
      void setTimeout(() => setImmediate(() => this.#intake.afterwards(() => this.#end())), ms).unref()
    child.stdout.once('end', within(EXIT_MS))
    child.once('exit', within(DRAIN_MS))
    child.once('close', () => this.#intake.afterwards(() => this.#end()))
  }

  #begin(): ProcessGroup {
    try {
      return new ProcessGroup(this.#options, this.#options.spawn)
    } catch (error) {
      this.failure = startFailure(this.#options, error as Error)
      throw new Error(this.failure)
    }
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if (this.#writer === undefined || this.#ended || !this.#group?.child.stdin.writable)
      throw new Error('the server takes no more input')
    const unread = this.#group.child.stdin.writableLength
    const { limits } = this.#options
    // One message may be longer than the limit: a server that reads gets to its end. A message that takes something back goes out, so
    // that the server does not work for nothing later; there is one for each message at most.
    if (unread > limits.serverUnreadBytes && !takesBack(message))
      throw new NotRead(
        `the server does not read what it is sent: ${formatBytes(unread)} wait for it; ${limitWords('serverUnreadBytes', limits)}`,
      )
    if (isTimeout(message) && this.#reader.unfinished > 0 && performance.now() - this.#heard > STALLED_MS)
      return this.#end('stopped in the middle of a message')
    const [first, ...others] = jsonParts(message)
    await (others.length === 0
      ? this.#writer.write(`${first}\n`)
      : this.#writer.write(first, ...others, '\n'))
  }

  /** Resolves when the process and all it started are gone. */
  async close(): Promise<void> {
    this.#ended = true
    this.#intake.stop()
    await this.#group?.close()
    this.onclose?.()
  }

  #line(parts: readonly Buffer[], length: number): void {
    const messages = readMessages(parts, length, this.#options)
    if (messages === undefined) return this.#skip(textOfParts(parts))
    if (messages instanceof TooMuch) return this.#refuse(messages.words)
    if (!this.#spoke) [this.#before, this.#stderr, this.#spoke] = [this.#stderr, '', true]
    for (const message of messages) {
      if ('method' in message) this.#intake.unasked(length / messages.length)
      this.onmessage?.(message)
    }
  }

  #skip(text: string): void {
    this.#intake.malformed()
    const line = text.slice(0, LOGGED)
    if (line.trim() === '' || ++this.#skipped > TOLD_LINES) return
    const more = this.#skipped === TOLD_LINES ? '; further ones are skipped without a word' : ''
    this.#options.logger.warn({ line }, `skipped a line on stdout that is not JSON-RPC${more}`)
  }

  #discarded({ head, tail, length }: DiscardedLine): void {
    const message = tooLong(head, length, this.#options.maxMessageBytes, this.#options.limits)
    const id = idOfEdges(head, tail)
    if (id === undefined) return this.#refuse(message)
    this.onerror?.(new Error(message))
    this.onmessage?.(localFailure(id, 'UPSTREAM_PROTOCOL', message))
  }

  /** A message that is too much, and answers no request of ours as far as can be told. */
  #refuse(words: string): void {
    this.#intake.unasked()
    this.#options.logger.warn({}, `the server ${words}`)
    this.onerror?.(new Error(words))
  }

  #note(text: string): void {
    this.#stderr = `${this.#stderr}${text}`.slice(-STDERR_KEPT)
    this.#options.logger.debug({ stderr: text.slice(0, STDERR_KEPT).trimEnd() }, 'server wrote to stderr')
  }

  #end(reason?: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#intake.stop()
    this.failure = reason ?? this.#obituary()
    if (this.#reader.unfinished > 0) this.onerror?.(new Error(`${this.failure}, in the middle of a message`))
    void this.#group?.close()
    this.onclose?.()
  }

  #obituary(): string {
    const { exitCode, signalCode } = this.#group?.child ?? { exitCode: null, signalCode: null }
    const half = this.#reader.unfinished > 0 ? ' in the middle of a message' : ''
    const how =
      signalCode !== null
        ? `was killed by ${signalCode}`
        : exitCode !== null
          ? `exited with code ${exitCode}`
          : 'closed its output'
    const said = this.#options.conceal(causeOfDeath(this.#before, this.#stderr, signalCode)).slice(0, LOGGED)
    return `${how}${half}${said === '' ? '' : `: ${said}`}`
  }
}

/** A call has waited for as long as it may. */
function isTimeout(message: JsonRpcMessage): boolean {
  return takesBack(message) && 'params' in message && message.params?.reason === 'timeout'
}

function takesBack(message: JsonRpcMessage): boolean {
  return 'method' in message && message.method === 'notifications/cancelled'
}

/** For a directory that is not there the system names the command. */
function startFailure({ command, cwd }: ProcessOptions, error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') return `could not be started: ${whyNotStarted(error)}`
  return cwd !== undefined && !existsSync(cwd)
    ? `could not be started: its working directory \`${cwd}\` is not there`
    : `could not be started: the command \`${command}\` was not found`
}

// The reason that a process gave when it ended.

/** Lines at the end that programs write after the reason: the version of Node, frames, what belongs to an error, where npm logs. */
const AFTER =
  /^(?:Node\.js v\d.*|at .*|[{}[\](),;^~]+|(?:errno|code|syscall|path|requireStack|address|port|spawnargs): .*|'.*'|npm (?:error|ERR!) (?:A complete log|Log files).*|npm (?:error|ERR!)\s+\S*[/\\]_logs[/\\].*)$/

/** A line that names an error: `Error: …`, `TypeError [ERR_X]: …`, `ModuleNotFoundError: …`. */
const REASON = /^(?:Uncaught )?[\w.]*(?:Error|Exception)(?: \[\w+\])?: /
const NPM = /^npm (?:error|ERR!) (?!code )\S/

/** Signals that come from outside: what the process wrote before is not why it ended. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])

/**
 * The line of standard error that tells why a process ended; empty for none. A greeting is not such a line. Before the first message, and
 * from a process that was killed, only a line that names an error counts.
 *
 * @param before what was written before the process sent its first message
 * @param after what was written since then; all, where it sent none
 */
export function causeOfDeath(before: string, after: string, signal: string | null): string {
  if (signal === null || !FROM_OUTSIDE.has(signal)) return lastWords(after) || namedError(before)
  return namedError(after) || namedError(before)
}

function namedError(stderr: string): string {
  return linesOf(stderr).findLast((line) => REASON.test(line)) ?? ''
}

/** The line of what was written to standard error that tells most: the last one, or before what follows an error. Empty for none. */
function lastWords(stderr: string): string {
  const lines = linesOf(stderr)
  const last = lines.at(-1) ?? ''
  if (!AFTER.test(last)) return last
  const said = /^npm /.test(last)
    ? lines.find((line) => NPM.test(line))
    : lines.findLast((line) => REASON.test(line))
  return said ?? lines.findLast((line) => !AFTER.test(line)) ?? last
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
