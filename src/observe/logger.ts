/** The log: JSON lines to standard error or a file. Standard output belongs to the protocol and is never written to. */

import { createRequire } from 'node:module'
import type pino from 'pino'
import type { Logger } from './log.ts'
import { createRedactor, type Redactor } from './redact.ts'

export interface LoggerOptions {
  level: 'debug' | 'info' | 'warning' | 'error'
  /** A file, made with mode 0600 and appended to. Undefined: standard error. */
  file?: string | undefined
  /** Values that must never be logged. */
  secrets?: readonly string[]
  /** The redactor that strikes secrets out, where they become more later. */
  redactor?: Redactor
  /** In place of standard error or the file, for tests: gets one line a call. */
  destination?: { write(line: string): void }
}

/** With the first line that is written: it takes its time, and the answer to the client goes first. */
const loadPino = (): typeof pino => createRequire(import.meta.url)('pino')

/** From the least important up. */
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** Milliseconds that a line waits for others, at most, and lines that wait, at most. */
const WAITS_MS = 100
const MOST_WAITING = 100

interface Line {
  readonly level: (typeof LEVELS)[number]
  readonly fields: object
  readonly message: string
  /** Milliseconds since 1970. */
  readonly time: number
}

/**
 * Lines are made and written several at a time, so that a line for each call costs a call little. A warning or an error is written at
 * once, with what waits before it, and the end of the process writes the rest. Throws when the file cannot be opened.
 */
export function createLogger({ level, file, destination, ...options }: LoggerOptions): Logger {
  const redactor = options.redactor ?? createRedactor(options.secrets)
  // The start fails where the file cannot be opened.
  let target = destination ?? (file === undefined ? undefined : openFile(file))
  const least = level === 'warning' ? 'warn' : level
  let waiting: Line[] = []
  let timer: NodeJS.Timeout | undefined
  const written = createTimestamps()
  let time = 0
  let text = ''
  const settings: pino.LoggerOptions = {
    level: least,
    base: null,
    timestamp: () => written(time),
    // Errors are plain data by then; pino's own serializer would call them `Object`.
    serializers: { err: (error: unknown) => error },
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => redactor.fields(fields),
    },
  }
  let log: pino.Logger | undefined
  const lineOf = ({ level, fields, message, time: at }: Line): void => {
    log ??= loadPino()(settings, {
      write: (line) => {
        text += line
      },
    })
    time = at
    log[level](fields, redactor.text(message))
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const lines = waiting
    waiting = []
    lines.forEach(lineOf)
    const all = text
    text = ''
    if (all === '') return
    target ??= openStandardError()
    target.write(all)
  }

  const at =
    (level: Line['level']) =>
    (fields: object, message: string): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
      waiting.push({ level, fields, message, time: Date.now() })
      const isUrgent = level === 'warn' || level === 'error' || destination !== undefined
      if (isUrgent || waiting.length >= MOST_WAITING) flush()
      else timer ??= setTimeout(flush, WAITS_MS).unref()
    }
  process.once('exit', flush)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** The time of a line as JSON, written out once for all lines of a millisecond. */
function createTimestamps(): (ms: number) => string {
  let last = Number.NaN
  let json = ''
  return (ms) => {
    if (ms !== last) json = `,"time":"${new Date(ms).toISOString()}"`
    last = ms
    return json
  }
}

function openStandardError(): pino.DestinationStream {
  return unfailing(loadPino().destination({ dest: 2, sync: true }))
}

function openFile(file: string): pino.DestinationStream {
  return unfailing(loadPino().destination({ dest: file, sync: true, mkdir: true, mode: 0o600, append: true }))
}

/** A reader of the log that went away must not end the session. */
function unfailing(target: ReturnType<typeof pino.destination>): pino.DestinationStream {
  target.on('error', () => {})
  return target
}
