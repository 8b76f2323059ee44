/**
 * A file that lines of JSON are appended to. Lines are made when the event loop has nothing more urgent to do, so that no message waits for
 * them, and written many at once: a write costs many times what a line does.
 */
import { closeSync, createWriteStream, openSync } from 'node:fs'
import { messageOf, ProxyError } from '../protocol/errors.ts'

/** Milliseconds that a line waits for others, and characters that wait no longer. */
const LINGER_MS = 50
const MOST_TOGETHER = 64 * 1024
/** Bytes that wait for a slow disk; what comes then is lost. */
const MOST_WAITING = 64 * 1024 * 1024

export interface LogFile {
  /** `fields` is called later; the line has the time of now. */
  write(message: string, fields: () => Readonly<Record<string, unknown>>): void
  /** Resolves when all is written. */
  close(): Promise<void>
}

/** Readable by the user alone. `now`: milliseconds since 1970. Throws ProxyError CONFIG_INVALID. */
export function openLogFile(file: string, now: () => number): LogFile {
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `The log file ${file} cannot be opened: ${messageOf(error)}`,
      'Name another file.',
    )
  }
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 })
  // A full disk must not end the proxy: lines are lost, messages are not.
  stream.on('error', () => {})
  let unmade: (() => string)[] = []
  let made = ''
  let writing: NodeJS.Timeout | undefined
  const timestamp = createTimestamp()

  function make(): void {
    const makers = unmade
    unmade = []
    for (const maker of makers) made += lineOf(maker)
    if (made.length > MOST_TOGETHER) put()
    else writing ??= setTimeout(put, LINGER_MS)
  }

  function put(): void {
    clearTimeout(writing)
    writing = undefined
    if (made !== '' && stream.writableLength < MOST_WAITING) stream.write(made)
    made = ''
  }

  return {
    write(message, fields) {
      if (unmade.length === 0) setImmediate(make)
      const ms = now()
      unmade.push(() => `${JSON.stringify({ time: timestamp(ms), message, ...fields() })}\n`)
    },
    close: async () => {
      make()
      put()
      if (stream.destroyed) return
      await new Promise<void>((resolve) => {
        stream.once('close', () => resolve())
        stream.end()
      })
    },
  }
}

/** A line that cannot be written must not end the proxy. */
function lineOf(make: () => string): string {
  try {
    return make()
  } catch {
    return ''
  }
}

/** Many lines come in one millisecond. */
function createTimestamp(): (ms: number) => string {
  let at = Number.NaN
  let text = ''
  return (ms) => {
    if (ms !== at) {
      at = ms
      text = new Date(ms).toISOString()
    }
    return text
  }
}
