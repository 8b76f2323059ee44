/** The last lines of the log about each server, for the page. Lines that the log leaves out by its level are here, too. */
import type { Logger } from '../../observe/log.ts'
import type { Redactor } from '../../observe/redact.ts'
import type { LogLine } from './api.ts'

export interface LogLines {
  /** The same logger; what it is told about a server is noted. */
  noting(logger: Logger): Logger
  /** The oldest first. */
  of(server: string): readonly LogLine[]
}

/** Lines of one server, characters of a line, and servers. */
const MOST_LINES = 200
const LONGEST = 1_000
const MOST_SERVERS = 500
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** @param now milliseconds since 1970 */
export function createLogLines(now: () => number, redactor: Pick<Redactor, 'fields' | 'text'>): LogLines {
  const lines = new Map<string, LogLine[]>()

  function note(level: LogLine['level'], fields: object, message: string): void {
    const { server, ...rest } = fields as Record<string, unknown>
    if (typeof server !== 'string') return
    const noted = lines.get(server) ?? []
    if (noted.length === 0 && lines.size >= MOST_SERVERS) return
    const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(redactor.fields(rest))}`
    noted.push({ at: now(), level, text: redactor.text(message + more).slice(0, LONGEST) })
    if (noted.length > MOST_LINES) noted.shift()
    lines.set(server, noted)
  }

  return {
    noting: (logger) =>
      Object.fromEntries(
        LEVELS.map((level) => [
          level,
          (fields: object, message: string) => {
            note(level, fields, message)
            logger[level](fields, message)
          },
        ]),
      ) as unknown as Logger,
    of: (server) => lines.get(server) ?? [],
  }
}
