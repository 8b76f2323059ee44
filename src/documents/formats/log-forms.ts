/** Heads of log lines that follow a standard or belong to one program. Expressions are anchored and linear. */
import { type JsonObject, setOwn } from '../../protocol/json.ts'
import type { Entry } from './log-entry.ts'
import { levelInBrackets, levelOf, levelOfLetter, severityOf } from './log-level.ts'
import { exactNumber } from './numbers.ts'

const SYSLOG =
  /^(?:<(\d{1,3})>)?([A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d) (\S+) ([^\s:[\]]{1,64})(?:\[(\d+)\])?: ?/
// Values in quotes may hold brackets, and quotes behind a backslash.
const RFC5424 =
  /^<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) (?:-|((?:\[(?:[^"\]\\]|"(?:[^"\\]|\\.)*")*\])+)) ?/
const PARAMETER = /([^\s=\]"[]{1,64})="((?:[^"\\]|\\.)*)"/g
// glog and CockroachDB write the year as well.
const KLOG = /^([IWEF])(\d{4}(?:\d\d|\d{4})? \d\d:\d\d:\d\d\.\d{1,9}) +(\d+) ([^\]\s]{1,80})(?:\] ?| +)/
const LOGCAT = /^(\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) +(\d+) +(\d+) ([VDIWEF]) ([^:]{1,60}?) *: ?/
// Without a process the tag is one word, and `I/O` is none.
const BRIEF =
  /^([VDIWEF])\/(?:([^\s:()][^:()]{0,59}?) {0,8}\( {0,8}(\d{1,7})\)|([A-Za-z][\w.$-]{1,59}) {0,8}): ?/
const DAY = /^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +(?=[VDIWEF]\/)/
const TORNADO =
  /^\[([DIWEC]) (\d{6} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?|\d\d:\d\d:\d\d(?:\.\d+)?) ([^\]]{1,80})\] ?/
const RUBY = /^[DIWEFA], \[(\S{1,40}) #(\d+)\] +([A-Z]{3,8}) -- ([^:]{0,60}): ?/
const REDIS = /^(\d+):[XCSM] (\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3}) ([.\-*#]) ?/
const PYTHON = /^(DEBUG|INFO|WARNING|ERROR|CRITICAL):([\w.-]{1,80}):/
const DOTNET = /^(trce|dbug|info|warn|fail|crit): ([\w.]{1,120})\[\d+\]\s*$/
const STRACE =
  /^(?:\[pid +(\d+)\] |(\d+) +)?(\d\d:\d\d:\d\d(?:\.\d{6})?) (?=[a-z_]\w*\(|--- SIG|\+\+\+ |<\.\.\. )/
const DMESG = /^(?:<(\d{1,3})>)?\[ *(\d{1,9}\.(?:\d{3}|\d{6}))\] ?/

const REDIS_LEVELS: Readonly<Record<string, string>> = {
  '.': 'DEBUG',
  '-': 'VERBOSE',
  '*': 'NOTICE',
  '#': 'WARNING',
}
const DOTNET_LEVELS: Readonly<Record<string, string>> = {
  trce: 'TRACE',
  dbug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  fail: 'ERROR',
  crit: 'CRITICAL',
}

/** Reads a head in one of these forms; undefined for any other line. */
export function readForm(line: string): Entry | undefined {
  for (const form of FORMS) {
    const entry = form(line)
    if (entry) return entry
  }
  return undefined
}

/** `E/Tag( 123): `, the short forms of logcat. */
export function readBrief(line: string): Entry | undefined {
  const match = BRIEF.exec(line)
  if (!match) return undefined
  const [whole, level = '', tagged, pid, word = ''] = match
  const fields: JsonObject = { level: levelOfLetter(level), logger: tagged ?? word }
  if (pid !== undefined) fields.pid = Number(pid)
  return { fields, message: whole.length }
}

const FORMS: readonly ((line: string) => Entry | undefined)[] = [
  (line) => {
    const match = RFC5424.exec(line)
    if (!match) return undefined
    const [whole, priority, time = '', host = '', logger = '', pid = '', id = '', data] = match
    const fields: JsonObject = { time, level: severityOf(Number(priority)) }
    for (const [name, value] of Object.entries({ host, logger, pid, msgid: id }))
      if (value !== '-') fields[name] = name === 'pid' ? (exactNumber(value) ?? value) : value
    for (const [, name = '', value = ''] of (data ?? '').matchAll(PARAMETER))
      if (!Object.hasOwn(fields, name)) setOwn(fields, name, value.replace(/\\(["\\\]])/g, '$1'))
    return { fields, message: whole.length }
  },
  (line) => {
    const match = SYSLOG.exec(line)
    if (!match) return undefined
    const [whole, priority, time = '', host = '', logger = '', pid] = match
    const level = priority === undefined ? undefined : severityOf(Number(priority))
    return withProcess(
      line,
      whole.length,
      { time, ...(level === undefined ? {} : { level }) },
      { host, logger, pid },
    )
  },
  (line) => {
    const match = KLOG.exec(line)
    if (!match) return undefined
    const [whole, level = '', time = '', , logger = ''] = match
    return { fields: { time, level: levelOfLetter(level), logger }, message: whole.length }
  },
  (line) => {
    const match = LOGCAT.exec(line)
    if (!match) return undefined
    const [whole, time = '', pid, thread, level = '', logger = ''] = match
    const fields = { time, level: levelOfLetter(level), logger, pid: Number(pid), thread: Number(thread) }
    return { fields, message: whole.length }
  },
  (line) => {
    const [day = ''] = DAY.exec(line) ?? []
    const brief = readBrief(line.slice(day.length))
    if (!brief || day === '') return brief
    return { fields: { time: day.trimEnd(), ...brief.fields }, message: day.length + brief.message }
  },
  (line) => {
    const match = TORNADO.exec(line)
    if (!match) return undefined
    const [whole, level = '', time = '', logger = ''] = match
    return { fields: { time, level: levelOfLetter(level), logger }, message: whole.length }
  },
  (line) => {
    const match = RUBY.exec(line)
    if (!match) return undefined
    const [whole, time = '', pid, level = '', logger = ''] = match
    const fields = {
      time,
      level,
      pid: Number(pid),
      ...(logger.trim() === '' ? {} : { logger: logger.trim() }),
    }
    return { fields, message: whole.length }
  },
  (line) => {
    const match = REDIS.exec(line)
    if (!match) return undefined
    const [whole, pid, time = '', mark = ''] = match
    return { fields: { time, level: REDIS_LEVELS[mark] ?? mark, pid: Number(pid) }, message: whole.length }
  },
  (line) => {
    const match = PYTHON.exec(line)
    if (!match) return undefined
    const [whole, level = '', logger = ''] = match
    return { fields: { level, logger }, message: whole.length }
  },
  (line) => {
    const match = DOTNET.exec(line)
    if (!match) return undefined
    const [, level = '', logger = ''] = match
    return { fields: { level: DOTNET_LEVELS[level] ?? level, logger }, message: level.length + 2 }
  },
  (line) => {
    const match = STRACE.exec(line)
    if (!match) return undefined
    const [whole, one, other, time = ''] = match
    const pid = one ?? other
    return { fields: { ...(pid === undefined ? {} : { pid: Number(pid) }), time }, message: whole.length }
  },
  (line) => {
    const match = DMESG.exec(line)
    if (!match) return undefined
    const [whole, priority, time = ''] = match
    const [marked = '', mark = ''] =
      /^(\([A-Z]{2}\)) ?/.exec(line.slice(whole.length, whole.length + 8)) ?? []
    const level = priority === undefined ? levelInBrackets(mark) : severityOf(Number(priority))
    const fields = { time: exactNumber(time) ?? time, ...(level !== undefined && { level }) }
    return { fields, message: whole.length + (level === undefined ? 0 : marked.length) }
  },
]

/** Who said it: a host and a process on it. */
interface Process {
  host?: string
  logger: string
  pid: string | undefined
}

/** The head of syslog and of the journal; the level is the first word of the message, when it is one and none is known. */
export function withProcess(
  line: string,
  message: number,
  fields: JsonObject,
  { host, logger, pid }: Process,
): Entry {
  const level = fields.level === undefined ? levelAtStart(line.slice(message, message + 24)) : undefined
  if (level !== undefined) fields.level = level
  if (host !== undefined) fields.host = host
  fields.logger = logger
  const number = exactNumber(pid ?? '')
  if (number !== undefined) fields.pid = number
  else if (pid !== undefined) fields.process = pid
  return { fields, message }
}

/** The level that a message begins with, by a word, in brackets, or as klog writes it. */
function levelAtStart(message: string): string | undefined {
  const [, letter] = /^([IWEF])\d{4} \d\d:\d\d:\d\d\./.exec(message) ?? []
  if (letter !== undefined) return levelOfLetter(letter)
  const [, word = ''] = /^[<[(]?([a-z]{3,11})\b(?=[\]>):\s]|$)/i.exec(message) ?? []
  const [marked = ''] = /^[<[(][A-Z0-9]{1,2}[\]>)](?=[\s:]|$)/.exec(message) ?? []
  return levelOf(word) ?? levelInBrackets(marked)
}
