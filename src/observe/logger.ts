/** The log: JSON lines to standard error or a file. Standard output belongs to the protocol and is never written to. */

import pino from 'pino'
import type { Logger } from './log.ts'
import { createRedactor, type Redactor } from './redact.ts'

export interface LoggerOptions {
  level: 'debug' | 'info' | 'warning' | 'error'
  /** A file, made with mode 0600 and appended to. Undefined: standard error. */
  file?: string | undefined
  /** Values that must never be logged. */
  secrets?: readonly string[]
  /** What strikes secrets out, where they become more later. */
  redactor?: Redactor
  /** In place of standard error or the file, for tests: gets one line a call. */
  destination?: { write(line: string): void }
}

/** Writes synchronously, so that the last line before a crash is there. Throws when the file cannot be opened. */
export function createLogger({ level, file, destination, ...options }: LoggerOptions): Logger {
  const redactor = options.redactor ?? createRedactor(options.secrets)
  const target = destination ?? open(file)
  const settings: pino.LoggerOptions = {
    level: level === 'warning' ? 'warn' : level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Errors are plain data by then; pino's own serializer would call them `Object`.
    serializers: { err: (error: unknown) => error },
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => redactor.fields(fields),
    },
  }
  const log = pino(settings, target)
  const at =
    (name: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: object, message: string): void => {
      if (log.isLevelEnabled(name)) log[name](fields, redactor.text(message))
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function open(file: string | undefined): pino.DestinationStream {
  const target =
    file === undefined
      ? pino.destination({ dest: 2, sync: true })
      : pino.destination({ dest: file, sync: true, mkdir: true, mode: 0o600, append: true })
  // A reader of the log that went away must not end the session.
  target.on('error', () => {})
  return target
}
