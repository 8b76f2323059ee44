/** The head of a log line: time, level, host, logger; what follows is the message. */
import type { JsonObject } from '../../protocol/json.ts'

/** Where a line begins an entry: its fields, and the offset of its message in the line. */
export interface Entry {
  fields: JsonObject
  message: number
}

const ISO =
  /^\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)\]?/
const SYSLOG =
  /^(?:<\d{1,3}>)?([A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d) (\S+) ([^\s:[\]]{1,64})(?:\[(\d+)\])?: ?/
/** After an ISO time: ` host process[pid]: `, as `journalctl -o short-iso` prints it. */
const JOURNAL = /^ ([\w.-]{1,64}) ([\w@/.:-]{1,64}?)\[(\d+)\]: ?/
const RFC5424 = /^<\d{1,3}>1 (\S+) (\S+) (\S+) (\S+) (\S+) (?:-|\[[^\]]*\]) ?/
const KLOG = /^([IWEF])(\d{4} \d\d:\d\d:\d\d\.\d{1,9}) +(\d+) ([^\]\s]{1,80})\] ?/
const APACHE = /^\[([A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d(?:\.\d+)? \d{4})\]/
const LOGFMT = /^(?:time|ts|timestamp|level|lvl)="?[^\s"]/
const LEVEL =
  /^(?:TRACE|DEBUG|VERBOSE|INFO|INFORMATION|NOTICE|WARN|WARNING|ERR|ERROR|CRIT|CRITICAL|FATAL|SEVERE|ALERT|EMERG|PANIC)$/i
const LEVEL_FIRST = /^(?:\[([A-Za-z]{3,11})\]|([A-Za-z]{3,11}):|([A-Z]{4,8})) +/
const KLOG_LEVELS: Record<string, string> = { I: 'INFO', W: 'WARNING', E: 'ERROR', F: 'FATAL' }

/** Reads the head of a line. Undefined: the line begins no entry. All expressions are anchored and linear. */
export function readEntry(line: string): Entry | undefined {
  const code = line.charCodeAt(0)
  if (code >= 48 && code <= 57) return dated(line, ISO)
  if (code === 91) return dated(line, ISO) ?? dated(line, APACHE) ?? levelFirst(line)
  if (code === 60) return rfc5424(line) ?? syslog(line)
  return (
    klog(line) ??
    syslog(line) ??
    levelFirst(line) ??
    (LOGFMT.test(line) ? { fields: {}, message: 0 } : undefined)
  )
}

function dated(line: string, time: RegExp): Entry | undefined {
  const match = time.exec(line)
  if (!match) return undefined
  const [journal, host = '', logger = '', pid] =
    JOURNAL.exec(line.slice(match[0].length, match[0].length + 256)) ?? []
  if (journal !== undefined)
    return withProcess(line, match[0].length + journal.length, { time: match[1] ?? '' }, host, logger, pid)
  return withHead(line, match[0].length, { time: match[1] ?? '' })
}

function levelFirst(line: string): Entry | undefined {
  const match = LEVEL_FIRST.exec(line)
  const level = match?.[1] ?? match?.[2] ?? match?.[3]
  if (!match || level === undefined || !LEVEL.test(level)) return undefined
  const time = ISO.exec(line.slice(match[0].length, match[0].length + 48))
  if (!time) return { fields: { level: level.toUpperCase() }, message: match[0].length }
  return withHead(line, match[0].length + time[0].length, { time: time[1] ?? '', level: level.toUpperCase() })
}

function syslog(line: string): Entry | undefined {
  const match = SYSLOG.exec(line)
  if (!match) return undefined
  const [whole, time = '', host = '', logger = '', pid] = match
  return withProcess(line, whole.length, { time }, host, logger, pid)
}

/** The head of syslog and of the journal; the level is the first word of the message, when it is one. */
function withProcess(
  line: string,
  message: number,
  fields: JsonObject,
  host: string,
  logger: string,
  pid: string | undefined,
): Entry {
  const level = /^\W?(error|warning|fatal|critical|crit|err|warn|info|notice|debug)\b/i.exec(
    line.slice(message, message + 16),
  )?.[1]
  if (level !== undefined) fields.level = level.toUpperCase()
  fields.host = host
  fields.logger = logger
  if (pid !== undefined) fields.pid = Number(pid)
  return { fields, message }
}

function rfc5424(line: string): Entry | undefined {
  const match = RFC5424.exec(line)
  if (!match) return undefined
  const [whole, time = '', host = '', logger = '', pid = ''] = match
  return { fields: { time, host, logger, pid }, message: whole.length }
}

function klog(line: string): Entry | undefined {
  const match = KLOG.exec(line)
  if (!match) return undefined
  const [whole, level = '', time = '', , logger = ''] = match
  return { fields: { time, level: KLOG_LEVELS[level] ?? level, logger }, message: whole.length }
}

const TOKEN = /^(?:[\s|-]*)(?:\[([^\]]{0,80})\]|([^\s[\]|]{1,120}))/

/**
 * The words between a time and the message: a level, a thread or process in brackets, a logger. Only what comes with
 * a level or in brackets is taken; a message without either stays whole.
 */
function withHead(line: string, from: number, fields: JsonObject): Entry {
  let at = from
  for (let words = 0; words < 6; words++) {
    const match = TOKEN.exec(line.slice(at, at + 256))
    if (!match) break
    const [whole, bracketed, bare] = match
    const word = (bracketed ?? bare ?? '').trim()
    const bareWord = word.replace(/:$/, '')
    if (fields.level === undefined && LEVEL.test(bareWord)) fields.level = bareWord.toUpperCase()
    else if (bracketed !== undefined) name(fields, word)
    else if (
      fields.logger === undefined &&
      isLogger(word, line.slice(at + whole.length, at + whole.length + 3))
    ) {
      fields.logger = bareWord
    } else if (
      !/^\d+$/.test(word) ||
      !/^\s*(?:---|\[|- )/.test(line.slice(at + whole.length, at + whole.length + 8))
    )
      break
    at += whole.length
  }
  const rest = /^(?:\s*[-:|]\s+|\s+)/.exec(line.slice(at, at + 32))
  return { fields, message: at + (rest?.[0].length ?? 0) }
}

/** A word in brackets is the logger when it looks like one, otherwise the thread. */
function name(fields: JsonObject, word: string): void {
  if (word === '' || /^\d+$/.test(word)) return
  const key = fields.logger === undefined && /^[a-z][\w$-]*([./:][\w$-]+)+$/i.test(word) ? 'logger' : 'thread'
  if (fields[key] === undefined) fields[key] = word
}

/** Dotted names, names before a colon, and names between dashes are loggers. */
function isLogger(word: string, after: string): boolean {
  if (/^[A-Za-z_][\w$-]*(?:[./][\w$-]+)+:?$/.test(word)) return true
  return /^[A-Za-z_][\w$./-]*$/.test(word) ? /^ [-:] ?/.test(after) : /^[A-Za-z_][\w$.-]*:$/.test(word)
}
