/**
 * A file that lines of JSON are appended to. Lines are made and written when the event loop has nothing more urgent to do, all that came
 * until then at once: no message waits for them.
 */
import { closeSync, createWriteStream, openSync } from 'node:fs'
import { messageOf, ProxyError } from '../protocol/errors.ts'

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
  let waiting: (() => string)[] = []
  const timestamp = createTimestamp()

  function flush(): void {
    if (waiting.length > 0 && stream.writableLength < MOST_WAITING) stream.write(waiting.map(lineOf).join(''))
    waiting = []
  }

  return {
    write(message, fields) {
      if (waiting.length === 0) setImmediate(flush)
      const ms = now()
      waiting.push(() => `${JSON.stringify({ time: timestamp(ms), message, ...fields() })}\n`)
    },
    close: async () => {
      flush()
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
