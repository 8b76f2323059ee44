/**
 * The last lines of the log, for commands, and the last ones about each server, for the page. The ones about servers include lines that
 * the log leaves out by its level.
 */
import type { Logger } from '../../observe/log.ts'
import type { Redactor } from '../../observe/redact.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { LoggedLine, LogLine } from './api.ts'

export interface LogLines {
  /** The same logger; what it is told is noted. */
  noting(logger: Logger): Logger
  /** The oldest first. */
  of(server: string): readonly LogLine[]
  /** The last `limit` lines with an id above `after`, the oldest first, as the log has them. */
  since(after: number, limit: number): readonly LoggedLine[]
}

/** Lines of one server and in all, characters of a line, and servers. */
const MOST_LINES = 200
const MOST_LOGGED = 1_000
const LONGEST = 1_000
const MOST_SERVERS = 500
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** A line as it was told. It is written out when somebody reads it: a call should not wait for that. */
interface Noted {
  readonly id: number
  readonly at: number
  readonly level: LogLine['level']
  readonly fields: object
  readonly message: string
}

/** @param now milliseconds since 1970 */
export function createLogLines(now: () => number, redactor: Pick<Redactor, 'fields' | 'text'>): LogLines {
  const lines = new Map<string, LogLine[]>()
  const logged: Noted[] = []
  let lastId = 0

  function written({ at, level, fields, message }: Noted): string {
    const { err, ...others } = fields as Record<string, unknown>
    const said = err === undefined ? others : { ...others, err: messageOf(err) }
    const head = { level, time: new Date(at).toISOString() }
    const line = JSON.stringify({ ...head, ...redactor.fields(said), msg: redactor.text(message) })
    return line.length > LONGEST ? JSON.stringify({ ...head, msg: line.slice(0, LONGEST) }) : line
  }

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
            if (level !== 'debug') logged.push({ id: ++lastId, at: now(), level, fields, message })
            if (logged.length > MOST_LOGGED) logged.shift()
            logger[level](fields, message)
          },
        ]),
      ) as unknown as Logger,
    of: (server) => lines.get(server) ?? [],
    since: (after, limit) =>
      limit === 0
        ? []
        : logged
            .filter(({ id }) => id > after)
            .slice(-limit)
            .map((noted) => ({ id: noted.id, line: written(noted) })),
  }
}
